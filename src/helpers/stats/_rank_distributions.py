"""Exact null distributions of rank sums, ties included, and Newcombe's interval of a superiority."""

import numpy as np
from scipy import optimize, stats


def signed_ranks(difference: np.ndarray, zero_method: str) -> np.ndarray:
    """Mean ranks of the non-zero differences with their signs; zeros count in ranking unless "wilcox"."""
    nonzero = difference != 0
    ranked = difference[nonzero] if zero_method == "wilcox" else difference
    ranks = stats.rankdata(np.abs(ranked)) * np.sign(ranked)
    return ranks[ranks != 0]


def exact_signed_rank_p(ranks: np.ndarray) -> float:
    """Two-sided p over all sign changes; "pratt" and "zsplit" agree here, as zeros never change sides."""
    doubled = np.rint(2 * np.abs(ranks)).astype(int)
    below = int(min(doubled[ranks > 0].sum(), doubled[ranks < 0].sum()))
    return min(1.0, float(2 * sum_distribution(doubled)[: below + 1].sum()))


def sum_distribution(whole: np.ndarray, size: int | None = None) -> np.ndarray:
    """Probability of each sum 0, 1, … of a random subset: any subset, or any of a given size."""
    total = int(whole.sum())
    if size is None:
        probability = np.zeros(total + 1)
        probability[0] = 1
        for value in whole:
            with_value = np.zeros_like(probability)
            with_value[value:] = probability[: total + 1 - value]
            probability = (probability + with_value) / 2
        return probability
    # Row k: subsets of k values. Each next value is taken with the chance that a random subset holds it, so
    # that every entry stays a probability however many subsets there are.
    probability = np.zeros((size + 1, total + 1))
    probability[0, 0] = 1
    for drawn, value in enumerate(whole):
        chance = ((size - np.arange(size + 1)) / (whole.size - drawn)).clip(0, 1)[:, None]
        taken = probability * chance
        probability = probability * (1 - chance)
        probability[1:, value:] += taken[:-1, : total + 1 - value]
    return probability[size]


def newcombe(superiority: float, n1: int, n2: int, level: float) -> tuple[float, float]:
    """The probabilities of superiority from which the observed one is just z standard errors away."""
    z = stats.norm.ppf((1 + level) / 2)
    spare = (n1 + n2) / 2 - 1

    def distance(theta: float) -> float:
        variance = theta * (1 - theta) * (1 + spare * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        return (superiority - theta) ** 2 - z**2 * variance / (n1 * n2)

    # At 0 and 1 the distance has a root of no interest, so the search starts a hair inside.
    inside = min(max(superiority, 1e-9), 1 - 1e-9)
    low = optimize.brentq(distance, 0, inside) if superiority > 0 else 0.0
    high = optimize.brentq(distance, inside, 1) if superiority < 1 else 1.0
    return float(low), float(high)
