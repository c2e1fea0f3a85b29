"""How large is a paired difference? Standardised differences, each under its full name."""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import optimize, special, stats

from helpers.stats.differences import paired_differences
from helpers.stats.results import Estimate, check_known, check_size, paired
from helpers.stats.t_intervals import check_level

EffectSize = Literal["d_z", "d_av", "d_rms", "d_rm", "g_z", "g_av"]

# Points at which the non-central t distribution is integrated; the error is below 1e-7.
NODES = 10_000


class DzFromP(NamedTuple):
    """The size of d_z that a two-sided p-value implies: read as a paired t test's, or a Wilcoxon z's."""

    t: float
    wilcoxon: float


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
    check_known(kind, EffectSize, "kind")
    check_level(level)
    difference = paired_differences(x, y)
    check_size(difference, 2, "pairs")
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
