"""Two groups or two conditions: tests of their difference and effect sizes, each under its full name."""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests

from helpers.stats.bootstrap import check_level, t_interval
from helpers.stats.results import Estimate, as_floats, paired

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
SignedRankMethod = Literal["auto", "exact", "asymptotic"]
EffectSize = Literal["d_z", "d_av", "d_rms", "d_rm", "g_z", "g_av"]

# Most values for which exact rank distributions are computed unasked; beyond them the normal one is as good.
MOST_EXACT = 200

SIGNIFICANT_DIGITS = 12
# Points at which the non-central t distribution is integrated; the error is below 1e-7.
NODES = 10_000


class DzFromP(NamedTuple):
    """The size of d_z that a two-sided p-value implies: read as a paired t test's, or a Wilcoxon z's."""

    t: float
    wilcoxon: float


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
    part1, part2 = sd1**2 / n1, sd2**2 / n2
    if part1 + part2 == 0:
        return 0.0, float(n1 + n2 - 2)
    df = (part1 + part2) ** 2 / (part1**2 / (n1 - 1) + part2**2 / (n2 - 1))
    return float(np.sqrt(part1 + part2)), float(df)


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
    _check_size(difference, 1, "pairs")
    check_level(level)
    _check_known(zero_method, ZeroMethod, "zero_method")
    _check_known(method, SignedRankMethod, "method")
    nonzero = difference[difference != 0]
    if method == "auto":
        method = "exact" if nonzero.size <= MOST_EXACT else "asymptotic"
    sizes = np.unique(np.abs(nonzero), return_counts=True)[1]
    ranks = _signed_ranks(difference, zero_method)
    details = {
        "w": float(min(ranks[ranks > 0].sum(), -ranks[ranks < 0].sum())),
        "zeros": int(difference.size - nonzero.size),
        "ties": int(sizes[sizes > 1].sum()),
        "zero_method": zero_method,
    }
    if nonzero.size == 0:
        p, words = 1.0, "all differences are zero, so p = 1"
    elif method == "exact":
        p, words = _exact_signed_rank_p(ranks), f"exact, zeros by {zero_method}"
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
        cumulative = np.cumsum(_sum_distribution(np.arange(1, n + 1)))
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
    _check_size(x, 1, "values in x")
    _check_size(y, 1, "values in y")
    if max(x.size, y.size) > MOST_EXACT:
        raise ValueError(
            f"found {x.size} values in x and {y.size} in y, expected at most {MOST_EXACT} each; for larger "
            "groups use scipy.stats.mannwhitneyu"
        )
    doubled = np.rint(2 * stats.rankdata(np.concatenate([x, y]))).astype(int)
    probability = _sum_distribution(doubled, size=x.size)
    far = np.abs(np.arange(probability.size) - x.size * (x.size + y.size + 1))
    observed = far[doubled[: x.size].sum()]
    u = doubled[: x.size].sum() / 2 - x.size * (x.size + 1) / 2
    superiority = float(u / (x.size * y.size))
    low, high = _newcombe(superiority, x.size, y.size, level)
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


def cohens_d(x: Any, y: Any, kind: EffectSize = "d_z", *, level: float = 0.95) -> Estimate:
    """Standardised difference of two paired conditions; `kind` says what it is standardised by.

    - d_z: the mean difference over the standard deviation of the differences.
    - d_av: over the mean of the two standard deviations.
    - d_rms: over the root mean square of the two standard deviations.
    - d_rm: d_z times sqrt(2 (1 - r)), which takes the correlation r of the conditions out of it.
    - g_z, g_av: d_z and d_av with Hedges' correction, for n - 1 and 2 (n - 1) degrees of freedom.

    Args:
        x: scores under the first condition, shape (n,), n at least 2.
        y: scores of the same units under the second.
        kind: the formula.
        level: confidence level of the interval.

    Returns:
        The effect size, and the paired t test's p. The interval of d_z is exact for normal differences
        (non-central t). Those of the other kinds are d_z's times the ratio of the standardisers, which is
        treated as known: an approximation. Details hold the differences' mean and SD, both SDs and r. NaN,
        saying so, where the standardiser is zero.

    Raises:
        ValueError: as `paired`, fewer than two pairs, an unknown kind.

    Source: Lakens (2013), Front. Psychol. 4:863, equations 6-10; interval of d_z: Cumming and Finch (2001),
    Educ. Psychol. Meas. 61, 532-574; of the others: Algina and Keselman (2003), ibid. 63, 537-553.
    """
    _check_known(kind, EffectSize, "kind")
    check_level(level)
    difference = paired_differences(x, y)
    _check_size(difference, 2, "pairs")
    x, y = paired(x, y)
    n = x.size
    mean, sd = float(difference.mean()), float(difference.std(ddof=1))
    sd_x, sd_y = float(x.std(ddof=1)), float(y.std(ddof=1))
    r = float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) > 0 and np.ptp(y) > 0 else np.nan
    details = {"mean": mean, "sd": sd, "sd_x": sd_x, "sd_y": sd_y, "r": r}
    ratio = {
        "d_z": lambda: 1.0,
        "d_av": lambda: sd / ((sd_x + sd_y) / 2),
        "d_rms": lambda: sd / np.sqrt((sd_x**2 + sd_y**2) / 2),
        "d_rm": lambda: np.sqrt(2 * (1 - r)),
        "g_z": lambda: hedges_correction(n - 1),
        "g_av": lambda: hedges_correction(2 * (n - 1)) * sd / ((sd_x + sd_y) / 2),
    }
    undefined = "the differences do not vary" if np.ptp(difference) == 0 else ""
    if kind == "d_rm" and np.isnan(r):
        undefined = "one condition does not vary, so r is undefined"
    if undefined:
        return Estimate(estimate=np.nan, n=n, method=f"{kind}: {undefined}", level=level, details=details)
    factor = float(ratio[kind]())
    t = mean / sd * np.sqrt(n)
    low, high = _noncentral_t(t, n - 1, level)
    return Estimate(
        estimate=mean / sd * factor,
        low=float(low / np.sqrt(n) * factor),
        high=float(high / np.sqrt(n) * factor),
        p=float(2 * stats.t.sf(abs(t), n - 1)),
        n=n,
        method=f"{kind}, non-central t interval" + ("" if kind == "d_z" else " (approximate)"),
        level=level,
        details=details,
    )


def hedges_correction(df: float) -> float:
    """Hedges' factor 1 - 3/(4 df - 1), which takes the small-sample bias out of a standardised difference."""
    return 1 - 3 / (4 * df - 1)


def d_z_from_p(p: float, n: int) -> DzFromP:
    """The size of d_z behind a printed two-sided p of n pairs.

    Args:
        p: two-sided p-value, between 0 and 1.
        n: pairs, at least 2.

    Returns:
        `t`: the d_z whose paired t test has exactly this p. `wilcoxon`: z / sqrt(n) with the standard normal
        z of this p, the usual effect size of a signed-rank test, close to d_z for normal differences.

    Raises:
        ValueError: p outside (0, 1] or fewer than two pairs.
    """
    if not 0 < p <= 1:
        raise ValueError(f"p: found {p}, expected a number above 0 and at most 1")
    if not n >= 2:
        raise ValueError(f"n: found {n}, expected at least 2 pairs")
    return DzFromP(
        t=float(stats.t.isf(p / 2, n - 1) / np.sqrt(n)), wilcoxon=float(stats.norm.isf(p / 2) / np.sqrt(n))
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
    _check_size(p, 1, "p-values")
    outside = p[(p < 0) | (p > 1)]
    if outside.size:
        raise ValueError(f"p: found {outside[0]}, expected numbers from 0 to 1")
    return multipletests(p, method=method)[1]


def _signed_ranks(difference: np.ndarray, zero_method: ZeroMethod) -> np.ndarray:
    """Mean ranks of the non-zero differences with their signs; zeros count in ranking unless "wilcox"."""
    nonzero = difference != 0
    ranked = difference[nonzero] if zero_method == "wilcox" else difference
    ranks = stats.rankdata(np.abs(ranked)) * np.sign(ranked)
    return ranks[ranks != 0]


def _exact_signed_rank_p(ranks: np.ndarray) -> float:
    """Two-sided p over all sign changes; "pratt" and "zsplit" agree here, as zeros never change sides."""
    doubled = np.rint(2 * np.abs(ranks)).astype(int)
    below = int(min(doubled[ranks > 0].sum(), doubled[ranks < 0].sum()))
    return min(1.0, float(2 * _sum_distribution(doubled)[: below + 1].sum()))


def _sum_distribution(whole: np.ndarray, size: int | None = None) -> np.ndarray:
    """Probability of each sum 0, 1, … of a random subset: any subset, or any of a given size."""
    total = int(whole.sum())
    if size is None:
        probability = np.zeros(total + 1)
        probability[0] = 1
        for value in whole:
            with_value = np.zeros_like(probability)
            with_value[value:] = probability[: total + 1 - value]
            probability = (probability + with_value) / 2
        return probability
    # Row k: subsets of k values. Each next value is taken with the chance that a random subset holds it, so
    # that every entry stays a probability however many subsets there are.
    probability = np.zeros((size + 1, total + 1))
    probability[0, 0] = 1
    for drawn, value in enumerate(whole):
        chance = ((size - np.arange(size + 1)) / (whole.size - drawn)).clip(0, 1)[:, None]
        taken = probability * chance
        probability = probability * (1 - chance)
        probability[1:, value:] += taken[:-1, : total + 1 - value]
    return probability[size]


def _newcombe(superiority: float, n1: int, n2: int, level: float) -> tuple[float, float]:
    """The probabilities of superiority from which the observed one is just z standard errors away."""
    z = stats.norm.ppf((1 + level) / 2)
    spare = (n1 + n2) / 2 - 1

    def distance(theta: float) -> float:
        variance = theta * (1 - theta) * (1 + spare * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        return (superiority - theta) ** 2 - z**2 * variance / (n1 * n2)

    # At 0 and 1 the distance has a root of no interest, so the search starts a hair inside.
    inside = min(max(superiority, 1e-9), 1 - 1e-9)
    low = optimize.brentq(distance, 0, inside) if superiority > 0 else 0.0
    high = optimize.brentq(distance, inside, 1) if superiority < 1 else 1.0
    return float(low), float(high)


def _noncentral_t(t: float, df: int, level: float) -> tuple[float, float]:
    """The non-centralities whose t distributions have the observed t at the upper and the lower tail.

    P(T <= t) is the mean of the normal distribution function at t s - nc over s = sqrt(chi² / df). scipy's
    own non-central t is NaN in parts of the range that must be searched.
    """
    middles = (np.arange(NODES) + 0.5) / NODES
    scaled = t * np.sqrt(stats.chi2.ppf(middles, df) / df)
    ends = [
        optimize.brentq(
            lambda nc, tail=tail: special.ndtr(scaled - nc).mean() - tail,
            scaled.min() - 10,
            scaled.max() + 10,
        )
        for tail in ((1 + level) / 2, (1 - level) / 2)
    ]
    return float(ends[0]), float(ends[1])


def _check_size(values: np.ndarray, least: int, what: str) -> None:
    if values.size < least:
        raise ValueError(f"found {values.size} {what}, expected at least {least}")


def _check_known(word: str, known: Any, name: str) -> None:
    if word not in get_args(known):
        raise ValueError(f"{name}: found '{word}', expected one of {', '.join(get_args(known))}")
