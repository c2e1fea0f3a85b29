"""Pairs of raters compared: on several labels at once within an item, on an ordering within a country."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from helpers.checking import nearest
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.ratings import as_scores, as_table
from helpers.stats.results import Estimate

BOTH_EMPTY = {"skip": "left out", "one": "counted as agreement"}
COEFFICIENTS = {
    "spearman": ("Spearman's rho", lambda x, y: stats.spearmanr(x, y).statistic),
    "kendall": ("Kendall's tau-b", lambda x, y: stats.kendalltau(x, y, variant="b").statistic),
}
# Two clips always correlate at -1 or 1.
FEWEST_SHARED = 3


def jaccard(
    answers: Any,
    labels: Iterable[Any],
    *,
    both_empty: str = "skip",
    method: str = "auto",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Average pairwise Jaccard similarity of select-all-that-apply answers, as CultureScore reports it (4.2).

    The labels that both raters chose over those that either chose (Jaccard 1912), averaged over the pairs of
    raters within an item and then over items, so that an item with more raters does not count more.

    Args:
        answers: items x raters of sets, lists or tuples of labels (empty: none applied); None or NaN where a
            rater did not see the item.
        labels: every label that could be chosen.
        both_empty: what two empty answers are: "skip" leaves the pair out, "one" counts full agreement.
        method: the interval over items, as `cluster_bootstrap` with one cluster an item and bounds 0 and 1.
        resamples: as there.
        level: as there.
        seed: as there.

    Returns:
        An estimate whose `n` counts the items with at least one pair, with details: items, raters, pairs
        (compared), both_empty_pairs, items_without_pairs (left out), se. NaN, with a method that says so,
        where no pair is left; no interval for one item or where all items agree equally.

    Raises:
        ValueError: fewer than two raters; no answer at all; an answer that is not a collection or holds an
            undeclared label (both named with row and column); an unknown rule.
    """
    if both_empty not in BOTH_EMPTY:
        raise ValueError(f"both_empty: found '{both_empty}', expected one of {', '.join(BOTH_EMPTY)}")
    table = as_table(answers)
    present = ~pd.isna(table)
    if not present.any():
        raise ValueError(f"answers: found none, all {table.size} are missing; expected some")
    chosen = _membership(table, present, list(labels))
    first, second = map(list, zip(*combinations(range(table.shape[1]), 2), strict=True))
    pairs = present[:, first] & present[:, second]
    both = (chosen[:, first] & chosen[:, second]).sum(axis=2)
    either = (chosen[:, first] | chosen[:, second]).sum(axis=2)
    empty = pairs & (either == 0)
    if both_empty == "skip":
        pairs &= ~empty
    similarity = np.where(empty, 1.0, both / np.maximum(either, 1))
    compared = pairs.sum(axis=1)
    used = compared > 0
    details = {
        "items": int(used.sum()),
        "raters": table.shape[1],
        "pairs": int(pairs.sum()),
        "both_empty_pairs": int(empty.sum()),
        "items_without_pairs": int((~used).sum()),
    }
    name = f"average pairwise Jaccard similarity, pairs of empty answers {BOTH_EMPTY[both_empty]}"
    if not used.any():
        method = f"{name}; undefined: no pair of answers to compare"
        return Estimate(estimate=np.nan, n=0, method=method, level=level, details=details)
    by_item = (similarity * pairs).sum(axis=1)[used] / compared[used]
    found = cluster_bootstrap(
        by_item,
        np.arange(by_item.size),
        method=method,
        resamples=resamples,
        level=level,
        seed=seed,
        unit="items",
        bounds=(0, 1),
    )
    return replace(found, method=f"{name}; {found.method}", details=found.details | details)


def inter_rater_correlation(
    ratings: Any,
    countries: Any,
    coefficient: str = "spearman",
    *,
    method: str = "auto",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """How alike people order the same clips: the ceiling under CultureVidBench's judges (Table 2, last row).

    Within a country every pair of raters is correlated over the clips that both rated, the pairs are averaged
    and then the countries (appendix C.3, eq. 1). A pair with a rater who gave one score throughout has no
    correlation: it is left out and counted, never NaN in an average.

    Args:
        ratings: clips x raters, numbers, missing where a rater did not rate a clip. Columns may be raters, or
            the first, second and third rater of each country.
        countries: each clip's country, shape (clips,).
        coefficient: "spearman" or "kendall" (tau-b).
        method: the interval over countries, as `cluster_bootstrap` with one cluster a country, bounds ±1.
        resamples: as there.
        level: as there.
        seed: as there.

    Returns:
        An estimate whose `n` counts the pairs, with details: countries, pairs, constant_pairs and short_pairs
        (left out: a constant rater, fewer than three clips in common), by_country, countries_left_out, se.
        NaN, with a method that says so, where no pair is left; no interval for one country.

    Raises:
        ValueError: fewer than two raters, a rating that is not a number, a missing country or another number
            of countries than clips, or an unknown coefficient.
    """
    if coefficient not in COEFFICIENTS:
        raise ValueError(
            f"coefficient: found '{coefficient}', expected one of {', '.join(COEFFICIENTS)}"
            + nearest(coefficient, COEFFICIENTS)
        )
    name, function = COEFFICIENTS[coefficient]
    scores, places = as_scores(ratings), pd.Series(np.asarray(countries), dtype=object)
    if len(places) != len(scores) or places.isna().any():
        raise ValueError(
            f"countries: found {places.notna().sum()} for {len(scores)} clips, expected one a clip"
        )
    by_country, left_out = {}, []
    counts = dict.fromkeys(["pairs", "constant_pairs", "short_pairs"], 0)
    for country in places.unique():
        values = _pair_values(scores[places == country], function, counts)
        if values:
            by_country[country] = float(np.mean(values))
        else:
            left_out.append(country)
    details = counts | {
        "countries": len(by_country),
        "by_country": by_country,
        "countries_left_out": left_out,
    }
    name = f"mean inter-rater {name} within countries"
    if not by_country:
        method = f"{name}; undefined: no pair of raters to compare"
        return Estimate(estimate=np.nan, n=0, method=method, level=level, details=details)
    found = cluster_bootstrap(
        list(by_country.values()),
        list(by_country),
        method=method,
        resamples=resamples,
        level=level,
        seed=seed,
        unit="countries",
        bounds=(-1, 1),
    )
    method = f"{name}; {found.method}"
    return replace(found, n=counts["pairs"], method=method, details=found.details | details)


def _membership(table: np.ndarray, present: np.ndarray, labels: list[Any]) -> np.ndarray:
    """Which labels each answer holds, items x raters x labels."""
    position = {label: number for number, label in enumerate(labels)}
    if len(position) < len(labels) or not labels:
        raise ValueError(f"labels: found {labels}, expected at least one, each declared once")
    chosen = np.zeros((*table.shape, len(labels)), dtype=bool)
    for row, column in np.argwhere(present):
        answer = table[row, column]
        where = f"in row {row}, column {column}"
        if not isinstance(answer, (set, frozenset, list, tuple)):
            raise ValueError(f"answers: found {answer!r} {where}, expected a set, list or tuple of labels")
        for label in answer:
            if label not in position:
                raise ValueError(
                    f"answers: found {label!r} {where}; expected declared labels {labels}"
                    + nearest(str(label), map(str, labels))
                )
            chosen[row, column, position[label]] = True
    return chosen


def _pair_values(scores: np.ndarray, function: Any, counts: dict[str, int]) -> list[float]:
    """The correlation of each pair of raters in one country; what is left out is added to the counts."""
    values = []
    for first, second in combinations(scores.T, 2):
        shared = ~np.isnan(first) & ~np.isnan(second)
        if not shared.any():
            continue
        if shared.sum() < FEWEST_SHARED:
            counts["short_pairs"] += 1
        elif np.ptp(first[shared]) == 0 or np.ptp(second[shared]) == 0:
            counts["constant_pairs"] += 1
        else:
            values.append(float(function(first[shared], second[shared])))
            counts["pairs"] += 1
    return values
