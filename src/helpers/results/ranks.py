"""The places that models may hold by a score, instead of bare ranks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.scores.outcomes import SCORED
from helpers.scores.score import Score
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.clusters import Statistic

METHOD = "t tests on the same {unit}, Holm over all pairs of models, 5 %"


def rank_ranges(
    cases: pd.DataFrame, scores: Sequence[Score], ranked: Mapping[str, Sequence[str]], *, cluster: str,
    alpha: float = 0.05,
) -> pd.DataFrame:  # fmt: skip
    """Between which places each model lies by each score.

    Every two models are compared on the clusters that they share (both scores are means of means, as the
    scores themselves; standard errors by the delta method, Student's t). Where one of them lacks a criterion,
    means of different criteria are compared. A model's best place is one more than the models that are surely
    above it, its worst their number less those surely below.

    Args:
        cases: as `helpers.scores.cells.score_cells` takes them, with the column model.
        scores: what to rank by.
        ranked: by score the models that have one; models without a score have no place and take none.
        cluster: the column of what is independent.
        alpha: the chance that any two models are ordered wrongly, for each score.

    Returns:
        One row a model and score: model, score, best, worst, of (models ranked). Where nothing can be
        tested, as with one cluster, every place remains.

    Source: Mogstad, Romano, Shaikh & Wilhelm (2024), Review of Economic Studies 91, 476-518, section 3, with
    Holm's step-down procedure for the pairs.
    """
    totals = _totals(cases, cluster)
    rows = []
    for score in scores:
        models = list(ranked[score.name])
        surely_above, surely_below = dict.fromkeys(models, 0), dict.fromkeys(models, 0)
        for higher, lower in _ordered(totals, score, models, alpha):
            surely_above[lower] += 1
            surely_below[higher] += 1
        rows += [
            {"model": model, "score": score.name, "best": 1 + surely_above[model]}
            | {"worst": len(models) - surely_below[model], "of": len(models)}
            for model in models
        ]
    return pd.DataFrame(rows, columns=["model", "score", "best", "worst", "of"])


@dataclass(frozen=True)
class _Totals:
    """Totals of value x weight and of weight: shape (models, clusters, parts, 2)."""

    models: list[str]
    parts: list[str]
    sums: np.ndarray

    def side(self, model: str, score: Score) -> tuple[np.ndarray, Statistic]:
        """A model's totals, (clusters, 2k) under the k parts it was scored in, and its score of them."""
        sums = self.sums[self.models.index(model)]
        used = [
            part for part in score.parts if part in self.parts and sums[:, self.parts.index(part), 1].any()
        ]
        columns = sums[:, [self.parts.index(part) for part in used]]
        return columns.reshape(len(sums), -1), score.statistic(used)


def _totals(cases: pd.DataFrame, cluster: str) -> _Totals:
    scored = cases[cases["outcome"].eq(SCORED)]
    codes, names = zip(*(pd.factorize(scored[column]) for column in ("model", cluster, "part")), strict=True)
    shape = tuple(len(each) for each in names)
    spots = np.ravel_multi_index(codes, shape)
    weight = scored["weight"].to_numpy(float)
    columns = [
        np.bincount(spots, each, minlength=math.prod(shape)).reshape(shape)
        for each in (scored["value"].to_numpy(float) * weight, weight)
    ]
    models, _, parts = ([str(name) for name in each] for each in names)
    return _Totals(models, parts, np.stack(columns, axis=-1))


def _ordered(totals: _Totals, score: Score, models: Sequence[str], alpha: float) -> list[tuple[str, str]]:
    """The pairs of models whose order is sure, the higher one first."""
    sides = {model: totals.side(model, score) for model in models}
    pairs = list(combinations(models, 2))
    found = [_difference(*sides[first], *sides[second]) for first, second in pairs]
    return [
        pairs[place] if found[place][0] > 0 else pairs[place][::-1]
        for place in _rejected([p for _, p in found], alpha)
    ]


def _rejected(p_values: Sequence[float], alpha: float) -> list[int]:
    """The places of the hypotheses that Holm's (1979) procedure rejects, those that were tested.

    `helpers.stats.differences.holm` says the same, but statsmodels collects the whole program's garbage at
    every call, which takes longer than everything else on a page of leaderboards.
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if np.isfinite(p))
    rejected = []
    for done, (p, place) in enumerate(tested):
        if p >= alpha / (len(tested) - done):
            break
        rejected.append(place)
    return rejected


def _difference(
    first: np.ndarray, of_first: Statistic, second: np.ndarray, of_second: Statistic
) -> tuple[float, float]:
    """The first score less the second one on shared clusters, and p; NaN where there are too few."""
    shared = (first[:, 1::2].sum(axis=1) > 0) & (second[:, 1::2].sum(axis=1) > 0)
    both = np.hstack([first, second])[shared]
    width = first.shape[1]
    if len(both) < 2 or not (both[:, 1::2].sum(axis=0) > 0).all():
        return np.nan, np.nan

    def difference(totals: np.ndarray) -> np.ndarray:
        return of_first(totals[..., :width]) - of_second(totals[..., width:])

    result = cluster_bootstrap(both, np.arange(len(both)), difference, method="t", null=0)
    return result.estimate, result.p
