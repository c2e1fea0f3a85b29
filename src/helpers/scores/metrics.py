"""Means of computed numbers, such as patch similarity or visual quality, with n of N as of judgements."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.outcomes import as_cases, outcomes
from helpers.scores.score import Score, Scores

ABOUT = (
    "benchmark",
    "variant",
    "country",
    "category",
    "aspect",
    "scenario_id",
    "matched_set",
    "landmark_id",
)


def measured_clips(tables: Mapping[str, pd.DataFrame], metrics: Sequence[str] = ()) -> pd.DataFrame:
    """Every clip under every metric, with its value and what became of it.

    Args:
        tables: prompts, videos, metric_values.
        metrics: names; all that occur where left out.

    Returns:
        One row a clip and metric: video_id, prompt_id, model, what the prompt says (`ABOUT`), metric, part
        (the metric), value (missing unless scored), weight (1) and outcome. A metric is only asked of clips
        of the benchmarks in which it has any row; of others it is "not_asked".

    Raises:
        ValueError: a metric without any row.
    """
    values = tables["metric_values"]
    names = list(metrics) or list(values["metric"].unique())
    for name in names:
        if not values["metric"].eq(name).any():
            raise ValueError(f"found no value of the metric '{name}', expected some")
    about = tables["prompts"][["prompt_id", *ABOUT]]
    clips = tables["videos"][["video_id", "prompt_id", "model", "status"]].merge(about, on="prompt_id")
    cases = clips.rename(columns={"status": "clip_status"}).merge(
        pd.DataFrame({"metric": names}), how="cross"
    )
    cases = cases.merge(values, on=["video_id", "metric"], how="left")
    known = cases.loc[cases["status"].notna(), ["benchmark", "metric"]].drop_duplicates()
    pairs = pd.MultiIndex.from_frame(cases[["benchmark", "metric"]])
    rules = [
        ("not_asked", ~pairs.isin(pd.MultiIndex.from_frame(known))),
        ("no_clip", cases["clip_status"].ne("ok") & cases["value"].isna()),
    ]
    became = outcomes(cases["status"], rules)
    about = cases.drop(columns=["value", "status", "clip_status"])
    return as_cases(about, pd.Categorical(cases["metric"]), cases["value"], became)


def metric_means(
    cases: pd.DataFrame,
    by: Sequence[str] = ("benchmark", "model"),
    *,
    cluster: str = "prompt_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """The mean of each metric, in its own unit, with a t interval.

    Args:
        cases: as `measured_clips` returns them.
        by: columns whose combinations are the cells.
        cluster: the column of what is independent: "prompt_id", "scenario_id", "landmark_id" or "country".
        least_share: as `helpers.scores.cells.score_cells`.
        level: confidence level of the intervals.

    Raises:
        ValueError: as `score_cells`.
    """
    scores = [
        Score(name=name, groups=((name,),), bounds=(-np.inf, np.inf), signed=True)
        for name in cases["part"].cat.categories
    ]
    return score_cells(cases, by, scores, cluster=cluster, least_share=least_share, level=level)
