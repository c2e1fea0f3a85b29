"""Where a notebook's tables come from: the study's own where they suffice, simulated ones otherwise.

What suffices a notebook says itself, with a function of the tables that returns what is lacking in words that
fit after "The study has", such as "no ratings by people". `rows_by`, `too_few` and `too_few_groups` help it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

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
# What a rater says in a table, and what several raters can say it of.
_SAID = {
    "relevance": ("relevant", "question_id"),
    "answers": ("answer", "question_id"),
    "rankings": ("rank", "prompt_id"),
    "ratings": ("score", "video_id"),
}


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

    Raises:
        DataError: as `tables.read`.
    """
    if study is None:
        why = "Simulated tables, as the study file says."
    else:
        tables, lack = _own(study, benchmark, names)
        lack = lack or lacking(tables)
        if not lack:
            return Source(tables=tables, truth=None)
        why = f"The study {Path(study).name} has {lack}: what follows is simulated."
    print(why)
    simulated = simulation()
    tables = {name: simulated.tables[name] for name in names}
    return Source(tables=tables, truth=simulated.truth, why=why)


def rows_by(
    tables: Mapping[str, pd.DataFrame],
    name: Literal["relevance", "answers", "rankings", "ratings"],
    kind: Literal["human", "judge"],
    criteria: Collection[str] = (),
) -> pd.DataFrame:
    """The rows of a table in which raters of one kind say something, and what they say it of.

    Args:
        tables: the table, `prompts`, `raters`; for relevance `questions`, for answers and ratings `videos`.
        name: the table.
        kind: whose rows; a judge's never count as people's, nor theirs as a judge's.
        criteria: ratings under these only; all where empty.

    Returns:
        The rows with a value (no failed, unscored or missing ones, no "not applicable"), with the columns of
        their prompt, the clip's model, and `item`: the question, prompt or clip that raters may have in
        common.
    """
    value, item = _SAID[name]
    raters, prompts = tables["raters"], tables["prompts"]
    rows = tables[name]
    rows = rows[rows[value].notna() & rows["rater_id"].isin(raters.loc[raters["kind"].eq(kind), "rater_id"])]
    if criteria:
        rows = rows[rows["criterion"].isin(list(criteria))]
    if name == "relevance":
        places = prompts[["scenario_id", "country"]].drop_duplicates("scenario_id")
        rows = rows.merge(tables["questions"][["question_id", "scenario_id"]]).merge(places)
    else:
        if name != "rankings":
            rows = rows.merge(tables["videos"][["video_id", "prompt_id", "model"]], on="video_id")
        rows = rows.merge(prompts, on="prompt_id")
    return rows.assign(item=rows[item])


def too_few(rows: pd.DataFrame, what: str, *, raters: int = 1, countries: int = 1) -> str:
    """What rows lack for a comparison of raters or countries.

    Args:
        rows: as `rows_by` returns them.
        what: what they are, such as "ratings by people".
        raters: so many have to say something of the same question, prompt or clip.
        countries: in so many countries.

    Returns:
        Words that fit after "The study has"; an empty text if nothing is lacking.
    """
    if rows.empty:
        return f"no {what}"
    together = rows[rows.groupby("item")["rater_id"].transform("nunique").ge(raters)]
    if together.empty:
        return f"{what}, but nowhere {raters} raters of the same"
    found = together["country"].nunique()
    if found < countries:
        each = f", with {raters} raters of the same in each" if raters > 1 else ""
        return f"{what}, but in too few countries ({found} of the {countries} needed{each})"
    return ""


def too_few_groups(rows: pd.DataFrame, what: str, by: str, of: str, least: int) -> str:
    """What rows lack for a comparison of groups: two groups, each of so many units, are needed.

    Args:
        rows: what is compared.
        what: what the rows are, such as "scores by people".
        by: the column that names the groups.
        of: the column that names the units.
        least: so many units a group.

    Returns:
        Words that fit after "The study has"; an empty text if nothing is lacking.
    """
    if rows.empty:
        return f"no {what}"
    large = rows.groupby(by)[of].nunique().ge(least).sum()
    groups, units = by.replace("_", " "), of.removesuffix("_id")
    return f"{what}, but not in two groups ({groups}) of {least} ({units}) each" if large < 2 else ""


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
