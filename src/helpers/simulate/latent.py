"""Dependent yes/no and graded outcomes whose means are exactly the rates that they are drawn from.

A Gaussian copula: every outcome has a standard normal score z that it may share in part with others (same
scenario, same prompt, same clip), and turns it into a yes or a grade by the quantile function of its own
rate. Sharing thus changes how outcomes hang together and never how often they occur (Nelsen 2006, An
Introduction to Copulas, 2nd ed., ch. 2).
"""

import zlib

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr, expit, logit, ndtr

Array = np.ndarray


def stream(seed: int, *purpose: str) -> np.random.Generator:
    """A generator of its own for each purpose, so that one dial does not disturb the draws of another."""
    return np.random.default_rng([seed, *(zlib.crc32(word.encode()) for word in purpose)])


def mixed(*parts: tuple[float, Array]) -> Array:
    """A standard normal score made of independent ones.

    Args:
        parts: pairs of the share of the variance and the scores; the shares sum to 1, and the arrays have
            shapes that fit each other.

    Raises:
        ValueError: a negative share, or shares that do not sum to 1.
    """
    shares = [share for share, _ in parts]
    if min(shares) < 0 or not np.isclose(sum(shares), 1):
        raise ValueError(f"shares of variance: found {shares}, expected numbers from 0 that sum to 1")
    return sum(np.sqrt(share) * scores for share, scores in parts)


def shifted(rate: Array, log_odds: Array | float) -> Array:
    """Rates in [0, 1] moved by log-odds; 0 and 1 stay."""
    with np.errstate(divide="ignore"):
        return expit(logit(rate) + log_odds)


def yes(rate: Array, z: Array) -> Array:
    """Whether each outcome happens: with probability `rate`, more likely for a high score."""
    return ndtr(z) > 1 - np.asarray(rate)


def grade(rate: Array, z: Array, low: int, high: int) -> Array:
    """Whole grades from low to high with mean low + rate · (high − low), higher for a higher score.

    Above `low` a grade is binomial with high − low trials: the spread of a rater who grants or withholds each
    point independently.

    Args:
        rate: mean of (grade − low)/(high − low), in [0, 1].
        z: standard normal scores.
        low: the scale's lowest grade.
        high: its highest.
    """
    u, points = ndtr(z), high - low
    return low + sum((u > bdtr(k, points, rate)).astype(np.int64) for k in range(points))


def calibrated(target: float, effects: Array) -> Array:
    """Rates that differ by the given log-odds and have the target as their mean.

    Args:
        target: mean rate, in [0, 1].
        effects: log-odds, any shape.
    """
    if target in (0, 1):
        return np.full(np.shape(effects), float(target))
    # Beyond these log-odds no float rate lies.
    reach = 750 + np.max(np.abs(effects))
    base = brentq(lambda base: np.mean(expit(base + effects)) - target, -reach, reach, xtol=1e-12)
    return expit(base + effects)
