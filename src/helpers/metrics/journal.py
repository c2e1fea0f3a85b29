"""One line for each clip that was measured, from which the table `metric_values` is made.

Each measurer has a folder of journals, one for each shard of a run, and what any of them holds counts: a run
goes on in whatever shards the one before was cut.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from helpers import journal
from helpers.journal import OpenJournal

WHAT = "a measurement"


class Row(BaseModel):
    """What came of one clip.

    Attributes:
        key: hash of everything that the values depend on: clip, photograph, prompt, frames, settings.
        video_id: the clip.
        status: ok or unscored (a value that cannot be read is None then), failed or missing (without values;
            tried again by the next run).
        values: by metric.
        reason: why there are no values; empty where there are.
        notes: what is odd about the values.
        details: what is worth keeping beside them.
        settings: what the measurer declares.
        loaded: what is known since its model was loaded: the commit, the device.
        at: when it ended (UTC, ISO 8601).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    video_id: str
    status: Literal["ok", "unscored", "failed", "missing"]
    values: dict[str, float | None] = {}
    reason: str = ""
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    loaded: dict[str, Any] = {}
    at: str

    @property
    def done(self) -> bool:
        """Whether a later run need not measure the clip again."""
        return self.status in ("ok", "unscored")


class Journal:
    """A measurer's journal that is open for writing.

    Attributes:
        rows: the row of each key that counts, whichever journal of the measurer holds it.
    """

    def __init__(self, opened: OpenJournal[Row], rows: dict[str, Row]) -> None:
        self.rows, self._opened = rows, opened

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows and wait until they are on the disk.

        Raises:
            OSError: one could not be written whole; nothing of it is kept.
        """
        for row in rows:
            self._opened.write(row)
            self.rows[row.key] = row
        self._opened.sync()


@contextmanager
def writing(folder: Path, name: str) -> Iterator[Journal]:
    """Open one of a measurer's journals; it and the folder are made where they are missing.

    Raises:
        DataError: as `read`, or another run is writing to it.
    """
    with journal.writing(folder / f"{name}.jsonl", Row, WHAT) as opened:
        yield Journal(opened, read(folder))


def read(folder: Path) -> dict[str, Row]:
    """The row of each key that counts: one that is done before one that is not, else the latest.

    Args:
        folder: a measurer's; it need not be there yet.

    Raises:
        DataError: a complete line that is no row; the message names it.
    """
    rows: dict[str, Row] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for row in journal.read_lines(path, Row, WHAT):
            known = rows.get(row.key)
            if known is None or (row.done, row.at) >= (known.done, known.at):
                rows[row.key] = row
    return rows
