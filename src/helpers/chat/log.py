"""Every call that came to an end, one JSON line each, so that a run goes on where it stopped.

Lines are only ever added, and a line is on the disk before its reply is used. A line that a crash cut short
is recognised by its missing line break and dropped; anything else that cannot be read is an error.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from helpers import journal
from helpers.journal import OpenJournal

LONGEST_TEXT = 1_000_000
WHAT = "a call's record"


class Record(BaseModel):
    """How one call ended.

    Attributes:
        key: the key of the request that was sent.
        outcome: replied, blocked (a refusal or a content filter) or failed (asked again by the next run).
        text: the reply, unread and as it came; of one beyond a million characters, the first million.
        length: the reply's characters.
        cut: the reply was cut off before its end.
        reason: why there is no reply; empty where there is one.
        model: the model that answered, by the server's account.
        sent: tokens read by the model, where the server counts them.
        received: tokens written by the model, where the server counts them.
        seconds: how long the successful try took, to milliseconds.
        at: when it ended (UTC, ISO 8601).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    outcome: Literal["replied", "blocked", "failed"]
    text: str = ""
    length: int = 0
    cut: bool = False
    reason: str = ""
    model: str | None = None
    sent: int | None = None
    received: int | None = None
    seconds: float | None = None
    at: str

    @field_validator("text", "reason", "model", mode="before")
    @classmethod
    def _as_utf8(cls, text: str | None) -> str | None:
        return text and as_utf8(text)


def as_utf8(text: str) -> str:
    """Join halves of surrogate pairs, which some servers send, or else replace them by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Log:
    """A log that is open for writing, by one run at a time."""

    def __init__(self, opened: OpenJournal[Record]) -> None:
        self.path = opened.path
        self.records = {record.key: record for record in opened.lines}
        self._opened = opened

    async def add(self, record: Record) -> None:
        """Write a record and wait until it is on the disk; meanwhile, other calls go on."""
        self._opened.write(record)
        await asyncio.to_thread(self._opened.sync)
        self.records[record.key] = record


@contextmanager
def writing(path: Path) -> Iterator[Log]:
    """Open a log to add to; its folder and itself are made where they are missing.

    Raises:
        DataError: as `read_log`, or another run is writing to it.
    """
    with journal.writing(path, Record, WHAT) as opened:
        yield Log(opened)


def read_log(path: Path) -> dict[str, Record]:
    """The records of a log by their keys, the latest of each; nothing for a file that is not there yet.

    Raises:
        DataError: a complete line that is no record; the message names the line.
    """
    return {record.key: record for record in journal.read_lines(path, Record, WHAT)}
