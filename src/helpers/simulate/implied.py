"""What an analysis of simulated answers should find: the coefficients that the raters' dials imply.

Two raters' answers to one thing are described by a table of probabilities, and coefficients by their formula
from such tables: what they would be over ever more things, without a draw. `tables` has the shape (pairs of
raters, first's answer, second's answer); each table sums to 1. What raters' `bias` does is not in it: move
the rates first (`latent.shifted`).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy.special import bdtr, ndtr, ndtri

from helpers.simulate.latent import shifted
from helpers.simulate.raters import Rater
from helpers.stats.ratings import weight_matrix
from helpers.stats.results import Estimate

# Points of the integral over the clip's score; twice as many change no coefficient by 0.001.
POINTS = 201


def answer_pairs(share: float, raters: Sequence[Rater]) -> np.ndarray:
    """How often two raters say no and yes to the same thing.

    Args:
        share: share of the things for which yes is true, in [0, 1].
        raters: at least two; sensitivity, specificity and leniency act.

    Returns:
        Probabilities of (no, yes) x (no, yes), a table a pair of raters.
    """
    honest = np.array([[1 - rater.specificity, rater.sensitivity] for rater in raters])
    yes = shifted(honest, np.array([[rater.leniency] for rater in raters]))
    said = np.stack([1 - yes, yes], axis=-1)
    return _pairs(said, np.array([1 - share, share]))


def grade_pairs(rates: np.ndarray, raters: Sequence[Rater], scale: tuple[int, int] = (1, 5)) -> np.ndarray:
    """How often two raters give each pair of grades to the same clip.

    Args:
        rates: true mean grades from 0 (lowest) to 1, one a cell, all equally common, shape (n,).
        raters: at least two; reliability and leniency act.
        scale: lowest and highest grade.

    Returns:
        Probabilities of grade x grade, a table a pair of raters.
    """
    z = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    points = scale[1] - scale[0]
    said = [
        _grades(shifted(np.asarray(rates), rater.leniency), rater.reliability, z, points) for rater in raters
    ]
    cells = np.stack([grades.reshape(-1, points + 1) for grades in said])
    return _pairs(cells, np.full(cells.shape[1], 1 / cells.shape[1]))


def agreement(tables: np.ndarray, weights: str = "identity") -> dict[str, float]:
    """Percent agreement, Gwet's AC and Fleiss' kappa (which Krippendorff's alpha approaches).

    Args:
        tables: pairs x answers x answers.
        weights: as `weight_matrix`.
    """
    count = tables.shape[1]
    credit = weight_matrix(range(count), weights)
    observed = float((tables * credit).sum(axis=(1, 2)).mean())
    shares = (tables.sum(axis=2) + tables.sum(axis=1)).mean(axis=0) / 2
    by_kappa = float(shares @ credit @ shares)
    by_ac = float(credit.sum() / (count * (count - 1)) * shares @ (1 - shares))
    return {
        "percent": observed,
        "ac": (observed - by_ac) / (1 - by_ac),
        "kappa": (observed - by_kappa) / (1 - by_kappa) if by_kappa < 1 else np.nan,
    }


def rank_correlations(tables: np.ndarray) -> dict[str, float]:
    """Spearman's rho and Kendall's tau-b of two raters, averaged over the pairs of raters.

    Args:
        tables: pairs x grades x grades.
    """
    found = {"spearman": [], "kendall": []}
    for table in tables:
        first, second = table.sum(axis=1), table.sum(axis=0)
        ranks = [np.cumsum(shares) - shares / 2 - 0.5 for shares in (first, second)]
        spread = np.sqrt((ranks[0] ** 2 @ first) * (ranks[1] ** 2 @ second))
        found["spearman"].append(ranks[0] @ table @ ranks[1] / spread)
        grades = np.arange(len(table))
        order = np.sign(grades[:, None] - grades)
        untied = np.sqrt((1 - first @ first) * (1 - second @ second))
        found["kendall"].append(np.sum(table * (order @ table @ order.T)) / untied)
    return {name: float(np.mean(values)) for name, values in found.items()}


def intraclass(tables: np.ndarray) -> float:
    """ICC(2,1), the raters being all there are in the pairs.

    Args:
        tables: pairs x grades x grades, of all pairs of the raters.
    """
    grades = np.arange(tables.shape[1])
    means, squares = (
        np.stack([tables.sum(axis=2) @ values, tables.sum(axis=1) @ values]) for values in (grades, grades**2)
    )
    shared = np.einsum("i,pij,j->p", grades, tables, grades) - means.prod(axis=0)
    # The mean over pairs of half the squared difference is the variance between raters.
    total = (squares - means**2).mean(axis=0) + (means[0] - means[1]) ** 2 / 2
    return float(shared.mean() / total.mean())


def jaccard_similarity(truth: np.ndarray, rater: Rater, both_empty: str = "skip") -> np.ndarray:
    """Expected Jaccard similarity of two such raters' select-all-that-apply answers.

    Args:
        truth: whether each label truly applies, items x labels, boolean.
        rater: sensitivity, specificity and leniency act.
        both_empty: as `helpers.stats.agreement.jaccard`.

    Returns:
        One value an item, shape (items,); its mean is the expected similarity.
    """
    yes = shifted(np.where(truth, rater.sensitivity, 1 - rater.specificity), rater.leniency)
    sets = np.array(list(product([False, True], repeat=yes.shape[1])))
    chance = np.where(sets, yes[:, None], 1 - yes[:, None]).prod(axis=2)
    both, either = (sets[:, None] & sets).sum(axis=2), (sets[:, None] | sets).sum(axis=2)
    similarity = np.where(either > 0, both / np.maximum(either, 1), float(both_empty == "one"))
    expected = np.einsum("is,st,it->i", chance, similarity, chance)
    return expected / (1 - chance[:, 0] ** 2) if both_empty == "skip" else expected


def ranking_correlation(quality: np.ndarray, rater: Rater) -> np.ndarray:
    """Expected Spearman correlation of two such raters' rankings of the same clips.

    Kendall's W of m raters has the mean (1 + (m - 1) rho) / m.

    Args:
        quality: true quality of the clips, standardised, rankings x clips.
        rater: the reliability acts; it must be below 1.

    Returns:
        One value a ranking, shape (rankings,).
    """
    own = np.sqrt(2 * (1 - rater.reliability))
    lead = np.sqrt(rater.reliability) * (quality[:, :, None] - quality[:, None])
    # How many clips lie below each, the clip itself counting half.
    place = ndtr(lead / own).sum(axis=2)
    count = quality.shape[1]
    return 12 * np.sum((place - count / 2) ** 2, axis=1) / (count * (count**2 - 1))


def recovered(found: Mapping[str, Estimate], truth: Mapping[str, float]) -> pd.DataFrame:
    """Do the intervals hold the truth? One row a quantity: estimate, low, high, truth, covered.

    Args:
        found: estimates by name.
        truth: the true values under the same names.

    Raises:
        ValueError: a name that only one of the two has.
    """
    unmatched = sorted(found.keys() ^ truth.keys())
    if unmatched:
        raise ValueError(f"found '{unmatched[0]}' among estimates or truths only, expected it in both")
    table = pd.DataFrame(
        [(name, each.estimate, each.low, each.high, truth[name]) for name, each in found.items()],
        columns=["quantity", "estimate", "low", "high", "truth"],
    )
    covered = table["truth"].between(table["low"], table["high"]).map({True: "yes", False: "no"})
    return table.assign(covered=covered.where(table[["low", "high"]].notna().all(axis=1), "no interval"))


def _pairs(said: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Joint tables of all pairs of raters who answer independently, given the thing.

    Args:
        said: raters x things x answers, probabilities.
        shares: how common each thing is, shape (things,).
    """
    if len(said) < 2:
        raise ValueError(f"raters: found {len(said)}, expected at least two")
    return np.stack([(first * shares[:, None]).T @ second for first, second in combinations(said, 2)])


def _grades(rates: np.ndarray, reliability: float, z: np.ndarray, points: int) -> np.ndarray:
    """Probabilities of each grade given the clip's score: rates x scores x grades."""
    steps = ndtri(np.stack([bdtr(k, points, rates) for k in range(points)], axis=-1))
    seen = np.sqrt(reliability) * z[None, :, None] - steps[:, None, :]
    above = ndtr(seen / np.sqrt(1 - reliability)) if reliability < 1 else (seen > 0).astype(float)
    ones, zeros = np.ones((*above.shape[:2], 1)), np.zeros((*above.shape[:2], 1))
    return np.concatenate([ones, above], axis=2) - np.concatenate([above, zeros], axis=2)
