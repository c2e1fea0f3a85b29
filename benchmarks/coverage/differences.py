"""Differences, effect sizes, a slope and proportions."""

from functools import partial

import numpy as np
from benchmarks.coverage.case import Case
from scipy import stats

from helpers.stats.association import linear_slope
from helpers.stats.differences import rank_sum_exact, welch, wilcoxon_paired
from helpers.stats.effect_sizes import cohens_d
from helpers.stats.equivalence import bootstrap_equivalence, tost_paired
from helpers.stats.proportions import wilson
from helpers.stats.results import Estimate


def differences() -> list[Case]:
    equivalence = partial(bootstrap_equivalence, margin=1, paired=True, resamples=999)
    paired = {
        "TOST, alpha = 0.025": partial(tost_paired, margin=1, alpha=0.025),
        "bootstrap equivalence": equivalence,
        "Wilcoxon, Hodges-Lehmann": wilcoxon_paired,
    }
    cases = [
        Case(
            quantity="mean of paired differences",
            condition="n normal pairs",
            n=n,
            truth=0.5,
            draw=partial(pairs, n=n),
            intervals=paired,
            recommended=("TOST, alpha = 0.025", "Wilcoxon, Hodges-Lehmann"),
        )
        for n in (12, 60)
    ]
    cases += [
        Case(
            quantity="d_z",
            condition="n normal pairs",
            n=n,
            truth=0.5,
            draw=partial(pairs, n=n),
            intervals={"non-central t": cohens_d},
            recommended=("non-central t",),
            simulations=1000,
        )
        for n in (12, 30)
    ]
    cases += [
        Case(
            quantity="difference of two means",
            condition="normal; n values with standard deviation 1, 3 n with 2",
            n=n,
            truth=0.5,
            draw=partial(groups, n=n),
            intervals={"Welch": welch_of_values},
            recommended=("Welch",),
        )
        for n in (5, 40)
    ]
    superiority = Case(
        quantity="probability of superiority",
        condition="normal; 4 values against 3, one standard deviation apart",
        n=7,
        truth=float(stats.norm.cdf(np.sqrt(0.5))),
        draw=lambda rng: (rng.normal(1, 1, 4), rng.normal(0, 1, 3)),
        intervals={"Newcombe": rank_sum_exact},
        recommended=("Newcombe",),
        highest=1.0,
    )
    slope = Case(
        quantity="slope",
        condition="exponential x, n values whose spread grows with x",
        n=30,
        truth=0.5,
        draw=fan,
        intervals={"HC3": linear_slope},
        recommended=("HC3",),
    )
    return [*cases, superiority, slope]


def proportions() -> list[Case]:
    return [
        Case(
            quantity="proportion",
            condition=f"n independent answers, {share:.0%} yes",
            n=n,
            truth=share,
            draw=lambda rng, n=n, share=share: (int(rng.binomial(n, share)), n),
            intervals={"Wilson": wilson},
            recommended=("Wilson",),
            highest=1.0,
        )
        for share in (0.5, 0.8)
        for n in (8, 27, 94)
    ]


def pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = rng.normal(size=n)
    return y + rng.normal(0.5, 1, n), y


def groups(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(0.5, 1, n), rng.normal(0, 2, 3 * n)


def fan(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.exponential(1, 30)
    return x, 0.5 * x + rng.normal(size=30) * (0.5 + 0.5 * x)


def welch_of_values(x: np.ndarray, y: np.ndarray) -> Estimate:
    return welch(x.mean(), x.std(ddof=1), x.size, y.mean(), y.std(ddof=1), y.size)
