"""How well a number tells two groups apart where units stand in several rows: the area under the curve."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from helpers.stats.results import Estimate, as_floats
from helpers.stats.t_intervals import check_level, t_interval


def auc(scores: Any, positive: Any, *units: Any, name: str = "units", level: float = 0.95) -> Estimate:
    """The area under the ROC curve, with an interval over units that may stand in many rows.

    This is the share of all pairs of a positive and a negative row in which the positive one scores higher,
    ties counting half: the Mann-Whitney statistic over the product of the counts (Hanley and McNeil 1982,
    Radiology 143, 29-36).

    A row may belong to two units, as the comparison of one place's photograph with another place's clip does.
    The standard error is the jackknife's that leaves out each unit with all its rows (Arvesen 1969, Annals of
    Mathematical Statistics 40, 2076-2100; for units that stand in rows two by two, Snijders and Borgatti
    1999, Connections 22, 161-170). The t interval is taken on the logit scale: it stays within 0 to 1.

    Args:
        scores: shape (n,).
        positive: which rows are to score high, boolean, shape (n,).
        units: for each way in which a row belongs to a unit, a label a row, shape (n,); rows that share a
            label in any of them depend on each other.
        name: what a unit is, in the plural, for the caption.
        level: confidence level.

    Returns:
        The area, 0.5 where the number says nothing. `n` counts units; details: positives, negatives, se. At 1
        (or 0) the jackknife has nothing to go by: the interval's inner end is then Clopper and Pearson's for
        as many successes as there are units. NaN, saying so, without rows of both groups; no interval where
        leaving out a unit leaves a group empty.

    Raises:
        ValueError: shapes differ, `positive` is not boolean, or as `as_floats`.
    """
    check_level(level)
    scores, positive = as_floats(scores, "scores"), np.asarray(positive)
    labels = [np.asarray(unit) for unit in units]
    if positive.dtype != bool or any(one.shape != scores.shape for one in (positive, *labels)) or not labels:
        raise ValueError(
            f"found {scores.shape} scores, {positive.dtype} {positive.shape} for positive and "
            f"{[one.shape for one in labels]} for units; expected one shape, bool, and a unit at least"
        )
    every = np.unique(np.concatenate(labels))
    counts = {"positives": int(positive.sum()), "negatives": int((~positive).sum())}
    about = {"n": len(every), "level": level}
    method = f"area under the ROC curve; {counts['positives']} against {counts['negatives']} rows"
    area = _area(scores, positive)
    if math.isnan(area):
        return Estimate(
            estimate=area, method=f"{method}: undefined, a group is empty", details=counts, **about
        )
    if area in (0.0, 1.0):
        inner = ((1 - level) / 2) ** (1 / len(every))
        low, high = (inner, 1.0) if area else (0.0, 1 - inner)
        method = f"{method}; no error seen: Clopper-Pearson over {len(every)} {name}"
        return Estimate(estimate=area, low=low, high=high, method=method, details=counts, **about)
    kept = [~np.any([one == unit for one in labels], axis=0) for unit in every]
    without = np.array([_area(scores[rows], positive[rows]) for rows in kept])
    if np.isnan(without).any() or len(every) < 2:
        return Estimate(estimate=area, method=f"{method}; no interval", details=counts, **about)
    se = float(np.sqrt((len(every) - 1) * without.var()))
    low, high = t_interval(float(special.logit(area)), se / (area * (1 - area)), len(every) - 1, level)
    return Estimate(
        estimate=area,
        low=float(special.expit(low)),
        high=float(special.expit(high)),
        method=f"{method}; logit t interval, jackknife over {len(every)} {name}",
        details={**counts, "se": se},
        **about,
    )


def _area(scores: np.ndarray, positive: np.ndarray) -> float:
    above, below = int(positive.sum()), int((~positive).sum())
    if not above or not below:
        return math.nan
    ranks = stats.rankdata(scores)[positive].sum()
    return float((ranks - above * (above + 1) / 2) / (above * below))
