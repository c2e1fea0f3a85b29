"""Surveys that a study file names, read into the study's tables, a part each."""

from pathlib import Path

import pandas as pd

from helpers import schemas, tables
from helpers.checking import DataError, csv_rows
from helpers.paths import found_at, shown
from helpers.people.exports import Survey, read_survey
from helpers.people.mapping import load_mapping
from helpers.people.named import ASKED_OF_PEOPLE, NamedSurvey
from helpers.people.rules import excluded_frame

# How a CSV file says true and false; anything else is refused.
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def keep_survey(study: Path, named: NamedSurvey) -> Survey:
    """Read a survey and write what people said into the study's tables.

    It writes the parts `<table>/survey-<name>` of those tables in which it has rows, and what was set aside
    to `logs/survey-<name>-excluded.csv`. Running it again replaces what it wrote.

    Args:
        study: the study's folder, with the table videos.
        named: the survey.

    Returns:
        What was read.

    Raises:
        DataError: a file that is absent or does not fit; an answer about a clip that the study does not have;
            a rater, or a rater's answer, that another part has too. Nothing is written then.
    """
    survey = read_named(study, named)
    for name, frame in survey.tables.items():
        _check_clips(study, named, name, frame)
        _check_others(study, named, name, frame)
    for name, frame in survey.tables.items():
        if len(frame):
            tables.write(study, name, frame, part=named.part)
        elif named.format == "qualtrics":
            tables.table_path(study, name, named.part).unlink(missing_ok=True)
    if named.format == "qualtrics":
        log = study / "logs" / f"{named.part}-excluded.csv"
        log.parent.mkdir(parents=True, exist_ok=True)
        survey.excluded.to_csv(log, index=False)
    return survey


def read_named(study: Path, named: NamedSurvey) -> Survey:
    """What a survey's files hold; nothing is written.

    Raises:
        DataError: as `exports.read_survey`, `mapping.load_mapping` and `schemas.check`.
    """
    if named.format == "table":
        frame = read_table(found_at(named.file), named.table)
        return Survey({named.table: frame}, excluded_frame([]))
    return read_survey(
        found_at(named.file),
        load_mapping(found_at(named.mapping)),
        read_table(found_at(named.sheets), "assignments"),
        tables.read(study, "videos"),
        None if named.prolific is None else found_at(named.prolific),
    )


def read_table(path: Path, name: str) -> pd.DataFrame:
    """Rows of one of the study's tables from a CSV or Parquet file; columns that may be empty may be absent.

    Raises:
        DataError: as `checking.csv_rows` and `schemas.check`, or no Parquet file.
    """
    if path.suffix == ".parquet":
        return schemas.check(name, tables.read_parquet(path), path)
    header, *rows = csv_rows(path, f"a CSV file with the columns of the table '{name}'", private=True)
    frame = pd.DataFrame(rows, columns=header, dtype=str).replace("", None)
    for column in frame.columns.intersection(_flags(name)):
        frame[column] = frame[column].map(
            lambda word: _WORDS.get(str(word).lower(), word), na_action="ignore"
        )
    return schemas.check(name, frame, path)


def _flags(name: str) -> list[str]:
    """A table's columns of true and false."""
    return [
        column
        for column, declared in schemas.TABLES[name].columns.items()
        if str(declared.dtype) == "boolean"
    ]


def _check_clips(study: Path, named: NamedSurvey, name: str, frame: pd.DataFrame) -> None:
    """Refuse answers about clips that the study does not have: they would count nowhere."""
    if "video_id" not in frame or not tables.exists(study, "videos"):
        return
    known = set(tables.read(study, "videos")["video_id"])
    unknown = frame.loc[frame["video_id"].notna() & ~frame["video_id"].isin(known), "video_id"]
    if len(unknown):
        raise DataError(
            f"{named.file}: found {len(unknown):,} rows of '{name}' about clips that the study lacks, such "
            f"as '{unknown.iloc[0]}'; expected clips of its table videos"
        )


def _check_others(study: Path, named: NamedSurvey, name: str, frame: pd.DataFrame) -> None:
    """Refuse rows that another part has, since the table could not be read any more; and a judge's part."""
    key = list(schemas.TABLES[name].key)
    own = tables.table_path(study, name, named.part)
    for path in tables.files(study, name):
        if path == own:
            _check_own(study, named, path, frame)
            continue
        both = frame[key].merge(tables.read_parquet(path, columns=key), on=key)
        if len(both):
            raise DataError(
                f"{named.file}: found {both.iloc[0].to_dict()} in '{name}', which {shown(path)} holds too; "
                "expected each once"
            )


def _check_own(study: Path, named: NamedSurvey, own: Path, frame: pd.DataFrame) -> None:
    """Refuse to replace what a judge said and this survey does not."""
    raters = tables.read(study, "raters") if tables.exists(study, "raters") else None
    judges = [] if raters is None else raters.loc[raters["kind"].ne("human"), "rater_id"]
    there = set(tables.read_part(own, ["rater_id"])["rater_id"])
    if lost := sorted(there.intersection(judges) - set(frame["rater_id"])):
        raise DataError(
            f"{named.file}: the survey '{named.name}' would replace rows of '{lost[0]}' in {shown(own)}; "
            "expected those of people alone; give the survey another name, or move the file away"
        )


def unread(surveys: list[NamedSurvey], study: Path) -> list[NamedSurvey]:
    """The surveys of which the study has no part yet."""
    return [
        named
        for named in surveys
        if not any(tables.table_path(study, name, named.part).exists() for name in ASKED_OF_PEOPLE)
    ]
