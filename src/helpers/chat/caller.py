"""One call brought to an end: tried until it is answered or given up, and written to the log."""

import asyncio
import random
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from helpers.chat.backend import Call, Reply
from helpers.chat.budget import Purse
from helpers.chat.log import LONGEST_TEXT, Log, Record, as_utf8
from helpers.chat.problems import (
    BlockedError,
    FatalError,
    LostError,
    PassingError,
    RefusedError,
    UnreachableError,
)
from helpers.chat.request import Request

# With so many calls failed in a row, the fault is the server's or the request's form, not this call's.
MOST_FAILED_IN_A_ROW = 20


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to keep trying where trying may help: 429, 5xx, timeouts and broken connections.

    Attributes:
        tries: how often a call is sent at most.
        first: seconds before the second try; each further wait is twice as long. Up to `first` is added at
            random, so that calls that failed together do not return together.
        longest: seconds that a wait may take. A server that asks for a longer one ends the run.
    """

    tries: int = 6
    first: float = 1.0
    longest: float = 120.0


class Caller:
    """Sends requests until they are answered or given up, within a budget, and keeps how they ended."""

    def __init__(
        self, call: Call, *, timeout: float | None, purse: Purse, patience: Patience, log: Log
    ) -> None:
        self._call = call
        self._timeout = timeout
        self._purse = purse
        self._patience = patience
        self._log = log
        self._backoff = wait_exponential(multiplier=patience.first, max=patience.longest)
        self._reached = False
        self._failed_in_a_row = 0

    async def ask(self, request: Request) -> Record:
        """Send one request, again if need be, and log how it ended.

        Raises:
            FatalError: no request will be answered, this one included.
            SpentError: the budget does not hold another call.
        """
        record = await self._record(request)
        await self._log.add(record)
        self._failed_in_a_row = self._failed_in_a_row + 1 if record.outcome == "failed" else 0
        if self._failed_in_a_row == MOST_FAILED_IN_A_ROW:
            raise FatalError(
                f"{MOST_FAILED_IN_A_ROW} calls in a row failed, the last one with: {record.reason}"
            )
        return record

    async def _record(self, request: Request) -> Record:
        trying = AsyncRetrying(
            retry=retry_if_exception_type(PassingError),
            stop=stop_after_attempt(self._patience.tries),
            wait=self._wait,
            reraise=True,
        )
        started = time.monotonic()
        try:
            reply, seconds = await trying(self._try, request)
        except UnreachableError as problem:
            raise FatalError(f"{problem}, in {self._patience.tries} tries") from None
        except BlockedError as problem:
            return _ended(request, "blocked", text=problem.text, reason=str(problem))
        except RefusedError as problem:
            return _ended(request, "failed", reason=str(problem))
        except PassingError as problem:
            spent = time.monotonic() - started
            return _ended(
                request,
                "failed",
                reason=f"{problem} (given up after {self._patience.tries} tries, {spent:.0f} s)",
            )
        return _ended(
            request,
            "replied",
            text=reply.text[:LONGEST_TEXT],
            length=len(reply.text),
            cut=reply.cut or len(reply.text) > LONGEST_TEXT,
            model=reply.model,
            sent=reply.sent,
            received=reply.received,
            seconds=round(seconds, 3),
        )

    async def _try(self, request: Request) -> tuple[Reply, float]:
        """One call, and how long it took; what it may take is held back from the budget until it ends."""
        most = request.most_tokens
        await self._purse.take(most)
        used = most
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._call(request)
            reply = replace(reply, text=as_utf8(reply.text))
            used = _used(reply, request)
        except TimeoutError:
            raise LostError(f"no answer within {self._timeout:g} s") from None
        except UnreachableError as problem:
            used = 0
            if not self._reached:
                raise FatalError(str(problem)) from None
            raise
        except LostError:
            raise
        except (BlockedError, RefusedError, PassingError, FatalError) as problem:
            used = 0
            self._reached = True
            wait = getattr(problem, "after", None) or 0.0
            if wait > self._patience.longest:
                raise FatalError(f"{problem}; it asks to wait {wait:,.0f} s") from None
            raise
        finally:
            await self._purse.settle(most, used)
        self._reached = True
        return reply, time.monotonic() - started if reply.seconds is None else reply.seconds

    def _wait(self, state: RetryCallState) -> float:
        """The back-off, or what the server asks for if that is longer, and some jitter."""
        after = state.outcome.exception().after or 0.0
        return max(self._backoff(state), after) + random.uniform(0, self._patience.first)


def _used(reply: Reply, request: Request) -> int:
    """The tokens that a call took, by the server's count or else by the rule of thumb."""
    if reply.sent is None and reply.received is None:
        return request.sent_tokens + len(reply.text.encode()) // 4
    return (reply.sent or 0) + (reply.received or 0)


def _ended(request: Request, outcome: str, **about: object) -> Record:
    return Record(
        key=request.key, outcome=outcome, at=datetime.now(UTC).isoformat(timespec="seconds"), **about
    )
