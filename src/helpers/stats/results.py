"""Named results: what every statistic here returns instead of a bare tuple."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

import numpy as np


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A number with its uncertainty.

    Attributes:
        estimate: the point estimate; NaN where it is undefined (the method says why).
        low: lower end of the interval; NaN where no interval exists.
        high: upper end of the interval; NaN where no interval exists.
        p: two-sided p-value of the method's null hypothesis; NaN where nothing is tested.
        n: the number of units behind the estimate (rows, pairs, items: the method says which).
        method: how it was computed, in words that can stand in a caption.
        level: the interval's confidence level.
        details: further named numbers of the method (standard error, degrees of freedom, clusters, …).
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    n: int
    method: str
    level: float = 0.95
    details: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"{self.estimate:.3g}"]
        if not math.isnan(self.low):
            parts.append(f"[{self.low:.3g}, {self.high:.3g}]")
        if not math.isnan(self.p):
            parts.append(f"p = {self.p:.2g}" if self.p >= 1e-4 else "p < 0.0001")
        parts.append(f"n = {self.n}")
        return ", ".join(parts)

    def row(self) -> dict[str, Any]:
        """A flat dictionary for one row of a data frame: the attributes, then the details."""
        row = asdict(self)
        return row | row.pop("details")


def as_floats(values: Any, name: str = "values") -> np.ndarray:
    """A one-dimensional float array without missing values.

    Args:
        values: anything array-like of numbers, shape (n,).
        name: what the error calls it.

    Raises:
        ValueError: not one-dimensional, not numeric, or NaN or infinite values (the first is named).
    """
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers ({error})") from None
    if array.ndim != 1:
        raise ValueError(f"{name}: found shape {array.shape}, expected one dimension")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name}: found {array[bad[0]]} at position {bad[0]} ({bad.size} such), expected finite numbers; "
            "leave missing ones out beforehand and say how many"
        )
    return array


def paired(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two float arrays of one length, checked as by `as_floats`.

    Raises:
        ValueError: lengths differ, or as `as_floats`.
    """
    x, y = as_floats(x, "x"), as_floats(y, "y")
    if x.size != y.size:
        raise ValueError(f"x has {x.size} values and y has {y.size}; expected pairs")
    return x, y


def check_size(values: np.ndarray, least: int, what: str = "pairs") -> None:
    """Refuse fewer values than a statistic needs.

    Raises:
        ValueError: there are fewer than `least`.
    """
    if values.size < least:
        raise ValueError(f"found {values.size} {what}, expected at least {least}")


def check_known(word: str, known: Any, name: str) -> None:
    """Refuse a word that is not one of a `Literal`'s.

    Raises:
        ValueError: the word is unknown; `name` is what the error calls it.
    """
    if word not in get_args(known):
        raise ValueError(f"{name}: found '{word}', expected one of {', '.join(get_args(known))}")
