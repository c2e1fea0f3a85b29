"""What stands behind CultureScore's printed percentages: how many questions, and which average of them.

The paper (Rani et al. 2026, arXiv:2606.07311) prints 882 cell percentages in its Tables 11 to 16 and no
denominator. A share of n questions can print as few percentages only, and LTX-2 and Wan 2.2 answer the same
questions in two variants each, so that four percentages share one n.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from helpers.stats.proportions import consistent_counts
from helpers.stats.t_intervals import check_level

RUN = ["model", "variant"]
VEO = "Veo 3.1 Fast"
CELL = ["country", "category", "dimension"]
MOST_QUESTIONS = 150
"""Largest plausible number of questions in a cell: about four for each facet of Table 1's fullest cell."""
MOST_COMBINATIONS = 1_000_000
HALF_DIGIT = 0.05 + 1e-9


def question_counts(cells: pd.DataFrame, countries: pd.DataFrame) -> pd.DataFrame:
    """The number of questions behind each cell, from the percentages alone.

    Each n up to `MOST_QUESTIONS` is tried: every run's percentage must be a whole number of n-ths. Multiples
    of such an n fit as well; the country percentages, which pool the questions of a country's categories,
    decide between them.

    Args:
        cells: one row a run and cell: model, variant, country, category, dimension, accuracy (per cent, one
            decimal); the runs must have answered the same questions.
        countries: printed country percentages of some of these runs: model, variant, country, dimension,
            accuracy.

    Returns:
        One row a cell: country, category, dimension; `smallest` (the least n that fits) and `n` (the one that
        fits the country too), both missing where no n fits all runs but one; `solutions` (in how many ways
        the country's cells fit together: 1 means that n is certain, 0 that nothing fits and n is the
        smallest); `odd_run` (the run left out because no n fits it along with the others, else empty).

    Raises:
        ValueError: a cell given twice or not for every run, a country without printed percentages, or
            percentages so round that over a million combinations would fit.
    """
    wide = _wide(cells)
    fitting = [_fitting(percents) for _, percents in wide.iterrows()]
    found = pd.DataFrame(fitting, index=wide.index, columns=["candidates", "odd_run"])
    printed = dict(list(countries.groupby(["country", "dimension"])))
    solved = []
    for key, group in found.groupby(["country", "dimension"]):
        if key not in printed:
            raise ValueError(f"countries: found no row for {' '.join(key)}, expected its printed percentage")
        targets = printed[key].set_index(RUN)["accuracy"]
        solved.append(_solve(group["candidates"], wide.loc[group.index], targets))
    return pd.concat(solved).join(found["odd_run"]).sort_index().reset_index()


def country_percentages(countries: pd.DataFrame) -> pd.DataFrame:
    """The country rows of Tables 9 and 10, one row a percentage.

    Args:
        countries: the rows of "culturescore_countries".

    Returns:
        model, country, dimension (or "overall"), variant (base, extended) and accuracy (per cent).
    """
    return countries[countries["level"] == "country"].melt(
        id_vars=["model", "country", "dimension"],
        value_vars=["base", "extended"],
        var_name="variant",
        value_name="accuracy",
    )


def nearest_counts(percents: Iterable[float], expected: int, low: int, high: int) -> np.ndarray:
    """For each percentage the number of questions in low..high that can give it and lies nearest `expected`.

    Args:
        percents: printed percentages with one decimal.
        expected: the number that the design suggests; of two equally near ones the smaller is taken.
        low: least number of questions.
        high: largest number of questions.

    Returns:
        Whole numbers, shape (n,).

    Raises:
        ValueError: a percentage that no number in the range can give.
    """
    counts = []
    for percent in percents:
        fit = [n for n in range(low, high + 1) if consistent_counts(percent, n)]
        if not fit:
            raise ValueError(f"found {percent} %, expected a share of {low} to {high} questions")
        counts.append(min(fit, key=lambda n: abs(n - expected)))
    return np.array(counts, dtype=int)


def counted_cells(cells: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Every cell percentage with the number of questions behind it.

    Args:
        cells: the rows of "culturescore_cells".
        counts: as `question_counts` returns them for LTX-2 and Wan 2.2, no count missing.

    Returns:
        The rows of `cells`, plus n. Veo 3.1 Fast saw two clips a cell (294 clips, three variants, 49 cells)
        with about three questions a clip and dimension: its n is the one of 5 to 8 that lies nearest 6.
    """
    sampled = cells["model"] == VEO
    full = cells[~sampled].merge(counts[[*CELL, "n"]], on=CELL, how="left").astype({"n": int})
    veo = cells[sampled].assign(n=nearest_counts(cells.loc[sampled, "accuracy"], expected=6, low=5, high=8))
    return pd.concat([full, veo], ignore_index=True)


def pooled(counted: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Percentages over all questions of a group, in which each question counts once.

    Args:
        counted: rows with accuracy (per cent) and n (questions).
        by: columns that name the groups.

    Returns:
        One row a group: `by`, yes (questions answered yes, whole numbers), n and accuracy.
    """
    yes = (counted["accuracy"] * counted["n"] / 100).round()
    sums = counted.assign(yes=yes).groupby(list(by), as_index=False)[["yes", "n"]].sum()
    return sums.assign(accuracy=100 * sums["yes"] / sums["n"])


def recomputed(counted: pd.DataFrame, countries: pd.DataFrame) -> pd.DataFrame:
    """The country percentages of Tables 9 and 10 beside those that the questions of the cells give.

    Args:
        counted: as `counted_cells` returns them.
        countries: as `country_percentages` returns them.

    Returns:
        One row a printed percentage: model, variant, country, dimension (or "overall"), table (as printed),
        cells (all questions pooled) and difference (table minus cells, percentage points).
    """
    place = [*RUN, "country"]
    parts = [pooled(counted, [*place, "dimension"]), pooled(counted, place).assign(dimension="overall")]
    ours = pd.concat(parts)[[*place, "dimension", "accuracy"]].rename(columns={"accuracy": "cells"})
    printed = countries.rename(columns={"accuracy": "table"})
    both = printed.merge(ours, on=[*place, "dimension"], how="left")
    return both.assign(difference=both["table"] - both["cells"])


def averages(
    counted: pd.DataFrame, by: Sequence[str], questions_per_clip: float, level: float = 0.95
) -> pd.DataFrame:
    """CultureScore (the mean of the dimensions) with the narrowest and the widest interval of the design.

    Questions about one clip hang together, how much is not published. If not at all, the questions are the
    independent units; if entirely, so that a clip passes or fails as a whole, the clips are. The truth lies
    between. Both are normal intervals, and neither includes the judge's own errors.

    Args:
        counted: rows with dimension, accuracy (per cent) and n (questions).
        by: columns that name the groups.
        questions_per_clip: questions asked about one clip, over all dimensions.
        level: confidence level.

    Returns:
        One row a group: `by`, average (mean of the question-pooled dimensions, per cent), questions, clips,
        low and high (questions as units), clip_low and clip_high (clips as units).

    Raises:
        ValueError: a level outside (0, 1), or questions_per_clip not above 0.
    """
    check_level(level)
    if not questions_per_clip > 0:
        raise ValueError(f"questions_per_clip: found {questions_per_clip}, expected a number above 0")
    shares = pooled(counted, [*by, "dimension"])
    shares["sd"] = np.sqrt(shares["accuracy"] * (100 - shares["accuracy"]))
    shares["variance"] = shares["sd"] ** 2 / shares["n"]
    groups = shares.groupby(list(by))
    average, questions = groups["accuracy"].mean(), groups["n"].sum()
    clips = questions / questions_per_clip
    z = stats.norm.ppf((1 + level) / 2)
    half = z * np.sqrt(groups["variance"].sum()) / groups.size()
    clip_half = z * groups["sd"].mean() / np.sqrt(clips)
    return pd.DataFrame(
        {
            "average": average,
            "questions": questions,
            "clips": clips,
            "low": average - half,
            "high": average + half,
            "clip_low": average - clip_half,
            "clip_high": average + clip_half,
        }
    ).reset_index()


def _wide(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a cell and one column a run, complete."""
    duplicates = cells.duplicated([*RUN, *CELL])
    if duplicates.any():
        raise ValueError(f"cells: found {cells[duplicates].iloc[0].to_dict()} twice, expected it once")
    wide = cells.pivot_table(index=CELL, columns=RUN, values="accuracy")
    lacking = wide.index[wide.isna().any(axis=1)]
    if len(lacking):
        raise ValueError(f"cells: found {' '.join(lacking[0])} in some runs only, expected it in each")
    return wide


def _fitting(percents: pd.Series) -> tuple[list[int], str]:
    """Every n that fits all runs; where none does, all runs but the one that leaves the smallest n."""
    everywhere = _common(percents)
    if everywhere:
        return everywhere, ""
    without = {run: _common(percents.drop([run])) for run in percents.index}
    fitting = {run: found for run, found in without.items() if found}
    if not fitting:
        return [], ""
    odd = min(fitting, key=lambda run: fitting[run][0])
    return fitting[odd], " ".join(odd)


def _common(percents: Iterable[float]) -> list[int]:
    percents = list(percents)
    return [n for n in range(1, MOST_QUESTIONS + 1) if all(consistent_counts(p, n) for p in percents)]


def _solve(candidates: pd.Series, percents: pd.DataFrame, printed: pd.Series) -> pd.DataFrame:
    """The counts of one country and dimension that also give its printed percentages."""
    sizes = candidates.str.len()
    if math.prod(sizes) > MOST_COMBINATIONS:
        raise ValueError(f"{candidates.index[0]}: found over {MOST_COMBINATIONS:,} possible combinations")
    smallest = candidates[sizes > 0].str[0].reindex(candidates.index).astype("Int64")
    tried = np.array(list(product(*candidates)), dtype=int).reshape(-1, len(candidates))
    fits = np.full(len(tried), True)
    for run, accuracy in printed.items():
        yes = np.round(tried * percents[run].to_numpy() / 100)
        fits &= np.abs(100 * yes.sum(axis=1) / tried.sum(axis=1) - accuracy) <= HALF_DIGIT
    counts = pd.DataFrame({"smallest": smallest, "n": smallest, "solutions": int(fits.sum())})
    if fits.any():
        counts["n"] = pd.array(min(tried[fits], key=sum), dtype="Int64")
    return counts
