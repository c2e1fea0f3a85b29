"""The tables that hold a study: where they lie, and how they are read and written, checked every time.

A study keeps its tables as `<study>/tables/<name>.parquet`; notebooks hand each other nothing else. Notebooks
of the workflow write parts, `<study>/tables/<name>/<part>.parquet`, and the parts of a table are read as one.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.lib import ArrowInvalid

from helpers.checking import DataError
from helpers.paths import shown
from helpers.schemas import check, declared

# What judges wrote and how they were asked: of a million answers two gigabytes that no statistic looks at.
TEXTS = ("raw", "reasoning", "requirement", "observation", "justification", "settings")
_PART = re.compile(r"[a-z0-9][a-z0-9-]*")
# Rows that are in memory at once, texts included, while those about a few clips are looked for.
_PIECE = 2**14


def table_path(study: Path | str, name: str, part: str | None = None) -> Path:
    """The file of a study's table, or of a part of it; it need not exist.

    Args:
        study: the study's folder.
        name: one of `helpers.schemas.TABLES`.
        part: small letters, digits and hyphens, such as a benchmark's short name.

    Raises:
        ValueError: no table has this name (the message offers the nearest), or not a name for a part.
    """
    declared(name)
    if part is None:
        return Path(study) / "tables" / f"{name}.parquet"
    if not _PART.fullmatch(part):
        raise ValueError(f"found the part '{part}', expected small letters, digits and hyphens")
    return Path(study) / "tables" / name / f"{part}.parquet"


def files(study: Path | str, name: str) -> list[Path]:
    """The files that hold a study's table: none, its one file, or its parts by name.

    Raises:
        ValueError: no table has this name.
        DataError: both one file and parts.
    """
    whole = table_path(study, name)
    parts = sorted(whole.with_suffix("").glob("*.parquet"))
    if whole.exists() and parts:
        raise DataError(
            f"{shown(whole)}: {shown(parts[0])} is there too; "
            f"expected the table '{name}' in one file or in parts, not both"
        )
    return [whole] if whole.exists() else parts


def exists(study: Path | str, name: str) -> bool:
    """Whether a study has a table, in one file or in parts.

    Raises:
        ValueError: no table has this name.
    """
    return bool(files(study, name))


def read(study: Path | str, name: str, *, texts: bool = True) -> pd.DataFrame:
    """Read and check one of a study's tables.

    Args:
        study: the study's folder.
        name: one of `helpers.schemas.TABLES`.
        texts: False leaves the columns `TEXTS` on the disk; statistics need none of them.

    Returns:
        The rows; those of a table in parts by the parts' names.

    Raises:
        ValueError: no table has this name.
        DataError: no such file, not a Parquet file, or as `check`; also a table that is both in one file
            and in parts, and a key that two parts share.
    """
    return _together(study, name, lambda path: _checked_file(name, path, texts))


def read_about(study: Path | str, name: str, clips: Collection[str]) -> pd.DataFrame:
    """Read and check the rows about some clips, texts included; the other rows never stand in memory at once.

    Args:
        study: the study's folder.
        name: one of `helpers.schemas.TABLES` that has a column video_id.
        clips: their video_ids.

    Returns:
        As `read`, which also says what is raised; messages count only the rows about these clips.
    """
    return _together(
        study, name, lambda path: check(name, _rows_about(path, clips), f"{path}, rows about chosen clips")
    )


def _together(study: Path | str, name: str, read_file: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    """The rows of all files that hold a table, each file read and checked by a function."""
    found = files(study, name)
    whole = table_path(study, name)
    if not found:
        raise DataError(f"{shown(whole)}: no such file; expected the study's table '{name}' there")
    parts = [read_file(path) for path in found]
    if len(parts) == 1:
        return parts[0]
    # Each row was checked with its part; only a key may come twice.
    return declared(name).check_keys(pd.concat(parts, ignore_index=True), whole.with_suffix(""))


def _checked_file(name: str, path: Path, texts: bool) -> pd.DataFrame:
    if texts:
        return check(name, read_parquet(path), path)
    kept = [column for column in columns_of(path) if column not in TEXTS]
    return check(name, read_parquet(path, kept), path).drop(columns=list(TEXTS), errors="ignore")


def _rows_about(path: Path, clips: Collection[str]) -> pd.DataFrame:
    wanted = pa.array(list(clips), pa.string())
    with _readable(path), pq.ParquetFile(path) as file:
        pieces = [
            piece.filter(pc.is_in(piece["video_id"].cast(pa.string()), wanted))
            for piece in file.iter_batches(_PIECE)
        ]
        return pa.Table.from_batches(pieces, file.schema_arrow).to_pandas()


def columns_of(path: Path) -> list[str]:
    """The columns of a Parquet file.

    Raises:
        DataError: not a Parquet file.
    """
    try:
        return pq.read_schema(path).names
    except ArrowInvalid as error:
        raise DataError(f"{shown(path)}: not a readable Parquet file ({error})") from None


def write(study: Path | str, name: str, frame: pd.DataFrame, *, part: str | None = None) -> Path:
    """Check a table and write it, so that a reader finds the old file or the new one and never a piece of it.

    Args:
        study: the study's folder; missing folders are made.
        name: one of `helpers.schemas.TABLES`.
        frame: the rows, as `check` takes them.
        part: what to call these rows where other notebooks write further ones into the same table; parts that
            have other names stay.

    Returns:
        The file written.

    Raises:
        ValueError: no table has this name, or not a name for a part.
        DataError: as `check`, or a part for a table in one file, or the reverse; nothing is written then.
    """
    path = table_path(study, name, part)
    frame = check(name, frame, path)
    whole = table_path(study, name)
    others = [file for file in files(study, name) if (file == whole) != (path == whole)]
    if others:
        raise DataError(
            f"{shown(path)}: {shown(others[0])} is there already; "
            f"expected the table '{name}' in one file or in parts, not both"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}.tmp")
    try:
        frame.to_parquet(unfinished, index=False)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def read_parquet(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """A Parquet file's rows as they are, unchecked.

    Args:
        path: the file.
        columns: only these.

    Raises:
        DataError: not a Parquet file.
    """
    with _readable(path):
        return pd.read_parquet(path, columns=columns)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """What reads a file, where a failure says that it is not a Parquet file."""
    try:
        yield
    except (ArrowInvalid, OSError) as error:
        if getattr(error, "errno", None):  # the file was not read at all
            raise
        why = " ".join(str(error).removeprefix(f"Could not open Parquet input source '{path}': ").split())
        raise DataError(f"{shown(path)}: not a readable Parquet file ({why})") from None


def read_part(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """A part's rows, unchecked, for a command that adds to a study or replaces the part.

    Args:
        path: the part's file.
        columns: only these.

    Raises:
        DataError: not a Parquet file; the message says how to go on.
    """
    try:
        return read_parquet(path, columns)
    except DataError as error:
        raise DataError(
            f"{error}; restore it from a copy, or delete it and run the command that wrote it again"
        ) from None
