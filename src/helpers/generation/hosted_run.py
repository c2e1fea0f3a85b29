"""One run of orders to a service: place them, ask how they stand, fetch what is ready."""

import contextlib
import heapq
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from helpers.chat.problems import (
    BlockedError,
    CallError,
    FatalError,
    LostError,
    PassingError,
    RefusedError,
)
from helpers.generation import journal
from helpers.generation.hosted_orders import Order, OrderBook
from helpers.generation.hosted_plan import Plan
from helpers.generation.hosted_service import Connection, GoneError
from helpers.generation.hosted_summary import Summary
from helpers.generation.keep import adopt, temporary
from helpers.journal import OpenJournal

# So many orders refused in a row: the fault lies in what they have in common.
MOST_REFUSED_IN_A_ROW = 5
SECONDS_OFF = 0.5


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to wait.

    Attributes:
        first: seconds until a job is first asked about; each further wait is half as long again.
        longest: seconds that a wait may take at most.
        deadline: seconds that this run waits for one job. A job that takes longer stays on order, and the
            next run asks for it again.
        tries: how often in a row a call may fail that may yet succeed.
    """

    first: float = 10.0
    longest: float = 60.0
    deadline: float = 3600.0
    tries: int = 6

    def wait(self, times: int) -> float:
        """Seconds to wait after so many calls."""
        return min(self.first * 1.5**times, self.longest)


@dataclass(order=True)
class _Job:
    """A job that is waited for; the heap gives out the one that is due first."""

    due: float
    order: Order = field(compare=False)
    name: str = field(compare=False)
    since: float = field(compare=False)
    polls: int = field(default=0, compare=False)
    failures: int = field(default=0, compare=False)


class Run:
    """One run, from the first order to the last clip."""

    def __init__(
        self,
        study: Path,
        todo: Plan,
        book: OrderBook,
        log: OpenJournal[journal.Row],
        at_once: int,
        patience: Patience,
    ) -> None:
        self._study = study
        self._todo = todo
        self._book = book
        self._log = log
        self._at_once = at_once
        self._patience = patience
        self._new = deque(todo.new)
        now = time.monotonic()
        self._jobs = [_Job(now, order, book.jobs[order.video_id], since=now) for order in todo.going]
        self._order_from = now
        self._failed_orders = self._refused_in_a_row = 0
        self.fatal = ""
        self.summary = Summary(
            done_before=len(todo.orders) - len(todo.new) - len(todo.going),
            left=len(todo.new) + len(todo.going),
        )

    def all(self, connection: Connection) -> None:
        """Order and fetch until nothing is left to do."""
        self._connection = connection
        with tqdm(total=self.summary.left, unit="clip", disable=None) as self._bar:
            while self._jobs or self._may_order():
                if self._has_room():
                    self._place(self._new.popleft())
                    continue
                wakes = [self._jobs[0].due] if self._jobs else []
                if self._may_order() and len(self._jobs) < self._at_once:
                    wakes.append(self._order_from)
                time.sleep(max(min(wakes) - time.monotonic(), 0))
                if self._jobs and self._jobs[0].due <= time.monotonic():
                    self._ask(heapq.heappop(self._jobs))

    def _may_order(self) -> bool:
        return bool(self._new) and not self.summary.stopped and not self.fatal

    def _has_room(self) -> bool:
        return self._may_order() and len(self._jobs) < self._at_once and time.monotonic() >= self._order_from

    def _place(self, order: Order) -> None:
        """Order one clip."""
        budget = self._todo.budget
        if budget is not None and self._book.spent + order.model.cost > budget + 1e-9:
            price = order.model.price
            self.summary.stopped = (
                f"orders have cost at most {self._book.spent:,.2f} of the budget's {budget:,.2f} "
                f"{price.currency}, and the next costs {order.model.cost:,.2f}"
            )
            return
        self._book.add("asking", order)
        try:
            name = self._connection.submit(order)
        except LostError as problem:
            self.summary.problems[order.video_id] = (
                f"{problem}; it may have been ordered and paid for, and is not ordered again by this run"
            )
            return
        except CallError as problem:
            self._book.add("refused", order)
            self._not_taken(order, problem)
            return
        self._book.add("ordered", order, name)
        self._failed_orders = self._refused_in_a_row = 0
        now = time.monotonic()
        heapq.heappush(self._jobs, _Job(now + self._patience.first, order, name, since=now))

    def _not_taken(self, order: Order, problem: CallError) -> None:
        if isinstance(problem, FatalError):
            # No more orders; what is on order may still come, as after a used-up quota.
            self.fatal = str(problem)
        elif isinstance(problem, PassingError):
            self._new.appendleft(order)
            self._failed_orders += 1
            wait = max(self._patience.wait(self._failed_orders), problem.after or 0.0)
            if self._failed_orders == self._patience.tries or wait > self._patience.deadline:
                self.summary.stopped = f"no order was taken in {self._failed_orders} tries: {problem}"
            self._order_from = time.monotonic() + wait
        else:
            blocked = isinstance(problem, BlockedError)
            self._end(order, "blocked" if blocked else "failed", problem=str(problem))
            self._refused_in_a_row = 0 if blocked else self._refused_in_a_row + 1
            if self._refused_in_a_row == MOST_REFUSED_IN_A_ROW:
                self.fatal = f"{MOST_REFUSED_IN_A_ROW} orders in a row were refused, the last with: {problem}"

    def _ask(self, job: _Job) -> None:
        """Ask about one job, and fetch its clip if it is there."""
        try:
            finished = self._connection.poll(job.name)
            if finished is not None:
                self._fetch(job, finished)
                return
            job.failures = 0
        except FatalError as problem:
            # The service answers nothing: jobs stay on order for the next run.
            self.fatal = self.fatal or str(problem)
            self._jobs.clear()
            return
        except BlockedError as problem:
            self._end(job.order, "blocked", job=job, problem=str(problem))
            return
        except (RefusedError, GoneError) as problem:
            self._end(job.order, "failed", job=job, problem=str(problem))
            return
        except CallError as problem:
            job.failures += 1
            self.summary.problems[job.order.video_id] = f"{problem}; it stays on order as job {job.name}"
            if job.failures == self._patience.tries:
                return
        job.polls += 1
        wait = self._patience.wait(job.polls)
        if time.monotonic() + wait - job.since > self._patience.deadline:
            self.summary.problems[job.order.video_id] = (
                f"not ready after {time.monotonic() - job.since:,.0f} s; it stays on order as job {job.name}"
            )
            return
        job.due = time.monotonic() + wait
        heapq.heappush(self._jobs, job)

    def _fetch(self, job: _Job, finished: Any) -> None:
        """Bring a finished clip under its name, whole.

        Raises:
            CallError: it did not come.
        """
        order = job.order
        place = self._study / order.path
        part = temporary(place)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            self._connection.download(finished, part)
            measured = adopt(part, place)
        except ValueError as error:
            raise LostError(f"what came is no whole clip: {error}") from None
        except OSError as error:
            raise LostError(f"the clip cannot be kept: {error.strerror or error}") from None
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        duration = measured["frames"] / measured["fps"]
        flags = []
        if abs(duration - order.model.seconds) > SECONDS_OFF:
            flags.append(f"lasts {duration:.2f} s, {order.model.seconds} s were ordered")
        self._end(order, "ok", job=job, path=order.path, flags=flags, **measured)

    def _end(
        self,
        order: Order,
        status: journal.Status,
        *,
        job: _Job | None = None,
        problem: str = "",
        flags: Sequence[str] = (),
        **measured: Any,
    ) -> None:
        """Write down how a clip ended."""
        model = order.model
        settings = {
            "asked": order.asked,
            "service": {"name": model.service, "address": model.base_url, "job": job.name if job else None},
            "price": model.price.model_dump(mode="json"),
            "flags": list(flags),
        }
        if problem:
            settings["problem"] = problem
        self._log.add(
            journal.Row(
                video_id=order.video_id,
                prompt_id=order.prompt_id,
                model=model.name,
                seed=order.seed,
                status=status,
                settings=settings,
                at=journal.now(),
                origin="hosted",
                **measured,
            )
        )
        if job:
            self._book.add("ended", order)
        self.summary.statuses[status] += 1
        self.summary.left -= 1
        self.summary.problems.pop(order.video_id, None)
        if said := problem or "; ".join(flags):
            self.summary.problems[order.video_id] = said
        self._bar.update()
