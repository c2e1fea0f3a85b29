"""Statistics of clustered rows as functions of column totals, and their standard error between clusters.

A mean, a rate, a weighted mean or a difference of means needs only the totals of a few columns. So one row
of totals a cluster is all that a resample of clusters adds up, and the delta method gives a standard error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from helpers.checking import nearest
from helpers.stats.results import as_floats

Statistic = Callable[[np.ndarray], np.ndarray]

# Draws held at once, however many resamples are asked for: small enough to stay in the processor's cache.
CHUNK = 2**18
# Relative differences below this are rounding, not variation between clusters.
ROUNDING = 1e-6


def ratio(totals: np.ndarray) -> np.ndarray:
    """The first column's total over the second's: a mean, a weighted mean or a rate."""
    return totals[..., 0] / totals[..., 1]


def difference_of_means(totals: np.ndarray) -> np.ndarray:
    """The mean of a first group minus the mean of a second, from the columns of `two_groups`."""
    return totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3]


# Each named statistic with the number of columns that it needs; the mean makes its second column itself.
STATISTICS: dict[str, tuple[Statistic, int]] = {
    "mean": (ratio, 1),
    "ratio": (ratio, 2),
    "difference": (difference_of_means, 4),
}


def two_groups(values: Any, first: Any) -> np.ndarray:
    """The four columns from which `cluster_bootstrap` computes a difference between two groups' means.

    Both groups may lie in the same clusters (two models on the same prompts, with any number of clips each):
    a cluster that is drawn brings its rows of both groups, so that what belongs together stays together.

    Args:
        values: the scores, shape (n,).
        first: which rows belong to the first group, boolean, shape (n,); the rest are the second.

    Returns:
        Shape (n, 4): value and 1 where a row is in the first group, value and 1 where it is in the second.

    Raises:
        ValueError: shapes differ, `first` is not boolean, a group is empty, or as `as_floats`.
    """
    values, first = as_floats(values), np.asarray(first)
    if first.shape != values.shape or first.dtype != bool:
        raise ValueError(
            f"first: found {first.dtype} values of shape {first.shape}, expected bool, {values.shape}"
        )
    if first.all() or not first.any():
        raise ValueError(
            f"first: found {first.sum()} of {first.size} rows in it, expected rows in both groups"
        )
    return np.column_stack([values * first, first, values * ~first, ~first])


def columns_of(values: Any, statistic: str | Statistic) -> tuple[np.ndarray, Statistic, str]:
    """The columns to total, shape (n, k), the function of their totals, and the statistic's name.

    Args:
        values: as `cluster_bootstrap` takes them.
        statistic: a key of `STATISTICS` or a function of totals.

    Raises:
        ValueError: an unknown statistic, no rows, a wrong shape, or values that are not finite.
    """
    if callable(statistic):
        function, width, name = statistic, None, getattr(statistic, "__name__", "statistic").replace("_", " ")
    elif statistic in STATISTICS:
        (function, width), name = STATISTICS[statistic], statistic
    else:
        raise ValueError(
            f"statistic: found '{statistic}', expected {', '.join(STATISTICS)} or a function of column totals"
            + nearest(str(statistic), STATISTICS)
        )
    if width == 1:
        values = as_floats(values)
        columns = np.column_stack([values, np.ones_like(values)])
    else:
        columns = np.asarray(values, dtype=float)
        if columns.ndim != 2 or width not in (None, columns.shape[1]):
            raise ValueError(
                f"values: found shape {columns.shape}, expected (rows, {width or 'columns'}) for the {name}"
            )
        for number, column in enumerate(columns.T):
            as_floats(column, f"values, column {number}")
    if not len(columns):
        raise ValueError("values: found no rows, expected at least one")
    return columns, function, name


def cluster_totals(columns: np.ndarray, clusters: Any) -> np.ndarray:
    """The totals of each cluster's rows, shape (clusters, k).

    Args:
        columns: shape (n, k).
        clusters: a label a row, of any kind, shape (n,).

    Raises:
        ValueError: another number of labels than rows, or a missing label (the first is named).
    """
    labels = pd.Series(np.asarray(clusters))
    if len(labels) != len(columns):
        raise ValueError(f"clusters: found {len(labels)} labels for {len(columns)} rows, expected one a row")
    missing = labels.isna().to_numpy()
    if missing.any():
        raise ValueError(
            f"clusters: found no label at position {missing.argmax()} ({missing.sum()} such), "
            "expected one a row"
        )
    codes, names = pd.factorize(labels)
    return np.column_stack([np.bincount(codes, column, minlength=len(names)) for column in columns.T])


def presence(totals: np.ndarray) -> np.ndarray:
    """Which clusters have rows of the first and of the second group: boolean, shape (2, clusters).

    Args:
        totals: of the columns of `two_groups`, shape (clusters, 4).
    """
    return np.stack([totals[:, 1] > 0, totals[:, 3] > 0])


def lone_group(present: np.ndarray) -> str:
    """The group, "first" or "second", that lies in a single cluster; empty where there is none.

    How such a group varies between clusters is unknown.

    Args:
        present: as from `presence`.
    """
    alone = np.flatnonzero(present.sum(axis=1) < 2)
    return ("first", "second")[alone[0]] if alone.size else ""


def resampled(totals: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Overall totals of clusters drawn with replacement, as many as there are.

    Args:
        totals: shape (clusters, k).
        resamples: how often.
        rng: the random generator.

    Returns:
        Shape (resamples, k).
    """
    count = len(totals)
    drawn = np.empty((resamples, totals.shape[1]))
    size = max(1, CHUNK // count)
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        picks = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        times = np.bincount(picks.ravel(), minlength=rows * count).reshape(rows, count)
        drawn[start : start + rows] = times.astype(float) @ totals
    return drawn


def gradient(function: Statistic, totals: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Slopes of a function of totals by central differences.

    Args:
        function: maps (..., k) to (...).
        totals: where to take the slopes, shape (..., k).
        scale: the size of each column, shape (k,), which sets the steps.

    Returns:
        Shape (..., k).
    """
    size = 1e-5 * np.where(scale > 0, scale, 1.0)
    slopes = [
        (function(totals + step) - function(totals - step)) / (2 * width)
        for step, width in zip(np.diag(size), size, strict=True)
    ]
    return np.stack(slopes, axis=-1)


def standard_error(function: Statistic, totals: np.ndarray) -> float:
    """The delta-method standard error between clusters; 0 where they do not differ beyond rounding.

    For the mean of equally large clusters this is the standard deviation of the cluster means over the root
    of their number.

    Args:
        function: the statistic as a function of the overall totals.
        totals: shape (clusters, k), at least two clusters.
    """
    slopes = gradient(function, totals.sum(axis=0), np.abs(totals).sum(axis=0))
    parts = (totals - totals.mean(axis=0)) @ slopes
    if np.abs(parts).max() <= ROUNDING * np.abs(totals * slopes).max():
        return 0.0
    return float(np.sqrt(len(totals) / (len(totals) - 1) * np.sum(parts**2)))
