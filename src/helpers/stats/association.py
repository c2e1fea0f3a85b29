"""Do two scores rise together? Rank correlations with intervals and exact p-values, and the linear slope."""

from bisect import bisect_left
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import statsmodels.api as sm
from scipy import stats

from helpers.stats._rank_coefficients import KENDALL, SPEARMAN
from helpers.stats._rank_inference import correlation
from helpers.stats.differences import mean_test
from helpers.stats.results import Estimate, check_size, paired
from helpers.stats.t_intervals import check_level

MOST_UNITS = 10_000_000


class ImpliedN(NamedTuple):
    """The numbers of pairs with which a printed correlation and p-value agree; empty where low > high."""

    low: int
    nearest: int
    high: int


def spearman(
    x: Any,
    y: Any,
    *,
    interval: Literal["bonett-wright", "bootstrap", "fisher"] = "bonett-wright",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Spearman's rank correlation.

    p comes from all permutations up to 8 pairs, from 9,999 seeded ones below 30 pairs or where a variable has
    fewer than 20 values outside its commonest one, otherwise from scipy's t approximation.

    Args:
        x: scores, shape (n,), n at least 1.
        y: scores of the same units.
        interval: on Fisher's z scale with variance (1 + rho²/2)/(n - 3) ("bonett-wright") or 1.06/(n - 3)
            ("fisher"), both from 4 pairs on; or the percentile interval over resampled pairs ("bootstrap").
        level: confidence level.
        resamples: bootstrap resamples; those in which a variable does not vary are left out and counted in
            details["undefined_resamples"].
        seed: of the random generator, for resamples and permutations.

    Returns:
        rho in [-1, 1]; NaN, saying so, where x or y is constant or there is one pair. Where rho is exactly
        ±1, whose z is infinite, the z interval is taken half a step inside (a step is the distance to the
        next value that n untied pairs can give) and ends at ±1.

    Raises:
        ValueError: as `paired`, no pairs, an unknown interval, a level outside (0, 1).

    Source: Bonett and Wright (2000), Psychometrika 65, 23-28; Fieller, Hartley and Pearson (1957), Biometrika
    44, 470-481.
    """
    return correlation(SPEARMAN, x, y, interval, level, resamples, seed)


def kendall(
    x: Any,
    y: Any,
    *,
    interval: Literal["fieller", "bootstrap"] = "fieller",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Kendall's tau-b, which allows for ties.

    p is exact without ties below 30 pairs; with ties it comes from all permutations up to 8 pairs, from 9,999
    seeded ones below 30 pairs or where a variable has fewer than 20 values outside its commonest one;
    otherwise from scipy's normal approximation with its correction for ties.

    Args:
        x: scores, shape (n,), n at least 1.
        y: scores of the same units.
        interval: on Fisher's z scale with variance 0.437/(n - 4) ("fieller", from 5 pairs on), or the
            percentile interval over resampled pairs ("bootstrap").
        level: confidence level.
        resamples: as in `spearman`.
        seed: as in `spearman`.

    Returns:
        tau-b in [-1, 1], otherwise as `spearman`. The z interval is too narrow where few pairs agree nearly
        perfectly (above about 0.7 at a dozen pairs).

    Raises:
        ValueError: as `spearman`.

    Source: Kendall (1945), Biometrika 33, 239-251; Fieller, Hartley and Pearson (1957), Biometrika 44,
    470-481.
    """
    return correlation(KENDALL, x, y, interval, level, resamples, seed)


def implied_n(estimate: float, p: float, *, digits: int = 3) -> ImpliedN:
    """The number of pairs that a printed rank correlation and its two-sided p imply.

    Inverts the t approximation t = rho sqrt((n - 2)/(1 - rho²)), n - 2 degrees of freedom.

    Args:
        estimate: the printed correlation, strictly between -1 and 1, not 0.
        p: the printed p-value, between 0 and 1.
        digits: significant digits to which both are printed; each may be off by half its last digit.

    Returns:
        The smallest and the largest n that fit both within their rounding, and the n nearest to the printed
        values themselves. low > high where no whole n fits.

    Raises:
        ValueError: a correlation, p or number of digits out of range.
    """
    if not 0 < abs(estimate) < 1:
        raise ValueError(f"estimate: found {estimate}, expected a correlation between -1 and 1 that is not 0")
    if not 0 < p < 1:
        raise ValueError(f"p: found {p}, expected a number between 0 and 1")
    if digits < 1:
        raise ValueError(f"digits: found {digits}, expected at least 1")
    rho, rho_half = abs(estimate), _half_last_digit(estimate, digits)
    p_half = _half_last_digit(p, digits)

    def first(rho: float, p: float) -> int:
        """The smallest n whose p is at most the given one."""
        sizes = range(3, MOST_UNITS)
        return 3 + bisect_left(sizes, True, key=lambda n: bool(_t_p(rho, n) <= p))

    nearest = first(rho, p)
    if nearest > 3 and abs(_t_p(rho, nearest - 1) - p) < abs(_t_p(rho, nearest) - p):
        nearest -= 1
    strongest, weakest = min(rho + rho_half, 1 - 1e-12), rho - rho_half
    above = np.nextafter(p - p_half, 0)
    return ImpliedN(low=first(strongest, p + p_half), nearest=nearest, high=first(weakest, above) - 1)


def linear_slope(x: Any, y: Any, *, level: float = 0.95) -> Estimate:
    """Slope of the least-squares line of y on x, with a standard error that allows unequal variances.

    Tests something other than a rank correlation does: on skewed x a few large values decide the slope.

    Args:
        x: the predictor, shape (n,), n at least 3.
        y: the response.
        level: confidence level.

    Returns:
        The slope in units of y per unit of x, with the t(n - 2) interval and p from the HC3 standard error.
        Details: se, t, df, intercept, r_squared. NaN, saying so, where x is constant; without interval where
        y is constant or one point alone fixes the slope (its residual is always 0, which HC3 cannot use).

    Raises:
        ValueError: as `paired`, or fewer than three pairs.

    Source: MacKinnon and White (1985), J. Econom. 29, 305-325; statsmodels OLS, cov_type HC3.
    """
    x, y = paired(x, y)
    check_size(x, 3)
    check_level(level)
    method = "least-squares slope, HC3 standard error"
    if np.ptp(x) == 0:
        return Estimate(estimate=np.nan, n=x.size, method=f"{method}: x is constant", level=level)
    # Standardised first: page views reach 10^7, beside which the column of ones would be lost.
    z, unit = (x - x.mean()) / x.std(), x.std()
    fit = sm.OLS(y, sm.add_constant(z)).fit()
    slope = float(fit.params[1] / unit)
    details = {"intercept": float(fit.params[0] - slope * x.mean())}
    leverage = 1 / x.size + z**2 / x.size
    if np.ptp(y) == 0 or leverage.max() > 1 - 1e-9:
        why = "y is constant" if np.ptp(y) == 0 else "one point alone fixes it"
        return Estimate(
            estimate=slope, n=x.size, method=f"{method}: {why}, so no interval", level=level, details=details
        )
    robust = fit.get_robustcov_results("HC3", use_t=True)
    test = mean_test(slope, float(robust.bse[1] / unit), x.size - 2, n=x.size, method=method, level=level)
    return replace(test, details=test.details | details | {"r_squared": float(fit.rsquared)})


def _t_p(rho: float, n: int) -> float:
    """Two-sided p of the t approximation that scipy's spearmanr uses."""
    spare = 1 - rho**2
    return float(2 * stats.t.sf(abs(rho) * np.sqrt((n - 2) / spare), n - 2)) if spare > 0 else 0.0


def _half_last_digit(value: float, digits: int) -> float:
    return 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1) / 2
