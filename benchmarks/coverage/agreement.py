"""Agreement coefficients where raters choose independently, given each item's own probabilities."""

from functools import partial
from itertools import product

import numpy as np
from benchmarks.coverage.case import Case

from helpers.stats.agreement import jaccard
from helpers.stats.chance_corrected import fleiss_kappa, gwet_ac, krippendorff_alpha
from helpers.stats.ratings import weight_matrix
from helpers.stats.reliability import icc


def agreement() -> list[Case]:
    return [
        *chance_corrected("yes/no, 80 % yes", (4.0, 1.0), "identity"),
        *chance_corrected("scores 1 to 5", (1.5, 1.5, 2.0, 2.0, 1.0), "quadratic"),
        *intraclass(),
        *label_sets(),
    ]


def chance_corrected(words: str, shape: tuple[float, ...], weights: str) -> list[Case]:
    """Items with Dirichlet probabilities: the chance that two raters choose a and b has a closed form."""
    categories, matrix = range(len(shape)), weight_matrix(range(len(shape)), weights)
    total, shares = sum(shape), np.array(shape) / sum(shape)
    both = (np.outer(shape, shape) + np.diag(shape)) / (total * (total + 1))
    observed = np.sum(matrix * both)
    by_use = shares @ matrix @ shares
    by_gwet = matrix.sum() / (len(shape) * (len(shape) - 1)) * shares @ (1 - shares)
    coefficients = {
        "Gwet's AC1" if weights == "identity" else "Gwet's AC2": (gwet_ac, by_gwet),
        "Fleiss' kappa": (fleiss_kappa, by_use),
        "Krippendorff's alpha": (krippendorff_alpha, by_use),
    }
    return [
        Case(
            quantity=name,
            condition=f"{words}, {weights} weights; n items, three raters, 10 % missing",
            n=items,
            truth=float((observed - chance) / (1 - chance)),
            draw=partial(choices, items=items, shape=shape),
            intervals={"t over items": partial(function, categories=categories, weights=weights)},
            recommended=("t over items",) if function is gwet_ac else (),
        )
        for name, (function, chance) in coefficients.items()
        for items in (30, 100)
    ]


def intraclass() -> list[Case]:
    return [
        Case(
            quantity=f"ICC(2,{raters if unit == 'average' else 1})",
            condition=f"normal; variance 1 between items, 0.25 raters, 0.75 error; n items, {raters} raters",
            n=items,
            truth=1 / (1 + 1 / (raters if unit == "average" else 1)),
            draw=partial(graded, items=items, raters=raters),
            intervals={"F": partial(icc, unit=unit)},
            recommended=("F",),
        )
        for unit in ("single", "average")
        for items, raters in ((20, 3), (100, 3), (100, 5))
    ]


def label_sets() -> list[Case]:
    """With uniform probabilities a label is chosen by both, one or neither of two raters, a third each."""
    of_both_and_one = [
        (pair.count("both"), pair.count("one")) for pair in product(("both", "one", ""), repeat=3)
    ]
    truth = float(np.mean([both / (both + one) if both + one else 1.0 for both, one in of_both_and_one]))
    similarity = partial(jaccard, labels="abc", both_empty="one", resamples=999)
    return [
        Case(
            quantity="Jaccard similarity",
            condition="three labels, two empty answers agree; n items, four raters",
            n=items,
            truth=truth,
            draw=partial(label_choices, items=items),
            intervals={
                method: partial(similarity, method=method) for method in ("t", "bootstrap-t", "logit")
            },
            recommended=("logit",),
            simulations=1000,
        )
        for items in (12, 40)
    ]


def choices(rng: np.random.Generator, items: int, shape: tuple[float, ...]) -> tuple[np.ndarray]:
    steps = rng.dirichlet(shape, items).cumsum(axis=1)[:, None, :-1]
    ratings = (rng.random((items, 3, 1)) > steps).sum(axis=2).astype(float)
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    return (ratings,)


def graded(rng: np.random.Generator, items: int, raters: int) -> tuple[np.ndarray]:
    between, leniency = rng.normal(size=(items, 1)), rng.normal(0, 0.5, raters)
    return (between + leniency + rng.normal(0, np.sqrt(0.75), (items, raters)),)


def label_choices(rng: np.random.Generator, items: int) -> tuple[list[list[list[str]]]]:
    chosen = rng.random((items, 4, 3)) < rng.random((items, 1, 3))
    return ([[[*np.array(["a", "b", "c"])[rater]] for rater in item] for item in chosen],)
