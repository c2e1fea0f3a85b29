"""Judges beside people, and gaps between countries."""

from functools import partial

import numpy as np
from benchmarks.coverage.case import Case

from helpers.stats.country_gaps import gap_change
from helpers.stats.dispersion import dispersion
from helpers.stats.limits_of_agreement import bland_altman
from helpers.stats.matched import country_effect_in_sets
from helpers.stats.mixed import country_effects
from helpers.stats.prediction_powered import prediction_powered_mean
from helpers.stats.results import Estimate

BIAS, SPREAD = 0.3, 0.5
GAP = 0.24


def judges() -> list[Case]:
    powered = [
        Case(
            quantity="people's mean",
            condition="n rated clips of 300; a judge with bias, correlation 0.8",
            n=n,
            truth=3.0,
            draw=partial(rated, n=n),
            intervals={"prediction-powered": prediction_powered_mean},
            recommended=("prediction-powered",),
        )
        for n in (30, 100)
    ]
    limits = [
        Case(
            quantity=quantity,
            condition="n independent clips",
            n=n,
            truth=truth,
            draw=partial(beside, n=n),
            intervals={"Bland-Altman": compared},
            recommended=("Bland-Altman",),
        )
        for n in (20, 60)
        for quantity, truth, compared in (
            ("judge's bias", BIAS, lambda human, judge: bland_altman(human, judge).bias),
            (
                "upper limit of agreement",
                BIAS + 1.96 * SPREAD,
                lambda human, judge: bland_altman(human, judge).upper,
            ),
        )
    ]
    return [*powered, *limits]


def country_gaps() -> list[Case]:
    change = Case(
        quantity="change of a country's gap",
        condition="12 countries, n prompts in each, two models on the same prompts",
        n=14,
        truth=GAP * 11 / 12,
        draw=partial(two_models, countries=12, prompts=14),
        intervals={"t over prompts": change_of_first},
        recommended=("t over prompts",),
        simulations=500,
    )
    effect = Case(
        quantity="a country's effect",
        condition="4 countries, n prompts in each, 2 models, 3 raters in each country",
        n=6,
        truth=GAP * 3 / 4,
        draw=partial(crossed, countries=4, prompts=6),
        intervals={"REML, Satterthwaite": effect_of_first},
        recommended=("REML, Satterthwaite",),
        simulations=500,
    )
    matched = Case(
        quantity="a country's deviation in matched sets",
        condition="n sets of 6 countries",
        n=20,
        truth=GAP * 5 / 6,
        draw=partial(sets, countries=6, count=20),
        intervals={"t over sets": deviation_of_first},
        recommended=("t over sets",),
        simulations=1000,
    )
    between = Case(
        quantity="SD between countries",
        condition="n countries whose means have standard errors half as large",
        n=12,
        truth=0.1,
        draw=partial(country_estimates, count=12),
        intervals={"Q-profile": lambda estimates: dispersion(estimates, resamples=100).sd},
        recommended=("Q-profile",),
        simulations=1000,
    )
    return [change, effect, matched, between]


def rated(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    human = rng.normal(3, 1, 300)
    judge = BIAS + 0.8 * human + rng.normal(0, 0.6, 300)
    return judge[n:], judge[:n], human[:n]


def beside(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    human = rng.normal(3, 1, n)
    return human, human + rng.normal(BIAS, SPREAD, n)


def two_models(rng: np.random.Generator, countries: int, prompts: int) -> tuple[np.ndarray, ...]:
    country = np.repeat(np.arange(countries), prompts)
    difficulty = rng.normal(0, 0.3, country.size)
    before = difficulty + rng.normal(0, 0.3, country.size)
    after = difficulty + GAP * (country == 0) + rng.normal(0, 0.3, country.size)
    return before, after, country.astype(str), np.arange(country.size).astype(str)


def change_of_first(
    before: np.ndarray, after: np.ndarray, country: np.ndarray, prompt: np.ndarray
) -> Estimate:
    return gap_change(before, after, country=country, prompt=prompt).change["0"]


def crossed(rng: np.random.Generator, countries: int, prompts: int) -> tuple[np.ndarray, ...]:
    cells = np.indices((countries, prompts, 2, 3)).reshape(4, -1)
    country, prompt, model, rater = cells
    scenario, person = country * prompts + prompt, country * 3 + rater
    score = GAP * (country == 0) + rng.normal(0, 0.2, countries * prompts)[scenario]
    score = score + rng.normal(0, 0.1, countries * 3)[person] + rng.normal(0, 0.3, country.size)
    return score, country.astype(str), model.astype(str), scenario.astype(str), person.astype(str)


def effect_of_first(
    score: np.ndarray, country: np.ndarray, model: np.ndarray, scenario: np.ndarray, rater: np.ndarray
) -> Estimate:
    aspect = np.full(score.size, "one")
    fit = country_effects(score, country=country, model=model, aspect=aspect, scenario=scenario, rater=rater)
    return fit.effects["0"]


def sets(rng: np.random.Generator, countries: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matched_set, country = np.indices((count, countries)).reshape(2, -1)
    score = rng.normal(0, 0.3, count)[matched_set] + GAP * (country == 0) + rng.normal(0, 0.3, country.size)
    return score, country.astype(str), matched_set.astype(str)


def deviation_of_first(score: np.ndarray, country: np.ndarray, matched_set: np.ndarray) -> Estimate:
    found = country_effect_in_sets(score, country=country, matched_set=matched_set, resamples=99)
    return found.countries["0"]


def country_estimates(rng: np.random.Generator, count: int) -> tuple[dict[str, Estimate]]:
    means = rng.normal(0, 0.1, count) + rng.normal(0, 0.05, count)
    details = {"se": 0.05, "df": 100.0}
    return (
        {
            str(i): Estimate(estimate=mean, n=14, method="mean", details=details)
            for i, mean in enumerate(means)
        },
    )
