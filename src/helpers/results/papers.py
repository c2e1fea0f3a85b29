"""The papers' printed numbers beside a study's: one row a statement, so that models need not be the same."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import pandas as pd

from helpers import published
from helpers.results.page import LackingError, Listed

COLUMNS = ("where it is printed", "what", "the paper", "this study")


def beside(rows: Iterable[tuple[str, str, str, str]], *, caption: str) -> Listed:
    """The closing table of a page.

    Args:
        rows: where a number is printed, what it is, the paper's value, the study's ("–" where it has none).
        caption: what is compared.
    """
    return Listed(pd.DataFrame(list(rows), columns=list(COLUMNS)), caption)


def span(
    values: "Sequence[float] | pd.Series | LackingError", form: str = "{:.1f}", unit: str = "models"
) -> str:
    """The lowest and the highest of some numbers, and how many they are: "59.0 to 69.3 (3 models)".

    Args:
        values: numbers; missing ones are not counted. None, or `LackingError`, gives "–".
        form: of a number.
        unit: what is counted.
    """
    if isinstance(values, LackingError):
        return "–"
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if not known.size:
        return "–"
    ends = [form.format(end).replace("-", "−") for end in (known.min(), known.max())]
    if known.size == 1:
        return f"{ends[0]} (1 {unit.removesuffix('s')})"
    return f"{ends[0]} to {ends[1]} ({known.size} {unit})"


def of_rows(
    rows: "pd.DataFrame | LackingError", column: str = "estimate", **where: str
) -> "pd.Series | LackingError":
    """One column of the rows that meet some conditions; `LackingError` stays as it is.

    Args:
        rows: a table, or why there is none.
        column: which.
        where: column = value.
    """
    if isinstance(rows, LackingError):
        return rows
    wanted = pd.Series(True, index=rows.index)
    for name, value in where.items():
        wanted &= rows[name].eq(value)
    return rows.loc[wanted, column]


def claimed(prefix: str, **where: str) -> pd.Series:
    """Printed numbers of a paper's text, by claim.

    Args:
        prefix: how their claim_id begins.
        where: further columns of the table claims, such as dimension="context".
    """
    rows = _claims()
    return of_rows(rows[rows["claim_id"].str.startswith(prefix)], "value", **where)


@cache
def _claims() -> pd.DataFrame:
    return published.load("claims")


def counted(counts: pd.Series) -> str:
    """The least and the largest of some counts: "12 to 15", or "13" where all are the same."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def bracket(low: float, high: float, form: str = "{:.2f}") -> str:
    """An interval beside its estimate in a table, as "[0.41, 0.63]"; "no interval" where there is none."""
    if not np.isfinite([low, high]).all():
        return "no interval"
    return f"[{form.format(low)}, {form.format(high)}]".replace("-", "−")


def interval(row: "pd.Series | dict", form: str = "{:.2f}") -> str:
    """An estimate with its interval, as "0.53 [0.41, 0.63]"; "–" where there is no estimate."""
    if not np.isfinite(row["estimate"]):
        return "–"
    said = form.format(row["estimate"])
    if np.isfinite(row["low"]):
        said += f" [{form.format(row['low'])}, {form.format(row['high'])}]"
    return said.replace("-", "−")
