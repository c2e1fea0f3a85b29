"""How a score comes from the means of its parts, and the table that many scores make."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.checking import nearest
from helpers.stats.clusters import Statistic
from helpers.stats.results import Estimate


@dataclass(frozen=True, kw_only=True)
class Score:
    """How a score comes from the means of parts (dimensions, criteria).

    Attributes:
        name: its name in tables.
        groups: parts whose means are averaged within each group, then over the groups.
        pooled: instead, every case of every part counts once.
        against: parts whose average the score is relative to: it then is 1 - (average of groups)/(average of
            these), the relative drop.
        may_lack: parts that are left out, and named, in a cell where they were not to be scored at all.
        bounds: the lowest and highest value; where both are finite the interval stays between them.
        signed: whether it is a difference, whose interval is symmetric (t) rather than on the logit scale.
    """

    name: str
    groups: tuple[tuple[str, ...], ...]
    pooled: bool = False
    against: tuple[str, ...] = ()
    may_lack: frozenset[str] = frozenset()
    bounds: tuple[float, float] = (0.0, 1.0)
    signed: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts that it needs."""
        return (*(part for group in self.groups for part in group), *self.against)

    @property
    def method(self) -> str:
        """The interval that suits it."""
        return "t" if self.signed or self.against else "logit"

    def statistic(self, used: Sequence[str]) -> Statistic:
        """The score as a function of the used parts' totals (value x weight, weight): (..., 2k) to (...)."""
        groups = [[part for part in group if part in used] for group in self.groups]
        above = _coefficients(groups, used)
        below = _coefficients([list(self.against)], used) if self.against else None

        def score(totals: np.ndarray) -> np.ndarray:
            sums, weights = totals[..., 0::2], totals[..., 1::2]
            if self.pooled:
                return sums.sum(axis=-1) / weights.sum(axis=-1)
            means = sums / weights
            return means @ above if below is None else 1 - (means @ above) / (means @ below)

        score.__name__ = self.name
        return score


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores of many cells.

    Attributes:
        table: one row a cell and score: the cell's columns; score; estimate, low, high (missing where there
            is none); n (cases scored), asked (cases that should have a score), clusters (with a scored case),
            share_scored (n of asked); status ("ok", or why there is no interval or no estimate, and which
            parts are left out); and how many cases were lost or set aside, by reason (`REASONS`).
        estimates: what stands behind each row, in the same order.
    """

    table: pd.DataFrame
    estimates: tuple[Estimate, ...]

    def by(self, column: str, score: str, **fixed: str) -> dict[str, Estimate]:
        """The estimates of one score by the values of one column.

        Args:
            column: such as "country".
            score: the score's name.
            fixed: one value for each further column of the cells, such as model="Wan 2.2".

        Raises:
            ValueError: no such cell, or several of one name (further columns have to be fixed).
        """
        rows = self.table["score"].eq(score)
        for name, value in fixed.items():
            rows &= self.table[name].eq(value)
        names = self.table.loc[rows, column]
        if names.empty:
            known = self.table["score"].unique()
            raise ValueError(f"found no score '{score}' of {fixed}{nearest(score, known)}")
        if names.duplicated().any():
            raise ValueError(f"found several scores '{score}' of '{names[names.duplicated()].iloc[0]}'")
        return {str(name): self.estimates[row] for row, name in names.items()}


def stacked(parts: dict[str, Scores], column: str) -> Scores:
    """Several scores in one table, with a first column that says which is which."""
    tables = [found.table.assign(**{column: name}) for name, found in parts.items()]
    table = pd.concat(tables, ignore_index=True)
    table.insert(0, column, table.pop(column))
    return Scores(table=table, estimates=tuple(each for found in parts.values() for each in found.estimates))


def _coefficients(groups: Sequence[Sequence[str]], used: Sequence[str]) -> np.ndarray:
    """The weight of each used part's mean in the average of the groups' averages."""
    weights = dict.fromkeys(used, 0.0)
    for group in groups:
        for part in group:
            weights[part] += 1 / len(group) / len(groups)
    return np.array(list(weights.values()))
