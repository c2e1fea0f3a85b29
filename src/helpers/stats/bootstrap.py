"""Intervals for clustered data: resample countries, prompts or raters, as the claim generalises over."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from helpers.stats.clusters import Statistic, cluster_totals, columns_of, gradient, standard_error
from helpers.stats.results import Estimate

METHODS = ("auto", "logit", "t", "bootstrap-t", "percentile")
# Below this number of clusters too few distinct resamples exist for quantiles in the tails.
FEW_CLUSTERS = 8
# Draws held at once, however many resamples are asked for: small enough to stay in the processor's cache.
CHUNK = 2**18
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
        error did not exist there). With one cluster, or no variation between clusters, interval and p are NaN
        and the method says why.

    Raises:
        ValueError: no rows; values not finite or of the wrong shape; a missing cluster label; an unknown
            statistic or method; a level or number of resamples out of range; a statistic that does not exist
            over all rows (weights that sum to 0) or lies outside the bounds; `logit` without bounds, or with
            an estimate or a null value that is not between them.
    """
    columns, function, name = columns_of(values, statistic)
    totals = cluster_totals(columns, clusters)
    count = len(totals)
    method = _chosen(method, count, bounds)
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    check_level(level)

    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(function(totals.sum(axis=0)))
    if not (math.isfinite(estimate) and bounds[0] - ROUNDING <= estimate <= bounds[1] + ROUNDING):
        raise ValueError(f"{name}: found {estimate} over all rows, expected a number within {bounds}")
    se = standard_error(function, totals) if count > 1 else math.nan
    details = {"clusters": count, "se": se, "df": count - 1, "resamples": 0, "undefined_resamples": 0}
    found = {"estimate": estimate, "n": len(columns), "level": level, "details": details}
    if not se > 0:
        why = f"no variation between the {count} {unit}" if count > 1 else f"only one of the {unit}"
        return Estimate(**found, method=f"{name}; no interval: {why}")
    if method in ("t", "logit"):
        test = _logit_test if method == "logit" else _t_test
        low, high, p = test(estimate, se, count - 1, level, null, bounds)
        label = f"{name}; {method} interval over {count} {unit}"
        return Estimate(**found, low=low, high=high, p=p, method=label)

    rng = np.random.default_rng(seed)
    if method == "percentile":
        drawn = _statistics(function, totals, resamples, rng)
    else:
        drawn = estimate - se * _pivots(function, totals, estimate, se, resamples, rng)
    kept = drawn[np.isfinite(drawn)]
    details |= {"resamples": resamples, "undefined_resamples": resamples - kept.size}
    label = f"{name}; {method} interval from {resamples:,} resamples of {count} {unit}"
    if not kept.size:
        return Estimate(**found, method=f"{label}: none, undefined in every resample")
    low, high = np.clip(np.quantile(kept, [(1 - level) / 2, (1 + level) / 2]), *bounds).tolist()
    p = math.nan if null is None else _two_sided(kept, null)
    return Estimate(**found, low=low, high=high, p=p, method=label)


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share between 0 and 1.

    Raises:
        ValueError: the level is out of range (95 instead of 0.95, for example).
    """
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a number between 0 and 1, such as 0.95")


def t_interval(estimate: float, se: float, df: float, level: float) -> tuple[float, float]:
    """The two-sided Student t interval around an estimate.

    Args:
        estimate: its centre.
        se: the standard error.
        df: degrees of freedom.
        level: the confidence level, in (0, 1).

    Raises:
        ValueError: the level is out of range.
    """
    check_level(level)
    half = float(stats.t.ppf((1 + level) / 2, df)) * se
    return estimate - half, estimate + half


def _chosen(method: str, count: int, bounds: tuple[float, float]) -> str:
    if method not in METHODS:
        raise ValueError(f"method: found '{method}', expected one of {', '.join(METHODS)}")
    bounded = all(map(math.isfinite, bounds))
    if method == "logit" and not bounded:
        raise ValueError(f"bounds: found {bounds}, expected two numbers for the logit interval")
    if method == "auto":
        return "logit" if bounded else "t" if count < FEW_CLUSTERS else "bootstrap-t"
    return method


def _t_test(
    estimate: float, se: float, df: int, level: float, null: float | None, bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """The ends of the t interval, cut at the bounds, and p."""
    low, high = t_interval(estimate, se, df, level)
    p = math.nan if null is None else float(2 * stats.t.sf(abs(estimate - null) / se, df))
    return max(low, bounds[0]), min(high, bounds[1]), p


def _logit_test(
    estimate: float, se: float, df: int, level: float, null: float | None, bounds: tuple[float, float]
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
    function: Statistic, totals: np.ndarray, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """The statistic in each resample; not finite where it does not exist."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return function(_resampled(totals, resamples, rng))


def _pivots(
    function: Statistic,
    totals: np.ndarray,
    estimate: float,
    se: float,
    resamples: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """(statistic - estimate) / standard error in each resample; NaN where either does not exist.

    The standard error needs the resampled totals of the products of columns, which are totals too.
    """
    count, width = totals.shape
    products = (totals[:, :, None] * totals[:, None, :]).reshape(count, width * width)
    drawn = _resampled(np.hstack([totals, products]), resamples, rng)
    sums, squares = drawn[:, :width], drawn[:, width:].reshape(-1, width, width)
    centred = squares - sums[:, :, None] * sums[:, None, :] / count
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = gradient(function, sums, np.abs(totals).sum(axis=0))
        variances = count / (count - 1) * np.einsum("ri,rij,rj->r", slopes, centred, slopes)
        errors = np.sqrt(np.where(variances > (DEGENERATE * se) ** 2, variances, np.nan))
        return (function(sums) - estimate) / errors


def _resampled(totals: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Overall totals of clusters drawn with replacement, shape (resamples, k)."""
    count = len(totals)
    drawn = np.empty((resamples, totals.shape[1]))
    size = max(1, CHUNK // count)
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        picks = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        times = np.bincount(picks.ravel(), minlength=rows * count).reshape(rows, count)
        drawn[start : start + rows] = times.astype(float) @ totals
    return drawn


def _two_sided(drawn: np.ndarray, null: float) -> float:
    """Twice the smaller tail beyond the null value, never 0 (Davison & Hinkley 1997, eq. 4.11)."""
    tails = np.array([np.sum(drawn <= null), np.sum(drawn >= null)]) + 1
    return float(min(1.0, 2 * tails.min() / (drawn.size + 1)))
