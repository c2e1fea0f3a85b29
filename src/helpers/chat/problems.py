"""What can go wrong with a call, sorted by what to do about it."""

import math
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

LONGEST_MESSAGE = 300
_WORTH_ANOTHER_TRY = {408, 409, 425, 429}
# The key, the account, the address or the model's name: none of them is about this one request.
_SAME_FOR_ALL = {401, 402, 403, 404, 405, 407}


class CallError(Exception):
    """A call that brought no reply."""


class BlockedError(CallError):
    """A refusal or a content filter: this is the model's answer, and asking again would not change it.

    Attributes:
        text: what came of a reply, possibly nothing.
    """

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(reason)
        self.text = text


class RefusedError(CallError):
    """The server does not take this request, as it stands."""


class FatalError(CallError):
    """The server will take no request at all: a wrong key, an unknown model, nobody there."""


class PassingError(CallError):
    """Worth another try.

    Attributes:
        after: the seconds to wait that the server asks for, or None.
    """

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class LostError(PassingError):
    """Sent, but no readable answer came back, so that the call may have been charged for."""


class UnreachableError(PassingError):
    """No connection to the server."""


def from_status(status: int, message: str, after: float | None = None) -> CallError:
    """The problem that an HTTP status stands for.

    Args:
        status: the status, 4xx or 5xx.
        message: what the server says about it.
        after: the seconds to wait that the server asks for.
    """
    text = f"{status}: {shortened(message)}"
    if status in _SAME_FOR_ALL:
        return FatalError(text)
    if status in _WORTH_ANOTHER_TRY or status >= 500:
        return PassingError(text, after)
    return RefusedError(text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that `Retry-After` asks to wait (RFC 9110, 10.2.3), or None without a usable one.

    Args:
        headers: the answer's headers, looked up in lower case. `retry-after-ms`, in milliseconds, is what
            OpenAI and Azure send beside it.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    try:
        date = parsedate_tz(headers.get("retry-after", ""))
        return max(mktime_tz(date) - time.time(), 0.0) if date else None
    except (ValueError, OverflowError):
        return None


def shortened(text: str) -> str:
    """A server's message on one line of bearable length."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + " […]"
