"""What a simulation returns, and the pieces that all of them share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.schemas import check
from helpers.simulate.raters import Rater

TEXT = "Simulated: there is no text."


@dataclass(frozen=True)
class Simulation:
    """A simulated study.

    Attributes:
        tables: the study's tables by name, as `helpers.tables` declares them.
        truth: what an analysis should recover, by name; each simulation says what it holds.
    """

    tables: dict[str, pd.DataFrame]
    truth: dict[str, pd.DataFrame]


def checked(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables with their declared types and columns."""
    return {name: check(name, frame, f"simulated {name}") for name, frame in tables.items()}


def crossed(**levels: Sequence[str]) -> pd.DataFrame:
    """All combinations of named levels as categories, the last one varying fastest."""
    every = pd.MultiIndex.from_product(levels.values(), names=levels.keys()).to_frame(index=False)
    return every.astype({name: pd.CategoricalDtype(list(values)) for name, values in levels.items()})


def taken(frame: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame:
    """Rows by number, newly numbered; the same row may be taken many times."""
    return frame.iloc[rows].reset_index(drop=True)


def joined(*parts: pd.Series) -> pd.Series:
    """Names made of others: the parts of each row with "/" between them."""
    first, *others = (part.astype(str) for part in parts)
    return first.str.cat(others, sep="/")


def sees(rater: Rater, about: pd.DataFrame) -> np.ndarray:
    """Which rows a rater is asked about: all, or those of their country."""
    if rater.country is None:
        return np.full(len(about), True)
    return about["country"].eq(rater.country).to_numpy()


def cohorts(people: Sequence[Rater]) -> dict[str, dict[str, str]]:
    """For each country, its people by the names of the sheets that they get ("Japan-1").

    Raises:
        ValueError: a person without a country.
    """
    found: dict[str, dict[str, str]] = {}
    for person in people:
        if person.country is None:
            raise ValueError(
                f"{person.rater_id}: found no country, expected the country whose clips they judge"
            )
        names = found.setdefault(person.country, {})
        names[f"{person.country}-{len(names) + 1}"] = person.rater_id
    return found
