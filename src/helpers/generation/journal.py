"""One line for each clip that came to an end, from which a study's table `videos` is written.

Each source of clips (a shard of a run, a hosted model, an import) appends to a file of its own below
`logs/videos`; the table is made of all of them and of nothing else, so it can be made again at any time. A
line is on the disk before its clip counts as finished, and one that a crash cut short is dropped.
"""

import fcntl
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd
from pyarrow.lib import ArrowInvalid
from pydantic import BaseModel, ConfigDict

from helpers import journal, schemas, tables
from helpers.checking import DataError
from helpers.journal import OpenJournal

WHAT = "a clip's row"
# File systems take 255 bytes; ".mp4" and what `keep.temporary` or a journal's name adds must fit too.
LONGEST_NAME = 230
# Snakemake expects the parts that notebooks declare to write, with clips in them or without.
ALWAYS_WRITTEN = ("generated", "imported")
Status = Literal["ok", "failed", "blocked", "missing"]
# What of a clip's making differs from run to run; the table, which does not, leaves it in the journal.
OF_THE_RUN = ("seconds", "seconds_computing", "peak_memory_gb")
Origin = Literal["generated", "hosted", "imported"]


class Row(BaseModel):
    """How one clip ended: the columns of `videos`, and what is needed to go on.

    Attributes:
        video_id: unique in the study.
        path: the clip, relative to the study's folder, or absolute where it lies elsewhere; None without one.
        settings: whatever is worth keeping, as JSON: how the clip was made; `problem` says why one is not ok,
            `flags` lists what is odd about one that is.
        bytes: the clip's size, by which a later run recognises it without reading it.
        at: when it ended (UTC, ISO 8601); the latest row of a clip counts.
        origin: who wrote the row.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    video_id: str
    prompt_id: str
    model: str
    seed: int | None = None
    path: str | None = None
    width: int | None = None
    height: int | None = None
    frames: int | None = None
    fps: float | None = None
    audio: bool | None = None
    sha256: str | None = None
    status: Status
    settings: dict[str, Any] = {}
    bytes: int | None = None
    at: str
    origin: Origin


def now() -> str:
    """The time for a row's `at`."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def slug(name: str) -> str:
    """A model's name as a folder's: "Wan 2.2" becomes "wan-2.2"; letters of every script stay."""
    kept = [
        character
        if character.isalnum() or character == "." or unicodedata.category(character)[0] == "M"
        else "-"
        for character in unicodedata.normalize("NFC", name.lower())
    ]
    return re.sub("-+", "-", "".join(kept)).strip("-.") or "model"


def check_models(names: Iterable[str]) -> None:
    """Refuse models whose clips would share a folder and ids.

    Args:
        names: the models' names; the same name may come again.

    Raises:
        DataError: two different names have one slug; the message has both.
    """
    known: dict[str, str] = {}
    for name in dict.fromkeys(names):
        other = known.setdefault(slug(name), name)
        if other != name:
            raise DataError(
                f"the models '{other}' and '{name}' would both be kept as '{slug(name)}'; expected names "
                "that differ in more than case, spaces and signs"
            )


def check_origin(row: Row | None, origin: Origin) -> None:
    """Refuse to make a clip that the study has from elsewhere, before anything is computed or paid for.

    Raises:
        DataError: there is an ok row of another origin.
    """
    if row is not None and row.status == "ok" and row.origin != origin:
        raise DataError(
            f"the study has the clip '{row.video_id}' already, {row.origin}, of the model '{row.model}'; "
            f"expected another name for the model that is to be {origin}"
        )


def video_id(model: str, prompt_id: str, seed: int | None = None) -> str:
    """The name of a clip in every table of a study."""
    return f"{slug(model)}/{prompt_id}" + ("" if seed is None else f"/s{seed}")


def clip_path(model: str, prompt_id: str, seed: int) -> str:
    """Where a study keeps a clip that it made, relative to the study's folder.

    Raises:
        ValueError: the prompt's id or the model's name cannot be part of a file's name.
    """
    if not re.fullmatch(r"[\w.-]{1,200}", prompt_id):
        raise ValueError(
            f"prompt_id '{prompt_id}' cannot name a file; expected letters, digits, dots, hyphens and "
            "underscores, 200 at most"
        )
    for what, name, part in (
        ("prompt_id", prompt_id, f"{prompt_id}_s{seed}"),
        ("the model's name", model, slug(model)),
    ):
        if len(part.encode()) > LONGEST_NAME:
            raise ValueError(
                f"{what} '{name}' is too long to name a file; expected at most {LONGEST_NAME} bytes, "
                f"found {len(part.encode())} in UTF-8 with what is added"
            )
    return f"videos/{slug(model)}/{prompt_id}_s{seed}.mp4"


@contextmanager
def writing(study: Path, name: str) -> Iterator[OpenJournal[Row]]:
    """Open one source's file; it and its folder are made where they are missing.

    Args:
        study: the study's folder.
        name: the source, such as "generated-1-of-4", "hosted-veo-3.1-fast" or "imported".

    Raises:
        DataError: the folder cannot be written, or another run has the file open.
    """
    with journal.writing(Path(study) / "logs" / "videos" / f"{name}.jsonl", Row, WHAT) as opened:
        yield opened


def read(study: Path) -> dict[str, Row]:
    """The row of each clip that counts, from every source; nothing for a study without any.

    A row that is ok counts before any other, as where two shards tried a clip and the slower one failed,
    unless its clip is gone and could not be made again since; else of one origin's rows the latest.

    Raises:
        DataError: a complete line that is no row (the message names the file and the line), or two origins
            have the same clip.
    """
    rows: dict[str, Row] = {}
    for path in sorted((Path(study) / "logs" / "videos").glob("*.jsonl")):
        for row in journal.read_lines(path, Row, WHAT):
            known = rows.get(row.video_id)
            if known is None or _counts(row, known, Path(study)):
                rows[row.video_id] = row
    return rows


def _counts(row: Row, known: Row, study: Path) -> bool:
    """Whether a row takes the place of another one of the same clip."""
    if (row.status == "ok") != (known.status == "ok"):
        ok, other = (row, known) if row.status == "ok" else (known, row)
        return (row is other) == _is_lost(ok, other, study)
    if row.origin == known.origin:
        return known.at <= row.at
    if row.status == "ok":
        raise DataError(
            f"the clip '{row.video_id}' is there twice, {known.origin} and {row.origin}; "
            "expected one of them: take the other's row out of logs/videos, or name its model otherwise"
        )
    return False


def _is_lost(ok: Row, later: Row, study: Path) -> bool:
    """Whether a clip that was made is gone, and making it again has failed."""
    return (
        ok.origin == later.origin
        and ok.at < later.at
        and ok.path is not None
        and not (study / ok.path).exists()
    )


def write_table(study: Path) -> list[Path]:
    """Write the study's table `videos` from all its journals, a part for each origin.

    The parts in `ALWAYS_WRITTEN` are there without clips too, empty. A part whose rows are the same stays
    untouched, so that nothing which depends on it has to run again.

    Returns:
        The parts' files; their column `settings` holds JSON.

    Raises:
        DataError: as `read` and `tables.write`.
    """
    folder = Path(study) / "logs" / "videos"
    folder.mkdir(parents=True, exist_ok=True)
    # Runs that end at the same time write one after the other, so that the last one has seen all.
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows, parts = read(study).values(), []
        for origin in get_args(Origin):
            part = tables.table_path(study, "videos", part=origin)
            of_origin = [row for row in rows if row.origin == origin]
            if not of_origin and origin not in ALWAYS_WRITTEN:
                part.unlink(missing_ok=True)
                continue
            frame = schemas.check("videos", as_frame(of_origin), part)
            if not _holds(part, frame):
                tables.write(study, "videos", frame, part=origin)
            parts.append(part)
        return parts
    finally:
        os.close(lock)


def _holds(part: Path, frame: pd.DataFrame) -> bool:
    """Whether a part's file has just these rows; not so where it cannot be read."""
    try:
        return pd.read_parquet(part).equals(frame)
    except (OSError, ArrowInvalid):
        return False


def _settings(row: Row) -> str:
    settings = dict(row.settings)
    if isinstance(settings.get("made"), dict):
        settings["made"] = {name: said for name, said in settings["made"].items() if name not in OF_THE_RUN}
    return json.dumps(settings, sort_keys=True)


def as_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as the table `videos` has them, ordered by `video_id`; `OF_THE_RUN` stays behind."""
    columns = list(schemas.TABLES["videos"].columns)
    records = [
        {**row.model_dump(include=set(columns)), "settings": _settings(row)}
        for row in sorted(rows, key=lambda row: row.video_id)
    ]
    frame = pd.DataFrame(records, columns=columns)
    whole = dict.fromkeys(("seed", "width", "height", "frames"), "Int64")
    return frame.astype({**whole, "audio": "boolean", "fps": "Float64"})
