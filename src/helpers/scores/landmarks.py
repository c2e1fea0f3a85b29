"""GAP's alignment score: the mean of two criteria for each rater and clip, averaged (section 3.2)."""

from collections.abc import Mapping, Sequence

import pandas as pd

from helpers.geography import AXES, continent
from helpers.geography import axes as country_axes
from helpers.landmark_scores import rater_scores
from helpers.schemas import LANDMARK_CRITERIA
from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.outcomes import as_cases, outcomes
from helpers.scores.raters import chosen, ratings_of
from helpers.scores.score import Score, Scores

SCORES = (Score(name="alignment", groups=(("alignment",),), bounds=(0.0, 5.0)),)


def compared_clips(tables: Mapping[str, pd.DataFrame], who: str = "judge") -> pd.DataFrame:
    """Every landmark clip with its score by some raters and what became of it.

    Args:
        tables: prompts, videos, raters, ratings; if there, assignments.
        who: a rater_id, or a kind: "judge" or "human". Each rater's score is the mean of both criteria (only
            where both were scored), the clip's the mean over raters. Judges are to score all clips, people
            those on their sheets or that they rated.

    Returns:
        One row a clip: video_id, prompt_id, model, variant, landmark_id, country, continent, both axes, part,
        value (0 to 5, missing unless scored), weight (1) and outcome.

    Raises:
        ValueError: nobody of that name or kind.
    """
    raters = chosen(tables, who)
    given, clips = ratings_of(tables, raters, _clips(tables), LANDMARK_CRITERIA)
    scores = rater_scores({"raters": raters, "ratings": given}, raters["kind"].iloc[0]).mean(axis=1)
    value = clips["video_id"].map(scores).astype(float)
    why = given[given["status"].ne("ok")].drop_duplicates("video_id").set_index("video_id")["status"]
    status = clips["video_id"].map(why).mask(value.notna(), "ok")
    became = outcomes(status, [("no_clip", clips["status"].ne("ok") & value.isna())])
    part = pd.Categorical(["alignment"] * len(clips))
    return as_cases(clips.drop(columns="status"), part, value, became)


def alignment_scores(
    cases: pd.DataFrame,
    by: Sequence[str] = ("model", "variant"),
    *,
    cluster: str = "landmark_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """Mean alignment, 0 to 5.

    Args:
        cases: as `compared_clips` returns them.
        by: columns whose combinations are the cells: model, variant, country, continent, an axis.
        cluster: "landmark_id" for a claim about further landmarks, "country" for one about further countries.
        least_share: as `helpers.scores.cells.score_cells`.
        level: confidence level of the intervals.

    Raises:
        ValueError: as `score_cells`.
    """
    return score_cells(cases, by, SCORES, cluster=cluster, least_share=least_share, level=level)


def _clips(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The clips of landmarks' prompts, with status and region."""
    prompts = tables["prompts"]
    told = prompts.loc[
        prompts["benchmark"].eq("landmarks"), ["prompt_id", "variant", "landmark_id", "country"]
    ]
    clips = tables["videos"][["video_id", "prompt_id", "model", "status"]].merge(told, on="prompt_id")
    axes = country_axes().set_index("country")
    continents = {country: continent(country) for country in clips["country"].unique()}
    return clips.assign(
        continent=clips["country"].map(continents),
        **{axis: clips["country"].map(axes[axis]) for axis in AXES},
    )
