"""Where a notebook's tables come from: the study's own where they suffice, simulated ones otherwise.

What suffices a notebook says with one of the functions of `helpers.simulate.lacks`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.people.rules import counting
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
        why: a sentence that says why the tables are simulated; empty for a study's own.
    """

    tables: dict[str, pd.DataFrame]
    truth: dict[str, pd.DataFrame] | None
    why: str = ""

    @property
    def simulated(self) -> bool:
        """Whether figures made from the tables must say so."""
        return self.truth is not None


def tables_or_simulated(
    study: Path | str | None,
    benchmark: str,
    names: Sequence[str],
    simulation: Callable[[], Simulation],
    lacking: Callable[[dict[str, pd.DataFrame]], str] = lambda tables: "",
    *,
    everybody: bool = False,
) -> Source:
    """A study's tables of one benchmark or, where they do not suffice, simulated ones throughout.

    Own and simulated tables are never mixed. Where they are simulated, a printed line says why.

    Args:
        study: the study's folder, or None to simulate in any case.
        benchmark: which prompts are kept, and in the other tables what belongs to them.
        names: the tables wanted, `prompts` among them; a study that has no row in one of them simulates.
        simulation: makes the stand-in; called only when needed.
        lacking: what the study's own tables, all of them with rows, lack for the analysis ("no ratings by
            people"); an empty text if they suffice.
        everybody: also the people whom `people.rules.counting` leaves out of a study's own tables, for an
            analysis that applies the papers' rules itself. Otherwise a printed line says who is left out.

    Raises:
        DataError: as `tables.read`.
    """
    if study is None:
        why = "Simulated tables, as the study file says."
    else:
        tables, lack = _own(study, benchmark, names)
        if not everybody:
            tables, people = counting(tables)
            for reason, count in people.items():
                print(f"People left out: {count:,} {reason}.")
        lack = lack or lacking(tables)
        if not lack:
            return Source(tables=tables, truth=None)
        why = f"The study {Path(study).name} has {lack}: what follows is simulated."
    print(why)
    simulated = simulation()
    tables = {name: simulated.tables[name] for name in names}
    return Source(tables=tables, truth=simulated.truth, why=why)


def _own(study: Path | str, benchmark: str, names: Sequence[str]) -> tuple[dict[str, pd.DataFrame], str]:
    """A study's tables of one benchmark, and which of them are absent or have no row."""
    absent = [name for name in names if not exists(study, name)]
    if absent:
        return {}, f"no {', '.join(absent)}"
    tables = _of_benchmark({name: read(study, name, texts=False) for name in names}, benchmark)
    empty = [f"{name} of {benchmark}" for name in names if tables[name].empty]
    return tables, f"no {', '.join(empty)}" if empty else ""


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
