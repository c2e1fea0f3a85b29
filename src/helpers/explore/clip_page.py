"""One clip's page: what it was to show, its frames, what everyone said of it, and what is missing."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import HTML
from markupsafe import Markup

from helpers.explore.clips import Clips
from helpers.explore.pictures import frames
from helpers.explore.said import Said, measured, missing, said_of
from helpers.metrics import registry
from helpers.reports.elements import NONE, counted, number, shown, table, tag
from helpers.reports.evidence import clip_facts
from helpers.reports.frameworks import title
from helpers.reports.words import harmless

STYLE = Path(__file__).with_name("clip_page.css")


def exhibit(clips: Clips, video_id: str) -> HTML:
    """A clip's whole page as it stands in a book: pictures and words, nothing to press.

    Args:
        clips: the benchmark's.
        video_id: one of them.
    """
    return styled(about(clips, video_id), frames(clips, video_id), *judgements(clips, video_id))


def styled(*parts: Markup) -> HTML:
    """Pieces of a clip's page as a notebook shows them."""
    return shown(_style(), *parts)


def about(clips: Clips, video_id: str) -> Markup:
    """What the clip was to show, and what its row in the table videos says."""
    judged = clips.judged
    fact = clip_facts(judged, [video_id]).iloc[0]
    video = clips.video(video_id)
    row = clips.table.loc[lambda rows: rows["video_id"].eq(video_id)].iloc[0]
    kind = judged.framework.group or "landmark"
    told = {
        "Model": judged.label(fact["model"]),
        "Country": fact["country"],
        kind.capitalize(): title(row["group"]),
        "Element": fact["element"],
        "Variant": fact["variant"],
        "Clip": _measures(video),
        "Status": fact["status"],
        "Name": video_id,
    }
    pairs = [(name, harmless(value, None)) for name, value in told.items()]
    lines = [tag("li", tag("b", f"{name}: "), value) for name, value in pairs if value]
    prompt = tag("p", tag("b", "Prompt: "), harmless(fact["text"], None), class_="explorer-prompt")
    mark = tag("p", tag("b", "Simulated data.")) if judged.page.simulated else ""
    return tag("div", mark, prompt, tag("ul", *lines, class_="explorer-facts"))


def judgements(clips: Clips, video_id: str) -> list[Markup]:
    """The tables below the pictures: scores, what everyone said, metrics, what is missing, whole replies."""
    said, values = said_of(clips, video_id), measured(clips, video_id)
    gaps = missing(clips, video_id, said, values)
    return [
        tag("h3", "What is missing?"),
        tag("ul", *(tag("li", harmless(gap)) for gap in gaps)) if gaps else tag("p", "Nothing."),
        tag("h3", "Scores"),
        _scores(clips, video_id, list(said.items["criterion"].unique())),
        tag("h3", "What did everyone say?"),
        _said(clips, said),
        _ranks(said),
        tag("h3", "Metrics"),
        _metrics(values) if len(values) else tag("p", "None."),
        _replies(said),
    ]


def _measures(video: pd.Series) -> str:
    """A clip's size and length, as far as the table has them."""
    parts = []
    if pd.notna(video["width"]) and pd.notna(video["height"]):
        parts.append(f"{video['width']} × {video['height']} pixels")
    if pd.notna(video["frames"]):
        rate = f" at {video['fps']:g} a second" if pd.notna(video["fps"]) else ""
        parts.append(f"{video['frames']} frames{rate}")
    if pd.notna(video["audio"]):
        parts.append("with sound" if video["audio"] else "without sound")
    if pd.notna(video["seed"]):
        parts.append(f"seed {video['seed']}")
    return ", ".join(parts)


def _scores(clips: Clips, video_id: str, order: list[str]) -> Markup:
    """Means by criterion, in the order given: the judge that sorts the list, and every other panel."""
    found = clips.scores_of(video_id)
    first = clips.judge.title if clips.judge else ""
    columns = {first: next(iter(found.values())).set_index("criterion")["judge"]} if first else {}
    columns |= {name: rows.set_index("criterion")["people"] for name, rows in found.items() if name}
    means = pd.DataFrame(columns)
    means = means.loc[sorted(means.index, key=lambda name: order.index(name) if name in order else -1)]
    if means.notna().sum().sum() == 0:
        return tag("p", "Nobody has scored this clip.")
    rows = [[title(name), *map(number, row)] for name, row in zip(means.index, means.to_numpy(), strict=True)]
    return table("Means by criterion, 0 to 1", ["criterion", *means], rows, label="Scores")


def _said(clips: Clips, said: Said) -> Markup:
    questions = clips.judged.framework.name == "culturescore"
    extra = ["weight", "a fair question? (people)"] if questions else []
    header = ["question" if questions else "criterion", *extra, *(voice.title for voice in said.voices)]
    rows = []
    for item in said.items.itertuples():
        first = tag("span", title(item.criterion), class_="said") if questions else ""
        asked = tag("th", first, harmless(item.asked, None), scope="row", class_="explorer-asked")
        about_it = [NONE if pd.isna(value) else str(value) for value in item[4:]]
        rows.append([asked, *about_it, *(_cell(said, item.item, voice.rater_id) for voice in said.voices)])
    what = "questions" if questions else "criteria"
    caption = f"{len(said.items)} {what}, {counted(len(said.voices), 'raters')}; a dash: nothing said of it"
    return table(caption, header, rows, label=f"Replies to {what}")


def _cell(said: Said, item: str, rater: str) -> Markup:
    """A rater's reply with its reasons."""
    row = said.cells.get((item, rater))
    if row is None:
        return tag("td", said.lacking.get((item, rater), NONE))
    reasons = (("asked for", row.requirement), ("seen", row.observation), ("because", row.words))
    told = [tag("span", f"{what}: {words}", class_="said") for what, words in reasons if words]
    return tag("td", tag("b", str(row.said)), *told)


def _ranks(said: Said) -> Markup:
    if said.ranks.empty:
        return Markup("")
    ranks = ", ".join(map(str, sorted(said.ranks["rank"])))
    return tag("p", f"People's ranks of this clip among those of its prompt (1 is best): {ranks}")


def _metrics(values: pd.DataFrame) -> Markup:
    declared = _declared()
    rows = []
    for row in values.itertuples():
        metric = declared.get(row.metric)
        span, direction = (metric.range, metric.direction) if metric else ("not declared", NONE)
        name = metric.title if metric else row.metric
        rows.append([harmless(name), number(row.value, "{:.4g}"), row.status, span, direction])
    header = ["metric", "value", "status", "range", "direction"]
    return table(f"{len(rows)} metrics", header, rows, label="Metrics")


def _replies(said: Said) -> Markup:
    """Judges' whole replies, folded away."""
    titles = {voice.rater_id: voice.title for voice in said.voices}
    asked = said.items.set_index("item")["asked"]
    parts: list[Any] = []
    for row in said.replies.itertuples():
        question = harmless(asked.get(row.item), None)
        parts.append(tag("dt", tag("b", titles[row.rater_id]), f": {question}" if question else ""))
        if isinstance(row.reason, str):
            parts.append(tag("dd", tag("i", harmless(row.reason))))
        parts.append(tag("dd", tag("pre", harmless(row.raw, None), tabindex="0")))
    if not parts:
        return Markup("")
    return tag("details", tag("summary", f"{len(said.replies)} whole replies of judges"), tag("dl", *parts))


@cache
def _style() -> Markup:
    return Markup("<style>{}</style>").format(Markup(STYLE.read_text(encoding="utf-8")))


@cache
def _declared() -> dict[str, registry.Metric]:
    return registry.declared()
