"""The scores of a landmark study, one row a clip: where the place lies, its page views, every score.

GAP (section 3.2) averages two criteria to one score of a clip by a judge or by people; where a group of the
world is compared, `GROUPINGS` names the columns.
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from helpers.geography import AXES, continent
from helpers.geography import axes as country_axes
from helpers.schemas import LANDMARK_CRITERIA

TABLES = ("prompts", "videos", "landmarks", "raters", "ratings", "metric_values")
GROUPINGS = ("continent", *AXES)


def clip_scores(tables: Mapping[str, pd.DataFrame], model: str) -> pd.DataFrame:
    """Every clip of one model with its place, page views and scores.

    Args:
        tables: the tables named in `TABLES`, as `helpers.tables` declares them; clips whose prompt is not
            among the prompts belong to another benchmark and are left out.
        model: whose clips.

    Returns:
        One row a clip, sorted by video_id: video_id, landmark_id, country, variant, continent, both axes
        (missing for countries that `helpers.geography.axes` leaves unassigned), pageviews, log_views (the
        decimal logarithm; missing without page views or with 0), people and judge (means over all raters of
        that kind who scored the clip under both criteria), and a column for each metric. A clip without a
        score has NaN there, whatever the reason.

    Raises:
        ValueError: no clip of this model; the message names the models that there are.
    """
    prompts = tables["prompts"][["prompt_id", "landmark_id", "country", "variant"]]
    videos = tables["videos"].merge(prompts, on="prompt_id", validate="many_to_one")
    clips = videos.loc[videos["model"].eq(model), ["video_id", *prompts.columns[1:]]]
    if clips.empty:
        known = ", ".join(sorted(videos["model"].unique())) or "no clips at all"
        raise ValueError(f"model: found no clip of '{model}', expected one of: {known}")
    views = tables["landmarks"].set_index("landmark_id")["pageviews"]
    axes = country_axes().set_index("country")[list(AXES)]
    continents = {country: continent(country) for country in clips["country"].unique()}
    values = tables["metric_values"].pivot_table(
        index="video_id", columns="metric", values="value", dropna=False
    )
    pageviews = clips["landmark_id"].map(views).astype(float)
    clips = clips.assign(
        continent=clips["country"].map(continents),
        **{axis: clips["country"].map(axes[axis]) for axis in AXES},
        pageviews=pageviews,
        log_views=np.log10(pageviews.where(pageviews > 0)),
        people=clips["video_id"].map(rater_scores(tables, "human").mean(axis=1)),
        judge=clips["video_id"].map(rater_scores(tables, "judge").mean(axis=1)),
    )
    return clips.join(values, on="video_id").sort_values("video_id", ignore_index=True)


def rater_scores(tables: Mapping[str, pd.DataFrame], kind: Literal["human", "judge"]) -> pd.DataFrame:
    """Each rater's score of each clip: the mean of global structure and fine detail, 0 to 5 (GAP, 3.2).

    Args:
        tables: raters and ratings among them.
        kind: whose scores.

    Returns:
        One row a clip that anyone of this kind scored (index video_id), one column a rater; NaN where a
        criterion has no score, so that no score rests on half of what the others rest on.
    """
    raters = tables["raters"]
    wanted = raters.loc[raters["kind"].eq(kind), "rater_id"]
    ratings = tables["ratings"]
    rows = ratings[ratings["rater_id"].isin(wanted) & ratings["criterion"].isin(LANDMARK_CRITERIA)]
    rows = rows[rows["score"].notna()]
    given = rows.assign(score=rows["score"].astype(float)).pivot_table(
        index="video_id", columns="rater_id", values="score", aggfunc=["mean", "count"]
    )
    if given.empty:
        return pd.DataFrame(index=pd.Index([], name="video_id"), dtype=float)
    return given["mean"].where(given["count"].eq(len(LANDMARK_CRITERIA))).dropna(how="all")
