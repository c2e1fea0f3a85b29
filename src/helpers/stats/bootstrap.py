"""Intervals for clustered data: resample countries, prompts or raters, as the claim generalises over."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from helpers.stats.clusters import (
    Statistic,
    cluster_totals,
    columns_of,
    difference_of_means,
    gradient,
    lone_group,
    presence,
    ratio,
    resampled,
    standard_error,
)
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level, combined_error, t_interval

METHODS = ("auto", "logit", "t", "bootstrap-t", "percentile")
# Below this number of clusters too few distinct resamples exist for quantiles in the tails.
FEW_CLUSTERS = 8
# A resample that spreads less than this share of the sample drew nothing but copies of one cluster.
DEGENERATE = 1e-6
# A statistic may lie outside its bounds by this much without being wrong.
ROUNDING = 1e-9


def cluster_bootstrap(
    values: Any,
    clusters: Any,
    statistic: str | Statistic = "mean",
    *,
    method: str = "auto",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    null: float | None = None,
    unit: str = "clusters",
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """A statistic with an interval that treats whole clusters as the independent units.

    The clusters say what the claim generalises over: countries for "other countries too", prompts for "other
    prompts", raters for "other raters". Rows within one may depend on each other in any way. For paired data
    give the differences, one row a pair; for the mean of country means give one row a country.

    Four intervals. `t` takes the delta-method standard error between clusters and Student's t with one degree
    of freedom less than there are clusters. `logit` does the same on the logit scale between `bounds`: it
    stays inside and allows for the skewness near them (for rates: Korn & Graubard 1999, Analysis of Health
    Surveys, section 2.5; for correlations it is Fisher's z). `bootstrap-t` takes quantiles of the studentised
    statistic (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 12), `percentile` those of the
    statistic, which is too narrow when clusters are few.

    `auto` is what stayed closest to its level in simulations (`data/bench/coverage.csv`): `logit` with
    bounds; without them `bootstrap-t` from 8 clusters on and `t` below.

    Of a difference, the group in fewer clusters decides both that and the degrees of freedom. Where no
    cluster serves both groups, each has its own standard error and is drawn on its own, and the degrees of
    freedom are Welch and Satterthwaite's: with one row a cluster `t` is Welch's t test.

    Args:
        values: shape (n,) for the mean; (n, 2) for the ratio of two totals (a weighted mean has the columns
            weight x value, weight); (n, 4) as from `two_groups` for the difference; (n, k) for a callable.
        clusters: a label a row, shape (n,).
        statistic: "mean", "ratio", "difference", or a smooth function of the column totals that maps an array
            (..., k) to (...) for any leading dimensions, such as `clusters.ratio`.
        method: "auto", "logit", "t", "bootstrap-t" or "percentile".
        resamples: how often clusters are drawn; time grows in proportion, memory does not.
        level: the interval's confidence level, in (0, 1).
        seed: of the random generator; the same seed gives the same interval.
        null: a value to test against, two-sided, by the interval's own method; None tests nothing.
        unit: what a cluster is, in the plural, for the caption ("countries").
        bounds: the lowest and highest value that the statistic can take, such as (0, 1) for a rate; `logit`
            needs them, the other intervals are cut there.

    Returns:
        An estimate whose `n` counts rows, with details: clusters, se (delta method), df, resamples (0 where
        nothing was drawn) and undefined_resamples (left out of the interval: the statistic or its standard
        error did not exist there). With one cluster (of a difference: in either group), or no variation
        between clusters, interval and p are NaN and the method says why.

    Raises:
        ValueError: no rows; values not finite or of the wrong shape; a missing cluster label; an unknown
            statistic or method; a level or number of resamples out of range; a statistic that does not exist
            over all rows (weights that sum to 0) or lies outside the bounds; `logit` without bounds, or with
            an estimate or a null value that is not between them.
    """
    columns, function, name = columns_of(values, statistic)
    totals = cluster_totals(columns, clusters)
    count = fewest = len(totals)
    over, lone, strata = f"{count} {unit}", "", [totals]
    if function is difference_of_means:
        present = presence(totals)
        first, second = present.sum(axis=1)
        fewest, lone = min(first, second), lone_group(present)
        if not present.all():
            over = f"{over} ({first} in the first group, {second} in the second)"
        if not present.all(axis=0).any():
            strata = [totals[group] for group in present]
    method = _chosen(method, fewest, bounds)
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    check_level(level)

    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(function(totals.sum(axis=0)))
    if not (math.isfinite(estimate) and bounds[0] - ROUNDING <= estimate <= bounds[1] + ROUNDING):
        raise ValueError(f"{name}: found {estimate} over all rows, expected a number within {bounds}")
    se, df = _error(function, strata, fewest)
    details = {"clusters": count, "se": se, "df": df, "resamples": 0, "undefined_resamples": 0}
    found = {"estimate": estimate, "n": len(columns), "level": level, "details": details}
    if not se > 0:
        why = f"no variation between the {over}" if fewest > 1 else f"only one of the {unit}"
        why += f" in the {lone} group" if lone and count > 1 else ""
        return Estimate(**found, method=f"{name}; no interval: {why}")
    if method in ("t", "logit"):
        test = _logit_test if method == "logit" else _t_test
        low, high, p = test(estimate, se, df, level, null, bounds)
        label = f"{name}; {method} interval over {over}"
        return Estimate(**found, low=low, high=high, p=p, method=label)

    rng = np.random.default_rng(seed)
    if method == "percentile":
        drawn = _statistics(function, strata, resamples, rng)
    else:
        drawn = estimate - se * _pivots(function, strata, estimate, se, resamples, rng)
    kept = drawn[np.isfinite(drawn)]
    details |= {"resamples": resamples, "undefined_resamples": resamples - kept.size}
    label = f"{name}; {method} interval from {resamples:,} resamples of {over}"
    if not kept.size:
        return Estimate(**found, method=f"{label}: none, undefined in every resample")
    low, high = np.clip(np.quantile(kept, [(1 - level) / 2, (1 + level) / 2]), *bounds).tolist()
    p = math.nan if null is None else _two_sided(kept, null)
    return Estimate(**found, low=low, high=high, p=p, method=label)


def _chosen(method: str, count: int, bounds: tuple[float, float]) -> str:
    if method not in METHODS:
        raise ValueError(f"method: found '{method}', expected one of {', '.join(METHODS)}")
    bounded = all(map(math.isfinite, bounds))
    if method == "logit" and not bounded:
        raise ValueError(f"bounds: found {bounds}, expected two numbers for the logit interval")
    if method == "auto":
        return "logit" if bounded else "t" if count < FEW_CLUSTERS else "bootstrap-t"
    return method


def _error(function: Statistic, strata: list[np.ndarray], fewest: int) -> tuple[float, float]:
    """The standard error between clusters and its degrees of freedom; NaN and 0 with a single cluster.

    Args:
        function: the statistic as a function of the overall totals.
        strata: the clusters' totals: all in one array, or each group of a difference in its own.
        fewest: how many clusters there are, or those of the group with fewer.
    """
    if fewest < 2:
        return math.nan, 0
    if len(strata) == 1:
        return standard_error(function, strata[0]), int(fewest) - 1
    first, second = strata
    errors = np.array([standard_error(ratio, first[:, :2]), standard_error(ratio, second[:, 2:])])
    return combined_error(errors**2, np.array([len(first) - 1, len(second) - 1]))


def _t_test(
    estimate: float, se: float, df: float, level: float, null: float | None, bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """The ends of the t interval, cut at the bounds, and p."""
    low, high = t_interval(estimate, se, df, level)
    p = math.nan if null is None else float(2 * stats.t.sf(abs(estimate - null) / se, df))
    return max(low, bounds[0]), min(high, bounds[1]), p


def _logit_test(
    estimate: float, se: float, df: float, level: float, null: float | None, bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """The ends of the t interval on the logit scale between the bounds, and p on that scale."""
    lowest, width = bounds[0], bounds[1] - bounds[0]
    for name, value in (("estimate", estimate), ("null", null)):
        if value is not None and not bounds[0] < value < bounds[1]:
            raise ValueError(f"{name}: found {value}, expected a number between the bounds {bounds}")
    share = (estimate - lowest) / width
    logit, error = float(special.logit(share)), se / (width * share * (1 - share))
    low, high = (lowest + width * float(special.expit(end)) for end in t_interval(logit, error, df, level))
    if null is None:
        return low, high, math.nan
    distance = abs(logit - float(special.logit((null - lowest) / width)))
    return low, high, float(2 * stats.t.sf(distance / error, df))


def _statistics(
    function: Statistic, strata: list[np.ndarray], resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """The statistic in each resample; not finite where it does not exist."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return function(sum(resampled(totals, resamples, rng) for totals in strata))


def _pivots(
    function: Statistic,
    strata: list[np.ndarray],
    estimate: float,
    se: float,
    resamples: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """(statistic - estimate) / standard error in each resample; NaN where either does not exist."""
    parts = [_sums_and_covariance(totals, resamples, rng) for totals in strata]
    sums, covariance = (sum(part) for part in zip(*parts, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = gradient(function, sums, np.abs(np.concatenate(strata)).sum(axis=0))
        variances = np.einsum("ri,rij,rj->r", slopes, covariance, slopes)
        errors = np.sqrt(np.where(variances > (DEGENERATE * se) ** 2, variances, np.nan))
        return (function(sums) - estimate) / errors


def _sums_and_covariance(
    totals: np.ndarray, resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """In each resample of clusters the overall totals, (resamples, k), and their covariance matrix.

    The covariance needs the resampled totals of the products of columns, which are totals too.
    """
    count, width = totals.shape
    products = (totals[:, :, None] * totals[:, None, :]).reshape(count, width * width)
    drawn = resampled(np.hstack([totals, products]), resamples, rng)
    sums, squares = drawn[:, :width], drawn[:, width:].reshape(-1, width, width)
    centred = squares - sums[:, :, None] * sums[:, None, :] / count
    return sums, count / (count - 1) * centred


def _two_sided(drawn: np.ndarray, null: float) -> float:
    """Twice the smaller tail beyond the null value, never 0 (Davison & Hinkley 1997, eq. 4.11)."""
    tails = np.array([np.sum(drawn <= null), np.sum(drawn >= null)]) + 1
    return float(min(1.0, 2 * tails.min() / (drawn.size + 1)))
