"""Ratings as a table, items x raters, and as counts over a declared list of categories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from helpers.checking import nearest

WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def wide_ratings(items: Any, raters: Any, ratings: Any) -> pd.DataFrame:
    """Lay out one row a rating as items x raters, missing where a rater did not rate an item.

    Args:
        items: what was rated, shape (n,).
        raters: who rated it, shape (n,).
        ratings: numbers, labels, or sets of labels, shape (n,).

    Returns:
        Items as the index and raters as the columns, both in order of appearance.

    Raises:
        ValueError: lengths differ, an item or rater has no name, or a rater rated an item twice (both are
            named: which of the two answers counts is for the caller to decide).
    """
    columns = {"item": list(items), "rater": list(raters), "rating": list(ratings)}
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"found {sizes} values, expected one item and one rater a rating")
    codes, names = [], []
    for name in ("item", "rater"):
        code, unique = pd.factorize(np.array(columns[name], dtype=object))
        if (code < 0).any():
            raise ValueError(f"{name}s: found none at position {np.argmin(code)}, expected a name a rating")
        codes.append(code)
        names.append(unique)
    twice = pd.Series(list(zip(*codes, strict=True))).duplicated().to_numpy()
    if twice.any():
        first = int(twice.argmax())
        raise ValueError(
            f"ratings: found more than one of item {columns['item'][first]!r} by rater "
            f"{columns['rater'][first]!r} ({twice.sum()} such), expected one a rater and item"
        )
    table = np.full([len(unique) for unique in names], None, dtype=object)
    for row, column, rating in zip(*codes, columns["rating"], strict=True):
        table[row, column] = rating
    return pd.DataFrame(table, index=names[0], columns=names[1])


def as_table(ratings: Any) -> np.ndarray:
    """Ratings as an object array, items x raters.

    Raises:
        ValueError: not two-dimensional, or fewer than two raters.
    """
    table = ratings.to_numpy(dtype=object) if isinstance(ratings, pd.DataFrame) else _objects(ratings)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"ratings: found shape {table.shape}, expected items x raters with at least two raters"
        )
    return table


def as_scores(ratings: Any) -> np.ndarray:
    """Ratings as a float array, items x raters, NaN where missing.

    Raises:
        ValueError: as `as_table`, or a rating that is not a finite number (the first is named).
    """
    table = as_table(ratings)
    present = ~pd.isna(table)
    scores = np.full(table.shape, np.nan)
    for row, column in np.argwhere(present):
        try:
            scores[row, column] = table[row, column]
        except (TypeError, ValueError):
            scores[row, column] = np.inf
    wrong = np.argwhere(np.isinf(scores))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(
            f"ratings: found {table[row, column]!r} in row {row}, column {column} ({len(wrong)} such), "
            "expected numbers"
        )
    return scores


def weight_matrix(categories: Iterable[Any], weights: str = "identity") -> np.ndarray:
    """How much credit a pair of ratings gets: 1 for the same category, 0 for the farthest (Gwet 2014, ch. 3).

    Args:
        categories: the declared scale; numbers count as values, labels as positions in the given order.
        weights: "identity" (nominal: all or nothing), "linear", "quadratic", or "ordinal" (from the number
            of pairs of categories between the two, so that only the order matters).

    Returns:
        A symmetric matrix, categories x categories, in [0, 1].

    Raises:
        ValueError: unknown weights, fewer than two categories, or one declared twice.
    """
    categories = list(categories)
    if len(categories) < 2 or len(set(categories)) < len(categories):
        raise ValueError(f"categories: found {categories}, expected at least two, each declared once")
    if weights not in WEIGHTS:
        raise ValueError(f"weights: found '{weights}', expected one of {', '.join(WEIGHTS)}")
    if weights == "identity":
        return np.eye(len(categories))
    numeric = all(isinstance(category, (int, float, np.number)) for category in categories)
    place = np.array(categories if numeric else range(len(categories)), dtype=float)
    if weights == "ordinal":
        place = stats.rankdata(place)
    distance = np.abs(place[:, None] - place)
    if weights == "quadratic":
        distance = distance**2
    elif weights == "ordinal":
        distance = distance * (distance + 1) / 2
    return 1 - distance / distance.max()


@dataclass(frozen=True)
class Tally:
    """Counted ratings, without the items and raters that have none.

    Attributes:
        codes: items x raters, the position of each rating's category, -1 where missing.
        counts: items x categories, how many raters chose each.
        weights: categories x categories.
        scale: the weights and the number of categories in words.
        unrated: how many items nobody rated.
        unused: declared categories that no rating used.
    """

    codes: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    scale: str
    unrated: int
    unused: list[Any]

    @property
    def shares(self) -> np.ndarray:
        """The categories' shares of each item's ratings, items x categories."""
        return self.counts / self.counts.sum(axis=1, keepdims=True)

    @property
    def pairable(self) -> np.ndarray:
        """Which items were rated at least twice."""
        return self.counts.sum(axis=1) >= 2

    @property
    def agreed(self) -> np.ndarray:
        """Each item's weighted share of agreeing rater pairs; 0 where it has no pair."""
        rated = self.counts.sum(axis=1)
        credit = np.sum(self.counts * (self.counts @ self.weights - 1), axis=1)
        return credit / np.maximum(rated * (rated - 1), 1)


def tally(ratings: Any, categories: Iterable[Any], weights: str) -> Tally:
    """Count ratings over the declared categories.

    Args:
        ratings: items x raters; NaN or None where missing.
        categories: every category that the raters could choose.
        weights: see `weight_matrix`.

    Raises:
        ValueError: no rating at all, or one outside the declared categories (the first is named, with its
            row and column); as `as_table` and `weight_matrix`.
    """
    categories = list(categories)
    matrix = weight_matrix(categories, weights)
    table = as_table(ratings)
    codes = _codes(table, categories)
    rated_items, rated_by = (codes >= 0).any(axis=1), (codes >= 0).any(axis=0)
    if not rated_items.any():
        raise ValueError(f"ratings: found none, all {table.size} are missing; expected some")
    codes = codes[rated_items][:, rated_by]
    counts = np.stack([(codes == number).sum(axis=1) for number in range(len(categories))], axis=1)
    unused = [category for category, used in zip(categories, counts.any(axis=0), strict=True) if not used]
    scale = f"{weights} weights over {len(categories)} declared categories"
    return Tally(codes, counts, matrix, scale, int((~rated_items).sum()), unused)


def _codes(table: np.ndarray, categories: Sequence[Any]) -> np.ndarray:
    """The position of each rating's category, -1 where missing."""
    position = {category: number for number, category in enumerate(categories)}
    codes = np.full(table.shape, -1)
    for row, column in np.argwhere(~pd.isna(table)):
        rating = table[row, column]
        if rating not in position:
            raise ValueError(
                f"ratings: found {rating!r} in row {row}, column {column}; expected one of the declared "
                f"categories {categories}{nearest(str(rating), map(str, categories))}"
            )
        codes[row, column] = position[rating]
    return codes


def _objects(ratings: Any) -> np.ndarray:
    """An object array of up to two dimensions, so that lists and sets stay single ratings."""
    if isinstance(ratings, np.ndarray):
        return ratings.astype(object)
    rows = [list(row) if isinstance(row, (list, tuple, np.ndarray)) else row for row in ratings]
    widths = {len(row) if isinstance(row, list) else -1 for row in rows}
    if len(widths) != 1 or -1 in widths:
        return np.empty(len(rows), dtype=object)
    table = np.empty((len(rows), widths.pop()), dtype=object)
    for number, row in enumerate(rows):
        for place, rating in enumerate(row):
            table[number, place] = rating
    return table
