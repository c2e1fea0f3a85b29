"""Who waits for a local model, and who is answered next: together, where the questions begin alike."""

import json
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from helpers.chat.backend import Reply
from helpers.chat.messages import Text
from helpers.chat.problems import CallError
from helpers.chat.request import Request

MOST = 16
# Seconds without a newcomer after which those who wait are taken to be all: calls that were answered together
# are followed by the next ones one after another, each once its reply is on the disk.
QUIET = 0.05


@dataclass(frozen=True, eq=False)
class Turn:
    """A request that waits for its reply.

    Attributes:
        request: what is asked.
        beginning: what it shares with other questions about the same pictures; see `beginning`.
        future: where the reply or the problem goes.
        stop: set once nobody waits for the reply any more.
    """

    request: Request
    beginning: str | None
    future: Future[Reply] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def of(cls, request: Request) -> "Turn":
        """The turn of a request that has just come."""
        return cls(request, beginning(request))

    def fits(self, other: "Turn") -> bool:
        """Whether one batch may answer both: the same beginning and settings, and nothing drawn at random.

        Random numbers would be shared by a batch, while each request has a seed of its own.
        """
        return (
            self.beginning is not None
            and self.beginning == other.beginning
            and self.request.sampling.temperature == 0
            and replace(self.request.sampling, seed=None) == replace(other.request.sampling, seed=None)
        )

    def end(self, outcome: Reply | CallError) -> None:
        """Hand over what came of it."""
        if isinstance(outcome, Reply):
            self.future.set_result(outcome)
        else:
            self.future.set_exception(outcome)


def beginning(request: Request) -> str | None:
    """What identifies a request up to its last picture or clip, that included; None if it has none.

    Requests with the same beginning are the same to the model up to there, and the model may read it once.
    """
    shown = [
        (at, place)
        for at, message in enumerate(request.sent)
        for place, part in enumerate(message.parts)
        if not isinstance(part, Text)
    ]
    if not shown:
        return None
    at, place = shown[-1]
    last = replace(request.sent[at], parts=request.sent[at].parts[: place + 1])
    messages = [message.content() for message in (*request.sent[:at], last)]
    return json.dumps([request.model, messages, dict(request.extra)], sort_keys=True)


class Waiting:
    """Those who wait for a model that answers one batch at a time; for use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: list[Turn] = []
        self._last: str | None = None

    def add(self, turn: Turn) -> None:
        """Let somebody wait."""
        with self._lock:
            self._turns.append(turn)

    def take(self) -> list[Turn]:
        """Those to answer now, at most `MOST`; nobody where nobody waits.

        Whoever asks about the pictures of the last batch comes first, since the model still has them in mind;
        else it is who has waited longest.
        """
        with self._lock:
            first = self._first()
        if first is None:
            return []
        if first.fits(first):
            self._until_quiet()
        with self._lock:
            group = [turn for turn in self._turns if turn is first or turn.fits(first)][:MOST]
            self._turns = [turn for turn in self._turns if turn not in group]
            self._last = first.beginning
            return [turn for turn in group if turn.future.set_running_or_notify_cancel()]

    def _first(self) -> Turn | None:
        known = (turn for turn in self._turns if turn.beginning is not None and turn.beginning == self._last)
        return next(known, self._turns[0] if self._turns else None)

    def _until_quiet(self) -> None:
        seen = -1
        while seen < (here := len(self._turns)):
            seen = here
            time.sleep(QUIET)
