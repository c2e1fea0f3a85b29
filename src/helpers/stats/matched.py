"""Comparisons in which a prompt's difficulty cancels: two scores of one clip, prompts that differ in a name.

Rows are ratings or clips; what is independent is the prompt (or the matched set), so intervals count prompts.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.differences import holm, without_noise
from helpers.stats.results import Estimate

# Resamples held in memory at once.
BATCH = 1000
# Relative differences below this are rounding: equal deviations count as equal.
TIED = 1e-12


class Rows(NamedTuple):
    """The rows that can be used, and how many could not.

    Attributes:
        numbers: each shape (n,), by name.
        labels: as strings, each shape (n,), by name.
        missing: rows left out because one of their numbers is missing.
    """

    numbers: dict[str, np.ndarray]
    labels: dict[str, np.ndarray]
    missing: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CountryDifferences:
    """Paired differences by country, and whether the countries differ in them.

    Attributes:
        countries: by country, the mean difference with its interval; p tests 0, details hold p_holm (over the
            countries), relative (minus the mean over countries), clusters and missing.
        heterogeneity: Welch's F test that all countries share one difference.
    """

    countries: dict[str, Estimate]
    heterogeneity: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedSets:
    """What the country's name does within sets of prompts that are otherwise the same.

    Attributes:
        effect: standard deviation of the countries' mean deviations from their sets; p tests that the name
            makes no difference in any set.
        countries: by country, the mean deviation from its sets' means; p is adjusted over countries.
    """

    effect: Estimate
    countries: dict[str, Estimate]


def complete_rows(numbers: Mapping[str, Any], labels: Mapping[str, Any]) -> Rows:
    """The rows in which every number is known; the others are left out and counted.

    Args:
        numbers: by name, each shape (n,); NaN or None where missing.
        labels: by name, each shape (n,), none missing; read as strings.

    Raises:
        ValueError: lengths differ; a label is missing; a number is infinite or not a number; no row is
            complete.
    """
    values = {name: np.asarray(array, dtype=float) for name, array in numbers.items()}
    words = {name: pd.Series(np.asarray(array, dtype=object)) for name, array in labels.items()}
    lengths = {name: len(array) for name, array in {**values, **words}.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"found lengths {lengths}, expected one length")
    for name, array in words.items():
        if array.isna().any():
            raise ValueError(
                f"{name}: found no label at position {array.isna().argmax()} ({array.isna().sum()} such), "
                "expected one a row"
            )
    for name, array in values.items():
        if np.isinf(array).any():
            raise ValueError(
                f"{name}: found infinity at position {np.isinf(array).argmax()}, expected numbers or NaN"
            )
    known = ~np.isnan(np.column_stack(list(values.values()))).any(axis=1)
    if not known.any():
        raise ValueError(
            f"found no row with {' and '.join(values)} among {known.size}, expected at least one"
        )
    return Rows(
        {name: array[known] for name, array in values.items()},
        {name: array[known].astype(str).to_numpy(dtype=object) for name, array in words.items()},
        int((~known).sum()),
    )


def means_by_country(
    values: np.ndarray,
    country: np.ndarray,
    cluster: np.ndarray,
    *,
    unit: str = "prompts",
    level: float = 0.95,
    null: float | None = None,
) -> dict[str, Estimate]:
    """By country, in alphabetical order, the mean of its rows with a t interval over its clusters.

    Args:
        values: shape (n,), none missing.
        country: shape (n,).
        cluster: what is independent of each other, shape (n,).
        unit: what a cluster is, in the plural, for captions.
        level: confidence level of the intervals.
        null: a value to test against; None tests nothing.
    """
    return {
        str(name): cluster_bootstrap(
            values[country == name], cluster[country == name], method="t", level=level, null=null, unit=unit
        )
        for name in np.unique(country)
    }


def difference_by_country(
    first: Any,
    second: Any,
    *,
    country: Any,
    prompt: Any,
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
) -> CountryDifferences:
    """Two scores of the same clips: their mean difference in each country.

    Args:
        first: one row a clip, shape (n,); NaN where missing (rows without both scores are left out, counted).
        second: the other score of the same clips, same unit, shape (n,).
        country: shape (n,).
        prompt: the prompt of each clip, shape (n,); clips of one prompt depend on each other.
        names: what the two scores are called in captions.
        level: confidence level of the intervals.

    Returns:
        first - second by country: t interval over prompts (G - 1 degrees of freedom), unadjusted p and, in
        the details, Holm's over the countries. A country with one prompt, or whose prompts all differ by the
        same, has no interval (its method says so) and no part in the test of heterogeneity.

    Raises:
        ValueError: as `complete_rows`.
    """
    rows = complete_rows(
        dict(zip(names, (first, second), strict=True)), {"country": country, "prompt": prompt}
    )
    one, two = (rows.numbers[name] for name in names)
    where = rows.labels["country"]
    found = means_by_country(one - two, where, rows.labels["prompt"], level=level, null=0)
    for name, estimate in found.items():
        inside = where == name
        found[name] = replace(estimate, method=f"{names[0]} minus {names[1]}, {estimate.method}")
        estimate.details.update(
            {names[0]: one[inside].mean(), names[1]: two[inside].mean()}, missing=rows.missing
        )
    return compared(found)


def compared(found: dict[str, Estimate]) -> CountryDifferences:
    """Differences by country, completed by what needs all countries: Holm's p, relative size, heterogeneity.

    Args:
        found: by country, an estimate whose details hold se and df; changed in place.
    """
    with_holm(found)
    centre = np.mean([estimate.estimate for estimate in found.values()])
    for estimate in found.values():
        estimate.details["relative"] = float(estimate.estimate - centre)
    return CountryDifferences(countries=found, heterogeneity=heterogeneity(found))


def with_holm(found: dict[str, Estimate]) -> dict[str, Estimate]:
    """The same estimates; their details gain p_holm, over those that were tested (NaN for the others)."""
    tested = [name for name, estimate in found.items() if not np.isnan(estimate.p)]
    adjusted = dict(zip(tested, holm([found[name].p for name in tested]), strict=True)) if tested else {}
    for name, estimate in found.items():
        estimate.details["p_holm"] = float(adjusted.get(name, np.nan))
    return found


def heterogeneity(found: Mapping[str, Estimate]) -> Estimate:
    """Welch's F test that independent estimates share one true value.

    Args:
        found: estimates by name, each with se and df in its details; those without a positive se take no
            part.

    Returns:
        F and its p; details hold df, df_error, range (largest minus smallest) and left_out. With fewer than
        two estimates that vary, F and p are NaN and the method says so.

    Source: Welch (1951), Biometrika 38, 330-336, from standard errors; with one value a cluster it is Welch's
    analysis of variance.
    """
    used = {name: each for name, each in found.items() if each.details["se"] > 0}
    details: dict[str, Any] = {"left_out": [name for name in found if name not in used]}
    method = "Welch's F test of one value for all"
    k = len(used)
    if k < 2:
        method += "; no test: fewer than two with a standard error"
        return Estimate(estimate=np.nan, n=k, method=method, details=details)
    value = np.array([each.estimate for each in used.values()])
    weight = 1 / np.array([each.details["se"] for each in used.values()]) ** 2
    freedom = np.array([each.details["df"] for each in used.values()])
    lack = np.sum((1 - weight / weight.sum()) ** 2 / freedom)
    between = np.sum(weight * (value - np.average(value, weights=weight)) ** 2) / (k - 1)
    statistic = between / (1 + 2 * (k - 2) / (k**2 - 1) * lack)
    df_error = (k**2 - 1) / (3 * lack)
    details |= {"df": k - 1, "df_error": float(df_error), "range": float(np.ptp(value))}
    p = float(stats.f.sf(statistic, k - 1, df_error))
    return Estimate(estimate=float(statistic), p=p, n=k, method=method, details=details)


def country_effect_in_sets(
    score: Any,
    *,
    country: Any,
    matched_set: Any,
    model: Any = None,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> MatchedSets:
    """Does the country's name matter where the prompts of a set differ in nothing else?

    Scores are averaged to one value a set and country. If the name made no difference, the values of a set
    could have come in any order over its countries; the test permutes them within sets: all (countries!)^sets
    orders where these are at most `resamples`, else random ones, counting the observed order among them
    (Phipson & Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9, 39). p for single countries compares each with the
    largest absolute deviation of all countries in each permutation (Westfall & Young 1993), so that it holds
    over all of them.

    Args:
        score: one row a rating or clip, shape (n,); NaN where missing (left out and counted).
        country: shape (n,).
        matched_set: which prompts belong together, shape (n,).
        model: the text-to-video model, shape (n,). Where a model lacks a country in a set, its other clips of
            that set are left out too, so that a blocked clip cannot look like a country's effect. None: one
            model.
        resamples: most permutations.
        level: confidence level of the countries' intervals (t over sets).
        seed: of the random permutations.

    Returns:
        Effect and countries; `n` counts sets. Details hold permutations, exact, missing, incomplete (set and
        model left out for lack of a country), and expected (the effect that chance alone gives, on average).

    Raises:
        ValueError: as `complete_rows`; one country; fewer than two complete sets; resamples below 1.
    """
    if resamples < 1:
        raise ValueError(f"resamples: found {resamples}, expected at least 1")
    model = np.full(len(score), "") if model is None else model
    rows = complete_rows({"score": score}, {"set": matched_set, "model": model, "country": country})
    frame = pd.DataFrame(rows.labels).assign(score=rows.numbers["score"])
    table = frame.pivot_table(index=["set", "model"], columns="country", values="score", aggfunc="mean")
    if table.shape[1] < 2:
        raise ValueError(f"country: found only '{table.columns[0]}', expected at least two countries")
    complete = table.dropna()
    by_set = complete.groupby("set").mean()
    if len(by_set) < 2:
        raise ValueError(
            f"found {len(by_set)} sets with all {table.shape[1]} countries, expected at least two"
        )
    deviation = by_set.sub(by_set.mean(axis=1), axis=0)
    deviation[:] = without_noise(deviation.to_numpy(), float(by_set.abs().to_numpy().max()))

    exact = math.factorial(by_set.shape[1]) ** len(by_set) <= resamples
    spread = _permuted(deviation, _spread, resamples, seed)
    largest = _permuted(deviation, _largest, resamples, seed).null_distribution
    shared = {
        "permutations": len(largest),
        "exact": exact,
        "missing": rows.missing,
        "incomplete": len(table) - len(complete),
    }
    kind = (
        f"{'all' if exact else 'random'} {len(largest):,} permutations of countries within {len(by_set)} sets"
    )
    effect = Estimate(
        estimate=float(spread.statistic),
        p=float(spread.pvalue),
        n=len(by_set),
        method=f"standard deviation of the countries' mean deviations from their sets; {kind}",
        details=shared | {"expected": float(spread.null_distribution.mean()), "countries": by_set.shape[1]},
    )
    countries = {}
    for name, values in deviation.items():
        plain = cluster_bootstrap(values, deviation.index, method="t", level=level, unit="sets")
        beyond = np.count_nonzero(largest >= abs(plain.estimate) * (1 - TIED))
        countries[str(name)] = replace(
            plain,
            p=float((beyond + (not exact)) / (len(largest) + (not exact))),
            method=f"mean deviation from the set, {plain.method}; p by the largest deviation in {kind}",
            details=plain.details | shared,
        )
    return MatchedSets(effect=effect, countries=countries)


def _permuted(
    deviation: pd.DataFrame, statistic: Callable[..., np.ndarray], resamples: int, seed: int
) -> Any:
    """A statistic of the countries' columns and its distribution when countries change places within sets."""
    return stats.permutation_test(
        tuple(deviation.to_numpy().T),
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=BATCH,
        alternative="greater",
        rng=np.random.default_rng(seed),
    )


def _spread(*countries: np.ndarray, axis: int) -> np.ndarray:
    return np.std([country.mean(axis=axis) for country in countries], axis=0, ddof=1)


def _largest(*countries: np.ndarray, axis: int) -> np.ndarray:
    return np.abs([country.mean(axis=axis) for country in countries]).max(axis=0)
