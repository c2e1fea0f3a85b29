"""Whose judgements a score rests on, and which clips they were to judge."""

from collections.abc import Collection, Mapping

import pandas as pd

from helpers.checking import nearest
from helpers.schemas import KINDS


def chosen(tables: Mapping[str, pd.DataFrame], who: str) -> pd.DataFrame:
    """The rows of the table raters that a name or a kind stands for.

    Args:
        tables: raters among them.
        who: a rater_id, or "human", "judge" or "simulated" for all raters of that kind.

    Raises:
        ValueError: nobody of that name or kind; the message offers the nearest name.
    """
    raters = tables["raters"]
    found = raters[raters["kind" if who in KINDS else "rater_id"].eq(who)]
    if found.empty:
        names = list(raters["rater_id"])
        known = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise ValueError(f"who: found no rater '{who}'{nearest(who, names)}; expected one of {known}")
    return found


def are_people(raters: pd.DataFrame) -> bool:
    """Whether these are people, who see a part of the clips, rather than judges, who see them all."""
    return bool(raters["kind"].eq("human").all())


def assigned(tables: Mapping[str, pd.DataFrame], raters: pd.DataFrame, tier: str) -> pd.DataFrame:
    """What these raters were to do in one tier: rows of the table assignments, none without that table."""
    if "assignments" not in tables:
        return pd.DataFrame({"video_id": pd.Series(dtype=str), "question_id": pd.Series(dtype=str)})
    rows = tables["assignments"]
    return rows[rows["tier"].eq(tier) & rows["rater_id"].isin(raters["rater_id"])]


def ratings_of(
    tables: Mapping[str, pd.DataFrame], raters: pd.DataFrame, clips: pd.DataFrame, criteria: Collection[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What raters gave under some criteria, and the clips that they were to judge.

    Args:
        tables: ratings; if there, assignments.
        raters: as `chosen`.
        clips: a benchmark's, with video_id.
        criteria: which.

    Returns:
        Rows of the table ratings; and the clips: all for judges, for people those on their sheets or that
        they rated.
    """
    given = tables["ratings"]
    given = given[
        given["rater_id"].isin(raters["rater_id"])
        & given["video_id"].isin(clips["video_id"])
        & given["criterion"].isin(criteria)
    ]
    if are_people(raters):
        shown = {*assigned(tables, raters, "rating")["video_id"], *given["video_id"]}
        clips = clips[clips["video_id"].isin(shown)].reset_index(drop=True)
    return given, clips
