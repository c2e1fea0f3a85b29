"""What ordering a study's clips would cost, said before anything is ordered."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helpers.checking import DataError
from helpers.generation.hosted_orders import Order, OrderBook
from helpers.generation.journal import Row, check_models, check_origin

NOTES = {
    "veo": "Google logs in to its Agent Platform here; a key of the Gemini Developer API is not enough",
    "sora": "OpenAI has announced that its own service ends on 24 September 2026; others need `base_url`",
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run has to do.

    Attributes:
        orders: the clips that are wanted.
        new: those to order.
        going: those that were ordered already and have only to be fetched.
        doubtful: how many of the new ones were asked for before without an answer, and may be paid for twice.
        spent: what earlier orders cost at most.
        budget: the most that all orders of the study to this model may cost, or None.
    """

    orders: Sequence[Order]
    new: Sequence[Order]
    going: Sequence[Order]
    doubtful: int
    spent: float
    budget: float | None

    @property
    def cost(self) -> float:
        """What the new orders cost."""
        return sum(order.model.cost for order in self.new)

    def __str__(self) -> str:
        if not self.orders:
            return "no clips are asked for"
        model = self.orders[0].model
        price = model.price
        done = len(self.orders) - len(self.new) - len(self.going)
        lines = [
            f"{model.name} ({model.id}): {len(self.new):,} clips to order, {len(self.going):,} on order, "
            f"{done:,} of {len(self.orders):,} done",
            f"  {len(self.new):,} × {model.seconds} s × {price.per_second:g} {price.currency}/s = "
            f"{self.cost:,.2f} {price.currency} (price of {price.date}, {price.source})",
            f"  earlier orders: at most {self.spent:,.2f} {price.currency}"
            + (f"; budget {self.budget:,.2f} {price.currency}" if self.budget is not None else "; no budget"),
            f"  {NOTES[model.service]}",
        ]
        if self.doubtful:
            lines.append(f"  {self.doubtful} of them were asked for before without an answer: may cost twice")
        return "\n".join(lines)


def plan_of(
    study: Path, orders: Sequence[Order], rows: Mapping[str, Row], book: OrderBook, budget: float | None
) -> Plan:
    """What is left to do.

    A clip is done where its row says that it came or was refused by a filter, and where its file has the size
    that it had. One that failed is ordered again.

    Raises:
        DataError: a clip was ordered otherwise than it is asked for now, or in another currency, or is there
            from elsewhere, or the model's clips would be kept as those of another one.
        ValueError: the budget is no finite number from 0 on.
    """
    if budget is not None and not (math.isfinite(budget) and budget >= 0):
        raise ValueError(f"budget: found {budget}, expected a finite number from 0 on")
    check_models([*(row.model for row in rows.values()), *(order.model.name for order in orders)])
    _check_currency(orders, book)
    new, going = [], []
    for order in orders:
        check_origin(rows.get(order.video_id), "hosted")
        asked = book.asked(order.video_id)
        if _is_done(study, order, rows.get(order.video_id)):
            _check_same(order, asked)
        elif order.video_id in book.jobs:
            _check_same(order, asked)
            going.append(order)
        else:
            new.append(order)
    doubtful = sum(order.video_id in book.doubtful for order in new)
    return Plan(orders=orders, new=new, going=going, doubtful=doubtful, spent=book.spent, budget=budget)


def _check_currency(orders: Sequence[Order], book: OrderBook) -> None:
    for currency in {order.model.price.currency for order in orders}:
        if others := sorted(book.currencies - {currency}):
            raise DataError(
                f"{orders[0].model.name}: earlier orders cost {', '.join(others)}, the price is now in "
                f"{currency}; expected one currency, so that the budget counts them together"
            )


def _is_done(study: Path, order: Order, row: Row | None) -> bool:
    if row is None or row.origin != "hosted":
        return False
    if row.status == "blocked":
        return True
    place = study / order.path
    return row.status == "ok" and place.exists() and place.stat().st_size == row.bytes


def _check_same(order: Order, asked: Mapping[str, object]) -> None:
    for name, value in order.asked.items():
        if asked and asked.get(name) != value:
            raise DataError(
                f"{order.video_id} was ordered with {name} = {asked.get(name)!r}, is now asked for with "
                f"{value!r}. Clips of one study must be made alike: give the study another name, or move its "
                "videos and logs away"
            )
