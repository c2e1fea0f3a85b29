"""The schemas of a study's tables, declared once, and the check of rows against them.

Three ways of having no value are kept apart in `answers`, `ratings` and `metric_values`: status "missing" was
never given, "unscored" was given but could not be understood (its words stand in `raw`), and a rating with
status "ok" and no score is a judge's own "not applicable", which only the criteria of `MAY_BE_NA` allow.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pandera.pandas as pa

from helpers.checking import DataError, Table, brief, nearest, number, one_of, text, whole
from helpers.criteria import CRITERIA, of_framework
from helpers.geography import nearest_country, standard_name
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


def flag(*, nullable: bool = False) -> pa.Column:
    """A column of true and false; missing values stay missing (`boolean`)."""
    return pa.Column("boolean", pa.Check.isin([True, False], error="true or false"), nullable=nullable)


def country(*, nullable: bool = False) -> pa.Column:
    """A column of countries by their short English names, any country of the world."""
    known = pa.Check(_is_country, element_wise=True, error="a country's short English name ('South Africa')")
    return pa.Column(str, known, nullable=nullable, metadata={"nearest": _meant})


@cache
def _meant(name: str) -> str:
    return nearest_country(name)


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


def declared(name: str) -> Table:
    """A table's schema.

    Raises:
        ValueError: no table has this name; the message offers the nearest.
    """
    if name not in TABLES:
        raise ValueError(f"no table '{name}'{nearest(name, TABLES)}; expected one of {', '.join(TABLES)}")
    return TABLES[name]


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
    table = declared(name)
    absent = [
        column
        for column, declared in table.columns.items()
        if declared.nullable and column not in frame.columns
    ]
    frame = table.check(frame.assign(**dict.fromkeys(absent)), source)
    for expected, fails in _RULES.get(name, []):
        wrong = frame[fails(frame)]
        if len(wrong):
            first = {column: brief(value) for column, value in wrong.iloc[0].items() if pd.notna(value)}
            raise DataError(
                f"{shown(source)}: row {wrong.index[0] + 2}: found {first}, expected {expected} "
                f"({len(wrong)} such row{'s' * (len(wrong) > 1)})"
            )
    return frame
