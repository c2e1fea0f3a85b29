"""A survey's export and its assignment sheets, read into the study's tables.

What cannot be used is set aside and listed with its reason, never dropped in silence and never guessed.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.checking import DataError, nearest
from helpers.people.answers import Cell, read_accuracy, read_ranking, read_ratings, read_relevance
from helpers.people.mapping import Mapping
from helpers.people.prolific import read_prolific
from helpers.people.qualtrics import read_qualtrics
from helpers.people.respondents import read_raters
from helpers.people.rules import excluded_frame
from helpers.schemas import check


@dataclass(frozen=True)
class Survey:
    """A survey as read.

    Attributes:
        tables: `raters`, `assignments`, `relevance`, `answers`, `ratings` and `rankings`, each checked; empty
            where the survey did not ask.
        excluded: one row for everything set aside (columns `helpers.people.rules.EXCLUDED`): whole responses
            (table "responses") and single answers. An answer in `answers` or `ratings` also keeps its row
            there, with status "unscored"; a relevance or a ranking has no status and stands only here.
    """

    tables: dict[str, pd.DataFrame]
    excluded: pd.DataFrame


def read_survey(
    export: Path | str,
    mapping: Mapping,
    sheets: pd.DataFrame,
    videos: pd.DataFrame,
    prolific: Path | str | None = None,
) -> Survey:
    """Read a Qualtrics export and, where people came from Prolific, its demographic export.

    A response counts when it is no preview, finished, consented, bears a participant's id, was handed in on
    Prolific, was not faster than `duration` and is the participant's first such one. Failing an attention
    check or the screening is recorded in `raters`; `helpers.people.rules.apply_rules` acts on it.

    Args:
        export: Qualtrics' CSV file.
        mapping: what its columns mean (`helpers.people.mapping.load_mapping`).
        sheets: what was shown to whom, a table `assignments`; its rater_id is the sheet's name.
        videos: the study's clips, a table `videos`.
        prolific: Prolific's demographic CSV file. Without it `native` and `language` stay missing.

    Returns:
        The tables and the list of what was set aside. Raters bear the survey's name and a running number in
        the order of the file; participant ids, addresses and places are not kept.

    Raises:
        DataError: a file that is absent or not of the expected form, a mapped column that the export lacks, a
            sheet that shows unknown clips, answers that do not fit the tables.
    """
    sheets, videos = check("assignments", sheets, "sheets"), check("videos", videos, "videos")
    _check_sheets(sheets, videos, mapping)
    responses = read_qualtrics(export, _columns(mapping, sheets))
    people = None if prolific is None else read_prolific(prolific, mapping.prolific)
    raters, excluded = read_raters(responses, mapping, sheets, people)
    shown_to = _shown_to(raters, sheets, videos)
    names = raters["rater_id"]
    cells = {
        (names[row], column): Cell(row, names[row], column, text)
        for row, texts in responses.loc[names.index].iterrows()
        for column, text in texts.items()
    }
    tables = {
        "raters": raters.drop(columns="sheet"),
        "assignments": shown_to.drop(columns="model"),
    }
    for name, reader in (
        ("relevance", read_relevance),
        ("answers", read_accuracy),
        ("rankings", read_ranking),
        ("ratings", read_ratings),
    ):
        tables[name], problems = reader(cells, mapping, shown_to)
        excluded += problems
    checked = {name: check(name, frame, export) for name, frame in tables.items()}
    return Survey(checked, excluded_frame(excluded))


def _columns(mapping: Mapping, sheets: pd.DataFrame) -> list[str]:
    """Every column of the export that a mapping asks for, the templates filled from the sheets."""
    columns = [mapping.rater, mapping.country_column, mapping.sheet_column, mapping.blinded_column]
    passed = [mapping.consent, mapping.native, mapping.duration, *mapping.attention]
    columns += [question.column for question in passed if question is not None]
    if mapping.relevance:
        columns += _filled(mapping.relevance, sheets, "relevance")
    if mapping.accuracy:
        columns += _filled(mapping.accuracy.columns, sheets, "accuracy")
        if mapping.accuracy.none:
            columns += _filled(mapping.accuracy.columns, sheets, "accuracy", position=mapping.accuracy.none)
    if mapping.ranking:
        columns += _filled(mapping.ranking, sheets, "ranking")
    if mapping.ratings:
        for code in mapping.ratings.criteria.values():
            columns += _filled(mapping.ratings.columns, sheets, "rating", criterion=code)
    return list(dict.fromkeys(column for column in columns if column is not None))


def _filled(template: str, sheets: pd.DataFrame, tier: str, **codes: str) -> list[str]:
    """The columns that a template names for the steps and positions of a tier."""
    places = sheets.loc[sheets["tier"].eq(tier), ["step", "position"]].drop_duplicates()
    return [template.format(**place | codes) for place in places.to_dict("records")]


def _check_sheets(sheets: pd.DataFrame, videos: pd.DataFrame, mapping: Mapping) -> None:
    names = sheets["rater_id"].unique()
    if mapping.sheet_column is None and len(names) != 1:
        raise DataError(
            f"sheets: found {len(names)} sheets, but the mapping has no sheet_column to say who had which; "
            "expected one sheet"
        )
    unknown = sheets.loc[~sheets["video_id"].isin(videos["video_id"]), "video_id"].dropna()
    if len(unknown):
        hint = nearest(unknown.iloc[0], videos["video_id"])
        raise DataError(f"sheets: the clip '{unknown.iloc[0]}' is not among the videos{hint}")


def _shown_to(raters: pd.DataFrame, sheets: pd.DataFrame, videos: pd.DataFrame) -> pd.DataFrame:
    """The sheets' rows under the names of those who got them, with each clip's model."""
    named = raters[["rater_id", "sheet"]].merge(sheets.rename(columns={"rater_id": "sheet"}), on="sheet")
    return named.drop(columns="sheet").merge(videos[["video_id", "model"]], on="video_id", how="left")
