"""Reliability of graded scores (intraclass correlation) and concordance of rankings (Kendall's W)."""

import math
from itertools import permutations
from typing import Any

import numpy as np
from scipy import stats

from helpers.stats.ratings import as_scores
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level

# Up to this many arrangements of the rankings every one is looked at; beyond, as many as asked are drawn.
MOST_EXACT = 100_000
ROUNDING = 1e-9


def icc(ratings: Any, unit: str = "single", *, level: float = 0.95) -> Estimate:
    """Intraclass correlation, two-way random effects, absolute agreement: ICC(2,1) or ICC(2,k).

    The share of the variance of one rater's score ("single") or of the mean of all k raters ("average") that
    lies between items, raters being a sample of possible raters whose leniency counts as error (Shrout &
    Fleiss 1979, Psychological Bulletin 86, 420-428; interval: McGraw & Wong 1996, Psychological Methods 1,
    30-46, Table 7).

    Args:
        ratings: items x raters, numbers; an item with a missing rating is left out, and counted.
        unit: "single" or "average".
        level: the interval's confidence level.

    Returns:
        An estimate whose `n` counts the complete items, with the p of the one-sided F test that items do not
        differ, and details: raters, incomplete_items, ms_items, ms_raters, ms_error, f, df1, df2. NaN, with a
        method that says so, with fewer than two complete items or where nothing varies beyond error; no
        interval where raters agree fully or all items have the same mean. The interval is an approximation
        that fails for clearly negative values.

    Raises:
        ValueError: fewer than two raters, a rating that is not a number, an unknown unit, a level out of
            range.
    """
    if unit not in ("single", "average"):
        raise ValueError(f"unit: found '{unit}', expected single or average")
    check_level(level)
    scores = as_scores(ratings)
    complete = scores[~np.isnan(scores).any(axis=1)]
    items, raters = complete.shape
    details: dict[str, Any] = {"raters": raters, "incomplete_items": len(scores) - items}
    found = {"n": items, "level": level, "details": details}
    averaged = 1 if unit == "single" else raters
    name = f"ICC(2,{averaged}), two-way random, absolute agreement"
    if items < 2:
        why = "fewer than two complete items"
        return Estimate(**found, estimate=math.nan, method=f"{name}; undefined: {why}")

    ms_items = raters * complete.mean(axis=1).var(ddof=1)
    ms_raters = items * complete.mean(axis=0).var(ddof=1)
    residual = complete - complete.mean(axis=1, keepdims=True) - complete.mean(axis=0) + complete.mean()
    df1, df2 = items - 1, (items - 1) * (raters - 1)
    ms_error = np.sum(residual**2) / df2
    details |= {"ms_items": float(ms_items), "ms_raters": float(ms_raters), "ms_error": float(ms_error)}
    nothing = (ROUNDING * np.abs(complete).max()) ** 2
    total = ms_items + (raters - 1) * ms_error + raters * (ms_raters - ms_error) / items
    of_mean = ms_items + (ms_raters - ms_error) / items
    if (total if unit == "single" else of_mean) <= nothing:
        why = "all ratings are equal" if np.ptp(complete) == 0 else "no variance beyond error"
        return Estimate(**found, estimate=math.nan, method=f"{name}; undefined: {why}")
    single = (ms_items - ms_error) / total
    estimate = float(_stepped_up(single, averaged))
    if min(ms_items, ms_error) <= nothing:
        why = "raters agree fully" if ms_error <= nothing else "items do not differ"
        return Estimate(**found, estimate=estimate, method=f"{name}; no interval: {why}")
    f = ms_items / ms_error
    details |= {"f": float(f), "df1": df1, "df2": df2}
    ends = _icc_interval(single, ms_items, ms_raters, ms_error, items, raters, level)
    low, high = (float(_stepped_up(end, averaged)) for end in ends)
    p, method = float(stats.f.sf(f, df1, df2)), f"{name}; F interval and test"
    return Estimate(**found, estimate=estimate, low=low, high=high, p=p, method=method)


def kendall_w(rankings: Any, *, resamples: int = 10_000, seed: int = 0) -> Estimate:
    """Kendall's coefficient of concordance: how far raters agree on one ordering, 0 to 1.

    Corrected for ties (Kendall 1948, Rank Correlation Methods). Its p comes from permuting each rater's
    ranks, every arrangement where there are few, since the usual chi-square is poor for the three to seven
    items and few raters of a ranking task (Legendre 2005, Journal of Agricultural, Biological and
    Environmental Statistics 10, 226-245); the chi-square stands in the details.

    Args:
        rankings: items x raters, ranks or scores that are ranked within each rater, ties at mid-ranks; a
            rater with a missing rank is left out, and counted.
        resamples: permutations drawn where there are more than 100,000 arrangements.
        seed: of the random generator.

    Returns:
        An estimate whose `n` counts the items, without an interval, with details: raters, raters_left_out,
        tied_raters, chi2, df, p_chi2, mean_ranks. NaN, with a method that says so, with fewer than two items
        or complete raters, or where every rater ties all items.

    Raises:
        ValueError: fewer than two raters, or a rank that is not a number.
    """
    scores = as_scores(rankings)
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    items, raters = complete.shape
    details: dict[str, Any] = {"raters": raters, "raters_left_out": scores.shape[1] - raters}
    name = "Kendall's W, corrected for ties"
    if items < 2 or raters < 2:
        why = f"{items} items ranked by {raters} raters without a gap, too few"
        return Estimate(estimate=math.nan, n=items, method=f"{name}; undefined: {why}", details=details)
    ranks = stats.rankdata(complete, axis=0) - (items + 1) / 2
    largest = raters * np.sum(ranks**2)
    if largest == 0:
        why = "every rater ties all items"
        return Estimate(estimate=math.nan, n=items, method=f"{name}; undefined: {why}", details=details)
    spread = np.sum(ranks.sum(axis=1) ** 2)
    w = float(spread / largest)
    chi2, df = raters * (items - 1) * w, items - 1
    details |= {
        "tied_raters": int(sum(np.unique(column).size < items for column in ranks.T)),
        "chi2": chi2,
        "df": df,
        "p_chi2": float(stats.chi2.sf(chi2, df)),
        "mean_ranks": (ranks.mean(axis=1) + (items + 1) / 2).tolist(),
    }
    arrangements = math.factorial(items) ** (raters - 1)
    if arrangements <= MOST_EXACT:
        p = float(np.mean(_every_spread(ranks) >= spread - ROUNDING))
        how = f"exact p over {arrangements:,} arrangements"
    else:
        drawn = _drawn_spreads(ranks, resamples, seed)
        p = float((np.sum(drawn >= spread - ROUNDING) + 1) / (resamples + 1))
        how = f"permutation p from {resamples:,} draws"
    return Estimate(estimate=w, p=p, n=items, method=f"{name}; {how}", details=details)


def _stepped_up(value: float, raters: int) -> float:
    """The reliability of a mean of raters from that of one (Spearman-Brown)."""
    room = 1 + (raters - 1) * value
    return raters * value / room if room > 0 else -math.inf


def _icc_interval(
    single: float,
    ms_items: float,
    ms_raters: float,
    ms_error: float,
    items: int,
    raters: int,
    level: float,
) -> tuple[float, float]:
    """McGraw & Wong's interval of ICC(2,1), with Satterthwaite's degrees of freedom for the denominator."""
    ratio = raters * single * ms_raters / ms_error
    rest = items * (1 + (raters - 1) * single) - raters * single
    df = (ratio + rest) ** 2 / (ratio**2 / (raters - 1) + rest**2 / ((items - 1) * (raters - 1)))
    tail = (1 + level) / 2
    lower, upper = stats.f.ppf(tail, items - 1, df), stats.f.ppf(tail, df, items - 1)
    error = raters * ms_raters + (raters * items - raters - items) * ms_error
    low = items * (ms_items / lower - ms_error) / (error + items * ms_items / lower)
    high = items * (ms_items - ms_error / upper) / (error / upper + items * ms_items)
    return low, high


def _every_spread(ranks: np.ndarray) -> np.ndarray:
    """The spread of rank sums in each arrangement; the first rater stays, as only relative order matters."""
    sums = ranks[:, :1].T
    for column in ranks.T[1:]:
        orders = np.array(list(permutations(column)))
        sums = (sums[:, None] + orders).reshape(-1, len(column))
    return np.sum(sums**2, axis=1)


def _drawn_spreads(ranks: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """The spread of rank sums after shuffling each rater's ranks."""
    rng = np.random.default_rng(seed)
    sums = np.zeros((resamples, len(ranks)))
    for column in ranks.T:
        sums += rng.permuted(np.tile(column, (resamples, 1)), axis=1)
    return np.sum(sums**2, axis=1)
