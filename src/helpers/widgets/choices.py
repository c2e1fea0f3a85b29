"""A person's choices, one JSON line each, so that nothing is lost and work goes on where it stopped.

Lines are only ever added, and a choice is on the disk before the next one is shown. Taking a choice back is a
line of its own. A line that a crash cut short is recognised by its missing line break and dropped; anything
else that cannot be read is an error.
"""

import fcntl
import os
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from helpers.checking import DataError
from helpers.paths import shown


class Line(BaseModel):
    """One decision.

    Attributes:
        landmark_id: what it is about.
        image_id: the photograph picked, or None for "none fits".
        undone: the landmark's choice before it is taken back; image_id says nothing then.
        at: when (UTC, ISO 8601).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    landmark_id: str
    image_id: str | None
    undone: bool
    at: str


class Choices:
    """A file of choices that grows. Several pages may write to one: the later line counts.

    Args:
        path: the JSONL file; it is made, with its folder, by the first choice.

    Attributes:
        picked: the image_id, or None for "none fits", of each landmark_id that is decided, in the order of
            the decisions.

    Raises:
        DataError: as `read_choices`.
    """

    def __init__(self, path: Path):
        self._path = path
        self.picked = read_choices(path)

    def pick(self, landmark_id: str, image_id: str | None) -> None:
        """Decide about a landmark, for the first time or anew; None says that no photograph fits.

        Raises:
            OSError: the choice could not be saved whole; nothing of it is kept.
        """
        self._add(landmark_id, image_id, undone=False)

    def undo(self) -> str | None:
        """Take back the latest decision that stands; the landmark it was about, or None if there is none."""
        if not self.picked:
            return None
        latest = next(reversed(self.picked))
        self._add(latest, None, undone=True)
        return latest

    def _add(self, landmark_id: str, image_id: str | None, *, undone: bool) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = Line(landmark_id=landmark_id, image_id=image_id, undone=undone, at=now)
        content = line.model_dump_json().encode() + b"\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            picked, size = _read(self._path)
            file.truncate(size)
            if file.write(content) < len(content):
                file.truncate(size)
                raise OSError(f"{shown(self._path)}: the choice could not be saved; is the disk full?")
            os.fsync(file.fileno())
        _take(picked, line)
        self.picked = picked


def read_choices(path: Path) -> dict[str, str | None]:
    """The choices that stand; none for a file that is not there yet.

    Returns:
        As `Choices.picked`.

    Raises:
        DataError: a complete line that is no choice; the message names the line.
    """
    return _read(path)[0] if path.exists() else {}


def _read(path: Path) -> tuple[dict[str, str | None], int]:
    """The choices that stand, and the bytes up to the end of the last complete line."""
    picked: dict[str, str | None] = {}
    size = 0
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            _take(picked, Line.model_validate_json(line))
        except ValidationError as error:
            what = error.errors()[0]["msg"]
            raise DataError(
                f"{shown(path)}: line {number} is no choice ({what}); expected lines as this page writes them"
            ) from None
        size += len(line)
    return picked, size


def _take(picked: dict[str, str | None], line: Line) -> None:
    """What stands after one more line; a landmark decided anew counts as decided last."""
    picked.pop(line.landmark_id, None)
    if not line.undone:
        picked[line.landmark_id] = line.image_id
