"""How far countries lie from their mean and from each other, when each is known with noise only.

The largest minus the smallest of noisy means is larger than that of the true means, the more so the more
countries and the less data: noise adds to every spread. What remains after taking the noise away is the
standard deviation between countries, with an interval, and a range that has shrunk to fit it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level, t_interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Dispersion:
    """The spread of countries' true values.

    Attributes:
        range: largest minus smallest estimate, as observed; p is the chance of so large a range if all
            countries were alike. Details: expected and noise_high (mean and upper quantile of the range that
            noise alone gives).
        corrected: the range after shrinking the estimates towards their mean until they spread as `sd`.
        sd: standard deviation between countries without the noise, with its interval.
    """

    range: Estimate
    corrected: Estimate
    sd: Estimate


def gaps_to_mean(estimates: Mapping[str, Estimate], *, level: float = 0.95) -> dict[str, Estimate]:
    """Each country minus the mean over all countries, with a t interval.

    The countries' estimates are independent; degrees of freedom are Satterthwaite's (1946, Biometrics
    Bulletin 2, 110-114). A country with a strange value moves the mean, and with it the gaps of all others.

    Args:
        estimates: by country; details hold se (above zero) and df.
        level: confidence level of the intervals.

    Returns:
        By country, in the given order; p tests 0, details hold se and df.

    Raises:
        ValueError: fewer than two countries, or one without a standard error.
    """
    values, errors = _values_and_errors(estimates, least=2)
    freedoms = np.array([each.details["df"] for each in estimates.values()], dtype=float)
    k = len(values)
    weights = np.eye(k) - 1 / k
    parts = (weights * errors) ** 2
    se = np.sqrt(parts.sum(axis=1))
    df = se**4 / (parts**2 / freedoms).sum(axis=1)
    gaps = {}
    for position, (name, each) in enumerate(estimates.items()):
        gap, own_se, own_df = (float(array[position]) for array in (weights @ values, se, df))
        low, high = t_interval(gap, own_se, own_df, level)
        gaps[name] = Estimate(
            estimate=gap,
            low=low,
            high=high,
            p=float(2 * stats.t.sf(abs(gap) / own_se, own_df)),
            n=each.n,
            method=f"minus the mean over {k} countries, Satterthwaite t interval; {each.method}",
            level=level,
            details={"se": own_se, "df": own_df},
        )
    return gaps


def dispersion(
    estimates: Mapping[str, Estimate], *, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> Dispersion:
    """The spread between countries: as observed, as noise alone would give, and with the noise taken away.

    The variance between countries is the value at which Cochran's Q equals its expectation (Paule & Mandel
    1982, J. Res. Natl. Bur. Stand. 87, 377-385), its interval where Q meets the quantiles of its chi-square
    distribution (Viechtbauer 2007, Stat. Med. 26, 37-52). Both take the countries as a sample from many and
    their standard errors as known; for these countries alone the interval is, if anything, too wide.

    Args:
        estimates: by country, independent of each other; details hold se (above zero).
        resamples: simulated sets of countries that are all alike (normal noise with these errors).
        level: confidence level of the interval, and quantile of the noise.
        seed: of the random generator.

    Returns:
        The three estimates; `n` counts countries.

    Raises:
        ValueError: fewer than three countries, one without a standard error, resamples below 1.
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    values, errors = _values_and_errors(estimates, least=3)
    k, observed = len(values), float(np.ptp(values))
    noise = np.ptp(np.random.default_rng(seed).normal(0, errors, (resamples, k)), axis=1)
    details = {"expected": float(noise.mean()), "noise_high": float(np.quantile(noise, level))}
    between = _variance_at(values, errors, k - 1)
    ends = [
        _variance_at(values, errors, stats.chi2.ppf(q, k - 1)) for q in ((1 + level) / 2, (1 - level) / 2)
    ]
    kept = values.var(ddof=1)
    shrink = np.sqrt(min(1.0, between / kept)) if kept > 0 else 0.0
    low, high = np.sqrt(ends).tolist()
    common = {"n": k, "level": level}
    return Dispersion(
        range=Estimate(
            estimate=observed,
            p=float((np.count_nonzero(noise >= observed) + 1) / (resamples + 1)),
            method=f"largest minus smallest of {k} countries; p from {resamples:,} draws of noise alone",
            details=details,
            **common,
        ),
        corrected=Estimate(
            estimate=float(observed * shrink),
            method="range of the estimates shrunk to the spread without noise",
            details={"shrink": float(shrink)},
            **common,
        ),
        sd=Estimate(
            estimate=float(np.sqrt(between)),
            low=low,
            high=high,
            method="standard deviation between countries, Paule-Mandel, Q-profile interval",
            **common,
        ),
    )


def _values_and_errors(estimates: Mapping[str, Estimate], least: int) -> tuple[np.ndarray, np.ndarray]:
    if len(estimates) < least:
        raise ValueError(f"found {len(estimates)} countries, expected at least {least}")
    for name, each in estimates.items():
        if not each.details["se"] > 0:
            raise ValueError(
                f"{name}: found the standard error {each.details['se']}, expected one above zero"
            )
    values = np.array([each.estimate for each in estimates.values()], dtype=float)
    return values, np.array([each.details["se"] for each in estimates.values()], dtype=float)


def _variance_at(values: np.ndarray, errors: np.ndarray, wanted: float) -> float:
    """The variance between at which Q equals a value; 0 where Q is below it already."""

    def excess(between: float) -> float:
        weights = 1 / (errors**2 + between)
        return float(weights @ (values - np.average(values, weights=weights)) ** 2) - wanted

    if excess(0.0) <= 0:
        return 0.0
    # Q is at most the sum of squares over the variance between.
    return float(brentq(excess, 0.0, float(np.sum((values - values.mean()) ** 2)) / wanted, xtol=1e-15))
