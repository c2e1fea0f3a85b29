"""Ranks with what is known of them: the places that a model may hold, and mean ranks by people."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from helpers.results.page import LackingError
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.differences import holm

# Differences of means, 0 to 1, that are apart by less do not vary.
ROUNDING = 1e-12


def rank_ranges(cases: pd.DataFrame, *, alpha: float = 0.05, unit: str = "prompt_id") -> pd.DataFrame:
    """Each model's mean, its place, and the places that it may hold.

    Every two models are compared on the units that both have (paired t tests, Holm's adjustment over all
    pairs). A model may hold any place that is not taken from it: one more than the models that are surely
    above it, down to their number less those surely below. So a range holds the true place of all models at
    once in 1 - alpha of studies, as far as the t tests hold.

    Args:
        cases: model, value and the column `unit`, one row a scored clip; higher is better.
        alpha: chance that any two models are ordered wrongly.
        unit: what is independent.

    Returns:
        One row a model, the best first: model, mean (of unit means), rank (ties share the best place), best
        and worst (the range's ends), n (units).

    Source: the range is Mogstad et al. (2024), Rev. Econ. Stud. 91, 476-518, with Holm's (1979) step-down.
    """
    means = cases.pivot_table(index=unit, columns="model", values="value", aggfunc="mean", observed=True)
    means = means.astype(float)
    models = list(means.columns)
    pairs = list(combinations(models, 2))
    tests = [_paired(means[first] - means[second]) for first, second in pairs]
    sure = np.zeros(len(pairs), dtype=bool)
    known = [place for place, (_, p) in enumerate(tests) if np.isfinite(p)]
    if known:
        sure[known] = holm([tests[place][1] for place in known]) < alpha
    above, below = dict.fromkeys(models, 0), dict.fromkeys(models, 0)
    for (first, second), (difference, _), decided in zip(pairs, tests, sure, strict=True):
        if decided:
            higher, lower = (first, second) if difference > 0 else (second, first)
            above[lower] += 1
            below[higher] += 1
    found = pd.DataFrame({"model": models, "mean": means.mean().to_numpy(), "n": means.count().to_numpy()})
    found["rank"] = found["mean"].rank(ascending=False, method="min").astype(int)
    found["best"] = 1 + found["model"].map(above)
    found["worst"] = len(models) - found["model"].map(below)
    columns = ["model", "mean", "rank", "best", "worst", "n"]
    return found.sort_values(["rank", "model"])[columns].reset_index(drop=True)


def mean_ranks(rankings: pd.DataFrame) -> pd.DataFrame:
    """Each model's mean rank by people, with the standard error over people and the one over rankings.

    Args:
        rankings: rows of the table rankings.

    Returns:
        One row a model, the most preferred first: model, mean_rank, se (between people, who give several
        ranks each), low and high (95 % t interval over people), se_naive (standard deviation over the root of
        n, as if all ranks were independent), n (ranks), people.
    """
    rows = []
    for model, part in rankings.groupby("model"):
        ranks = part["rank"].to_numpy(float)
        found = cluster_bootstrap(ranks, part["rater_id"], method="t", unit="people")
        ends = {"se": found.details["se"], "low": found.low, "high": found.high}
        naive = ranks.std(ddof=1) / np.sqrt(ranks.size) if ranks.size > 1 else np.nan
        row = {"model": model, "mean_rank": found.estimate} | ends
        rows.append(row | {"se_naive": naive, "n": found.n, "people": found.details["clusters"]})
    return pd.DataFrame(rows).sort_values("mean_rank", ignore_index=True)


def ranked_by_people(rankings: pd.DataFrame, raters: pd.DataFrame) -> pd.DataFrame:
    """The rankings by people who may not be among judges.

    Raises:
        LackingError: there is none.
    """
    people = raters.loc[raters["kind"].eq("human"), "rater_id"]
    found = rankings[rankings["rater_id"].isin(people)]
    if found.empty:
        raise LackingError("The study's table 'rankings' has no rows by people.")
    return found


def place_words(rows: pd.DataFrame, models: Sequence[str]) -> list[str]:
    """For each model "2 (1-3)": its place and the range; "–" where it has none."""
    by_model = rows.set_index("model")
    words = []
    for model in models:
        if model not in by_model.index:
            words.append("–")
            continue
        row = by_model.loc[model]
        words.append(f"{row['rank']:.0f} ({row['best']:.0f}–{row['worst']:.0f})")
    return words


def _paired(difference: pd.Series) -> tuple[float, float]:
    """The mean of paired differences, and the p of scipy's t test against zero; NaN where nothing varies."""
    values = difference.dropna().to_numpy()
    mean = float(values.mean()) if values.size else 0.0
    if values.size < 2 or np.ptp(values) < ROUNDING:
        return mean, np.nan
    return mean, float(stats.ttest_1samp(values, 0).pvalue)
