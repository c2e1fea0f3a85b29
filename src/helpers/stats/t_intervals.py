"""Intervals from a standard error and its degrees of freedom."""

import numpy as np
from scipy import stats

from helpers.stats.results import Estimate

# Relative variation below this is rounding.
ROUNDING = 1e-12


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


def combined_error(parts: np.ndarray, freedoms: np.ndarray) -> tuple[float, float]:
    """Standard error of a sum of independent parts, and its Welch-Satterthwaite degrees of freedom.

    Args:
        parts: each part's squared standard error, shape (k,), not negative.
        freedoms: its degrees of freedom, shape (k,).

    Returns:
        The standard error and the degrees of freedom; where nothing varies 0 and the sum of them.

    Source: Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    total = parts.sum()
    if not total > 0:
        return float(np.sqrt(total)), float(freedoms.sum())
    return float(np.sqrt(total)), float(total**2 / np.sum(parts**2 / freedoms))


def t_estimate(
    value: float, se: float, df: float, n: int, method: str, level: float, *, test: bool = False
) -> Estimate:
    """An estimate with a t interval; without one, saying so, where the standard error is zero or unknown.

    Args:
        value: the estimate.
        se: its standard error; NaN where unknown.
        df: degrees of freedom.
        n: units behind the estimate.
        method: how it was computed.
        level: confidence level of the interval.
        test: whether to test against 0.
    """
    low = high = p = np.nan
    if np.isnan(se):
        method += "; no interval: too little to tell the variation"
    elif se <= ROUNDING * abs(value):
        method += "; no interval: nothing varies"
        se = 0.0
    else:
        low, high = t_interval(value, se, df, level)
        p = float(2 * stats.t.sf(abs(value) / se, df)) if test else np.nan
    return Estimate(
        estimate=float(value),
        low=low,
        high=high,
        p=p,
        n=n,
        method=method,
        level=level,
        details={"se": float(se), "df": float(df)},
    )
