"""Is a difference small enough not to matter? Two one-sided tests, GAP's bootstrap rule, and the verdict.

A difference that is not significant is not thereby equivalent, and one that is equivalent within a margin may
still differ from zero. `verdict` keeps the four cases apart.
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import stats

from helpers.stats.clusters import (
    cluster_totals,
    difference_of_means,
    lone_group,
    presence,
    resampled,
    two_groups,
)
from helpers.stats.differences import mean_test, paired_differences, welch_error
from helpers.stats.results import Estimate, as_floats
from helpers.stats.t_intervals import check_level

Verdict = Literal["equivalent", "different", "both", "undecided"]


def verdict(
    low: float, high: float, margin: float, *, p_difference: float | None = None, alpha: float = 0.05
) -> Verdict:
    """Which of two questions an interval answers: is there a difference, and is it within the margin?

    Args:
        low: lower end of the interval of a difference: the 1 - 2 alpha one for two one-sided tests.
        high: its upper end.
        margin: the largest difference that does not matter, above 0, in the same unit.
        p_difference: two-sided p of the test against zero; without it the interval decides that too.
        alpha: level of the test against zero.

    Returns:
        "equivalent": the interval lies strictly within ±margin, no difference shown. "different": a
        difference shown, not known to be small. "both": there is one, and it is small. "undecided": neither,
        also where the interval is NaN.

    Raises:
        ValueError: a margin that is not above 0, or low above high.
    """
    _check_margin(margin)
    if low > high:
        raise ValueError(f"found low = {low} above high = {high}; expected an interval")
    equivalent = -margin < low and high < margin
    different = not (low <= 0 <= high or np.isnan(low)) if p_difference is None else p_difference < alpha
    if equivalent:
        return "both" if different else "equivalent"
    return "different" if different else "undecided"


def smallest_margin(result: Estimate) -> float:
    """The smallest margin at which equivalence would be claimed: the interval's end further from zero.

    Args:
        result: any difference with its interval. For two one-sided tests at alpha pass what the `tost`
            functions return (their interval is the 1 - 2 alpha one), for GAP's rule `bootstrap_equivalence`.

    Returns:
        The margin in the unit of the difference (every larger one is met); NaN where there is no interval.
    """
    return max(abs(result.low), abs(result.high))


def tost_summary(
    mean1: float,
    sd1: float,
    n1: int,
    mean2: float,
    sd2: float,
    n2: int,
    margin: float,
    alpha: float = 0.05,
) -> Estimate:
    """Two one-sided Welch t tests that two independent means differ by less than a margin, from summaries.

    Args:
        mean1: first group's mean, any unit.
        sd1: its standard deviation (divisor n - 1).
        n1: its size, at least 2.
        mean2: second group's mean.
        sd2: its standard deviation.
        n2: its size.
        margin: the largest difference that does not matter, above 0, in the mean's unit.
        alpha: level of each one-sided test, between 0 and 0.5.

    Returns:
        mean1 - mean2 with its 1 - 2 alpha interval; p is the larger of the two one-sided p-values. Details:
        margin, se, df, t_lower, p_lower (against -margin), t_upper, p_upper (against +margin), p_difference
        (two-sided, against zero), difference_low and difference_high (the 1 - alpha interval),
        smallest_margin and verdict. Where nothing varies there is no test: all NaN, and the method says so.

    Raises:
        ValueError: a group of fewer than two, a negative SD, a margin not above 0, alpha outside (0, 0.5).

    Source: Schuirmann (1987), J. Pharmacokinet. Biopharm. 15, 657-680; Lakens (2017), Soc. Psychol. Personal.
    Sci. 8, 355-362.
    """
    se, df = welch_error(sd1, n1, sd2, n2)
    return _tost(mean1 - mean2, se, df, margin, alpha, n=n1 + n2, method="TOST, Welch")


def tost_paired(x: Any, y: Any, margin: float, alpha: float = 0.05) -> Estimate:
    """Two one-sided paired t tests that two conditions differ by less than a margin.

    Args:
        x: scores under the first condition, shape (n,), n at least 2.
        y: scores of the same units under the second.
        margin: the largest mean difference that does not matter, above 0, in the score's unit.
        alpha: level of each one-sided test, between 0 and 0.5.

    Returns:
        The mean of x - y, otherwise as `tost_summary`.

    Raises:
        ValueError: as `paired` and `tost_summary`.
    """
    difference = paired_differences(x, y)
    _check_pairs(difference.size)
    sd = float(difference.std(ddof=1)) if np.ptp(difference) > 0 else 0.0
    n = difference.size
    return _tost(float(difference.mean()), sd / np.sqrt(n), n - 1, margin, alpha, n=n, method="TOST, paired")


def tost_paired_summary(
    mean1: float,
    sd1: float,
    mean2: float,
    sd2: float,
    n: int,
    correlation: float,
    margin: float,
    alpha: float = 0.05,
) -> Estimate:
    """Two one-sided paired t tests from summaries.

    Args:
        mean1: mean under the first condition, any unit.
        sd1: its standard deviation (divisor n - 1).
        mean2: mean of the same units under the second.
        sd2: its standard deviation.
        n: pairs, at least 2.
        correlation: Pearson's r between the conditions, -1 to 1.
        margin: the largest mean difference that does not matter, above 0. For a margin in d_z multiply it by
            the SD of the differences.
        alpha: level of each one-sided test, between 0 and 0.5.

    Returns:
        mean1 - mean2, otherwise as `tost_summary`.

    Raises:
        ValueError: fewer than two pairs, a negative SD, a correlation outside [-1, 1], as `tost_summary`.
    """
    _check_pairs(n)
    if not (sd1 >= 0 and sd2 >= 0):
        raise ValueError(f"found sd1 = {sd1}, sd2 = {sd2}; expected numbers that are not negative")
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation: found {correlation}, expected a number from -1 to 1")
    variance = max(0.0, sd1**2 + sd2**2 - 2 * correlation * sd1 * sd2)
    return _tost(mean1 - mean2, np.sqrt(variance / n), n - 1, margin, alpha, n=n, method="TOST, paired")


def bootstrap_equivalence(
    x: Any,
    y: Any,
    margin: float,
    *,
    paired: bool = False,
    clusters: Any = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """GAP's rule: equivalent where the bootstrap interval of the mean difference is within ±margin.

    What is resampled is the cluster, with all its values: the prompt or attraction, not the clip. Clusters
    that occur in x and y are drawn once for both, so crossed designs stay crossed; clusters of x alone, of y
    alone and of both are drawn separately. With fewer than about 30 clusters percentile intervals are too
    narrow, hence equivalence is claimed too often; their number stands in the method.

    Args:
        x: values of the first group or condition, shape (n1,).
        y: values of the second, shape (n2,); of the same units in the same order where paired.
        margin: the largest difference that does not matter, above 0, in the same unit.
        paired: whether x and y are pairs.
        clusters: labels of what to resample: one array of shape (n,) for pairs, otherwise two, (of x, of y).
            Without it each pair, or each value, is a cluster of its own.
        level: confidence level of the interval. At GAP's 0.95 it corresponds to one-sided tests at 0.025.
        resamples: bootstrap resamples.
        seed: of the random generator.

    Returns:
        mean(x) - mean(y) with its interval; `n` counts pairs, or values. p is NaN: the rule has none.
        Details: margin, clusters, smallest_margin and verdict. Where a group lies in a single cluster its
        spread between clusters is unknown: no interval, and the method says so.

    Raises:
        ValueError: as `as_floats` or `paired`; fewer than two values a group; labels that are missing or do
            not fit; a margin or level out of range.

    Source: GAP (GeoAttraction-500), section 5.3; Efron and Tibshirani (1993), An Introduction to the
    Bootstrap, chapter 13.
    """
    _check_margin(margin)
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    x, y = as_floats(x, "x"), as_floats(y, "y")
    for name, values in (("x", x), ("y", y)):
        if values.size < 2:
            raise ValueError(f"{name}: found {values.size} values, expected at least 2")
    if paired and x.size != y.size:
        raise ValueError(f"x has {x.size} values and y has {y.size}; expected pairs")
    totals = _cluster_totals(x, y, paired, clusters)
    count = len(totals)
    if count < 2:
        raise ValueError("clusters: found one, expected at least 2")
    unit = "clusters" if clusters is not None else "pairs" if paired else "values"
    lone = lone_group(presence(totals))
    if lone:
        low = high = np.nan
        method = f"mean difference; no interval: only one of the {unit} in the {lone} group"
    else:
        differences = difference_of_means(_drawn(totals, resamples, seed))
        low, high = (float(end) for end in np.quantile(differences, [(1 - level) / 2, (1 + level) / 2]))
        method = f"mean difference, percentile bootstrap of {count} {unit}"
    return Estimate(
        estimate=float(x.mean() - y.mean()),
        low=low,
        high=high,
        n=x.size if paired else x.size + y.size,
        method=method,
        level=level,
        details={
            "margin": margin,
            "clusters": count,
            "smallest_margin": max(abs(low), abs(high)),
            "verdict": verdict(low, high, margin),
        },
    )


def _tost(
    difference: float, se: float, df: float, margin: float, alpha: float, *, n: int, method: str
) -> Estimate:
    """Both one-sided tests and the test against zero, from a difference and its standard error."""
    _check_margin(margin)
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha: found {alpha}, expected a number between 0 and 0.5, such as 0.05")
    test = mean_test(difference, se, df, n=n, method=method, level=1 - alpha)
    narrow = mean_test(difference, se, df, n=n, method=method, level=1 - 2 * alpha)
    t_lower, t_upper = (
        ((difference + margin) / se, (difference - margin) / se) if se > 0 else (np.nan, np.nan)
    )
    p_lower, p_upper = float(stats.t.sf(t_lower, df)), float(stats.t.cdf(t_upper, df))
    details = {
        "margin": margin,
        "se": float(se),
        "df": float(df),
        "t_lower": float(t_lower),
        "p_lower": p_lower,
        "t_upper": float(t_upper),
        "p_upper": p_upper,
        "p_difference": test.p,
        "difference_low": test.low,
        "difference_high": test.high,
        "smallest_margin": smallest_margin(narrow),
        "verdict": verdict(narrow.low, narrow.high, margin, p_difference=test.p, alpha=alpha),
    }
    return replace(narrow, p=max(p_lower, p_upper), details=details)


def _cluster_totals(x: np.ndarray, y: np.ndarray, paired: bool, clusters: Any) -> np.ndarray:
    """Sum and count of x, sum and count of y in each cluster, shape (clusters, 4)."""
    if clusters is None:
        labels = [np.arange(x.size), np.arange(y.size) + (0 if paired else x.size)]
    else:
        labels = [np.asarray(part) for part in ((clusters, clusters) if paired else clusters)]
    if [part.shape for part in labels] != [x.shape, y.shape]:
        raise ValueError(
            f"clusters: found shapes {[part.shape for part in labels]}, expected {[x.shape, y.shape]}: "
            + ("a label for each pair" if paired else "labels of x, labels of y")
        )
    columns = two_groups(np.concatenate([x, y]), np.arange(x.size + y.size) < x.size)
    return cluster_totals(columns, np.concatenate(labels))


def _drawn(totals: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Totals of clusters drawn with replacement, shape (resamples, 4); each kind of cluster keeps its number.

    The kinds are clusters of x alone, of y alone and of both, so no resample lacks a group.
    """
    rng = np.random.default_rng(seed)
    kind = np.array([1, 2]) @ presence(totals)
    return sum(resampled(totals[kind == which], resamples, rng) for which in np.unique(kind))


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"margin: found {margin}, expected a number above 0 in the unit of the difference")


def _check_pairs(n: int) -> None:
    if not n >= 2:
        raise ValueError(f"found {n} pairs, expected at least 2")
