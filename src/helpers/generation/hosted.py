"""Clips from hosted models: ordered, waited for, fetched; the same command continues."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from helpers.chat.ask import AGAIN, CannotAskError
from helpers.checking import DataError
from helpers.generation import journal
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order, open_book, read_book
from helpers.generation.hosted_plan import Plan, plan_of
from helpers.generation.hosted_run import Patience, Run
from helpers.generation.hosted_service import Connection, connect
from helpers.generation.hosted_summary import Summary


def plan(study: Path, orders: Sequence[Order], budget: float | None = None) -> Plan:
    """What ordering clips would cost; nothing is sent or written.

    Args:
        study: the study's folder.
        orders: the clips, all of one model.
        budget: as `generate_hosted`.

    Raises:
        DataError: a clip was ordered otherwise before, or a journal is damaged.
    """
    model = _model(orders)
    return plan_of(study, orders, journal.read(study), read_book(study, model), budget)


def generate_hosted(
    study: Path,
    orders: Sequence[Order],
    *,
    budget: float | None = None,
    at_once: int = 4,
    patience: Patience | None = None,
) -> Summary:
    """Order the clips that are not there yet, fetch them, and write the table `videos`.

    It says first what it will cost. A job's name is on the disk as soon as the service has given it, so that
    after a run that was killed, the next one goes on waiting for its jobs and pays for none twice.

    Args:
        study: the study's folder.
        orders: the clips, all of one model.
        budget: the most that all orders of the study to this model may cost, earlier ones included, in the
            price's currency.
        at_once: jobs on order at the same time.
        patience: how long to wait.

    Returns:
        How it went; a used-up budget or quota, or a service that is down, stands in `stopped`.

    Raises:
        CannotAskError: a wrong key, an unknown model, or five orders refused in a row; everything is kept.
        DataError: as `plan`, or another run is ordering, or the study's folder cannot be written; the key's
            variable is not set, or an argument is none of the service's.
        ValueError: `at_once` is below 1, the budget is no finite number from 0 on, or the orders are not to
            one model.
    """
    if at_once < 1:
        raise ValueError(f"at_once: found {at_once}, expected at least 1")
    study = Path(study)
    model = _model(orders)
    name = f"hosted-{journal.slug(model.name)}"
    with open_book(study, model) as book, journal.writing(study, name) as log:
        todo = plan_of(study, orders, journal.read(study), book, budget)
        print(todo)
        run = Run(study, todo, book, log, at_once, patience or Patience())
        try:
            if todo.new or todo.going:
                with ExitStack() as stack:
                    run.all(_connected(stack, model))
        finally:
            journal.write_table(study)
    if run.fatal:
        done = len(orders) - run.summary.left
        # Raised out here, it carries no frame that holds the key, which a notebook might print.
        raise CannotAskError(
            f"{model.name}: {run.fatal}\n{done:,} of {len(orders):,} clips are done, and what is on order is "
            f"kept; once this is mended, {AGAIN}"
        )
    return run.summary


def _connected(stack: ExitStack, model: HostedModel) -> Connection:
    try:
        return stack.enter_context(connect(model))
    except ValueError as error:
        raise DataError(str(error)) from None


def _model(orders: Sequence[Order]) -> HostedModel:
    models = {order.model.name: order.model for order in orders}
    if len(models) != 1:
        raise ValueError(f"found orders to {len(models)} models, expected orders to one")
    return next(iter(models.values()))
