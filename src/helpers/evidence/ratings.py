"""What printed means, printed correlations and a handful of models allow one to conclude.

Papers print a mean without its ratings and a correlation without its raters. Some things follow from those
numbers all the same, by arithmetic alone; these functions work them out.
"""

from collections.abc import Iterable
from itertools import permutations, product

import numpy as np
import pandas as pd
from scipy import integrate, stats

LARGEST_GROUPS = 50_000
"""Orders within groups that `concordance` is willing to enumerate."""


def kendall_tail(n: int) -> pd.DataFrame:
    """Every value that Kendall's tau of n units can take without ties, and its exact two-sided p.

    Args:
        n: units compared, such as models; at least 2.

    Returns:
        One row for each number of discordant pairs, 0 to n(n - 1)/2: `discordant`, `tau`, `orders` (how many
        of the n! orders have it) and `p`, the share of orders with a tau at least as far from 0.

    Raises:
        ValueError: fewer than two units.

    Source: Kendall (1938), Biometrika 30, 81-93; the counts are the Mahonian numbers.
    """
    if n < 2:
        raise ValueError(f"n: found {n}, expected at least 2 units")
    orders = np.ones(1, dtype=object)
    for size in range(2, n + 1):
        orders = np.convolve(orders, np.ones(size, dtype=object))
    discordant = np.arange(orders.size)
    far = np.abs(2 * discordant - discordant[-1])
    return pd.DataFrame(
        {
            "discordant": discordant,
            "tau": 1 - 2 * discordant / discordant[-1],
            "orders": orders,
            "p": [float(orders[far >= distance].sum() / orders.sum()) for distance in far],
        }
    )


def concordance(scores: pd.DataFrame, *, first: str, second: str, group: str) -> pd.Series:
    """Do two evaluators order units alike inside groups, and not only across them?

    Two evaluators that merely see the same gap between groups already reach a high Kendall's tau. Inside the
    groups their agreement is tested by every reordering that keeps the groups.

    Args:
        scores: one row for each unit; columns `first` and `second` with scores, `group` with labels.
        first: the first evaluator's column.
        second: the second's.
        group: the column of groups.

    Returns:
        `pairs_between`, `alike_between` (pairs of units of different groups; how many both order alike),
        `pairs_within`, `alike_within`, `tied_within` (pairs that an evaluator does not order), `tau_within`
        ((alike - unlike)/pairs within; NaN without such pairs), `p_within` (two-sided, exact) and
        `smallest_p` (what the same groups without ties could reach at best).

    Raises:
        ValueError: a missing score, or groups with more than 50,000 joint orders.
    """
    incomplete = scores[[first, second, group]].isna().any(axis=1)
    if incomplete.any():
        raise ValueError(f"found {incomplete.sum()} rows without score or group, expected complete rows")
    x, y = (scores[column].to_numpy(dtype=float) for column in (first, second))
    members = [np.flatnonzero(scores[group] == label) for label in scores[group].unique()]
    earlier, later = np.triu_indices(len(scores), 1)
    labels = scores[group].to_numpy()
    within = labels[earlier] == labels[later]
    sign = np.sign(x[earlier] - x[later]) * np.sign(y[earlier] - y[later])
    null = _sums_within(x, y, members)
    pairs = int(within.sum())
    return pd.Series(
        {
            "pairs_between": int((~within).sum()),
            "alike_between": int((sign[~within] > 0).sum()),
            "pairs_within": pairs,
            "alike_within": int((sign[within] > 0).sum()),
            "tied_within": int((sign[within] == 0).sum()),
            "tau_within": sign[within].sum() / pairs if pairs else np.nan,
            "p_within": float((np.abs(null) >= abs(sign[within].sum())).mean()) if pairs else np.nan,
            "smallest_p": 2 / null.size if pairs else np.nan,
        }
    )


def rating_bounds(means: pd.DataFrame, *, column: str, points: int = 5) -> pd.DataFrame:
    """What a mean rating implies for the ratings behind it.

    Args:
        means: frame with mean ratings, normalized to 0-1 as (s - 1)/(points - 1).
        column: the column that holds them.
        points: points of the rating scale, at least 2; ratings are the whole numbers 1 to `points`.

    Returns:
        The frame with added columns. `mean_rating`: on the scale from 1. `least_lowest`: at least this share
        of ratings is 1, since each other one adds a whole point or more. `least_highest`: at least this share
        is the highest. `largest_sd`: no ratings with this mean, and no averages of them, have a larger
        standard deviation (divisor n, unit of the 0-1 scale).

    Raises:
        ValueError: a mean outside 0-1, or fewer than two points.

    Source: Markov's inequality; Bhatia and Davis (2000), Am. Math. Mon. 107, 353-357.
    """
    score = means[column].astype(float)
    if ((score < 0) | (score > 1)).any():
        raise ValueError(f"{column}: found {score[(score < 0) | (score > 1)].iloc[0]}, expected 0 to 1")
    if points < 2:
        raise ValueError(f"points: found {points}, expected at least 2")
    steps = points - 1
    return means.assign(
        mean_rating=1 + steps * score,
        least_lowest=(1 - steps * score).clip(lower=0),
        least_highest=(1 - steps * (1 - score)).clip(lower=0),
        largest_sd=np.sqrt(score * (1 - score)),
    )


def rater_ceilings(correlation: Iterable[float], raters: int) -> pd.DataFrame:
    """How far a judge can correlate with the mean of several raters, given how single raters correlate.

    A mean of raters carries less noise than one rater. A judge that is compared with the mean may therefore
    exceed the correlation between single raters without being better than a person.

    Args:
        correlation: correlations between two single raters, each from 0 to 1.
        raters: how many raters the mean consists of, at least 1.

    Returns:
        One row a correlation: `single`, itself; `one_more_rater`, what a further rater of the same kind
        reaches with the mean; `perfect`, what a judge without error reaches. Raters are taken to be
        interchangeable with independent errors, and the formulas hold for Pearson's r: for rank correlations
        they are approximations.

    Raises:
        ValueError: a correlation outside 0-1, or no raters.

    Source: Spearman (1904), Am. J. Psychol. 15, 72-101 (attenuation); Spearman (1910) and Brown (1910), Br.
    J. Psychol. 3, 271-322.
    """
    single = np.asarray(list(correlation), dtype=float)
    if not ((single >= 0) & (single <= 1)).all():
        raise ValueError(f"correlation: found {single.tolist()}, expected numbers from 0 to 1")
    if raters < 1:
        raise ValueError(f"raters: found {raters}, expected at least 1")
    perfect = np.sqrt(raters * single / (1 + (raters - 1) * single))
    return pd.DataFrame({"single": single, "one_more_rater": np.sqrt(single) * perfect, "perfect": perfect})


def expected_range(n: int) -> float:
    """How far apart the highest and the lowest of n equal means lie on average, by chance alone.

    Args:
        n: independent, normally distributed means with the same expectation and standard error; at least 2.

    Returns:
        The expected range in standard errors of one mean.

    Raises:
        ValueError: fewer than two means.

    Source: Tippett (1925), Biometrika 17, 364-387; known as d2 in quality control.
    """
    if n < 2:
        raise ValueError(f"n: found {n}, expected at least 2 means")
    return integrate.quad(
        lambda x: 1 - stats.norm.cdf(x) ** n - stats.norm.sf(x) ** n, -np.inf, np.inf, epsabs=1e-10
    )[0]


def _sums_within(x: np.ndarray, y: np.ndarray, members: list[np.ndarray]) -> np.ndarray:
    """Concordant minus discordant pairs within groups, for every joint reordering of y inside the groups."""
    orders = np.prod([float(np.prod(np.arange(1, group.size + 1.0))) for group in members])
    if orders > LARGEST_GROUPS:
        raise ValueError(f"found groups with {orders:.0f} joint orders, expected at most {LARGEST_GROUPS:,}")
    sums = [[_sum_of_pairs(x[group], order) for order in permutations(y[group])] for group in members]
    return np.array([sum(choice) for choice in product(*sums)])


def _sum_of_pairs(x: np.ndarray, y: Iterable[float]) -> float:
    earlier, later = np.triu_indices(x.size, 1)
    y = np.asarray(y)
    return float((np.sign(x[earlier] - x[later]) * np.sign(y[earlier] - y[later])).sum())
