"""What a backend is: somebody who turns one request into one reply, or says why not."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from helpers.chat.request import Request


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model said.

    Attributes:
        text: the reply.
        cut: whether it was cut off, at its longest length or because the server stopped.
        model: the model that answered, by the server's account, which may be more exact than the one asked.
        sent: tokens read by the model, or None if the server does not count.
        received: tokens written by the model, hidden reasoning included, or None.
        seconds: how long it took, without waiting for its turn; None where that is how long the call took.
    """

    text: str
    cut: bool = False
    model: str | None = None
    sent: int | None = None
    received: int | None = None
    seconds: float | None = None


Call = Callable[[Request], Awaitable[Reply]]


class Backend(Protocol):
    """Somebody who answers requests.

    It holds no key and no open connection, so that it can be shown, compared and written down; both live
    inside `connect`.

    Attributes:
        name: how messages call it, such as the server's address.
        timeout: the longest time in seconds that a call may take; None where the backend itself gives up what
            takes too long, since calls wait there for their turn.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def timeout(self) -> float | None: ...  # noqa: D102

    def connect(self) -> AbstractAsyncContextManager[Call]:
        """Open it. The call tries once, and raises a `CallError` where it brings no reply.

        Raises:
            ValueError: its key is not to be had.
        """
        ...
