"""Do two scores rise together? Rank correlations with intervals and exact p-values, and the linear slope."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

from helpers.stats.bootstrap import check_level
from helpers.stats.differences import mean_test, without_noise
from helpers.stats.results import Estimate, paired

Statistic = Literal["spearman", "kendall"]

# Up to so many pairs every permutation is tried (8! = 40,320).
FULL_PERMUTATION = 8
# No large-sample p below so many pairs, nor with fewer values than RARE outside a variable's commonest one.
SMALL = 30
RARE = 20
PERMUTATIONS = 9_999
# Array cells held at once, about 30 MB.
CELLS = 4_000_000
# Up to so many pairs tau-b is resampled by matrix products, whose memory grows with the square.
MATRIX_PAIRS = 2_000
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
    return _correlation(_SPEARMAN, x, y, interval, level, resamples, seed)


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
    return _correlation(_KENDALL, x, y, interval, level, resamples, seed)


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


def country_averaged(
    x: Any, y: Any, country: Any, statistic: Statistic = "spearman", *, level: float = 0.95
) -> Estimate:
    """Correlation over clips within each country, then the plain mean over countries.

    Removes each country's own use of the scale, since raters of different countries never share a clip.

    Args:
        x: first rater's (or judge's) scores, shape (clips,).
        y: the second's scores of the same clips.
        country: each clip's country, shape (clips,).
        statistic: Spearman's rho or Kendall's tau-b.
        level: confidence level.

    Returns:
        The mean over countries, its t interval with G - 1 degrees of freedom over the G countries, and the p
        of a t test against 0; `n` is G. Details: `per_country` (country: value), `excluded` (country: why),
        `clips`, `excluded_clips`, se and df. A country in which a score does not vary, or with a single
        clip, is excluded. NaN where none is left; no interval with one left.

    Raises:
        ValueError: as `paired`, no clips, a country missing, an unknown statistic.

    Source: CultureVidBench, appendix, equation 1.
    """
    x, y = paired(x, y)
    _check_pairs(x, 1)
    check_level(level)
    coefficient = _coefficient(statistic)
    clips = pd.DataFrame({"x": x, "y": y, "country": _labels(country, x.size, "country")})
    per_country, excluded, excluded_clips = {}, {}, 0
    for name, group in clips.groupby("country", sort=True):
        reason = _why_undefined(group["x"].to_numpy(), group["y"].to_numpy())
        if reason:
            excluded[name] = reason
            excluded_clips += len(group)
        else:
            per_country[name] = coefficient.of(group["x"].to_numpy(), group["y"].to_numpy())
    details = {
        "per_country": per_country,
        "excluded": excluded,
        "clips": x.size - excluded_clips,
        "excluded_clips": excluded_clips,
    }
    method = f"country-averaged {coefficient.name}"
    values = np.array(list(per_country.values()))
    if values.size < 2:
        return Estimate(
            estimate=float(values[0]) if values.size else np.nan,
            n=values.size,
            method=f"{method}: {'one country' if values.size else 'no country'} left, so no interval",
            level=level,
            details=details,
        )
    se = float(values.std(ddof=1) / np.sqrt(values.size)) if np.ptp(values) > 0 else 0.0
    test = mean_test(
        float(values.mean()),
        se,
        values.size - 1,
        n=values.size,
        method=f"{method}, t(G - 1) over countries",
        level=level,
    )
    return replace(test, details=details | test.details)


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
    _check_pairs(x, 3)
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


def levels(
    x: Any,
    y: Any,
    item: Any,
    country: Any,
    model: Any,
    *,
    statistic: Statistic = "spearman",
    level: float = 0.95,
) -> dict[str, Estimate]:
    """The same two scores correlated over items, over country means and over model means.

    Three different questions: a judge may rank models as people do without seeing which clip is better, and
    the other way round.

    Args:
        x: first scores, shape (rows,).
        y: second scores.
        item: what each row scores (a clip, or a prompt); rows of one item are averaged.
        country: each row's country.
        model: each row's model.
        statistic: Spearman's rho or Kendall's tau-b.
        level: confidence level.

    Returns:
        The estimates under "item", "country" and "model", each over the plain means of the rows that share
        the label; `n` counts labels. With fewer than two labels NaN, saying so.

    Raises:
        ValueError: as `paired`, no rows, a label missing.
    """
    x, y = paired(x, y)
    _check_pairs(x, 1)
    check_level(level)
    name_of = _coefficient(statistic).name
    correlate = {"spearman": spearman, "kendall": kendall}[statistic]
    results = {}
    for name, labels in (("item", item), ("country", country), ("model", model)):
        rows = pd.DataFrame({"x": x, "y": y, "label": _labels(labels, x.size, name)})
        means = rows.groupby("label", sort=True)[["x", "y"]].mean()
        if len(means) < 2:
            results[name] = Estimate(
                estimate=np.nan,
                n=len(means),
                method=f"{name_of} over {name} means: there is only one",
                level=level,
            )
            continue
        # The same scores added in another order may differ in the last bit, and would no longer tie.
        first, second = (
            without_noise(means[column].to_numpy(), np.abs(rows[column]).max()) for column in "xy"
        )
        results[name] = correlate(first, second, level=level)
    return results


@dataclass(frozen=True)
class _Coefficient:
    """What distinguishes one rank correlation from another.

    Attributes:
        name: stands in the method.
        of: the coefficient of x and y.
        permuted: of x and each reordering of y, from an index array (rows, n).
        resampled: of the pairs that each row of an index array draws; NaN where they do not vary.
        approximate_p: name and two-sided p of the large-sample test.
        step: distance from 1 to the next value that n untied pairs can give.
        errors: standard errors on Fisher's z scale, given the coefficient and n, by the interval's name.
        least: fewest pairs for those.
    """

    name: str
    of: Callable[[np.ndarray, np.ndarray], float]
    permuted: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    resampled: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    approximate_p: Callable[[np.ndarray, np.ndarray], tuple[str, float]]
    step: Callable[[int], float]
    errors: dict[str, Callable[[float, int], float]]
    least: int


def _correlation(
    kind: _Coefficient, x: Any, y: Any, interval: str, level: float, resamples: int, seed: int
) -> Estimate:
    """A rank correlation with its p and interval."""
    x, y = paired(x, y)
    _check_pairs(x, 1)
    check_level(level)
    if interval not in (*kind.errors, "bootstrap"):
        expected = ", ".join([*kind.errors, "bootstrap"])
        raise ValueError(f"interval: found '{interval}', expected one of {expected}")
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    reason = _why_undefined(x, y)
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
    kind: _Coefficient, x: np.ndarray, y: np.ndarray, estimate: float, seed: int
) -> tuple[str, float]:
    """How the two-sided p was found, and p."""
    n = x.size
    # Values of the null distribution that equal the observed one may differ from it in the last bits.
    reached = abs(estimate) - 1e-9
    if n <= FULL_PERMUTATION:
        null = kind.permuted(x, y, _all_permutations(n))
        return "exact p (all permutations)", float(np.mean(np.abs(null) >= reached))
    untied = np.unique(x).size == n == np.unique(y).size
    if kind is _KENDALL and untied and n < SMALL:
        return "exact p", float(stats.kendalltau(x, y, method="exact").pvalue)
    if n >= SMALL and min(_outside_commonest(x), _outside_commonest(y)) >= RARE:
        return kind.approximate_p(x, y)
    rng = np.random.default_rng(seed)
    count = 0
    for rows in _chunks(PERMUTATIONS, n):
        null = kind.permuted(x, y, rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1))
        count += int(np.sum(np.abs(null) >= reached))
    return f"permutation p ({PERMUTATIONS:,} draws)", (count + 1) / (PERMUTATIONS + 1)


def _z_interval(
    kind: _Coefficient, estimate: float, n: int, interval: str, level: float
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
    kind: _Coefficient, x: np.ndarray, y: np.ndarray, level: float, resamples: int, seed: int
) -> tuple[float, float, int]:
    """The percentile interval over resampled pairs, and the number of resamples that do not vary."""
    rng = np.random.default_rng(seed)
    drawn = [
        kind.resampled(x, y, rng.integers(x.size, size=(rows, x.size))) for rows in _chunks(resamples, x.size)
    ]
    values = np.concatenate(drawn)
    defined = values[~np.isnan(values)]
    if not defined.size:
        return np.nan, np.nan, values.size
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), int(values.size - defined.size)


def _spearman_rows(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho of each row of x with that row of y; NaN where either does not vary."""
    u, v = _centred_ranks(x), _centred_ranks(y)
    return _quotient((u * v).sum(axis=1), (u**2).sum(axis=1), (v**2).sum(axis=1))


def _spearman_permuted(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    u, v = _centred_ranks(x), _centred_ranks(y)
    return _quotient(v[orders] @ u, (u**2).sum(), (v**2).sum())


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    return stats.rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2


def _kendall_permuted(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    # The distribution is the same with x and y exchanged; it is cheap where x has few values off its mode.
    if _outside_commonest(y) < _outside_commonest(x):
        x, y = y, x
    values, counts = np.unique(x, return_counts=True)
    mode = values[counts.argmax()]
    off = np.flatnonzero(x != mode)
    side = np.sign(x[off] - mode)
    # Each value off the mode is compared with all n, which gives its rank; pairs of them are then set right.
    first, second = np.triu_indices(off.size, 1)
    correction = np.sign(x[off[first]] - x[off[second]]) - side[first] + side[second]
    against_all = 2 * _centred_ranks(y)
    sums = []
    for rows in np.array_split(orders[:, off], len(_chunks(len(orders), max(1, first.size)))):
        pairs = np.sign(y[rows[:, first]] - y[rows[:, second]])
        sums.append(against_all[rows] @ side + pairs @ correction)
    untied = (np.count_nonzero(values[:, None] > values) for values in (x, y))
    return _quotient(np.concatenate(sums), *untied)


def _kendall_resampled(x: np.ndarray, y: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    if x.size > MATRIX_PAIRS:
        return np.array(
            [np.nan if _why_undefined(x[row], y[row]) else _kendall(x[row], y[row]) for row in drawn]
        )
    # Drawing unit i so often as w[i] makes the concordant minus the discordant pairs a quadratic form in w.
    weights = np.stack([np.bincount(row, minlength=x.size) for row in drawn]).astype(float)
    u, v = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    return _quotient(*(((weights @ form) * weights).sum(axis=1) for form in (u * v, u**2, v**2)))


def _quotient(products: np.ndarray, squares_x: Any, squares_y: Any) -> np.ndarray:
    """A correlation from its sums, rounded so that a perfect one is exactly ±1; NaN where nothing varies."""
    size = np.broadcast_to(np.sqrt(squares_x * squares_y), products.shape)
    return np.round(np.divide(products, size, where=size > 0, out=np.full(products.shape, np.nan)), 15)


def _kendall(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.round(stats.kendalltau(x, y, variant="b").statistic, 15))


def _t_p(rho: float, n: int) -> float:
    """Two-sided p of the t approximation that scipy's spearmanr uses."""
    spare = 1 - rho**2
    return float(2 * stats.t.sf(abs(rho) * np.sqrt((n - 2) / spare), n - 2)) if spare > 0 else 0.0


_SPEARMAN = _Coefficient(
    name="Spearman's rho",
    of=lambda x, y: float(_spearman_rows(x[None], y[None])[0]),
    permuted=_spearman_permuted,
    resampled=lambda x, y, drawn: _spearman_rows(x[drawn], y[drawn]),
    approximate_p=lambda x, y: ("t-approximation p", float(stats.spearmanr(x, y).pvalue)),
    step=lambda n: 12 / (n * (n**2 - 1)),
    errors={
        "bonett-wright": lambda rho, n: np.sqrt((1 + rho**2 / 2) / (n - 3)),
        "fisher": lambda rho, n: np.sqrt(1.06 / (n - 3)),
    },
    least=4,
)

_KENDALL = _Coefficient(
    name="Kendall's tau-b",
    of=_kendall,
    permuted=_kendall_permuted,
    resampled=_kendall_resampled,
    approximate_p=lambda x, y: (
        "normal-approximation p",
        float(stats.kendalltau(x, y, method="asymptotic").pvalue),
    ),
    step=lambda n: 4 / (n * (n - 1)),
    errors={"fieller": lambda tau, n: np.sqrt(0.437 / (n - 4))},
    least=5,
)


def _coefficient(statistic: str) -> _Coefficient:
    known = {"spearman": _SPEARMAN, "kendall": _KENDALL}
    if statistic not in known:
        raise ValueError(f"statistic: found '{statistic}', expected one of {', '.join(known)}")
    return known[statistic]


@cache
def _all_permutations(n: int) -> np.ndarray:
    return np.array(list(permutations(range(n))))


def _chunks(rows: int, width: int) -> list[int]:
    """Row counts of blocks of at most `CELLS` cells that add up to `rows`."""
    most = max(1, CELLS // width)
    return [min(most, rows - start) for start in range(0, rows, most)]


def _outside_commonest(values: np.ndarray) -> int:
    return int(values.size - np.unique(values, return_counts=True)[1].max())


def _why_undefined(x: np.ndarray, y: np.ndarray) -> str:
    """Why two scores have no rank correlation; the empty string where they have one."""
    if x.size < 2:
        return "a single pair"
    constant = [name for name, values in (("x", x), ("y", y)) if np.ptp(values) == 0]
    return f"constant {' and '.join(constant)}" if constant else ""


def _half_last_digit(value: float, digits: int) -> float:
    return 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1) / 2


def _labels(values: Any, size: int, name: str) -> np.ndarray:
    labels = np.asarray(values, dtype=object)
    if labels.shape != (size,):
        raise ValueError(f"{name}: found shape {labels.shape}, expected ({size},), a label for each pair")
    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        raise ValueError(
            f"{name}: found no label at position {missing[0]} ({missing.size} such), expected one each"
        )
    return labels


def _check_pairs(values: np.ndarray, least: int) -> None:
    if values.size < least:
        raise ValueError(f"found {values.size} pairs, expected at least {least}")
