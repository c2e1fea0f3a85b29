"""The sections of the report notebooks: one call each, and a sentence where there is nothing to show."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from IPython.display import HTML

from helpers import figures
from helpers.reports.elements import counted, number, shown
from helpers.reports.evidence import clip_scores
from helpers.reports.frameworks import title
from helpers.reports.gallery import gallery
from helpers.reports.judged import Judged
from helpers.reports.leaderboard_page import leaderboard_page
from helpers.reports.leaderboards import beside, leaderboards
from helpers.reports.materials import material
from helpers.reports.panels import Panel
from helpers.reports.profile_cards import country_cards, model_cards
from helpers.reports.profiles import UNNAMED
from helpers.reports.selection import failures
from helpers.reports.tiles import tile_map
from helpers.results import plots
from helpers.results.page import lacking


def leaderboard(judged: Judged) -> HTML:
    """All leaderboards of a benchmark."""
    if judged.lacking:
        return lacking(judged.lacking)
    boards = leaderboards(judged)
    if not boards:
        return lacking(f"Nothing that the judges said of {judged.framework.title} can be scored.")
    return leaderboard_page(judged, boards)


def judge_beside_people(judged: Judged, judge: str, folder: Path) -> HTML:
    """A judge's and people's scores of the same clips, as a figure.

    Args:
        judged: a benchmark's judgements.
        judge: a judge's name; the first one's where the benchmark has none of that name.
        folder: where the figure is saved.
    """
    panel, people = judge_named(judged, judge), judged.people
    if panel is None or people is None:
        who = "people" if people is None else "judge"
        return lacking(f"The study {judged.page.name} has no {who} for {judged.framework.title} to compare.")
    rows = beside(judged, panel, people)
    apart = rows[rows["what"].eq("difference") & rows["estimate"].notna()]
    if apart.empty:
        name = judged.framework.title
        return lacking(f"Too few clips of {name} were scored by both {panel.title} and {people.title}.")
    framework = judged.framework
    models = {name: judged.label(name) for name in rows["model"].unique()}
    furthest = apart.loc[apart["estimate"].abs().idxmax()]
    pairs = int(apart["n"].sum())
    lines = rows["model"].map(models) + rows["variant"].map(lambda name: f", {title(name)}" if name else "")
    who = rows["what"].map({"judge": panel.title, "people": people.title})
    drawn = rows.assign(line=lines, who=who).dropna(subset="who")
    return figures.show(
        plots.dots(drawn, down="line", by="who", label=framework.unit, order=list(drawn["line"].unique())),
        folder / f"81-{framework.name}-beside-people.png",
        caption=f"{judged.page.told}: {framework.title}, {panel.title} and {people.title} ({people.raters}) "
        f"on the same clips, 95 % intervals. n = {pairs:,} judgements that both gave",
        alt=f"Dot plot, a line a model with two points and their intervals. {panel.title} and {people.title} "
        f"lie furthest apart for {models[furthest['model']]}: {number(furthest['estimate'], '{:+.2f}')}.",
        simulated=judged.page.simulated,
    )


def country_map(judged: Judged, judge: str = "") -> HTML:
    """The headline score of every country as a tile map, with its table."""
    part = material(judged, "country", judge)
    if part is None:
        return lacking(judged.lacking)
    cells = part.overall[part.judge.title]
    values = cells[cells["score"].eq(judged.framework.headline)] if len(cells) else cells
    if values.empty or values["estimate"].isna().all():
        return lacking(f"No country of {judged.framework.title} has a score.")
    framework = judged.framework
    low, high = values["estimate"].min(), values["estimate"].max()
    several = high > low
    colours = "what occurs, so that differences within the intervals look large" if several else "the scale"
    caption = (
        f"{judged.page.told}. {framework.title} by {part.judge.title}, mean over models: {framework.unit}; "
        f"n = {int(values['n'].sum()):,} judgements in {counted(len(values), 'countries')}"
        f"{part.left_out}. The colours span {colours}"
    )
    return shown(
        tile_map(
            values,
            what=framework.unit,
            caption=caption,
            ends=(low, high) if several else (0.0, framework.top),
            simulated=judged.page.simulated,
        )
    )


def report_cards(
    reports: Sequence[Judged], column: str, judge: str = "", *, names: Sequence[str] = (), each: int = 1
) -> HTML:
    """The report cards of all countries or all models.

    Args:
        reports: a study's judgements by benchmark.
        column: "country" or "model".
        judge: whose evidence they show; in benchmarks without that judge, the first one's.
        names: of the countries or models, only these.
        each: examples of high and of low clips for each benchmark.
    """
    found = [part for part in (material(judged, column, judge) for judged in reports) if part]
    if not found:
        return lacking(" ".join(judged.lacking for judged in reports))
    page = country_cards if column == "country" else model_cards
    return page(found, names, each=each)


def failure_gallery(
    judged: Judged, judge: str = "", *, most: int = 24, low: float, apart: float, seed: int
) -> HTML:
    """A gallery of a benchmark's failures.

    Args:
        judged: its judgements.
        judge: whose; the first one's where the benchmark has none of that name.
        most: cards at most.
        low: as `helpers.reports.selection.failures`.
        apart: see there.
        seed: see there.
    """
    if judged.lacking:
        return lacking(judged.lacking)
    panel = judge_named(judged, judge)
    scores = _named(clip_scores(judged, panel, judged.people))
    choice = failures(scores, most, low=low, apart=apart, seed=seed)
    if not choice.found:
        return lacking(f"No clip of {judged.framework.title} failed or divides judge and people.")
    return gallery(judged, panel, choice, scores)


def failure_counts(reports: Sequence[Judged], judge: str = "", *, low: float, apart: float) -> HTML:
    """How many clips of each country failed, by benchmark: what the galleries are chosen from."""
    rows = []
    for judged in reports:
        if judged.lacking:
            continue
        scores = _named(clip_scores(judged, judge_named(judged, judge), judged.people))
        lowest = scores.assign(
            low=scores[["judge", "people"]].min(axis=1).le(low), divided=scores["apart"].abs().ge(apart)
        )
        clips = lowest.groupby(["country", "video_id"])[["low", "divided"]].any().groupby("country")
        table = clips.agg(clips=("low", "size"), failed=("low", "sum"), divided=("divided", "sum"))
        rows.append(table.reset_index().assign(benchmark=judged.framework.title))
    if not rows:
        return lacking(" ".join(judged.lacking for judged in reports))
    found = pd.concat(rows, ignore_index=True)[["benchmark", "country", "clips", "failed", "divided"]]
    told = reports[0].page.told
    return figures.table(
        found,
        caption=f"{told}: of {found['clips'].sum():,} judged clips, those with a score up to {low:g} under "
        f"any criterion, and those about which judge and people differ by {apart:g} or more (0 to 1)",
    )


def _named(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of clips whose prompt names its country: without the name a clip cannot fail about it."""
    return scores[~scores["variant"].isin([UNNAMED])]


def judge_named(judged: Judged, name: str) -> Panel | None:
    """A judge by name; where a benchmark has none of that name, its first one."""
    return judged.judge(name if any(panel.who == name for panel in judged.panels) else "")
