"""Clips to order from a service, and a record of every order, so that none is paid for twice.

The record is a file of JSON lines, `logs/hosted/<model>.jsonl` in the study's folder. A line is on the disk
before an order is sent, and another as soon as the service has named the job: a run that is killed goes on
with the jobs that it has. What lies between these two lines is the one thing that a crash can leave in doubt;
such an order counts as paid for.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict

from helpers.checking import DataError
from helpers.generation.hosted_model import HostedModel
from helpers.generation.journal import clip_path, now, slug, video_id
from helpers.journal import OpenJournal, read_lines, writing
from helpers.paths import shown

WHAT = "an order's event"


@dataclass(frozen=True)
class Order:
    """A clip to order."""

    model: HostedModel
    prompt_id: str
    prompt: str
    seed: int

    @property
    def video_id(self) -> str:
        """Its name in the study's tables."""
        return video_id(self.model.name, self.prompt_id, self.seed)

    @property
    def path(self) -> str:
        """Where it goes, relative to the study's folder."""
        return clip_path(self.model.name, self.prompt_id, self.seed)

    @property
    def asked(self) -> dict[str, Any]:
        """Everything that decides what the clip shows; a clip ordered otherwise is another clip."""
        return {
            "id": self.model.id,
            "prompt": self.prompt,
            "seconds": self.model.seconds,
            "seed": self.seed,
            "arguments": self.model.arguments,
        }


def orders_of(model: HostedModel, prompts: pd.DataFrame, seeds: Iterable[int]) -> list[Order]:
    """All clips of a model, in the order of the prompts.

    Raises:
        DataError: a prompt's id cannot name a file.
    """
    orders = [
        Order(model, row.prompt_id, row.text, seed)
        for seed in seeds
        for row in prompts[["prompt_id", "text"]].itertuples()
    ]
    try:
        for order in orders:
            clip_path(order.model.name, order.prompt_id, order.seed)
    except ValueError as error:
        raise DataError(str(error)) from None
    return orders


class Event(BaseModel):
    """What happened to an order.

    Attributes:
        video_id: the clip.
        event: `asking` before it is sent, `refused` when the service did not take it, `ordered` when it did,
            `ended` when there is nothing more to do about it.
        job: the service's name for it, once there is one.
        cost: what it may cost, of `asking`.
        currency: of the cost.
        asked: what was ordered, of `asking`.
        at: when (UTC, ISO 8601).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    video_id: str
    event: Literal["asking", "refused", "ordered", "ended"]
    job: str | None = None
    cost: float = 0.0
    currency: str = ""
    asked: dict[str, Any] = {}
    at: str


class OrderBook:
    """Every order of a study to one model, and where each stands.

    Attributes:
        jobs: the jobs that a clip is still to be had from, by video_id.
        doubtful: clips that were asked for without an answer, by video_id.
        spent: what all orders cost at most, refused ones left out.
        currencies: of what was spent; one, unless files were put together.
    """

    def __init__(self, events: Iterable[Event], opened: OpenJournal[Event] | None = None) -> None:
        self.jobs: dict[str, str] = {}
        self.doubtful: set[str] = set()
        self.spent = 0.0
        self.currencies: set[str] = set()
        self._opened = opened
        self._asking: dict[str, Event] = {}
        for event in events:
            self._take(event)

    def asked(self, name: str) -> dict[str, Any]:
        """What was ordered the last time that a clip was; empty for one that never was."""
        return self._asking[name].asked if name in self._asking else {}

    def add(
        self, event: Literal["asking", "refused", "ordered", "ended"], order: Order, job: str | None = None
    ) -> None:
        """Write down what happened, and wait until it is on the disk.

        Raises:
            DataError: it cannot be written; the message names the job, which would otherwise be lost.
        """
        about = {}
        if event == "asking":
            about = {"cost": order.model.cost, "currency": order.model.price.currency, "asked": order.asked}
        taken = Event(video_id=order.video_id, event=event, job=job, at=now(), **about)
        try:
            self._opened.add(taken)
        except OSError as error:
            lost = f"; {order.video_id} is being made as job '{job}'" if event == "ordered" else ""
            where = shown(self._opened.path)
            raise DataError(f"{where}: {error.strerror}, so the run stops{lost}") from None
        self._take(taken)

    def _take(self, event: Event) -> None:
        name = event.video_id
        if event.event == "asking":
            self._asking[name] = event
            self.doubtful.add(name)
            self.spent += event.cost
            self.currencies.add(event.currency)
            return
        self.doubtful.discard(name)
        if event.event == "refused":
            self.spent -= self._asking[name].cost
        elif event.event == "ordered":
            self.jobs[name] = event.job
        else:
            self.jobs.pop(name, None)


def read_book(study: Path, model: HostedModel) -> OrderBook:
    """A model's orders so far, to look at.

    Raises:
        DataError: a complete line that is no event; the message names it.
    """
    return OrderBook(read_lines(_place(study, model), Event, WHAT))


@contextmanager
def open_book(study: Path, model: HostedModel) -> Iterator[OrderBook]:
    """A model's orders, to add to; one run at a time.

    Raises:
        DataError: as `read_book`, or another run has it open, or it cannot be written.
    """
    with writing(_place(study, model), Event, WHAT) as opened:
        yield OrderBook(opened.lines, opened)


def _place(study: Path, model: HostedModel) -> Path:
    return Path(study) / "logs" / "hosted" / f"{slug(model.name)}.jsonl"
