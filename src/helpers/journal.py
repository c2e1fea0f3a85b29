"""Files of JSON lines that only grow, so that a run or a person goes on where they stopped.

A line is on the disk before it counts. A line that a crash cut short is recognised by its missing line break
and dropped by the next writer; anything else that cannot be read is an error.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from helpers.checking import DataError
from helpers.paths import shown

LineT = TypeVar("LineT", bound=BaseModel)


class OpenJournal(Generic[LineT]):
    """A journal that is open for writing."""

    def __init__(self, path: Path, file: int, lines: list[LineT]) -> None:
        self.path = path
        self.lines = lines
        self._file = file

    def add(self, line: LineT) -> None:
        """Append a line and wait until it is on the disk.

        Raises:
            OSError: as `write`.
        """
        self.write(line)
        self.sync()

    def write(self, line: LineT) -> None:
        """Append a line; until `sync` it may be lost if the machine stops.

        Raises:
            OSError: it could not be written whole, as on a full disk; nothing of it is kept.
        """
        end = os.lseek(self._file, 0, os.SEEK_END)
        rest = memoryview(line.model_dump_json().encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, end)
            raise
        self.lines.append(line)

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        os.fsync(self._file)


@contextmanager
def writing(path: Path, form: type[LineT], what: str, *, wait: bool = False) -> Iterator[OpenJournal[LineT]]:
    """Open a journal to add to; it and its folder are made where they are missing.

    Args:
        path: the JSONL file.
        form: the form of a line.
        what: what a line is, in messages: "a call's record".
        wait: for another writer to finish, rather than refuse.

    Raises:
        DataError: as `read_lines`; the file cannot be opened; or another run is writing to it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise DataError(f"{shown(path)}: {error.strerror}; expected a file to write to") from None
    try:
        try:
            # The system lets go of it when the process ends, however it ends.
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise DataError(f"{shown(path)}: another run is writing to it; wait for it, or stop it") from None
        lines, size = _read(path, form, what)
        os.ftruncate(file, size)
        yield OpenJournal(path, file, lines)
    finally:
        os.close(file)


def read_lines(path: Path, form: type[LineT], what: str) -> list[LineT]:
    """The complete lines of a journal; none for a file that is not there yet.

    Args:
        path: the JSONL file.
        form: the form of a line.
        what: what a line is, in messages.

    Raises:
        DataError: a complete line that is not of the form; the message names the line and the problem.
    """
    return _read(path, form, what)[0] if path.exists() else []


def _read(path: Path, form: type[LineT], what: str) -> tuple[list[LineT], int]:
    """The lines, and the bytes up to the end of the last complete one."""
    lines, size = [], 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                lines.append(form.model_validate_json(line))
            except ValidationError as error:
                problem = error.errors()[0]
                where = ".".join(str(step) for step in problem["loc"])
                why = f"{where} {problem['msg']}".strip()
                raise DataError(
                    f"{shown(path)}: line {number} is not {what} ({why}); "
                    "expected lines as this program writes them"
                ) from None
            size += len(line)
    return lines, size
