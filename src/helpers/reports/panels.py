"""Who judged a benchmark's clips: people as one panel, and each judge as one of its own."""

from dataclasses import dataclass

import pandas as pd

from helpers.checking import nearest
from helpers.results.page import SAID_IN, Page, known, says_simulated


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Raters whose judgements make one score.

    Attributes:
        who: a rater_id or a kind of raters, as the scores take them.
        title: as a reader reads it, with "simulated" where they are.
        people: whether these are people.
        raters: how many.
    """

    who: str
    title: str
    people: bool
    raters: int


def panels(page: Page) -> list[Panel]:
    """The people, if any, and then the judges in the order of `Page.judges`, who judged a benchmark.

    Args:
        page: the benchmark's tables.

    Returns:
        None where nobody judged any of its clips.
    """
    said = page.tables[SAID_IN[page.benchmark]]["rater_id"].unique()
    raters = page.tables["raters"].loc[lambda rows: rows["rater_id"].isin(said)]
    found = []
    people = raters[raters["kind"].eq("human")]
    if len(people):
        named = people["rater_id"].isin(page.simulated_raters)
        title = "simulated people" if named.all() else "people, some simulated" if named.any() else "people"
        found.append(Panel(who="human", title=title, people=True, raters=len(people)))
    judges = known(page.get(page.judges)) or []
    titles = [labelled(name, name in page.simulated_raters) for name in judges]
    return found + [
        Panel(who=name, title=title, people=False, raters=1)
        for name, title in zip(judges, titles, strict=True)
    ]


def people_of(found: list[Panel]) -> Panel | None:
    """The panel of people, if there is one."""
    return next((panel for panel in found if panel.people), None)


def judge_of(found: list[Panel], name: str = "") -> Panel | None:
    """A judge by name, or else the first one; None where there is no judge.

    Raises:
        ValueError: no judge of that name; the nearest is offered.
    """
    judges = {panel.who: panel for panel in found if not panel.people}
    if name and judges and name not in judges:
        raise ValueError(f"judge: found no '{name}'{nearest(name, judges)}; expected one of {list(judges)}")
    return judges.get(name) or next(iter(judges.values()), None)


def labelled(name: str, simulated: bool) -> str:
    """A model's or judge's name that says "simulated" where that is so."""
    return f"{name} (simulated)" if simulated and not says_simulated(name) else name


def of_variant(cases: pd.DataFrame, variant: str | None) -> pd.DataFrame:
    """The cases of one variant of the prompts; all of them where there are no variants."""
    if variant is None or "variant" not in cases:
        return cases
    return cases[cases["variant"].eq(variant)].reset_index(drop=True)
