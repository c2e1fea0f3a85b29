"""Every call that came to an end, one JSON line each, so that a run goes on where it stopped.

Lines are only ever added, and a line is on the disk before its reply is used. A line that a crash cut short
is recognised by its missing line break and dropped; anything else that cannot be read is an error.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from helpers.checking import DataError
from helpers.paths import shown

LONGEST_TEXT = 1_000_000


class Record(BaseModel):
    """How one call ended.

    Attributes:
        key: the key of the request that was sent.
        outcome: replied, blocked (a refusal or a content filter) or failed (asked again by the next run).
        text: the reply, unread and as it came; of one beyond a million characters, the first million.
        length: the reply's characters.
        cut: the reply was cut off at its longest length.
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
        """Join halves of surrogate pairs, which some servers send, or else replace them by U+FFFD."""
        return text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Log:
    """A log that is open for writing, by one run at a time."""

    def __init__(self, path: Path, file: int, records: dict[str, Record]) -> None:
        self.path = path
        self.records = records
        self._file = file

    async def add(self, record: Record) -> None:
        """Write a record and wait until it is on the disk; meanwhile, other calls go on."""
        line = memoryview(record.model_dump_json().encode() + b"\n")
        while line:
            line = line[os.write(self._file, line) :]
        await asyncio.to_thread(os.fsync, self._file)
        self.records[record.key] = record


@contextmanager
def writing(path: Path) -> Iterator[Log]:
    """Open a log to add to; its folder and itself are made where they are missing.

    Raises:
        DataError: as `read_log`, or another run is writing to it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        try:
            # The system lets go of it when the process ends, however it ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"{shown(path)}: another run is writing to it; wait for it, or stop it") from None
        records, size = _read(path)
        os.ftruncate(file, size)
        yield Log(path, file, records)
    finally:
        os.close(file)


def read_log(path: Path) -> dict[str, Record]:
    """The records of a log by their keys, the latest of each; nothing for a file that is not there yet.

    Raises:
        DataError: a complete line that is no record; the message names the line.
    """
    return _read(path)[0] if path.exists() else {}


def _read(path: Path) -> tuple[dict[str, Record], int]:
    """The records, and the bytes up to the end of the last complete line."""
    records, size = {}, 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                record = Record.model_validate_json(line)
            except ValidationError as error:
                problem = error.errors()[0]
                where = ".".join(str(step) for step in problem["loc"])
                what = f"{where} {problem['msg']}".strip()
                raise DataError(
                    f"{shown(path)}: line {number} is no call's record ({what}); "
                    "expected lines as this program writes them"
                ) from None
            records[record.key] = record
            size += len(line)
    return records, size
