"""Means of clustered rows: scores, answers and, as a stress test, very skewed values."""

from collections.abc import Callable
from functools import partial

import numpy as np
from benchmarks.coverage.case import Case
from scipy import stats

from helpers.stats.bootstrap import FEW_CLUSTERS, cluster_bootstrap
from helpers.stats.results import Estimate

STEPS = np.arange(1.5, 5)


def cluster_means() -> list[Case]:
    # A normal variable rounded to 1 to 5 has the mean 1 + the chances to exceed each step.
    mean_score = 1 + float(np.sum(stats.norm.sf(STEPS, 3.2, np.hypot(0.6, 1))))
    kinds = {
        "scores 1 to 5": (scores, mean_score, (1, 5)),
        "yes/no, 70 % yes": (partial(answers, share=0.7), 0.7, (0, 1)),
        "yes/no, 90 % yes": (partial(answers, share=0.9), 0.9, (0, 1)),
        "unbounded and very skewed (exponential cluster means)": (skewed, 0.0, None),
    }
    return [
        Case(
            quantity="mean",
            condition=f"{words}; n clusters of 2 to 20 rows",
            n=count,
            truth=truth,
            draw=partial(draw, count=count),
            intervals=intervals(bounds),
            recommended=("logit" if bounds else "t" if count < FEW_CLUSTERS else "bootstrap-t",),
        )
        for words, (draw, truth, bounds) in kinds.items()
        for count in (3, 5, 10, 12, 30, 100)
    ]


def intervals(bounds: tuple[float, float] | None) -> dict[str, Callable[..., Estimate]]:
    plain = {
        method: partial(cluster_bootstrap, method=method, resamples=999)
        for method in ("percentile", "t", "bootstrap-t")
    }
    return plain | {"logit": partial(cluster_bootstrap, bounds=bounds)} if bounds else plain


def clusters(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.repeat(np.arange(count), rng.integers(2, 21, count))


def scores(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    cluster = clusters(rng, count)
    latent = 3.2 + rng.normal(0, 0.6, count)[cluster] + rng.normal(0, 1, cluster.size)
    return 1 + np.searchsorted(STEPS, latent), cluster


def answers(rng: np.random.Generator, count: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    cluster = clusters(rng, count)
    probability = rng.beta(5 * share, 5 * (1 - share), count)
    return (rng.random(cluster.size) < probability[cluster]).astype(float), cluster


def skewed(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    cluster = clusters(rng, count)
    return rng.exponential(1, count)[cluster] - 1 + rng.normal(0, 1, cluster.size), cluster
