"""Which single scores can stand behind a printed mean and standard deviation.

Scores come in steps, so a mean and a standard deviation of a few of them leave only some sets, at times one.
"""

from collections.abc import Iterator
from math import ceil, floor

import numpy as np
import pandas as pd

# Moves after which the search for one set of scores is given up; some hundred are usual.
MOST_MOVES = 100_000
# Share of moves that may bring two scores closer, so that the search cannot get stuck.
TOGETHER = 0.1
# Rounding error of our own arithmetic, in steps.
SLACK = 1e-9


def score_sets(
    n: int, mean: float, sd: float, *, step: float, low: float = 0, high: float = 5, decimals: int = 2
) -> pd.DataFrame:
    """Every set of scores that prints as a given mean and standard deviation.

    Args:
        n: how many scores, at least 2; the number of sets grows fast beyond a dozen.
        mean: their printed mean.
        sd: their printed standard deviation (divisor n - 1).
        step: distance of neighbouring scores, such as 0.5 for means of two whole numbers.
        low: lowest possible score.
        high: highest.
        decimals: printed decimals; an exact half may be rounded either way.

    Returns:
        One row a set, its scores in rising order in columns 1 to n; no row where no set fits.

    Raises:
        ValueError: fewer than two scores, or a step that does not divide the scale.

    Source: the problem that Brown and Heathers (2017), Soc. Psychol. Personal. Sci. 8, 363-369, pose (GRIM),
    solved by listing, as CLOSURE does (R package unsum).
    """
    highest = _highest(n, step, low, high)
    half = 0.5 * 10**-decimals / step
    found = []
    for total in _sums(n, (mean - low) / step, half, highest):
        least, most = _squares(n, total, sd / step, half)
        sets = _partitions(n, total, highest)
        found += [sorted(parts) for parts in sets if least <= sum(part**2 for part in parts) <= most]
    return pd.DataFrame(np.reshape(found, (-1, n)) * step + low, columns=range(1, n + 1))


def example_scores(
    n: int,
    mean: float,
    sd: float,
    *,
    step: float,
    low: float = 0,
    high: float = 5,
    decimals: int = 2,
    seed: int = 0,
) -> np.ndarray:
    """One set of scores, of usually very many, that prints as a given mean and standard deviation.

    Starts from scores as equal as the mean allows and moves steps between random pairs until the spread fits.

    Args:
        n: how many scores, at least 2.
        mean: as in `score_sets`, as are sd, step, low, high and decimals.
        sd: see there.
        step: see there.
        low: see there.
        high: see there.
        decimals: see there.
        seed: of the random generator; another seed gives another set.

    Returns:
        The scores, shape (n,).

    Raises:
        ValueError: as `score_sets`, or no set was found: there is none, or the search missed it.

    Source: Heathers, Anaya, van der Zee and Brown (2018), PeerJ Preprints 6:e26968 (SPRITE).
    """
    highest = _highest(n, step, low, high)
    half = 0.5 * 10**-decimals / step
    rng = np.random.default_rng(seed)
    for total in _sums(n, (mean - low) / step, half, highest):
        least, most = _squares(n, total, sd / step, half)
        scores = np.full(n, total // n) + (np.arange(n) < total % n)
        for giver, taker in rng.integers(n, size=(MOST_MOVES, 2)):
            spread = (scores**2).sum()
            if least <= spread <= most:
                return scores * step + low
            change = 2 * (scores[taker] - scores[giver]) + 2
            welcome = change > 0 or rng.random() < TOGETHER
            if scores[giver] > 0 and scores[taker] < highest and spread + change <= most and welcome:
                scores[giver] -= 1
                scores[taker] += 1
    raise ValueError(f"found no {n} scores in steps of {step} with mean {mean} and SD {sd}")


def _highest(n: int, step: float, low: float, high: float) -> int:
    """The end of the scale in steps from its start."""
    if n < 2:
        raise ValueError(f"n: found {n}, expected at least 2 scores")
    highest = round((high - low) / step)
    if highest < 1 or abs(highest * step - (high - low)) > SLACK:
        raise ValueError(f"step: found {step}, expected one that divides the scale from {low} to {high}")
    return highest


def _sums(n: int, mean: float, half: float, highest: int) -> range:
    """The sums that n scores with this mean, give or take half a printed digit, can have; all in steps."""
    first, last = ceil((mean - half) * n - SLACK), floor((mean + half) * n + SLACK)
    return range(max(0, first), min(n * highest, last) + 1)


def _squares(n: int, total: int, sd: float, half: float) -> tuple[float, float]:
    """The least and the largest sum of squares of n scores with this sum and standard deviation, in steps."""
    least, most = (max(0.0, sd + sign * half) ** 2 * (n - 1) + total**2 / n for sign in (-1, 1))
    return least - SLACK, most + SLACK


def _partitions(n: int, total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every falling sequence of n whole numbers from 0 to `largest` with this sum."""
    if n == 0:
        yield ()
        return
    for first in range(min(largest, total), ceil(total / n) - 1, -1):
        for rest in _partitions(n - 1, total - first, first):
            yield (first, *rest)
