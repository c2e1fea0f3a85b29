"""The tables that hold a study: one schema each, declared here, checked at every read and write.

A study keeps its tables as `<study>/tables/<name>.parquet`; notebooks hand each other nothing else. Notebooks
of the workflow write parts, `<study>/tables/<name>/<part>.parquet`, and the parts of a table are read as one.

Three ways of having no value are kept apart in `answers`, `ratings` and `metric_values`: status "missing" was
never given, "unscored" was given but could not be understood (its words stand in `raw`), and a rating with
status "ok" and no score is a judge's own "not applicable", which only the criteria of `MAY_BE_NA` allow.
"""

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pandera.pandas as pa
import pyarrow.parquet as pq
from pyarrow.lib import ArrowInvalid

from helpers.checking import DataError, Table, nearest, number, one_of, text, whole
from helpers.criteria import CRITERIA, of_framework
from helpers.geography import standard_name
from helpers.paths import shown
from helpers.published import ASPECTS, CATEGORIES, DIMENSIONS, FRAMEWORKS, VARIANTS

STATUSES = ("ok", "unscored", "failed", "blocked", "missing")
KINDS = ("human", "judge", "simulated")
TIERS = ("relevance", "accuracy", "ranking", "rating", "attention")

LANDMARK_CRITERIA = tuple(of_framework("landmarks"))
# Each graded criterion's lowest and highest score.
SCALES = {name: (criterion.low, criterion.high) for name, criterion in CRITERIA.items()}
# Where a clip may show nothing to grade.
MAY_BE_NA = tuple(name for name, criterion in CRITERIA.items() if criterion.not_applicable)
# What judges wrote and how they were asked: of a million answers two gigabytes that no statistic looks at.
TEXTS = ("raw", "reasoning", "requirement", "observation", "justification", "settings")
_PART = re.compile(r"[a-z0-9][a-z0-9-]*")


def flag(*, nullable: bool = False) -> pa.Column:
    """A column of true and false; missing values stay missing (`boolean`)."""
    return pa.Column("boolean", pa.Check.isin([True, False], error="true or false"), nullable=nullable)


def country(*, nullable: bool = False) -> pa.Column:
    """A column of countries by their short English names, any country of the world."""
    known = pa.Check(_is_country, element_wise=True, error="a country's short English name ('South Africa')")
    return pa.Column(str, known, nullable=nullable)


@cache
def _is_country(name: str) -> bool:
    try:
        return standard_name(name) == name
    except ValueError:
        return False


TABLES = {
    "prompts": Table(
        columns={
            "prompt_id": text(),
            "benchmark": one_of(FRAMEWORKS),
            "country": country(),
            "category": one_of(CATEGORIES, nullable=True),
            "aspect": one_of(tuple(ASPECTS), nullable=True),
            "element": text(nullable=True),
            "variant": one_of([variant for variants in VARIANTS.values() for variant in variants]),
            "text": text(),
            "scenario_id": text(nullable=True),
            "matched_set": text(nullable=True),
            "landmark_id": text(nullable=True),
            "text_cue": flag(nullable=True),
            "audio_cue": flag(nullable=True),
        },
        key=("prompt_id",),
    ),
    "questions": Table(
        columns={
            "question_id": text(),
            "scenario_id": text(),
            "dimension": one_of(DIMENSIONS),
            "text": text(),
            "weight": whole(1, 10, nullable=True),
            "explicit": flag(nullable=True),
            "asked_from": one_of(VARIANTS["culturescore"], nullable=True),
            "verified": flag(nullable=True),
            "evidence": text(nullable=True),
        },
        key=("question_id",),
    ),
    "landmarks": Table(
        columns={
            "landmark_id": text(),
            "name": text(),
            "city": text(nullable=True),
            "country": country(),
            "lat": number(-90, 90, nullable=True),
            "lon": number(-180, 180, nullable=True),
            "category": text(nullable=True),
            "pageviews": whole(0, 10**12, nullable=True),
            "reference_image": text(nullable=True),
            "author": text(nullable=True),
            "licence": text(nullable=True),
        },
        key=("landmark_id",),
    ),
    "videos": Table(
        columns={
            "video_id": text(),
            "prompt_id": text(),
            "model": text(),
            "seed": whole(0, 2**63 - 1, nullable=True),
            "path": text(nullable=True),
            "width": whole(1, 2**16, nullable=True),
            "height": whole(1, 2**16, nullable=True),
            "frames": whole(0, 10**7, nullable=True),
            "fps": number(0, 1000, nullable=True),
            "audio": flag(nullable=True),
            "sha256": text(nullable=True),
            "settings": text(nullable=True),
            "status": one_of(STATUSES),
        },
        key=("video_id",),
    ),
    # `country` is the cohort: the country whose clips a person is asked about; `native` says whether it is
    # theirs. A judge that sees every country has neither.
    "raters": Table(
        columns={
            "rater_id": text(),
            "kind": one_of(KINDS),
            "country": country(nullable=True),
            "native": flag(nullable=True),
            "language": text(nullable=True),
            "blinded": flag(nullable=True),
            "attention": flag(nullable=True),
        },
        key=("rater_id",),
    ),
    # `step` counts a rater's prompts, `position` the clips shown for one; an attention check comes after the
    # step whose number it bears and shows neither prompt nor clip.
    "assignments": Table(
        columns={
            "rater_id": text(),
            "step": whole(1, 10**6),
            "tier": one_of(TIERS),
            "position": whole(1, 10**3),
            "prompt_id": text(nullable=True),
            "video_id": text(nullable=True),
            "question_id": text(nullable=True),
        },
        key=("rater_id", "step", "tier", "position"),
    ),
    "relevance": Table(
        columns={"rater_id": text(), "question_id": text(), "relevant": flag()},
        key=("rater_id", "question_id"),
    ),
    # `settings` says how a judge was asked, as JSON: wording, frames, model, the request's key, and why there
    # is no value where there is none.
    "answers": Table(
        columns={
            "video_id": text(),
            "question_id": text(),
            "rater_id": text(),
            "answer": flag(nullable=True),
            "status": one_of(STATUSES),
            "raw": text(nullable=True),
            "reasoning": text(nullable=True),
            "settings": text(nullable=True),
        },
        key=("video_id", "question_id", "rater_id"),
    ),
    "ratings": Table(
        columns={
            "video_id": text(),
            "criterion": one_of(tuple(SCALES)),
            "rater_id": text(),
            "score": whole(0, 5, nullable=True),
            "requirement": text(nullable=True),
            "observation": text(nullable=True),
            "justification": text(nullable=True),
            "status": one_of(STATUSES),
            "raw": text(nullable=True),
            "settings": text(nullable=True),
        },
        key=("video_id", "criterion", "rater_id"),
    ),
    "rankings": Table(
        columns={"prompt_id": text(), "rater_id": text(), "model": text(), "rank": whole(1, 10**3)},
        key=("prompt_id", "rater_id", "model"),
    ),
    "metric_values": Table(
        columns={
            "video_id": text(),
            "metric": text(),
            "value": number(-(10**9), 10**9, nullable=True),
            "status": one_of(STATUSES),
        },
        key=("video_id", "metric"),
    ),
}

# Rows that no single column shows to be wrong: what a table expects, and which of its rows fail.
Rule = tuple[str, Callable[[pd.DataFrame], pd.Series]]
_RULES: dict[str, list[Rule]] = {
    "assignments": [
        (
            "a prompt and a clip, except in an attention check",
            lambda rows: (rows["prompt_id"].isna() | rows["video_id"].isna()).ne(
                rows["tier"].eq("attention")
            ),
        )
    ],
    "answers": [
        (
            "an answer where the status is ok, and nowhere else",
            lambda rows: rows["answer"].notna().ne(rows["status"].eq("ok")),
        )
    ],
    "ratings": [
        (
            "a score only where the status is ok",
            lambda rows: rows["score"].notna() & rows["status"].ne("ok"),
        ),
        (
            f"a score, since only {' and '.join(MAY_BE_NA)} may be 'not applicable' (ok without a score)",
            lambda rows: rows["score"].isna() & rows["status"].eq("ok") & ~rows["criterion"].isin(MAY_BE_NA),
        ),
        (
            "a score of at least 1 (only landmark criteria start at 0)",
            lambda rows: rows["score"].eq(0).fillna(False) & ~rows["criterion"].isin(LANDMARK_CRITERIA),
        ),
    ],
    "metric_values": [
        (
            "a value where the status is ok, and nowhere else",
            lambda rows: rows["value"].notna().ne(rows["status"].eq("ok")),
        )
    ],
}


def table_path(study: Path | str, name: str, part: str | None = None) -> Path:
    """The file of a study's table, or of a part of it; it need not exist.

    Args:
        study: the study's folder.
        name: one of `TABLES`.
        part: small letters, digits and hyphens, such as a benchmark's short name.

    Raises:
        ValueError: no table has this name (the message offers the nearest), or not a name for a part.
    """
    if name not in TABLES:
        raise ValueError(f"no table '{name}'{nearest(name, TABLES)}; expected one of {', '.join(TABLES)}")
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


def check(name: str, frame: pd.DataFrame, source: Path | str) -> pd.DataFrame:
    """Return a table's rows with the declared types and column order, or say what does not fit.

    Args:
        name: one of `TABLES`.
        frame: the rows. Columns that may be empty may also be left out; they are added, all missing.
        source: the file (or other origin) that messages name.

    Raises:
        ValueError: no table has this name.
        DataError: missing, misspelt or unexpected columns, values out of range, repeated keys, or rows whose
            values contradict each other; the message names the file, the row and what was expected.
    """
    table_path("", name)
    table = TABLES[name]
    absent = [
        column
        for column, declared in table.columns.items()
        if declared.nullable and column not in frame.columns
    ]
    frame = table.check(frame.assign(**dict.fromkeys(absent)), source)
    for expected, fails in _RULES.get(name, []):
        wrong = frame[fails(frame)]
        if len(wrong):
            first = {column: wrong.iloc[0][column] for column in wrong if pd.notna(wrong.iloc[0][column])}
            raise DataError(
                f"{shown(source)}: row {wrong.index[0] + 2}: found {first}, expected {expected} "
                f"({len(wrong)} such row{'s' * (len(wrong) > 1)})"
            )
    return frame


def read(study: Path | str, name: str, *, texts: bool = True) -> pd.DataFrame:
    """Read and check one of a study's tables.

    Args:
        study: the study's folder.
        name: one of `TABLES`.
        texts: False leaves the columns `TEXTS` on the disk; statistics need none of them.

    Returns:
        The rows; those of a table in parts by the parts' names.

    Raises:
        ValueError: no table has this name.
        DataError: no such file, not a Parquet file, or as `check`; also a table that is both in one file
            and in parts, and a key that two parts share.
    """
    found = files(study, name)
    whole = table_path(study, name)
    if not found:
        raise DataError(f"{shown(whole)}: no such file; expected the study's table '{name}' there")
    parts = [_checked_file(name, path, texts) for path in found]
    if len(parts) == 1:
        return parts[0]
    # Each row was checked with its part; only a key may come twice.
    return TABLES[name].check_keys(pd.concat(parts, ignore_index=True), whole.with_suffix(""))


def _checked_file(name: str, path: Path, texts: bool) -> pd.DataFrame:
    if texts:
        return check(name, read_parquet(path), path)
    kept = [column for column in columns_of(path) if column not in TEXTS]
    return check(name, read_parquet(path, kept), path).drop(columns=list(TEXTS), errors="ignore")


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
        name: one of `TABLES`.
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
    try:
        return pd.read_parquet(path, columns=columns)
    except ArrowInvalid as error:
        raise DataError(f"{shown(path)}: not a readable Parquet file ({error})") from None
