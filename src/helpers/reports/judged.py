"""A benchmark's clips with everyone's judgements, read once for all that a report shows of them."""

from dataclasses import dataclass, field

import pandas as pd

from helpers.reports.frameworks import FRAMEWORKS, Framework
from helpers.reports.panels import Panel, judge_of, labelled, panels, people_of
from helpers.results.page import SAID_IN, Page, open_page, open_pages
from helpers.study import Study


@dataclass(frozen=True)
class Judged:
    """A benchmark's tables, who judged its clips, and what came of it.

    Attributes:
        page: the benchmark's tables.
        framework: whose scores.
        panels: who judged: people first, then each judge.
    """

    page: Page
    framework: Framework
    panels: list[Panel]
    _cases: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    def cases(self, panel: Panel) -> pd.DataFrame:
        """What a panel was asked and what became of it, as the framework's `cases`."""
        if panel.who not in self._cases:
            self._cases[panel.who] = self.framework.cases(self.page.tables, panel.who)
        return self._cases[panel.who]

    @property
    def people(self) -> Panel | None:
        """The people, if any."""
        return people_of(self.panels)

    def judge(self, name: str = "") -> Panel | None:
        """A judge by name, or the first one, if any."""
        return judge_of(self.panels, name)

    def label(self, model: str) -> str:
        """A model's name, which says so where its clips are simulated."""
        return labelled(model, model in self.page.simulated_models)

    @property
    def lacking(self) -> str:
        """Why there is nothing to report; empty where there is something."""
        name, table = self.page.name, SAID_IN[self.framework.name]
        if self.page.tables["videos"].empty:
            what = f"no clips of {self.framework.title} in its table 'videos'"
            return f"The study {name} has {what}{self.page.said_left_out}."
        if not self.panels:
            return f"The study {name} has no judgements of {self.framework.title} in its table '{table}'."
        return ""


def open_judged(study: Study, benchmark: str) -> Judged:
    """A study's judgements of one benchmark.

    Args:
        study: its file's content; its folder need not exist.
        benchmark: culturescore, culturevidbench or landmarks.

    Raises:
        DataError: as `helpers.tables.read`.
    """
    return _judged(open_page(study, benchmark))


def open_all(study: Study) -> list[Judged]:
    """A study's judgements of every benchmark, also of those without any; its tables are read once."""
    return [_judged(page) for page in open_pages(study, FRAMEWORKS).values()]


def _judged(page: Page) -> Judged:
    return Judged(page, FRAMEWORKS[page.benchmark], panels(page))
