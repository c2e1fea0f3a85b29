"""What a report card says of a country or a model: scores, where they are high and low, how hard that was.

Tables in, tables out; `helpers.reports.profile_cards` makes pages of them.
"""

from collections.abc import Sequence

import pandas as pd

from helpers.reports.frameworks import SIMILARITY, title
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel, of_variant
from helpers.results.page import SAID_IN
from helpers.schemas import STATUSES
from helpers.scores import coverage
from helpers.scores.metrics import measured_clips, metric_means

MAIN_VARIANTS = ("base", "plain", "detailed")
# Prompts without their country say nothing about it.
UNNAMED = "no_country"
_CELL = ["score", "estimate", "low", "high", "n", "asked", "status"]


def main_variant(cases: pd.DataFrame) -> str | None:
    """The variant that cards look at: one of `MAIN_VARIANTS`, or the most frequent one that was scored.

    Prompts without their country say nothing about it, and are no country's.
    """
    if "variant" not in cases:
        return None
    counts = cases.loc[cases["value"].notna(), "variant"].astype(str).value_counts()
    counts = counts.drop(UNNAMED, errors="ignore")
    preferred = [name for name in MAIN_VARIANTS if counts.get(name, 0)]
    return (preferred or [str(name) for name in counts.index] or [None])[0]


def profile_cells(judged: Judged, panel: Panel, by: Sequence[str]) -> pd.DataFrame:
    """Scores of cells by country, model, group and so on, in the variant that cards look at.

    Args:
        judged: a benchmark's judgements.
        panel: whose.
        by: columns of the cases; without "model" the scores are over models, and those that were shown few of
            the variant's prompts are left out (`said_left_out`).

    Returns:
        One row a cell and score: the columns of `by` (text), variant, score, estimate, low, high, n, asked
        and status. Empty where the panel has scored nothing.
    """
    cases = judged.cases(panel)
    variant = main_variant(cases)
    cases = _pooled(judged, of_variant(cases, variant), by, variant)
    if not cases["value"].notna().any():
        return pd.DataFrame(columns=[*by, "variant", *_CELL])
    table = judged.framework.summary(cases, list(by)).table
    return table[[*by, *_CELL]].astype(dict.fromkeys(by, str)).assign(variant=variant or "")


def similarity_cells(judged: Judged, by: Sequence[str], *, variant: str | None = None) -> pd.DataFrame:
    """How well clips fit their texts by a computed metric, where the benchmark's judges do not say.

    Args:
        judged: a benchmark's judgements.
        by: columns, such as country; see `profile_cells`.
        variant: of the prompts; all where None.

    Returns:
        As `profile_cells`, the score being the metric's name; empty where the study has none of
        `helpers.reports.frameworks.SIMILARITY`.
    """
    values = judged.page.tables["metric_values"]
    there = set(values.loc[values["value"].notna(), "metric"])
    name = next((name for name in SIMILARITY if name in there), None)
    if name is None:
        return pd.DataFrame(columns=[*by, *_CELL])
    cases = of_variant(measured_clips(judged.page.tables, [name]), variant)
    cases = _pooled(judged, cases[cases["benchmark"].eq(judged.framework.name)], by, variant)
    cluster = judged.framework.cluster
    if cases["value"].isna().all() or cases[cluster].isna().any():
        return pd.DataFrame(columns=[*by, *_CELL])
    return metric_means(cases, list(by), cluster=cluster).table[[*by, *_CELL]]


def said_left_out(judged: Judged) -> str:
    """Which models count in no score over models and why, to end a caption with; empty where all count.

    The prompts are those of each variant that a panel's cards look at.
    """
    few = {}
    for variant in dict.fromkeys(main_variant(judged.cases(panel)) for panel in judged.panels):
        for model, count in coverage.left_out(judged.page.tables, variant).items():
            of_which = f" {title(variant)} prompts" if variant else ""
            few.setdefault(judged.label(model), []).append(f"{count}{of_which}")
    return coverage.said_left_out({model: ", ".join(counts) for model, counts in few.items()})


def _pooled(judged: Judged, cases: pd.DataFrame, by: Sequence[str], variant: str | None) -> pd.DataFrame:
    """The cases that count in cells of some columns: where these are over models, of models shown enough."""
    if "model" in by:
        return cases
    return coverage.without(cases, coverage.left_out(judged.page.tables, variant))


def metric_cells(judged: Judged) -> pd.DataFrame:
    """Every computed metric of every model.

    Returns:
        One row a model and metric: model, score (the metric), estimate, low, high, n, asked and status.
    """
    values = judged.page.tables["metric_values"]
    if values["value"].isna().all() or judged.page.tables["prompts"].empty:
        return pd.DataFrame(columns=["model", *_CELL])
    cases = measured_clips(judged.page.tables)
    return metric_means(cases, ["model"]).table[["model", *_CELL]]


def outcomes(judged: Judged, model: str) -> pd.DataFrame:
    """What became of a model's clips and of what was asked about them.

    Returns:
        One row a thing (clips, judgements by each panel, computed numbers) and a column for each status that
        a table can have, and all.
    """
    tables = judged.page.tables
    videos = tables["videos"][tables["videos"]["model"].eq(model)]
    counted = {"clips": videos["status"]}
    said = tables[SAID_IN[judged.framework.name]]
    said = said[said["video_id"].isin(videos["video_id"])]
    kinds = tables["raters"].set_index("rater_id")["kind"]
    for panel in judged.panels:
        own = said["rater_id"].eq(panel.who) | (said["rater_id"].map(kinds).eq("human") & panel.people)
        counted[f"judgements: {panel.title}"] = said.loc[own, "status"]
    numbers = tables["metric_values"]
    if len(numbers):
        counted["computed numbers"] = numbers.loc[numbers["video_id"].isin(videos["video_id"]), "status"]
    rows = [
        {"of": name} | {status: int(found.eq(status).sum()) for status in STATUSES} | {"all": len(found)}
        for name, found in counted.items()
    ]
    return pd.DataFrame(rows, columns=["of", *STATUSES, "all"])


def extremes(cells: pd.DataFrame, score: str, most: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells with the highest and the lowest score; none stands in both.

    Args:
        cells: of one country or model, as `profile_cells` returns them.
        score: by which.
        most: of each.

    Returns:
        High ones, the highest first; low ones, the lowest first.
    """
    known = cells[cells["score"].eq(score) & cells["estimate"].notna()]
    known = known.sort_values("estimate", ascending=False, kind="stable")
    each = min(most, len(known) // 2)
    return known.head(each), known.tail(each).iloc[::-1]
