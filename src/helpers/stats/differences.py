"""Tests of the difference between two groups or two conditions, and p-values of a family of tests."""

from typing import Any, Literal

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

from helpers.stats._rank_distributions import (
    exact_signed_rank_p,
    newcombe,
    signed_ranks,
    sum_distribution,
)
from helpers.stats.results import Estimate, as_floats, check_known, check_size, paired
from helpers.stats.t_intervals import check_level, combined_error, t_interval

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
SignedRankMethod = Literal["auto", "exact", "asymptotic"]

# Most values for which exact rank distributions are computed unasked; beyond them the normal one is as good.
MOST_EXACT = 200

SIGNIFICANT_DIGITS = 12


def welch(
    mean1: float, sd1: float, n1: int, mean2: float, sd2: float, n2: int, level: float = 0.95
) -> Estimate:
    """Difference of two independent means from their summaries, without assuming equal variances.

    Args:
        mean1: first group's mean, any unit.
        sd1: its standard deviation (divisor n - 1), same unit, not negative.
        n1: its size, at least 2.
        mean2: second group's mean.
        sd2: its standard deviation.
        n2: its size.
        level: confidence level of the interval.

    Returns:
        mean1 - mean2 with Welch's t interval and two-sided p; `n` is n1 + n2; details hold se, t and df.
        Where neither group varies nothing can be tested: interval and p are NaN and the method says so.

    Raises:
        ValueError: a group of fewer than two, a negative or missing number, a level outside (0, 1).

    Source: Welch (1947), Biometrika 34, 28-35.
    """
    se, df = welch_error(sd1, n1, sd2, n2)
    return mean_test(mean1 - mean2, se, df, n=n1 + n2, method="Welch's t test", level=level)


def welch_error(sd1: float, n1: int, sd2: float, n2: int) -> tuple[float, float]:
    """Standard error of a difference of independent means, and the Welch-Satterthwaite degrees of freedom."""
    for name, sd, n in (("first", sd1, n1), ("second", sd2, n2)):
        if not sd >= 0 or not np.isfinite(sd):
            raise ValueError(f"{name} group: found sd = {sd}, expected a number that is not negative")
        if not n >= 2:
            raise ValueError(f"{name} group: found n = {n}, expected at least 2")
    return combined_error(np.array([sd1**2 / n1, sd2**2 / n2]), np.array([n1 - 1, n2 - 1]))


def mean_test(difference: float, se: float, df: float, *, n: int, method: str, level: float) -> Estimate:
    """A t test of a difference against zero, from its standard error.

    Args:
        difference: the estimate.
        se: its standard error; at 0 nothing can be tested, and interval and p are NaN.
        df: degrees of freedom; infinite for a normal test.
        n: units behind the estimate.
        method: the test's name.
        level: confidence level of the interval.

    Raises:
        ValueError: the difference is not finite, or the level is outside (0, 1).
    """
    details = {"se": float(se), "df": float(df), "t": np.nan}
    if not np.isfinite(difference):
        raise ValueError(f"difference of means: found {difference}, expected a finite number")
    low, high = t_interval(difference, se, df, level)
    if se == 0:
        return Estimate(
            estimate=difference,
            n=n,
            method=f"{method}: the standard error is 0, so no test",
            level=level,
            details=details,
        )
    details["t"] = float(difference / se)
    p = 2 * stats.t.sf(abs(difference / se), df)
    return Estimate(
        estimate=difference, low=low, high=high, p=float(p), n=n, method=method, level=level, details=details
    )


def wilcoxon_paired(
    x: Any,
    y: Any,
    *,
    zero_method: ZeroMethod = "pratt",
    method: SignedRankMethod = "auto",
    level: float = 0.95,
) -> Estimate:
    """Wilcoxon's signed-rank test of x - y, with the Hodges-Lehmann shift.

    Tied sizes share their mean rank; sizes that differ by rounding error only are tied.

    Args:
        x: scores under the first condition, shape (n,).
        y: scores of the same units under the second, shape (n,).
        zero_method: zero differences are dropped before ranking ("wilcox"), ranked but then left out
            ("pratt"), or ranked and given half to each side ("zsplit").
        method: "exact" is the distribution over all sign changes of the ranks at hand, ties and zeros
            included (its time grows with the cube of n); "asymptotic" is scipy's normal approximation
            without continuity correction; "auto" is exact for up to 200 non-zero differences.
        level: confidence level of the shift's interval.

    Returns:
        The median of all pairwise means of differences (in the score's unit), the interval between two of
        their order statistics, and p. Details: `w` (the smaller rank sum), `zeros`, `ties` (non-zero
        differences whose size is shared), `zero_method`. With all differences zero p is 1 and the shift 0.
        The interval is NaN where n is too small for the level (below 6 at 0.95).

    Raises:
        ValueError: as `paired`, no pairs, or an unknown zero_method or method.

    Source: Hollander and Wolfe, Nonparametric Statistical Methods, chapter 3; Pratt (1959), J. Am. Stat.
    Assoc. 54, 655-667.
    """
    difference = paired_differences(x, y)
    check_size(difference, 1, "pairs")
    check_level(level)
    check_known(zero_method, ZeroMethod, "zero_method")
    check_known(method, SignedRankMethod, "method")
    nonzero = difference[difference != 0]
    if method == "auto":
        method = "exact" if nonzero.size <= MOST_EXACT else "asymptotic"
    sizes = np.unique(np.abs(nonzero), return_counts=True)[1]
    ranks = signed_ranks(difference, zero_method)
    details = {
        "w": float(min(ranks[ranks > 0].sum(), -ranks[ranks < 0].sum())),
        "zeros": int(difference.size - nonzero.size),
        "ties": int(sizes[sizes > 1].sum()),
        "zero_method": zero_method,
    }
    if nonzero.size == 0:
        p, words = 1.0, "all differences are zero, so p = 1"
    elif method == "exact":
        p, words = exact_signed_rank_p(ranks), f"exact, zeros by {zero_method}"
    else:
        test = stats.wilcoxon(difference, zero_method=zero_method, correction=False, method="asymptotic")
        p, words = float(test.pvalue), f"normal approximation, zeros by {zero_method}"
        details["w"] = float(test.statistic)
    shift, low, high = hodges_lehmann(difference, level)
    return Estimate(
        estimate=shift,
        low=low,
        high=high,
        p=p,
        n=int(difference.size),
        method=f"Wilcoxon signed-rank test ({words}); Hodges-Lehmann shift",
        level=level,
        details=details,
    )


def hodges_lehmann(difference: np.ndarray, level: float) -> tuple[float, float, float]:
    """Median of the means of all pairs of differences (each with itself too), and its interval.

    The interval lies between the order statistics that Wilcoxon's untied null distribution gives; it is
    conservative with ties, and NaN where no two order statistics reach the level.
    """
    n = difference.size
    means = np.empty(n * (n + 1) // 2)
    ends = np.cumsum(np.arange(n, 0, -1))
    for start, end in enumerate(ends):
        means[end - n + start : end] = (difference[start] + difference[start:]) / 2
    means.sort()
    half_tail = (1 - level) / 2
    if n <= MOST_EXACT:
        cumulative = np.cumsum(sum_distribution(np.arange(1, n + 1)))
        outside = int(np.searchsorted(cumulative, half_tail * (1 + 1e-12), side="right"))
    else:
        sd = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        outside = int(np.floor(n * (n + 1) / 4 + stats.norm.ppf(half_tail) * sd))
    if outside < 1:
        return float(np.median(means)), np.nan, np.nan
    return float(np.median(means)), float(means[outside - 1]), float(means[-outside])


def rank_sum_exact(x: Any, y: Any, *, level: float = 0.95) -> Estimate:
    """Exact Wilcoxon-Mann-Whitney test of two small groups, with the probability of superiority.

    Args:
        x: first group's values, shape (n1,).
        y: second group's values, shape (n2,).
        level: confidence level of the interval.

    Returns:
        P(X > Y) + P(X = Y)/2 in [0, 1]; 0.5 is no difference. p counts every way of dealing the observed
        values, ties included, into groups of these sizes whose statistic is at least as far from 0.5. The
        interval is Newcombe's, which keeps its width when the groups do not overlap. Details: `u`, `n1`,
        `n2` and `smallest_p`, the p that these values can reach at best.

    Raises:
        ValueError: as `as_floats`, an empty group, or one of more than 200.

    Source: Hollander and Wolfe, Nonparametric Statistical Methods, chapter 4; interval: Newcombe (2006),
    Stat. Med. 25, 559-573, method 5.
    """
    x, y = as_floats(x, "x"), as_floats(y, "y")
    check_level(level)
    check_size(x, 1, "values in x")
    check_size(y, 1, "values in y")
    if max(x.size, y.size) > MOST_EXACT:
        raise ValueError(
            f"found {x.size} values in x and {y.size} in y, expected at most {MOST_EXACT} each; for larger "
            "groups use scipy.stats.mannwhitneyu"
        )
    doubled = np.rint(2 * stats.rankdata(np.concatenate([x, y]))).astype(int)
    probability = sum_distribution(doubled, size=x.size)
    far = np.abs(np.arange(probability.size) - x.size * (x.size + y.size + 1))
    observed = far[doubled[: x.size].sum()]
    u = doubled[: x.size].sum() / 2 - x.size * (x.size + 1) / 2
    superiority = float(u / (x.size * y.size))
    low, high = newcombe(superiority, x.size, y.size, level)
    return Estimate(
        estimate=superiority,
        low=low,
        high=high,
        p=min(1.0, float(probability[far >= observed].sum())),
        n=int(x.size + y.size),
        method="probability of superiority, exact rank-sum test, Newcombe interval",
        level=level,
        details={
            "u": float(u),
            "n1": int(x.size),
            "n2": int(y.size),
            "smallest_p": float(probability[far == far[probability > 0].max()].sum()),
        },
    )


def holm(p: Any) -> np.ndarray:
    """p-values adjusted by Holm's step-down rule: the chance of any false finding stays below the level.

    Args:
        p: p-values of one family of tests, shape (m,), each in [0, 1].

    Returns:
        Adjusted p-values in the order given, shape (m,).

    Raises:
        ValueError: none given, missing ones, or values outside [0, 1].

    Source: Holm (1979), Scand. J. Stat. 6, 65-70.
    """
    return _adjusted(p, "holm")


def benjamini_hochberg(p: Any) -> np.ndarray:
    """p-values adjusted by Benjamini and Hochberg: the expected share of false findings stays low.

    Args, returns and errors as `holm`. Source: Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57, 289-300.
    """
    return _adjusted(p, "fdr_bh")


def paired_differences(x: Any, y: Any) -> np.ndarray:
    """Differences x - y of pairs, rounded as by `without_noise`: 0.3 - 0.2 equals 0.2 - 0.1, as it should.

    Raises:
        ValueError: as `paired`.
    """
    x, y = paired(x, y)
    return without_noise(x - y, max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)))


def without_noise(values: np.ndarray, scale: float) -> np.ndarray:
    """Values rounded to 12 significant digits of a scale, so that equal ones are equal again and tie."""
    if scale == 0:
        return values
    decimals = SIGNIFICANT_DIGITS - int(np.floor(np.log10(scale))) - 1
    return np.round(values, decimals) if decimals <= 300 else values


def _adjusted(p: Any, method: str) -> np.ndarray:
    p = as_floats(p, "p")
    check_size(p, 1, "p-values")
    outside = p[(p < 0) | (p > 1)]
    if outside.size:
        raise ValueError(f"p: found {outside[0]}, expected numbers from 0 to 1")
    return multipletests(p, method=method)[1]
