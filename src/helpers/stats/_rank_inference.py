"""The p-value and the interval of a rank correlation: exact, by permutation, or for large samples."""

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from scipy import stats

from helpers.stats._rank_coefficients import KENDALL, Coefficient, chunks, outside_commonest, why_undefined
from helpers.stats.results import Estimate, check_size, paired
from helpers.stats.t_intervals import check_level

# Up to so many pairs every permutation is tried (8! = 40,320).
FULL_PERMUTATION = 8
# No large-sample p below so many pairs, nor with fewer values than RARE outside a variable's commonest one.
SMALL = 30
RARE = 20
PERMUTATIONS = 9_999


def correlation(
    kind: Coefficient, x: Any, y: Any, interval: str, level: float, resamples: int, seed: int
) -> Estimate:
    """A rank correlation with its p and interval."""
    x, y = paired(x, y)
    check_size(x, 1)
    check_level(level)
    if interval not in (*kind.errors, "bootstrap"):
        expected = ", ".join([*kind.errors, "bootstrap"])
        raise ValueError(f"interval: found '{interval}', expected one of {expected}")
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    reason = why_undefined(x, y)
    if reason:
        return Estimate(estimate=np.nan, n=x.size, method=f"{kind.name}: undefined, {reason}", level=level)
    estimate = kind.of(x, y)
    p_words, p = _p_value(kind, x, y, estimate, seed)
    details = {}
    if interval == "bootstrap":
        low, high, undefined = _percentiles(kind, x, y, level, resamples, seed)
        words, details = f"percentile bootstrap of {x.size} pairs", {"undefined_resamples": undefined}
    elif x.size < kind.least:
        low, high, words = np.nan, np.nan, f"no interval below {kind.least} pairs"
    else:
        low, high = _z_interval(kind, estimate, x.size, interval, level)
        words = f"{interval.title()} interval"
    return Estimate(
        estimate=estimate,
        low=low,
        high=high,
        p=p,
        n=x.size,
        method=f"{kind.name}, {p_words}, {words}",
        level=level,
        details=details,
    )


def _p_value(
    kind: Coefficient, x: np.ndarray, y: np.ndarray, estimate: float, seed: int
) -> tuple[str, float]:
    """How the two-sided p was found, and p."""
    n = x.size
    # Values of the null distribution that equal the observed one may differ from it in the last bits.
    reached = abs(estimate) - 1e-9
    if n <= FULL_PERMUTATION:
        null = kind.permuted(x, y, _all_permutations(n))
        return "exact p (all permutations)", float(np.mean(np.abs(null) >= reached))
    untied = np.unique(x).size == n == np.unique(y).size
    if kind is KENDALL and untied and n < SMALL:
        return "exact p", float(stats.kendalltau(x, y, method="exact").pvalue)
    if n >= SMALL and min(outside_commonest(x), outside_commonest(y)) >= RARE:
        return kind.approximate_p(x, y)
    rng = np.random.default_rng(seed)
    count = 0
    for rows in chunks(PERMUTATIONS, n):
        null = kind.permuted(x, y, rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1))
        count += int(np.sum(np.abs(null) >= reached))
    return f"permutation p ({PERMUTATIONS:,} draws)", (count + 1) / (PERMUTATIONS + 1)


def _z_interval(
    kind: Coefficient, estimate: float, n: int, interval: str, level: float
) -> tuple[float, float]:
    """The interval that is symmetric on Fisher's z scale."""
    perfect = abs(estimate) == 1
    inside = estimate * (1 - kind.step(n) / 2) if perfect else estimate
    half = stats.norm.ppf((1 + level) / 2) * kind.errors[interval](inside, n)
    ends = np.tanh(np.arctanh(inside) + np.array([-half, half]))
    if perfect:
        ends[int(estimate > 0)] = estimate
    return float(ends[0]), float(ends[1])


def _percentiles(
    kind: Coefficient, x: np.ndarray, y: np.ndarray, level: float, resamples: int, seed: int
) -> tuple[float, float, int]:
    """The percentile interval over resampled pairs, and the number of resamples that do not vary."""
    rng = np.random.default_rng(seed)
    drawn = [
        kind.resampled(x, y, rng.integers(x.size, size=(rows, x.size))) for rows in chunks(resamples, x.size)
    ]
    values = np.concatenate(drawn)
    defined = values[~np.isnan(values)]
    if not defined.size:
        return np.nan, np.nan, values.size
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), int(values.size - defined.size)


@cache
def _all_permutations(n: int) -> np.ndarray:
    return np.array(list(permutations(range(n))))
