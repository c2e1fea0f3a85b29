"""A person's choices among photographs, kept in a journal, so that work goes on where it stopped.

Taking a choice back is a line of its own.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from helpers.journal import read_lines, writing

_WHAT = "a choice"


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
        with writing(self._path, Line, _WHAT, wait=True) as journal:
            journal.add(line)
        self.picked = _standing(journal.lines)


def read_choices(path: Path) -> dict[str, str | None]:
    """The choices that stand; none for a file that is not there yet.

    Returns:
        As `Choices.picked`.

    Raises:
        DataError: a complete line that is no choice; the message names the line.
    """
    return _standing(read_lines(path, Line, _WHAT))


def _standing(lines: Iterable[Line]) -> dict[str, str | None]:
    """What stands after all lines; a landmark decided anew counts as decided last."""
    picked: dict[str, str | None] = {}
    for line in lines:
        picked.pop(line.landmark_id, None)
        if not line.undone:
            picked[line.landmark_id] = line.image_id
    return picked
