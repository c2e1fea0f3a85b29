"""The published tables of CultureScore in the shapes that the checks need."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from helpers.evidence.questions import RUN, counted_cells
from helpers.published import DIMENSIONS


class Check(NamedTuple):
    """One sentence of the paper beside what its numbers give.

    Attributes:
        where: section, table or figure.
        says: the sentence, restated.
        gives: the same quantity from the published numbers.
        holds: whether they agree.
    """

    where: str
    says: str
    gives: str
    holds: bool


@dataclass(frozen=True)
class Paper:
    """The tables, as `helpers.published.load` returns them.

    Attributes:
        cells: "culturescore_cells".
        overall: "culturescore_overall_rows".
        countries: "culturescore_countries".
        videoscore: "culturescore_videoscore".
        claims: "claims".
        counts: the number of questions behind each cell, as `question_counts` returns them.
    """

    cells: pd.DataFrame
    overall: pd.DataFrame
    countries: pd.DataFrame
    videoscore: pd.DataFrame
    claims: pd.DataFrame
    counts: pd.DataFrame

    def claim(self, claim_id: str) -> float:
        """The printed value of one claim."""
        return float(self._values[claim_id])

    def quantity(self, name: str) -> pd.DataFrame:
        """All of CultureScore's claims of one quantity."""
        return self.claims[self.claims["paper"].eq("culturescore") & self.claims["quantity"].eq(name)]

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The cells with their numbers of questions."""
        return counted_cells(self.cells, self.counts)

    @cached_property
    def extended(self) -> pd.DataFrame:
        """The cells of extended prompts."""
        return self.cells[self.cells["variant"] == "extended"]

    @cached_property
    def last_rows(self) -> pd.DataFrame:
        """The overall rows of Tables 11 to 16: one row a run, one column a dimension."""
        table = self.overall.pivot_table(index=RUN, columns="dimension", values="accuracy", sort=False)
        return table[list(DIMENSIONS)]

    @cached_property
    def by_dimension(self) -> pd.DataFrame:
        """The same percentages: one row a model and dimension, one column a variant."""
        return self.overall.pivot_table(index=["model", "dimension"], columns="variant", values="accuracy")

    @cached_property
    def text(self) -> pd.DataFrame:
        """Section 4.1's average percentages: one row a model and dimension, one column a variant."""
        printed = self.quantity("cultural accuracy")
        return printed.pivot_table(index=["model", "dimension"], columns="variant", values="value")

    @cached_property
    def questions(self) -> int:
        """The questions behind one run of the full suite."""
        return int(self.counts["n"].sum())

    @cached_property
    def _values(self) -> pd.Series:
        return self.claims.set_index("claim_id")["value"]
