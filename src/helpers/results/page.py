"""A page of results: a study's tables of one benchmark, and exhibits that say what is lacking.

Exhibits are functions of the page's tables. Where a table lacks rows they raise `LackingError`, whose
sentence names the table and what fills it; the page then shows that sentence in the exhibit's place, and the
next one is tried.
"""

import html
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from helpers import figures
from helpers.people.rules import counting
from helpers.results.belonging import benchmark_rows, strays
from helpers.schemas import TABLES
from helpers.scores.score import Scores
from helpers.study import Study
from helpers.tables import TEXTS, exists, read, read_about

T = TypeVar("T")

_SURVEY = (
    "`python -m helpers.simulate.people STUDY.yaml` for simulated people, or a survey's export (notebook 51)"
)
FILLED_BY = {
    "prompts": "notebooks 11, 12 and 13",
    "questions": "notebook 11",
    "landmarks": "notebook 13",
    "videos": "`python -m helpers.generation STUDY.yaml`, or notebook 22 for finished clips",
    "raters": "`python -m helpers.judging STUDY.yaml`",
    "answers": "`python -m helpers.judging STUDY.yaml`",
    "ratings": "`python -m helpers.judging STUDY.yaml`",
    "metric_values": "`python -m helpers.metrics STUDY.yaml`",
    "rankings": _SURVEY,
    "relevance": _SURVEY,
    "assignments": _SURVEY,
}
# In which table raters of a benchmark say what its scores rest on.
SAID_IN = {"culturescore": "answers", "culturevidbench": "ratings", "landmarks": "ratings"}


class LackingError(ValueError):
    """There is nothing to show; the message says which table lacks rows, and what fills it."""


class Drawn(NamedTuple):
    """A figure with what stands below it, as `figures.show` takes them."""

    figure: Figure
    caption: str
    alt: str


class Listed(NamedTuple):
    """A table with its caption, as `figures.table` takes them."""

    frame: pd.DataFrame
    caption: str
    formats: Mapping[str, str] | str | None = None


@dataclass(frozen=True)
class Page:
    """A study's tables of one benchmark.

    Attributes:
        benchmark: culturescore, culturevidbench or landmarks.
        name: the study's.
        folder: the study's, where paths in its tables start.
        tables: every table by its name, with the benchmark's rows only; without rows where the study has
            none. The words in answers and ratings stay on the disk; see `with_words`.
            Raters are called human or judge by the part that they play, simulated ones too.
        simulated: whether the study exists to show how things work, or any clip or rater is simulated.
        simulated_models: the models with simulated clips; all where the study exists to show how things work.
        simulated_raters: the raters who are simulated; all there, too.
        set_aside: how many people count nowhere, by the reason; see `people.rules.counting`.
        left_out: how many rows of the study belong to no benchmark, by table; see `belonging.strays`.
        named_judges: the judges that the study file names, in its order.
    """

    benchmark: str
    name: str
    folder: Path
    tables: Mapping[str, pd.DataFrame]
    simulated: bool
    simulated_models: frozenset[str]
    simulated_raters: frozenset[str]
    set_aside: Mapping[str, int]
    left_out: Mapping[str, int]
    named_judges: tuple[str, ...]

    @property
    def told(self) -> str:
        """How captions begin: whose data it is, what of it is simulated, who and what had to be left out."""
        if not self.simulated:
            return f"Study {self.name}{self.said_left_out}"
        made_up = self._simulated_parts()
        return f"Simulated data{f' ({made_up})' if made_up else ''}{self.said_left_out}"

    def _simulated_parts(self) -> str:
        """What is simulated, where the clips of some models are not; else empty."""
        real = set(self.tables["videos"]["model"]) - self.simulated_models
        if not real:
            return ""
        kinds = self.tables["raters"].set_index("rater_id")["kind"]
        who = {kinds[name] for name in self.simulated_raters}
        parts = [word for kind, word in (("judge", "judges"), ("human", "people")) if kind in who]
        clips = [f"clips of {', '.join(sorted(self.simulated_models))}"] if self.simulated_models else []
        return ", ".join([*parts, *clips]) + ("" if clips else ", not the clips")

    @property
    def said_left_out(self) -> str:
        """Who and how many rows had to be left out and why, in brackets; empty where there is nothing."""
        people = ", ".join(f"{count:,} {reason}" for reason, count in self.set_aside.items())
        counts = ", ".join(f"{count:,} of {name}" for name, count in self.left_out.items())
        said = [f"people left out: {people}"] if people else []
        if counts:
            said.append(f"rows left out, as the study's tables lack their prompt, clip or question: {counts}")
        return f" ({'; '.join(said)})" if said else ""

    def need(self, *names: str) -> None:
        """Refuse to go on without rows.

        Args:
            names: tables.

        Raises:
            LackingError: one has no row of this benchmark.
        """
        for name in names:
            if self.tables[name].empty:
                raise LackingError(self._sentence(name))

    def people(self) -> str:
        """The kind of rater that people are.

        Raises:
            LackingError: nobody has said anything about this benchmark's clips.
        """
        said = self.tables[SAID_IN[self.benchmark]]["rater_id"].unique()
        raters = self.tables["raters"]
        if not (raters["kind"].eq("human") & raters["rater_id"].isin(said)).any():
            table = SAID_IN[self.benchmark]
            raise LackingError(
                f"The study {self.name} has no people's rows of {self.benchmark} in its table '{table}'. "
                f"To fill it: {_SURVEY}."
            )
        return "human"

    def judges(self) -> list[str]:
        """The judges who have said anything about this benchmark's clips, the first one first.

        They come in the order of the study file; those that it does not name follow by name.

        Raises:
            LackingError: there is none.
        """
        said = set(self.tables[SAID_IN[self.benchmark]]["rater_id"])
        raters = self.tables["raters"]
        judged = said & set(raters.loc[raters["kind"].eq("judge"), "rater_id"])
        named = [name for name in self.named_judges if name in judged]
        found = named + sorted(judged - set(named))
        if not found:
            raise LackingError(self._sentence(SAID_IN[self.benchmark], "no judge's rows"))
        return found

    def judge(self, name: str = "") -> str:
        """A judge by name, or the first.

        Raises:
            LackingError: there is none, or none of that name.
        """
        found = self.judges()
        if name and name not in found:
            known = ", ".join(found)
            raise LackingError(
                f"The study {self.name} has nothing by the judge '{name}' about {self.benchmark}; there are "
                f"{known}."
            )
        return name or found[0]

    def metric(self, *names: str) -> str:
        """The first of some metrics that the study has values of.

        Raises:
            LackingError: it has none of them.
        """
        values = self.tables["metric_values"]
        there = set(values.loc[values["value"].notna(), "metric"])
        for name in names:
            if name in there:
                return name
        wanted = names[0] if len(names) == 1 else f"any of {', '.join(names)}"
        raise LackingError(self._sentence("metric_values", f"no value of {wanted}"))

    def with_words(self, clips: Collection[str]) -> "Page":
        """The same page, where the table that scores rest on has only some clips' rows, and with their words.

        Args:
            clips: their video_ids.

        Returns:
            A page whose table `SAID_IN` has the columns `tables.TEXTS` too; missing where the disk no longer
            has the row. Words that the table has already are kept.

        Raises:
            DataError: as `tables.read_about`.
        """
        name = SAID_IN[self.benchmark]
        rows = self.tables[name]
        rows = rows[rows["video_id"].isin(set(clips))]
        if "raw" not in rows:
            key = list(TABLES[name].key)
            words = read_about(self.folder, name, clips).filter(items=[*key, *TEXTS])
            rows = rows.merge(words, on=key, how="left")
        return replace(self, tables={**self.tables, name: rows})

    def get(self, function: Callable[..., T], *given: Any, **options: Any) -> "T | LackingError":
        """What a function gives, or why it gives nothing.

        Args:
            function: may raise `LackingError`.
            given: what it takes; where one of them is `LackingError`, that is the answer.
            options: further arguments.
        """
        for one in (*given, *options.values()):
            if isinstance(one, LackingError):
                return one
        try:
            return function(*given, **options)
        except LackingError as why:
            return why

    def show(self, name: str, draw: Callable[..., Drawn], *given: Any, **options: Any) -> HTML:
        """A figure, or the sentence that says why there is none.

        Args:
            name: of the file in the study's folder `figures`, without ".png".
            draw: as `get`'s function.
            given: see there.
            options: see there.
        """
        drawn = self.get(draw, *given, **options)
        if isinstance(drawn, LackingError):
            return lacking(drawn)
        path = self.folder / "figures" / f"{name}.png"
        caption = f"{self.told}: {drawn.caption}"
        return figures.show(drawn.figure, path, caption=caption, alt=drawn.alt, simulated=self.simulated)

    def list(self, make: Callable[..., Listed], *given: Any, **options: Any) -> HTML:
        """A table, or the sentence that says why there is none; arguments as `get`."""
        made = self.get(make, *given, **options)
        if isinstance(made, LackingError):
            return lacking(made)
        return figures.table(made.frame, caption=f"{self.told}: {made.caption}", formats=made.formats)

    def _sentence(self, table: str, what: str = "no rows") -> str:
        return (
            f"The study {self.name} has {what} of {self.benchmark} in its table '{table}'"
            f"{self.said_left_out}. To fill it: {FILLED_BY[table]}."
        )


def known(found: "T | LackingError") -> "T | None":
    """What was found; None where it is lacking, for exhibits that can do without."""
    return None if isinstance(found, LackingError) else found


def open_page(study: Study, benchmark: str) -> Page:
    """A study's tables of one benchmark; arguments and errors as `open_pages`."""
    return open_pages(study, [benchmark])[benchmark]


def open_pages(study: Study, benchmarks: Collection[str] = tuple(SAID_IN)) -> dict[str, Page]:
    """A study's tables by benchmark, each read once, without the words in answers and ratings.

    Args:
        study: its file's content; its folder need not exist.
        benchmarks: of culturescore, culturevidbench and landmarks.

    Raises:
        DataError: as `tables.read`.
    """
    tables = {
        name: read(study.folder, name, texts=name not in SAID_IN.values())
        if exists(study.folder, name)
        else _empty(name)
        for name in TABLES
    }
    left_out = strays(tables)
    return {name: _page(study, name, benchmark_rows(tables, name), left_out) for name in benchmarks}


def _page(study: Study, benchmark: str, tables: dict[str, pd.DataFrame], left_out: Mapping[str, int]) -> Page:
    tables, set_aside = counting(tables)
    videos, raters = tables["videos"], tables["raters"]
    drawn = videos["settings"].fillna("").str.contains('"simulated": true', regex=False) | study.simulated
    models = frozenset(videos.loc[drawn, "model"])
    people = _simulated_raters(study, raters)
    simulated = study.simulated or bool(models or people)
    # A simulated rater with a cohort of its own plays a person, one who sees every country a judge.
    plays = raters["country"].notna().map({True: "human", False: "judge"})
    tables["raters"] = raters.assign(kind=raters["kind"].mask(raters["kind"].eq("simulated"), plays))
    named = tuple(judge.name for judge in study.judges)
    return Page(
        benchmark, study.name, study.folder, tables, simulated, models, people, set_aside, left_out, named
    )


def _simulated_raters(study: Study, raters: pd.DataFrame) -> frozenset[str]:
    """Raters whom their rows, or the study's file, call simulated."""
    judges = [judge.name for judge in study.judges if judge.kind == "simulated"]
    found = raters["kind"].eq("simulated") | raters["rater_id"].isin(judges) | study.simulated
    found |= raters["kind"].eq("human") & raters["rater_id"].map(says_simulated).astype(bool)
    return frozenset(raters.loc[found, "rater_id"])


def says_simulated(name: str) -> bool:
    """Whether a name itself says that its bearer is simulated."""
    return "simulat" in name.casefold()


def scored(scores: Scores, *names: str) -> pd.DataFrame:
    """The rows of some scores that have an estimate.

    Raises:
        LackingError: none has; the sentence gives the commonest reason.
    """
    rows = scores.table[scores.table["score"].isin(names)] if names else scores.table
    found = rows.dropna(subset="estimate").reset_index(drop=True)
    if found.empty:
        why = rows["status"].mode()
        raise LackingError(f"No score to show ({why.iloc[0] if len(why) else 'no rows'}).")
    return found


def _empty(name: str) -> pd.DataFrame:
    """A table without rows, each column of its type."""
    columns = TABLES[name].columns
    return pd.DataFrame({column: pd.Series(dtype=str(kind.dtype)) for column, kind in columns.items()})


def lacking(why: object) -> HTML:
    """What stands in an exhibit's place where there is nothing to show: the sentence that says why.

    What stands between backticks is shown as code.
    """
    said = re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(str(why), quote=False))
    return HTML(f'<p class="lacking"><em>Nothing to show here.</em> {said}</p>')
