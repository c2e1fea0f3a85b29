"""Spearman's rho and Kendall's tau-b, and each over many permutations or resamples at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

# Array cells held at once, about 30 MB.
CELLS = 4_000_000
# Up to so many pairs tau-b is resampled by matrix products, whose memory grows with the square.
MATRIX_PAIRS = 2_000


@dataclass(frozen=True)
class Coefficient:
    """What distinguishes one rank correlation from another.

    Attributes:
        name: stands in the method.
        of: the coefficient of x and y.
        permuted: of x and each reordering of y, from an index array (rows, n).
        resampled: of the pairs that each row of an index array draws; NaN where they do not vary.
        approximate_p: name and two-sided p of the large-sample test.
        step: distance from 1 to the next value that n untied pairs can give.
        errors: standard errors on Fisher's z scale, given the coefficient and n, by the interval's name.
        least: fewest pairs for those.
    """

    name: str
    of: Callable[[np.ndarray, np.ndarray], float]
    permuted: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    resampled: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    approximate_p: Callable[[np.ndarray, np.ndarray], tuple[str, float]]
    step: Callable[[int], float]
    errors: dict[str, Callable[[float, int], float]]
    least: int


def _spearman_rows(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho of each row of x with that row of y; NaN where either does not vary."""
    u, v = _centred_ranks(x), _centred_ranks(y)
    return _quotient((u * v).sum(axis=1), (u**2).sum(axis=1), (v**2).sum(axis=1))


def _spearman_permuted(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    u, v = _centred_ranks(x), _centred_ranks(y)
    return _quotient(v[orders] @ u, (u**2).sum(), (v**2).sum())


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    return stats.rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2


def _kendall_permuted(x: np.ndarray, y: np.ndarray, orders: np.ndarray) -> np.ndarray:
    # The distribution is the same with x and y exchanged; it is cheap where x has few values off its mode.
    if outside_commonest(y) < outside_commonest(x):
        x, y = y, x
    values, counts = np.unique(x, return_counts=True)
    mode = values[counts.argmax()]
    off = np.flatnonzero(x != mode)
    side = np.sign(x[off] - mode)
    # Each value off the mode is compared with all n, which gives its rank; pairs of them are then set right.
    first, second = np.triu_indices(off.size, 1)
    correction = np.sign(x[off[first]] - x[off[second]]) - side[first] + side[second]
    against_all = 2 * _centred_ranks(y)
    sums = []
    for rows in np.array_split(orders[:, off], len(chunks(len(orders), max(1, first.size)))):
        pairs = np.sign(y[rows[:, first]] - y[rows[:, second]])
        sums.append(against_all[rows] @ side + pairs @ correction)
    untied = (np.count_nonzero(values[:, None] > values) for values in (x, y))
    return _quotient(np.concatenate(sums), *untied)


def _kendall_resampled(x: np.ndarray, y: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    if x.size > MATRIX_PAIRS:
        return np.array(
            [np.nan if why_undefined(x[row], y[row]) else _kendall(x[row], y[row]) for row in drawn]
        )
    # Drawing unit i so often as w[i] makes the concordant minus the discordant pairs a quadratic form in w.
    weights = np.stack([np.bincount(row, minlength=x.size) for row in drawn]).astype(float)
    u, v = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    return _quotient(*(((weights @ form) * weights).sum(axis=1) for form in (u * v, u**2, v**2)))


def _quotient(products: np.ndarray, squares_x: Any, squares_y: Any) -> np.ndarray:
    """A correlation from its sums, rounded so that a perfect one is exactly ±1; NaN where nothing varies."""
    size = np.broadcast_to(np.sqrt(squares_x * squares_y), products.shape)
    return np.round(np.divide(products, size, where=size > 0, out=np.full(products.shape, np.nan)), 15)


def _kendall(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.round(stats.kendalltau(x, y, variant="b").statistic, 15))


SPEARMAN = Coefficient(
    name="Spearman's rho",
    of=lambda x, y: float(_spearman_rows(x[None], y[None])[0]),
    permuted=_spearman_permuted,
    resampled=lambda x, y, drawn: _spearman_rows(x[drawn], y[drawn]),
    approximate_p=lambda x, y: ("t-approximation p", float(stats.spearmanr(x, y).pvalue)),
    step=lambda n: 12 / (n * (n**2 - 1)),
    errors={
        "bonett-wright": lambda rho, n: np.sqrt((1 + rho**2 / 2) / (n - 3)),
        "fisher": lambda rho, n: np.sqrt(1.06 / (n - 3)),
    },
    least=4,
)

KENDALL = Coefficient(
    name="Kendall's tau-b",
    of=_kendall,
    permuted=_kendall_permuted,
    resampled=_kendall_resampled,
    approximate_p=lambda x, y: (
        "normal-approximation p",
        float(stats.kendalltau(x, y, method="asymptotic").pvalue),
    ),
    step=lambda n: 4 / (n * (n - 1)),
    errors={"fieller": lambda tau, n: np.sqrt(0.437 / (n - 4))},
    least=5,
)


def coefficient(statistic: str) -> Coefficient:
    known = {"spearman": SPEARMAN, "kendall": KENDALL}
    if statistic not in known:
        raise ValueError(f"statistic: found '{statistic}', expected one of {', '.join(known)}")
    return known[statistic]


def chunks(rows: int, width: int) -> list[int]:
    """Row counts of blocks of at most `CELLS` cells that add up to `rows`."""
    most = max(1, CELLS // width)
    return [min(most, rows - start) for start in range(0, rows, most)]


def outside_commonest(values: np.ndarray) -> int:
    return int(values.size - np.unique(values, return_counts=True)[1].max())


def why_undefined(x: np.ndarray, y: np.ndarray) -> str:
    """Why two scores have no rank correlation; the empty string where they have one."""
    if x.size < 2:
        return "a single pair"
    constant = [name for name, values in (("x", x), ("y", y)) if np.ptp(values) == 0]
    return f"constant {' and '.join(constant)}" if constant else ""
