"""Write an import into a study."""

import hashlib
import os
from pathlib import Path

from helpers.checking import DataError
from helpers.generation import journal
from helpers.generation.journal import Row
from helpers.imports.videos import Import
from helpers.journal import read_lines

PROBLEMS = "logs/import_problems.csv"


def keep(imported: Import, study: Path | str) -> None:
    """Add an import's clips to a study's table of videos, and write its problems to `logs/`.

    What an earlier import from the same folder or manifest wrote is replaced, so that clips which came since
    are no longer missing, and clips which went are no longer listed; a printed line counts those that went or
    have another id now, since what was said about them is about no clip any more. Everything else stays.

    Args:
        imported: the import.
        study: the study's folder.

    Raises:
        DataError: a clip has the video_id of one that came from elsewhere, a model's clips would be kept as
            those of another one, or a journal is damaged.
    """
    study = Path(study)
    own = _own_file(study, imported.source)
    others = {path: _rows(path) for path in own.parent.glob("*.jsonl") if path != own}
    there = [row.model for found in others.values() for row in found]
    journal.check_models([*there, *(row.model for row in imported.rows)])
    rows = _beside(imported, [row for found in others.values() for row in found])
    own.parent.mkdir(parents=True, exist_ok=True)
    if own.exists():
        _say_what_went(_rows(own), rows, imported.source)
    _write(own, rows)
    have = {(row.model, row.prompt_id) for row in rows if row.status != "missing"}
    for path, found in others.items():
        lasting = [row for row in found if row.status != "missing" or (row.model, row.prompt_id) not in have]
        if path.name.startswith("imported-") and len(lasting) < len(found):
            _write(path, lasting)
    imported.problems.to_csv(study / PROBLEMS, index=False)
    journal.write_table(study)


def _rows(path: Path) -> list[Row]:
    return read_lines(path, Row, journal.WHAT)


def _say_what_went(before: list[Row], now: list[Row], source: str) -> None:
    """Say how many clips went, or have another id, as where a file came whose name looks alike."""
    ids = {row.video_id for row in now}
    went = [row.video_id for row in before if row.status != "missing" and row.video_id not in ids]
    if went:
        print(
            f"{source}: {len(went):,} of the clips of the last import went or have another id now, such as "
            f"'{went[0]}'; results leave out what was said about them"
        )


def _write(path: Path, rows: list[Row]) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _own_file(study: Path, source: str) -> Path:
    """The journal of a source: named after it, and told from others of that name by a hash."""
    key = hashlib.sha256(source.encode()).hexdigest()[:8]
    return study / "logs" / "videos" / f"imported-{journal.slug(Path(source).stem)}-{key}.jsonl"


def _beside(imported: Import, others: list[Row]) -> list[Row]:
    """The import's rows; none is missing of what the study has from elsewhere.

    Raises:
        DataError: as `keep`.
    """
    there = {row.video_id: row for row in others if row.status != "missing"}
    taken = [row for row in imported.rows if row.status != "missing" and row.video_id in there]
    if taken:
        other = there[taken[0].video_id]
        origin = other.settings.get("imported_from", f"its own run ({other.origin})")
        raise DataError(
            f"{imported.source}: found {len(taken):,} clips such as '{taken[0].video_id}' that the study has "
            f"from {origin}; expected another name for the model. Has the folder moved? Then delete the file "
            "of the former one below logs/videos in the study's folder"
        )
    have = {(row.model, row.prompt_id) for row in others if row.status != "missing"}
    return [row for row in imported.rows if row.status != "missing" or (row.model, row.prompt_id) not in have]
