"""Rank correlations of few pairs, and of clips within countries."""

from functools import partial

import numpy as np
from benchmarks.coverage.case import Case

from helpers.stats.agreement import inter_rater_correlation
from helpers.stats.association import kendall, spearman
from helpers.stats.association_by_level import country_averaged
from helpers.stats.results import Estimate


def rank_correlations() -> list[Case]:
    cases = []
    for r in (0.0, 0.6):
        for n in (7, 10, 12, 49):
            common = {
                "condition": f"n normal pairs, Pearson's r = {r:g}",
                "n": n,
                "draw": partial(correlated, n=n, r=r),
                "highest": 0.98 if n <= 12 else 0.97,
                "simulations": 1000,
            }
            rho = {"Bonett-Wright": spearman}
            if n == 7:
                rho["bootstrap"] = partial(spearman, interval="bootstrap", resamples=499)
            cases += [
                Case(
                    quantity="Spearman's rho",
                    truth=float(6 / np.pi * np.arcsin(r / 2)),
                    intervals=rho,
                    recommended=("Bonett-Wright",),
                    **common,
                ),
                Case(
                    quantity="Kendall's tau-b",
                    truth=float(2 / np.pi * np.arcsin(r)),
                    intervals={"Fieller": kendall},
                    recommended=("Fieller",),
                    **common,
                ),
            ]
    return [*cases, *within_countries()]


def within_countries() -> list[Case]:
    """Countries whose agreement varies; the truth is the mean over very many of them."""
    many = np.random.default_rng(1)
    return [
        Case(
            quantity="country-averaged rho",
            condition="n countries of varying agreement, 28 clips in each",
            n=12,
            truth=country_averaged(*clips(many, countries=2_000, raters=2)).estimate,
            draw=partial(clips, countries=12, raters=2),
            intervals={"t over countries": country_averaged},
            recommended=("t over countries",),
            simulations=500,
        ),
        Case(
            quantity="inter-rater rho",
            condition="n countries of varying agreement, 28 clips and three raters in each",
            n=12,
            truth=between_raters(*clips(many, countries=1_000, raters=3), method="t").estimate,
            draw=partial(clips, countries=12, raters=3),
            intervals={
                method: partial(between_raters, method=method, resamples=999)
                for method in ("t", "bootstrap-t", "logit")
            },
            recommended=("logit",),
            simulations=500,
        ),
    ]


def correlated(rng: np.random.Generator, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    x, y = rng.normal(size=(2, n))
    return x, r * x + np.sqrt(1 - r**2) * y


def clips(rng: np.random.Generator, countries: int, raters: int) -> tuple[np.ndarray, ...]:
    """One array of scores a rater, then the countries."""
    country = np.repeat(np.arange(countries), 28)
    noise = rng.uniform(0.6, 1.4, countries)[country]
    return (*(rng.normal(size=country.size) + noise * rng.normal(size=(raters, country.size))), country)


def between_raters(
    one: np.ndarray, two: np.ndarray, three: np.ndarray, country: np.ndarray, **options: object
) -> Estimate:
    return inter_rater_correlation(np.column_stack([one, two, three]), country, **options)
