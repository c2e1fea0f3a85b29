"""Several servers of one model behind one list: each call goes to the one with the fewest calls in flight."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from helpers.chat.backend import Backend, Call, Reply
from helpers.chat.problems import UnreachableError
from helpers.chat.request import Request

RESTING = 30.0


@dataclass(frozen=True, kw_only=True)
class LeastBusy:
    """Servers that hold the same model; which of them answers makes no difference.

    A server without a connection is left out for a while, and its call goes to another one at once.

    Attributes:
        servers: the servers, two or more, all with the same longest time for a call.
        resting: the seconds for which one that could not be reached is left out.
    """

    servers: tuple[Backend, ...]
    resting: float = RESTING

    @property
    def name(self) -> str:
        """The servers' addresses."""
        return ", ".join(server.name for server in self.servers)

    @property
    def timeout(self) -> float | None:
        """The longest time in seconds that a call to one of them may take."""
        return self.servers[0].timeout

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Open a connection to each; see `Backend`."""
        async with AsyncExitStack() as opened:
            calls = [await opened.enter_async_context(server.connect()) for server in self.servers]
            in_flight = [0] * len(calls)
            back_at = [0.0] * len(calls)

            async def call(request: Request) -> Reply:
                left = set(range(len(calls)))
                while True:
                    now = time.monotonic()
                    # One that rests comes last, but comes: all of them may be resting.
                    at = min(left, key=lambda index: (back_at[index] > now, in_flight[index], index))
                    left.remove(at)
                    in_flight[at] += 1
                    try:
                        return await calls[at](request)
                    except UnreachableError:
                        back_at[at] = time.monotonic() + self.resting
                        if not left:
                            raise
                    finally:
                        in_flight[at] -= 1

            yield call
