"""Ask a model many things: at once, within a budget, and going on where an earlier run stopped."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args

from tqdm import tqdm

from helpers.chat.backend import Backend
from helpers.chat.budget import Budget, Purse, SpentError
from helpers.chat.caller import Caller, Patience
from helpers.chat.log import Log, writing
from helpers.chat.loops import run
from helpers.chat.plan import Plan, counted, plan
from helpers.chat.problems import FatalError
from helpers.chat.request import Request
from helpers.chat.results import Result, Status, next_step, results
from helpers.paths import shown

AGAIN = "run the same command again to go on"


class CannotAskError(RuntimeError):
    """The server takes no request at all. Nothing is lost: the same command goes on once that is mended."""


def ask_many(
    requests: Iterable[Request],
    backend: Backend,
    log: Path,
    *,
    concurrency: int = 16,
    budget: Budget | None = None,
    patience: Patience | None = None,
    say: Callable[[object], None] = print,
) -> list[Result]:
    """Ask for every reply that is not on record yet, and return what came of each request.

    Works in a script and in a notebook alike. It says first how many calls and about how many tokens it will
    take, shows a progress bar in a terminal, and ends with a tally. Each call is on the disk before its reply
    is used: after a stop of whatever kind, the same command asks for nothing twice but the calls that were in
    flight. A reply that cannot be read is sent back once with the reason; see `results.Result` for what may
    come of it.

    Args:
        requests: what to ask; equal requests are asked once.
        backend: who answers.
        log: the JSONL file in which calls are kept; made with its folder where it is missing.
        concurrency: the most calls in flight at once.
        budget: the most that this run may use; without one there is no limit. Once it is used up, the calls
            in flight are completed, and the requests that are left have the status missing.
        patience: how long to keep trying a call that may yet succeed.
        say: takes the lines about calls, tokens and the tally.

    Returns:
        One result for each request, in their order.

    Raises:
        CannotAskError: a wrong key, an unknown model, an empty account, no server at the address, a server
            that asks for too long a wait, or twenty failed calls in a row.
        DataError: the log is not one, or another run is writing to it.
        ValueError: the key's variable is not set, or a concurrency below 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency: found {concurrency}, expected at least 1")
    requests = list(requests)
    purse = Purse(budget or Budget())
    fatal, spent = None, None
    with writing(log) as kept:
        todo = plan(requests, kept.records)
        say(todo)
        try:
            if todo.to_ask:
                spent = run(_ask_all(todo, backend, kept, concurrency, purse, patience or Patience()))
        except FatalError as problem:
            fatal = str(problem)
    answers = results(requests, kept.records)
    if fatal:
        # Raised out here, it carries no frame that holds the key, which a notebook might print.
        where = f"{_done(answers)} and kept in {shown(log)}"
        raise CannotAskError(f"{backend.name}: {fatal}\n{where}; once this is mended, {AGAIN}")
    if todo.to_ask:
        say(_tally(answers, purse))
    if spent:
        say(f"Stopped: {spent}. {_done(answers)}; {AGAIN}, with a larger budget if need be")
    return answers


async def _ask_all(
    todo: Plan, backend: Backend, log: Log, concurrency: int, purse: Purse, patience: Patience
) -> str | None:
    """Answer every open request; what is used up where the budget ends it early."""
    waiting = iter(todo.to_ask)
    spent = []
    async with backend.connect() as call:
        caller = Caller(call, timeout=backend.timeout, purse=purse, patience=patience, log=log)
        with tqdm(total=len(todo.to_ask), unit="request", disable=None) as bar:

            async def work() -> None:
                for request in waiting:
                    try:
                        await _answer(request, caller, log)
                    except SpentError as end:
                        spent.append(str(end))
                        return
                    bar.update()

            workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(todo.to_ask)))]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
    return spent[0] if spent else None


async def _answer(request: Request, caller: Caller, log: Log) -> None:
    """Ask until the request has its final result, or a call failed."""
    while isinstance(step := next_step(request, log.records), Request):
        record = await caller.ask(step)
        if record.outcome == "failed":
            return


def _done(answers: list[Result]) -> str:
    final = {answer.key: answer.status not in ("failed", "missing") for answer in answers}
    return f"{sum(final.values()):,} of {len(final):,} requests are done"


def _tally(answers: list[Result], purse: Purse) -> str:
    counts = Counter(answer.status for answer in answers)
    statuses = " · ".join(f"{counts[status]:,} {status}" for status in get_args(Status) if counts[status])
    again = f"; for those that failed, {AGAIN}" if counts["failed"] else ""
    return f"{counted(purse.calls)}, {purse.tokens:,} tokens: {statuses}{again}"
