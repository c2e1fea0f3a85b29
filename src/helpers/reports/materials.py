"""What the report cards of all countries, or of all models, take from one benchmark: tables, no pages."""

from dataclasses import dataclass

import pandas as pd

from helpers.reports.evidence import clip_scores
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel, of_variant
from helpers.reports.profiles import (
    main_variant,
    metric_cells,
    profile_cells,
    said_left_out,
    similarity_cells,
)


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
        left_out: which models none of the scores over models counts, as `said_left_out`.
        scores: `clip_scores` by that judge and people, of the variant that the cards' scores are of.
        countries: of models, `profile_cells` by model and country; of countries empty, as the next two.
        variants: scores by model and variant of the prompts; empty where there is one variant only.
        metrics: `metric_cells`.
    """

    judged: Judged
    column: str
    judge: Panel
    overall: dict[str, pd.DataFrame]
    groups: pd.DataFrame
    everywhere: pd.DataFrame
    similarity: pd.DataFrame
    left_out: str
    scores: pd.DataFrame
    countries: pd.DataFrame
    variants: pd.DataFrame
    metrics: pd.DataFrame

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
    group = judged.framework.group
    by = [group] if group else []
    rated = clip_scores(judged, None if panel.people else panel, judged.people)
    cases = judged.cases(panel)
    variant = main_variant(cases)
    several = column == "model" and "variant" in cases and len(cases["variant"].unique()) > 1
    none = pd.DataFrame()
    return Material(
        judged=judged,
        column=column,
        judge=panel,
        overall={each.title: profile_cells(judged, each, [column]) for each in judged.panels},
        groups=profile_cells(judged, panel, [column, *by]) if group else none,
        everywhere=profile_cells(judged, panel, by) if group else none,
        similarity=none if judged.framework.semantic else similarity_cells(judged, [column], variant=variant),
        left_out=said_left_out(judged),
        scores=of_variant(rated, variant),
        countries=profile_cells(judged, panel, ["model", "country"]) if column == "model" else none,
        variants=judged.framework.summary(cases, ["model", "variant"]).table if several else none,
        metrics=metric_cells(judged) if column == "model" else none,
    )
