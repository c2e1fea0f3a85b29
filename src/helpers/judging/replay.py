"""A run that is on record, answered from its log alone: no model is asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers.chat.backend import Call, Reply
from helpers.chat.log import read_log
from helpers.chat.problems import BlockedError, RefusedError
from helpers.chat.request import Request


@dataclass(frozen=True)
class Replay:
    """A backend that repeats what a log holds.

    A request that the log has no reply to fails; after twenty such in a row the run ends.

    Attributes:
        log: the log of an earlier run, by whatever backend.
        timeout: seconds; nothing takes long.
    """

    log: Path
    timeout: float = 60.0

    @property
    def name(self) -> str:
        """The log's name."""
        return f"the replies in {self.log.name}"

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Read the log; see `Backend`.

        Raises:
            DataError: it is no log.
        """
        records = read_log(self.log)

        async def call(request: Request) -> Reply:
            record = records.get(request.key)
            if record is None or record.outcome == "failed":
                raise RefusedError("the stored run has no reply to this")
            if record.outcome == "blocked":
                raise BlockedError(record.reason, record.text)
            return Reply(
                text=record.text,
                cut=record.cut,
                model=record.model,
                sent=record.sent,
                received=record.received,
                seconds=record.seconds,
            )

        yield call
