"""Which clips a report shows: a bounded number, chosen by rule, spread over countries and criteria."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

# On a scale from 0 to 1: two of five points and less count as failed; half the scale as disagreement.
LOW, APART = 0.25, 0.5
HIGHER, LOWER, ALIKE, ALONE = "judge higher", "people higher", "alike", "judged once"


@dataclass(frozen=True)
class Choice:
    """Clips that were chosen, and out of how many.

    Attributes:
        clips: one row a clip, in the order to show: video_id, country, group, model, criteria (those that
            failed or divide judge and people, the lowest first), lowest (the lowest score under them), apart
            (the largest difference, judge minus people; missing without people) and stand (which of `HIGHER`,
            `LOWER`, `ALIKE`, `ALONE`).
        found: how many clips there were to choose from.
    """

    clips: pd.DataFrame
    found: int


def failures(
    scores: pd.DataFrame, most: int, *, low: float = LOW, apart: float = APART, seed: int = 0
) -> Choice:
    """Clips that a judge or people find wrong, or about which they disagree.

    Args:
        scores: as `helpers.reports.evidence.clip_scores` returns them.
        most: how many clips at most. Countries take turns, and within a country criteria do, so that no one
            fills the page; within these the lowest comes first, equals in a random order.
        low: a score up to this is a failure.
        apart: a difference from this on is a disagreement.
        seed: of the random order.
    """
    lowest = scores[["judge", "people"]].min(axis=1)
    wanted = scores.assign(lowest=lowest)[lowest.le(low) | scores["apart"].abs().ge(apart)]
    if wanted.empty:
        columns = ["video_id", "country", "group", "model", "criteria", "lowest", "apart", "stand"]
        return Choice(pd.DataFrame(columns=columns), 0)
    wanted = wanted.sort_values(["lowest", "criterion"])
    clips = wanted.groupby("video_id", sort=False).agg(
        country=("country", "first"),
        group=("group", "first"),
        model=("model", "first"),
        criteria=("criterion", tuple),
        lowest=("lowest", "min"),
    )
    strongest = wanted.loc[wanted["apart"].abs().dropna().groupby(wanted["video_id"]).idxmax()]
    clips["apart"] = strongest.set_index("video_id")["apart"]
    clips["stand"] = stands(clips["apart"], apart)
    return Choice(_in_turns(clips.reset_index(), seed).head(most).reset_index(drop=True), len(clips))


def stands(difference: pd.Series, apart: float = APART) -> pd.Series:
    """Whether a judge and people agree, in words.

    Args:
        difference: judge minus people; missing where only one of them judged.
        apart: from here on they disagree.
    """
    words = np.select(
        [difference.isna(), difference.ge(apart), difference.le(-apart)], [ALONE, HIGHER, LOWER], ALIKE
    )
    return pd.Series(words, difference.index)


def examples(scores: pd.DataFrame, column: str, value: str, *, each: int = 1, seed: int = 0) -> list[str]:
    """A highest and a lowest clip of a country or model, by the mean over criteria.

    Args:
        scores: as `helpers.reports.evidence.clip_scores` returns them.
        column: "country" or "model".
        value: which.
        each: how many high and how many low ones.
        seed: of the random order of equals.

    Returns:
        video_ids, the high ones first; fewer where there are fewer clips.
    """
    part = scores[scores[column].eq(value)]
    means = part.assign(mean=part["judge"].fillna(part["people"])).groupby("video_id")["mean"].mean()
    means = means.sample(frac=1, random_state=seed).sort_values(ascending=False, kind="stable")
    clips = list(means.index)
    return clips[:each] + [clip for clip in clips[-each:] if clip not in clips[:each]]


def _in_turns(clips: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Countries take turns; within a country, its clips' lowest criteria do."""
    mixed = clips.sample(frac=1, random_state=seed).sort_values("lowest", kind="stable")
    mixed["worst"] = mixed["criteria"].str[0]
    mixed["turn"] = mixed.groupby(["country", "worst"]).cumcount()
    mixed = mixed.sort_values(["turn", "lowest"], kind="stable")
    mixed["round"] = mixed.groupby("country").cumcount()
    return mixed.sort_values(["round", "country"], kind="stable").drop(columns=["worst", "turn", "round"])
