"""Where a notebook's tables come from: the study's own where it has them, simulated ones otherwise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.paths import shown
from helpers.simulate.study import Simulation
from helpers.tables import read, table_path


@dataclass(frozen=True)
class Source:
    """Tables, and the truth behind them where they are simulated.

    Attributes:
        tables: the tables by name; `prompts` holds one benchmark only.
        truth: what an analysis should recover; None for a study's own tables, whose truth nobody knows.
    """

    tables: dict[str, pd.DataFrame]
    truth: dict[str, pd.DataFrame] | None

    @property
    def simulated(self) -> bool:
        """Whether figures made from the tables must say so."""
        return self.truth is not None


def tables_or_simulated(
    study: Path | str, benchmark: str, names: Sequence[str], simulation: Callable[[], Simulation]
) -> Source:
    """A study's tables of one benchmark or, where it lacks any of them, simulated ones throughout.

    Own and simulated tables are never mixed. Where they are simulated, a printed line says why.

    Args:
        study: the study's folder.
        benchmark: which prompts are kept.
        names: the tables wanted, `prompts` among them.
        simulation: makes the stand-in; called only when needed.

    Raises:
        DataError: as `tables.read`.
    """
    missing = [name for name in names if not table_path(study, name).exists()]
    if not missing:
        tables = {name: read(study, name) for name in names}
        prompts = tables["prompts"]
        tables["prompts"] = prompts[prompts["benchmark"].eq(benchmark)].reset_index(drop=True)
        if len(tables["prompts"]):
            return Source(tables=tables, truth=None)
        missing = [f"prompts of {benchmark}"]
    print(f"Simulated tables: {shown(study)} has no {', '.join(missing)}.")
    simulated = simulation()
    return Source(tables={name: simulated.tables[name] for name in names}, truth=simulated.truth)
