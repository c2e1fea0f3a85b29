"""Prediction-powered inference: a human mean from a judge on all prompts and people on some."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from helpers.stats.matched import complete_rows
from helpers.stats.results import Estimate, as_floats, paired
from helpers.stats.t_intervals import combined_error, t_estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictionPowered:
    """A judge's means corrected by the clips that people rated.

    Attributes:
        countries: by country, the prediction-powered mean.
        overall: the mean in which every country weighs the same.
    """

    countries: dict[str, Estimate]
    overall: Estimate


def prediction_powered_mean(
    judge_unrated: Any,
    judge_rated: Any,
    human_rated: Any,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """A human mean over many prompts from a judge on all of them and people on some (PPI++).

    weight x mean(judge, unrated) + mean(human - weight x judge, rated). Whatever the judge's bias, the rated
    prompts correct it, provided that they are a random sample of all; the better the judge follows people,
    the narrower the interval. weight = 1 is prediction-powered inference, 0 the people alone; by default it
    is tuned, cov(human, judge) / ((1 + rated/unrated) var(judge)), cut to [0, 1].

    Every value must be independent of the others: average the clips of a prompt first.

    Args:
        judge_unrated: the judge on the prompts that nobody rated, shape (N,), at least 3.
        judge_rated: the judge on the rated prompts, shape (n,), at least 3.
        human_rated: people on the same prompts, shape (n,).
        weight: of the judge, in [0, 1]; None tunes it.
        level: confidence level of the interval.

    Returns:
        The mean; `n` counts rated prompts. The interval is Welch's t (two independent means), where the
        articles use the normal: with a dozen rated prompts that would be too narrow; a tuned weight costs a
        degree of freedom. Details: weight,
        unrated, se, df, human (mean of the rated alone), human_low, human_high (t) and width_ratio
        (interval's width over the people's alone). A judge that never varies has weight 0. No variation at
        all: no interval.

    Raises:
        ValueError: missing values, fewer than three of a kind, a weight outside [0, 1].

    Source: Angelopoulos et al. (2023), Science 382, 669-674; Angelopoulos, Duchi & Zrnic (2023),
    arXiv:2311.01453 (power tuning). Their package ppi_py (`ppi_mean_ci`) divides by n where this divides by n
    less the degrees of freedom spent, and uses the normal.
    """
    unrated = as_floats(judge_unrated, "judge_unrated")
    human, judge = paired(human_rated, judge_rated)
    if human.size < 3 or unrated.size < 3:
        raise ValueError(f"found {human.size} rated and {unrated.size} unrated, expected at least 3 of each")
    # Degrees of freedom: the mean, and a weight fitted to the same values.
    spent = 1 if weight is not None else 2
    weight = _tuned([(unrated, judge, human)]) if weight is None else weight
    if not 0 <= weight <= 1:
        raise ValueError(f"weight: found {weight}, expected a number from 0 to 1")
    rectified = human - weight * judge
    parts = np.array([weight**2 * unrated.var(ddof=1) / unrated.size, rectified.var(ddof=spent) / human.size])
    se, df = combined_error(parts, np.array([unrated.size - 1, human.size - spent]))
    alone = t_estimate(
        human.mean(), human.std(ddof=1) / np.sqrt(human.size), human.size - 1, human.size, "", level
    )
    found = t_estimate(
        weight * unrated.mean() + rectified.mean(),
        se,
        df,
        human.size,
        f"prediction-powered mean (PPI++, weight of the judge {weight:.2f}), Welch t interval",
        level,
    )
    found.details.update(
        weight=float(weight),
        unrated=unrated.size,
        human=alone.estimate,
        human_low=alone.low,
        human_high=alone.high,
        width_ratio=(found.high - found.low) / (alone.high - alone.low),
    )
    return found


def prediction_powered_by_country(
    judge_unrated: Any,
    judge_rated: Any,
    human_rated: Any,
    *,
    country_unrated: Any,
    country_rated: Any,
    level: float = 0.95,
) -> PredictionPowered:
    """`prediction_powered_mean` within each country, with one weight of the judge for all.

    One tuned weight (from variances and covariances within countries) hardly depends on any one country's
    dozen rated prompts; the correction of the judge's bias remains each country's own.

    Args:
        judge_unrated: the judge on prompts that nobody rated, one value a prompt, shape (N,), none missing.
        judge_rated: the judge on the rated prompts, shape (n,).
        human_rated: people on the same prompts, shape (n,).
        country_unrated: shape (N,).
        country_rated: shape (n,).
        level: confidence level of the intervals.

    Returns:
        By country, as `prediction_powered_mean`, and over countries of equal weight.

    Raises:
        ValueError: as `prediction_powered_mean`; a country without rated or without unrated prompts.
    """
    rated = complete_rows({"judge": judge_rated, "human": human_rated}, {"country": country_rated})
    unrated = complete_rows({"judge": judge_unrated}, {"country": country_unrated})
    names = np.unique(np.concatenate([rated.labels["country"], unrated.labels["country"]]))
    data = {}
    for name in names:
        inside, outside = rated.labels["country"] == name, unrated.labels["country"] == name
        if inside.sum() < 3 or outside.sum() < 3:
            raise ValueError(
                f"{name}: found {inside.sum()} rated and {outside.sum()} unrated prompts, expected 3 of each"
            )
        data[str(name)] = (
            unrated.numbers["judge"][outside],
            rated.numbers["judge"][inside],
            rated.numbers["human"][inside],
        )
    weight = _tuned(list(data.values()))
    countries = {
        name: prediction_powered_mean(*values, weight=weight, level=level) for name, values in data.items()
    }
    for estimate in countries.values():
        estimate.details.update(missing=rated.missing + unrated.missing)
    found = list(countries.values())
    parts = np.array([estimate.details["se"] for estimate in found]) ** 2 / len(found) ** 2
    se, df = combined_error(parts, np.array([estimate.details["df"] for estimate in found]))
    overall = t_estimate(
        float(np.mean([estimate.estimate for estimate in found])),
        se,
        df,
        sum(estimate.n for estimate in found),
        f"mean over {len(found)} countries of prediction-powered means, Satterthwaite t interval",
        level,
    )
    return PredictionPowered(countries=countries, overall=overall)


def _tuned(data: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> float:
    """The weight that minimises the variance, cut to [0, 1]; sums over strata of (unrated, judge, human)."""
    shared = sum(np.cov(human, judge)[0, 1] / human.size for _, judge, human in data)
    own = sum(
        np.concatenate([unrated, judge]).var(ddof=1) * (1 / judge.size + 1 / unrated.size)
        for unrated, judge, _ in data
    )
    return float(np.clip(shared / own, 0, 1)) if own > 0 else 0.0
