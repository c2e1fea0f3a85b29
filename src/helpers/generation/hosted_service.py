"""What a service is: somebody who makes clips on order, slowly, and hands them out once they are ready."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from helpers.chat.problems import CallError
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order

# A call that only asks how things stand, or hands over a few megabytes, is answered in this time or never.
TIMEOUT = 120.0


class GoneError(CallError):
    """The service does not know the job any more, or has thrown its clip away."""


class Connection(Protocol):
    """A service that is logged in to. Every call tries once, and raises a `chat.problems.CallError`."""

    def submit(self, order: Order) -> str:
        """Order a clip; returns the service's name for the job.

        Raises:
            BlockedError: the prompt is refused.
            RefusedError: the order is not taken as it stands.
            FatalError: no order is taken at all.
            LostError: there is no saying whether it was taken.
            PassingError: it was not taken, but may be later.
        """
        ...

    def poll(self, job: str) -> Any | None:
        """The finished clip, to be handed to `download`, or None while it is being made.

        Raises:
            BlockedError: a filter stopped it.
            RefusedError: it could not be made.
            GoneError: there is no such job.
            FatalError: the service answers nothing.
            PassingError: it did not answer this time.
        """
        ...

    def download(self, finished: Any, path: Path) -> None:
        """Write a finished clip to a file.

        Raises:
            CallError: as `poll`.
            OSError: the file cannot be written.
        """
        ...


def connect(model: HostedModel) -> AbstractContextManager[Connection]:
    """Log in to a model's service.

    Raises:
        ValueError: the key's variable is not set, or an argument is none of the service's.
    """
    if model.service == "veo":
        from helpers.generation.hosted_veo import connect as to_veo

        return to_veo(model)
    from helpers.generation.hosted_sora import connect as to_sora

    return to_sora(model)
