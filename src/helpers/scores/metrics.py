"""Means of computed numbers, such as patch similarity or visual quality, with n of N as of judgements."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.metrics.quoted_text import quoted
from helpers.metrics.registry import declared
from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.outcomes import as_cases, outcomes
from helpers.scores.score import Score, Scores

_KINDS = ["benchmark", "pictured", "quoting"]
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
        tables: prompts, videos, metric_values; landmarks where there are any.
        metrics: names; all that occur where left out.

    Returns:
        One row a clip and metric: video_id, prompt_id, model, what the prompt says (`ABOUT`), metric, part
        (the metric), value (missing unless scored), weight (1) and outcome. A metric is "not_applicable" to a
        clip that was measured and that it has no meaning for: there is no row of it, but one of the metric
        `beside` it. It is "not_asked" of clips of a kind of which it has no row at all. Kinds are benchmarks,
        and within each: whether the prompt's landmark has a photograph, and whether the prompt quotes a text.

    Raises:
        ValueError: a metric without any row.
    """
    values = tables["metric_values"]
    names = list(metrics) or list(values["metric"].unique())
    for name in names:
        if not values["metric"].eq(name).any():
            raise ValueError(f"found no value of the metric '{name}', expected some")
    about = _with_kinds(tables)
    clips = tables["videos"][["video_id", "prompt_id", "model", "status"]].merge(about, on="prompt_id")
    cases = clips.rename(columns={"status": "clip_status"}).merge(
        pd.DataFrame({"metric": names}), how="cross"
    )
    cases = cases.merge(values, on=["video_id", "metric"], how="left")
    has_rows = cases["status"].notna().groupby([cases[name] for name in (*_KINDS, "metric")]).transform("any")
    rules = [
        ("not_applicable", cases["status"].isna() & _beside(cases, values)),
        ("not_asked", ~has_rows),
        ("no_clip", cases["clip_status"].ne("ok") & cases["value"].isna()),
    ]
    became = outcomes(cases["status"], rules)
    about = cases.drop(columns=["value", "status", "clip_status", *_KINDS[1:]])
    return as_cases(about, pd.Categorical(cases["metric"]), cases["value"], became)


def _beside(cases: pd.DataFrame, values: pd.DataFrame) -> np.ndarray:
    """Whether a case's clip has a row of the metric `beside` the case's, boolean (n,)."""
    beside = cases["metric"].map({name: one.beside for name, one in declared().items() if one.beside})
    rows = pd.MultiIndex.from_frame(values[["video_id", "metric"]])
    return pd.MultiIndex.from_arrays([cases["video_id"], beside]).isin(rows)


def _with_kinds(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The prompts, with what decides which metrics can be asked of their clips."""
    prompts = tables["prompts"]
    landmarks = tables.get("landmarks", pd.DataFrame(columns=["landmark_id", "reference_image"]))
    pictured = landmarks.loc[landmarks["reference_image"].notna(), "landmark_id"]
    return prompts[["prompt_id", *ABOUT]].assign(
        pictured=prompts["landmark_id"].isin(pictured), quoting=prompts["text"].map(quoted).map(bool)
    )


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
