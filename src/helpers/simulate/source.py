"""Where a notebook's tables come from: the study's own where it has them, simulated ones otherwise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.paths import shown
from helpers.simulate.study import Simulation
from helpers.tables import exists, read

# Which rows of a table belong to rows of another one: table, column, the other one.
_BELONGING = (
    ("landmarks", "landmark_id", "prompts"),
    ("questions", "scenario_id", "prompts"),
    ("rankings", "prompt_id", "prompts"),
    ("videos", "prompt_id", "prompts"),
    ("answers", "video_id", "videos"),
    ("ratings", "video_id", "videos"),
    ("metric_values", "video_id", "videos"),
    ("relevance", "question_id", "questions"),
)


@dataclass(frozen=True)
class Source:
    """Tables, and the truth behind them where they are simulated.

    Attributes:
        tables: the tables by name, with the rows of one benchmark only.
        truth: what an analysis should recover; None for a study's own tables, whose truth nobody knows.
    """

    tables: dict[str, pd.DataFrame]
    truth: dict[str, pd.DataFrame] | None

    @property
    def simulated(self) -> bool:
        """Whether figures made from the tables must say so."""
        return self.truth is not None


def tables_or_simulated(
    study: Path | str | None, benchmark: str, names: Sequence[str], simulation: Callable[[], Simulation]
) -> Source:
    """A study's tables of one benchmark or, where it lacks any of them, simulated ones throughout.

    Own and simulated tables are never mixed. Where they are simulated, a printed line says why.

    Args:
        study: the study's folder, or None to simulate in any case.
        benchmark: which prompts are kept, and in the other tables what belongs to them.
        names: the tables wanted, `prompts` among them.
        simulation: makes the stand-in; called only when needed.

    Raises:
        DataError: as `tables.read`.
    """
    if study is None:
        print("Simulated tables, as the study file says.")
    else:
        missing = [name for name in names if not exists(study, name)]
        if not missing:
            tables = _of_benchmark({name: read(study, name, texts=False) for name in names}, benchmark)
            missing = [f"{name} of {benchmark}" for name in names if tables[name].empty]
            if not missing:
                return Source(tables=tables, truth=None)
        print(f"Simulated tables: {shown(study)} has no {', '.join(missing)}.")
    simulated = simulation()
    return Source(tables={name: simulated.tables[name] for name in names}, truth=simulated.truth)


def _of_benchmark(tables: dict[str, pd.DataFrame], benchmark: str) -> dict[str, pd.DataFrame]:
    """The rows that belong to a benchmark's prompts, directly or through clips, questions and raters."""
    kept = dict(tables)
    kept["prompts"] = _rows(kept["prompts"], kept["prompts"]["benchmark"].eq(benchmark))
    for name, key, parent in _BELONGING:
        if name in kept and parent in kept:
            kept[name] = _rows(kept[name], kept[name][key].isin(kept[parent][key]))
    said = [table["rater_id"] for name, table in kept.items() if name != "raters" and "rater_id" in table]
    if "raters" in kept and said:
        kept["raters"] = _rows(kept["raters"], kept["raters"]["rater_id"].isin(pd.concat(said)))
    return kept


def _rows(table: pd.DataFrame, wanted: pd.Series) -> pd.DataFrame:
    return table[wanted].reset_index(drop=True)
