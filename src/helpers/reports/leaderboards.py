"""Leaderboards as tables: every model under every score, with interval, n and the places it may hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from helpers.reports.frameworks import Framework
from helpers.reports.judged import Judged
from helpers.reports.pairs import paired_cases
from helpers.reports.panels import Panel, of_variant
from helpers.results.ranks import rank_ranges
from helpers.scores.cells import UNITS, score_cells


@dataclass(frozen=True, kw_only=True)
class Board:
    """One leaderboard.

    Attributes:
        framework: whose scores.
        panel: by whose judgement.
        variant: of the prompts; None where the benchmark has one only.
        rows: one row a model and score: model, score, estimate, low, high, n, asked, status, best and worst
            (places, missing where there is no score), of; the highest headline score first.
        clusters: how many independent units there are, and what they are.
        clips: of how many clips a judgement counts.
        prompts: by model, of how many prompts it has clips that were to be judged, in the order of the rows.
        all_prompts: of how many any model has.
    """

    framework: Framework
    panel: Panel
    variant: str | None
    rows: pd.DataFrame
    clusters: str
    clips: int
    prompts: Mapping[str, int]
    all_prompts: int


def leaderboards(judged: Judged) -> list[Board]:
    """The leaderboard of each variant of the prompts by each panel that judged it.

    Args:
        judged: a benchmark's judgements.
    """
    found = []
    for panel in judged.panels:
        cases = judged.cases(panel)
        for variant in _variants(cases):
            chosen = of_variant(cases, variant)
            if chosen["value"].notna().any():
                found.append(board(chosen, judged.framework, panel, variant))
    order = {board.variant: place for place, board in reversed(list(enumerate(found)))}
    return sorted(found, key=lambda board: order[board.variant])


def board(cases: pd.DataFrame, framework: Framework, panel: Panel, variant: str | None = None) -> Board:
    """A leaderboard from cases.

    Args:
        cases: as the framework's `cases` returns them.
        framework: whose.
        panel: who judged.
        variant: what the cases are of, for the caption.
    """
    scores = framework.chosen(framework.columns)
    table = framework.summary(cases, ["model"]).table
    table = table[table["score"].isin(framework.columns)].astype({"model": str})
    known = table[table["estimate"].notna()]
    ranked = {score.name: list(known.loc[known["score"].eq(score.name), "model"]) for score in scores}
    places = rank_ranges(cases, scores, ranked, cluster=framework.cluster)
    columns = ["model", "score", "estimate", "low", "high", "n", "asked", "status"]
    rows = table[columns].merge(places, on=["model", "score"], how="left")
    counting = cases[cases["value"].notna()]
    rows = _best_first(rows, framework.headline)
    prompts = cases.astype({"model": str}).groupby("model")["prompt_id"].nunique()
    return Board(
        framework=framework,
        panel=panel,
        variant=variant,
        rows=rows,
        clusters=f"{counting[framework.cluster].nunique():,} {UNITS[framework.cluster]}",
        clips=counting["video_id"].nunique(),
        prompts={model: int(prompts[model]) for model in rows["model"].unique()},
        all_prompts=cases["prompt_id"].nunique(),
    )


def beside(judged: Judged, judge: Panel, people: Panel) -> pd.DataFrame:
    """A judge beside people, on the very clips and questions that both have scored.

    Args:
        judged: a benchmark's judgements.
        judge: whose scores.
        people: theirs.

    Returns:
        One row a model (by variants) and of "judge", "people" and "difference" (judge minus people): model,
        variant, what, estimate, low, high, n and status, under the headline score. Without a pair, none.
    """
    framework = judged.framework
    score = framework.score(framework.headline)
    both = paired_cases(judged.cases(judge), judged.cases(people), framework)
    both = both[both["part"].isin(score.parts)]
    columns = ["model", "variant", "what", "estimate", "low", "high", "n", "status"]
    if both["value"].isna().all():
        return pd.DataFrame(columns=columns)
    if "variant" not in both:
        both = both.assign(variant="")
    signed = replace(score, bounds=(-framework.top, framework.top), signed=True)
    found = []
    for what, column, each in (
        ("judge", "first", score),
        ("people", "second", score),
        ("difference", "value", signed),
    ):
        cases = both.assign(value=both[column])
        cells = score_cells(cases, ["model", "variant"], (each,), cluster=framework.cluster).table
        found.append(cells.assign(what=what))
    return pd.concat(found, ignore_index=True)[columns]


def _variants(cases: pd.DataFrame) -> list[str | None]:
    return list(cases["variant"].unique()) if "variant" in cases else [None]


def _best_first(rows: pd.DataFrame, headline: str) -> pd.DataFrame:
    """The models by the headline score, those without one last; then by name."""
    first: Mapping[str, float] = rows[rows["score"].eq(headline)].set_index("model")["estimate"].to_dict()
    order = sorted(first, key=lambda name: (-first[name] if np.isfinite(first[name]) else np.inf, name))
    places = rows["model"].map({name: place for place, name in enumerate(order)})
    return rows.iloc[np.argsort(places, kind="stable")].reset_index(drop=True)
