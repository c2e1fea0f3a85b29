"""What the report cards of all countries, or of all models, take from one benchmark: tables, no pages."""

from dataclasses import dataclass

import pandas as pd

from helpers.reports.evidence import clip_scores
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel
from helpers.reports.profiles import main_variant, profile_cells, similarity_cells


@dataclass(frozen=True)
class Material:
    """What the cards of all countries (or all models) take from one benchmark.

    Attributes:
        judged: the benchmark's judgements.
        column: "country" or "model".
        judge: whose evidence and whose groups the cards show.
        overall: for each panel, `profile_cells` by the column.
        groups: by the column and the benchmark's groups, by that judge; empty where it has no groups.
        everywhere: the same of all countries (or models) together.
        similarity: `similarity_cells` by the column; empty where judges say it themselves.
        scores: `clip_scores` by that judge and people.
    """

    judged: Judged
    column: str
    judge: Panel
    overall: dict[str, pd.DataFrame]
    groups: pd.DataFrame
    everywhere: pd.DataFrame
    similarity: pd.DataFrame
    scores: pd.DataFrame

    @property
    def names(self) -> list[str]:
        """The countries (or models) that have any clip."""
        return sorted(set(self.judged.cases(self.judge)[self.column].astype(str)))


def material(judged: Judged, column: str, judge: str = "") -> Material | None:
    """What cards take from a benchmark; None where nobody judged its clips.

    Args:
        judged: its judgements.
        column: "country" or "model".
        judge: whose; the first one where the benchmark has none of that name.
    """
    if judged.lacking:
        return None
    names = {panel.who for panel in judged.panels}
    panel = judged.judge(judge if judge in names else "") or judged.panels[0]
    people = None if panel.people else judged.people
    group = judged.framework.group
    by = [group] if group else []
    rated = clip_scores(judged, None if panel.people else panel, judged.people)
    return Material(
        judged=judged,
        column=column,
        judge=panel,
        overall={
            each.title: profile_cells(judged, each, [column])
            for each in judged.panels
            if each in (panel, people) or not each.people
        },
        groups=profile_cells(judged, panel, [column, *by]) if group else pd.DataFrame(),
        everywhere=profile_cells(judged, panel, by) if group else pd.DataFrame(),
        similarity=pd.DataFrame()
        if judged.framework.semantic
        else similarity_cells(judged, [column], variant=main_variant(judged.cases(panel))),
        scores=rated,
    )
