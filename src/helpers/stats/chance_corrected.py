"""Chance-corrected agreement between any number of raters, with missing ratings: one framework for all.

Every coefficient is (pa - pe) / (1 - pe): observed agreement pa, the same for all but Krippendorff's alpha,
and the agreement pe that each expects by chance. Weights give partial credit for near misses. Standard errors
are those of the coefficient linearised over items (Gwet 2008, British Journal of Mathematical and Statistical
Psychology 61, 29-48; Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed.); intervals take Student's t
with items - 1 degrees of freedom and are cut at 1.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from helpers.stats.ratings import Tally, tally
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level, t_interval

# A standard error below this is rounding, not variation between items.
ROUNDING = 1e-9


def percent_agreement(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """The mean over items of the share of rater pairs that agree, chance left in.

    Arguments, result and errors as `gwet_ac`; pe is 0.
    """
    return _corrected("Percent agreement", tally(ratings, categories, weights), 0.0, 0.0, level)


def brennan_prediger(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """Agreement beyond raters who choose every declared category equally often (Brennan & Prediger 1981).

    Arguments, result and errors as `gwet_ac`.
    """
    counted = tally(ratings, categories, weights)
    expected = float(counted.weights.mean())
    return _corrected("Brennan-Prediger coefficient", counted, expected, expected, level)


def gwet_ac(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """Gwet's AC1 (identity weights) or AC2 (any other): agreement that does not collapse on skewed answers.

    The list of categories is declared, never inferred: a category that nobody used lowers the agreement
    expected by chance and so raises the coefficient.

    Args:
        ratings: items x raters; NaN or None where a rater did not rate an item.
        categories: every category that the raters could choose; numbers or labels.
        weights: see `weight_matrix`.
        level: the interval's confidence level.

    Returns:
        An estimate whose `n` counts the items rated at least twice, with a two-sided p for "no agreement
        beyond chance" and details: pa, pe, se, items (rated at all), pairable_items, unrated_items (left
        out), raters (with any rating), ratings, unused_categories. The interval and p are NaN where the
        standard error is 0 or undefined (every pair agrees; one item), the estimate too where no item has two
        ratings; the method says why.

    Raises:
        ValueError: not items x raters with two raters or more; no rating at all; a rating outside the
            declared categories (the first is named, with its row and column); as `weight_matrix`.
    """
    counted = tally(ratings, categories, weights)
    count = len(counted.weights)
    factor = counted.weights.sum() / (count * (count - 1))
    shares = counted.shares.mean(axis=0)
    name = "Gwet's AC1" if weights == "identity" else "Gwet's AC2"
    per_item = factor * counted.shares @ (1 - shares)
    return _corrected(name, counted, factor * shares @ (1 - shares), per_item, level)


def fleiss_kappa(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """Fleiss' kappa (1971), for two raters Scott's pi: chance from the categories' shares over all raters.

    Arguments and errors as `gwet_ac`. The estimate is NaN where all ratings are equal: chance then predicts
    full agreement, and 0/0 says nothing. With few items and skewed answers the interval is too narrow (it
    covers about 87 % at 30 items and 80 % yes), which AC1's is not.
    """
    counted = tally(ratings, categories, weights)
    credit = counted.weights @ counted.shares.mean(axis=0)
    expected = float(counted.shares.mean(axis=0) @ credit)
    return _corrected("Fleiss' kappa", counted, expected, counted.shares @ credit, level)


def conger_kappa(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """Conger's kappa (1980), for two raters Cohen's kappa: chance from each rater's own shares.

    Arguments and errors as `gwet_ac`; NaN where all ratings are equal, as `fleiss_kappa`.
    """
    counted = tally(ratings, categories, weights)
    chosen = counted.codes[:, :, None] == np.arange(len(counted.weights))
    rated = counted.codes >= 0
    share_rated = rated.mean(axis=0)[:, None]
    own = chosen.mean(axis=0) / share_rated
    others = (own.sum(axis=0) - own) @ counted.weights
    influence = (chosen - rated[:, :, None] * own) / share_rated + own
    pairs = len(own) * (len(own) - 1) or math.nan
    per_item = np.einsum("irk,rk->i", influence, others) / pairs
    return _corrected("Conger's kappa", counted, float(np.sum(own * others)) / pairs, per_item, level)


def krippendorff_alpha(
    ratings: Any, categories: Sequence[Any], *, weights: str = "identity", level: float = 0.95
) -> Estimate:
    """Krippendorff's alpha (2004) in Gwet's form, from the items rated at least twice.

    Identity weights are Krippendorff's nominal metric and quadratic ones his interval metric; his ordinal
    metric depends on the data and is not the "ordinal" here. Arguments and errors as `gwet_ac`; NaN where all
    pairable ratings are equal, as `fleiss_kappa`. Standard error and degrees of freedom (pairable items - 1)
    follow the values that Gwet publishes with irrCAC.
    """
    counted = tally(ratings, categories, weights)
    name = "Krippendorff's alpha"
    counts = counted.counts[counted.pairable]
    if not len(counts):
        return _result(name, counted, math.nan, math.nan, np.array([]), level)
    mean_rated = counts.sum(axis=1).mean()
    excess = counts.sum(axis=1) / mean_rated - 1
    agreed = counted.agreed[counted.pairable] * (1 + excess)
    uncorrected = agreed.mean()
    observed = uncorrected + (1 - uncorrected) / counts.sum()
    shares = counts / mean_rated
    credit = counted.weights @ shares.mean(axis=0)
    expected = float(shares.mean(axis=0) @ credit)
    room = _room(expected)
    by_chance = shares @ credit - expected * (1 + excess)
    beyond = (agreed - observed * excess - expected) / room
    linear = beyond - 2 * (1 - uncorrected) / room * by_chance / room
    return _result(name, counted, float(observed), expected, linear, level)


def _room(expected: float) -> float:
    """1 - pe, the agreement that chance leaves; NaN where it leaves none."""
    return math.nan if math.isclose(expected, 1) else 1 - expected


def _corrected(
    name: str, counted: Tally, expected: float, per_item: np.ndarray | float, level: float
) -> Estimate:
    """A coefficient from its chance agreement pe and each item's part of it."""
    pairable = counted.pairable
    if not pairable.any():
        return _result(name, counted, math.nan, float(expected), np.array([]), level)
    observed = float(counted.agreed[pairable].mean())
    room = _room(expected)
    value = (observed - expected) / room
    beyond = (counted.agreed - expected * pairable) / (pairable.mean() * room)
    linear = beyond - 2 * (1 - value) * (per_item - expected) / room
    return _result(name, counted, observed, float(expected), linear, level)


def _result(
    name: str, counted: Tally, observed: float, expected: float, linear: np.ndarray, level: float
) -> Estimate:
    """The estimate with the interval from the linearised values of the items."""
    check_level(level)
    pairable = int(counted.pairable.sum())
    value = (observed - expected) / _room(expected)
    se = float(linear.std(ddof=1) / math.sqrt(linear.size)) if linear.size > 1 else math.nan
    se = 0.0 if se < ROUNDING else se
    details = {
        "pa": observed,
        "pe": expected,
        "se": se,
        "items": len(counted.codes),
        "pairable_items": pairable,
        "unrated_items": counted.unrated,
        "raters": counted.codes.shape[1],
        "ratings": int(counted.counts.sum()),
        "unused_categories": counted.unused,
    }
    found = {"estimate": value, "n": pairable, "level": level, "details": details}
    method = f"{name}, {counted.scale}"
    if not pairable:
        return Estimate(**found, method=f"{method}; undefined: no item was rated twice")
    if math.isnan(value):
        return Estimate(**found, method=f"{method}; undefined: all ratings are equal, as chance predicts")
    if not se > 0:
        why = "one item" if linear.size < 2 else "no variation between items"
        return Estimate(**found, method=f"{method}; no interval: {why}")
    low, high = t_interval(value, se, linear.size - 1, level)
    p = float(2 * stats.t.sf(abs(value) / se, linear.size - 1))
    method = f"{method}; t interval over {linear.size} items"
    return Estimate(**found, low=low, high=min(1.0, high), p=p, method=method)
