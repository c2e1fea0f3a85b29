"""A clip as a card: what it was to show, what it shows, what a judge said of it and what people said."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from helpers.reports.elements import number, tag, together
from helpers.reports.evidence import clip_facts, clip_scores, evidence
from helpers.reports.frameworks import title
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel
from helpers.reports.selection import APART, LOW
from helpers.reports.thumbnails import Thumbnail, thumbnail
from helpers.reports.words import harmless

# Items of evidence on one card, and letters of its prompt.
MOST_ITEMS, LONGEST_PROMPT = 4, 400


def clip_cards(
    judged: Judged, clips: Sequence[str], judge: Panel | None, scores: pd.DataFrame | None = None,
    marks: Mapping[str, Mapping[str, Any]] | None = None,
    other: Panel | None = None,
) -> list[Markup]:  # fmt: skip
    """A card for each clip.

    Args:
        judged: a benchmark's judgements.
        clips: their video_ids, in the order to show.
        judge: whose evidence stands first.
        scores: as `clip_scores` returns them, where they are at hand.
        marks: by video_id, attributes of its card by which a page filters.
        other: who is heard beside the judge; people, where there are any, if left out.
    """
    people = other or judged.people
    if scores is None:
        scores = clip_scores(judged, judge, people)
    by_clip = dict(list(scores[scores["video_id"].isin(set(clips))].groupby("video_id")))
    said = evidence(judged, clips, [panel for panel in (judge, people) if panel])
    said_of = dict(list(said.groupby("video_id")))
    none = scores.iloc[:0]
    return [
        clip_card(
            fact,
            by_clip.get(fact["video_id"], none),
            said_of.get(fact["video_id"], said.iloc[:0]),
            thumbnail(judged.page.folder, fact["path"]),
            model=judged.label(fact["model"]),
            titles=(judge.title if judge else "judge", people.title if people else "people"),
            marks=(marks or {}).get(fact["video_id"], {}),
        )
        for fact in clip_facts(judged, clips).to_dict("records")
    ]


def clip_card(
    fact: Mapping[str, Any],
    scores: pd.DataFrame,
    said: pd.DataFrame,
    picture: Thumbnail,
    *,
    model: str,
    titles: tuple[str, str],
    marks: Mapping[str, Any],
) -> Markup:
    """One card.

    Args:
        fact: a row of `clip_facts`.
        scores: its rows of `clip_scores`.
        said: its rows of `evidence`.
        picture: its contact sheet.
        model: its name as readers read it.
        titles: of the judge and of people.
        marks: further attributes.
    """
    about = [
        fact["country"],
        _known(fact["aspect"]) or _known(fact["category"]),
        fact["variant"] if fact["variant"] != "plain" else "",
    ]
    heading = together([model, *(title(word) for word in about if word)], " · ")
    text = harmless(fact["text"], LONGEST_PROMPT)
    return tag(
        "article",
        tag("p", heading, class_="clip-title"),
        _figure(picture, model, fact["country"]),
        tag("p", tag("b", "Prompt: "), text, class_="clip-prompt"),
        _scores(scores, titles),
        _evidence(said, scores, titles),
        class_="clip-card",
        **marks,
    )


def _figure(picture: Thumbnail, model: str, country: str) -> Markup:
    if not picture.source:
        return tag("p", f"No picture: {picture.words}.", class_="clip-missing")
    alt = f"Contact sheet of the clip by {model} about {country}: {picture.words}"
    size = {"width": picture.width, "height": picture.height}
    return tag("img", src=picture.source, alt=alt, decoding="async", **size)


def _scores(scores: pd.DataFrame, titles: tuple[str, str]) -> Markup:
    """Scores by criterion; those that failed or divide judge and people are marked, in words too."""
    lines = []
    for row in scores.sort_values("criterion").itertuples():
        told = [
            f"{who} {number(value)}"
            for who, value in zip(titles, (row.judge, row.people), strict=True)
            if pd.notna(value)
        ]
        why = [word for word, holds in (
            ("low", min(x for x in (row.judge, row.people) if pd.notna(x)) <= LOW),
            ("they disagree", pd.notna(row.apart) and abs(row.apart) >= APART),
        ) if holds]  # fmt: skip
        marked = tag("b", f" ({', '.join(why)})") if why else ""
        lines.append(tag("li", f"{title(row.criterion)}: {', '.join(told)}", marked))
    return tag("ul", *lines, class_="clip-scores") if lines else tag("p", "Nobody has scored this clip.")


def _evidence(said: pd.DataFrame, scores: pd.DataFrame, titles: tuple[str, str]) -> Markup:
    """The judge's words on the lowest criteria, each with what people said of the same."""
    judge = said[said["panel"].eq(titles[0])]
    people = dict(list(said[said["panel"].eq(titles[1])].groupby("item")))
    order = _order(scores)
    items = judge if len(judge) else said.drop_duplicates("item")
    items = items.assign(at=items["criterion"].map(order).fillna(len(order)), no=items["said"].eq("yes"))
    items = items.sort_values(["at", "no"], kind="stable")
    shown = items.head(MOST_ITEMS)
    parts = []
    for row in shown.itertuples():
        parts.append(tag("dt", row.asked or title(row.criterion)))
        if len(judge):
            parts.append(tag("dd", tag("b", f"{titles[0]}: {row.said}"), _reasons(row)))
        if row.item in people:
            parts.append(tag("dd", tag("b", f"{titles[1]}: "), _votes(people[row.item])))
    if len(items) > len(shown):
        parts += [tag("dt", "Not shown"), tag("dd", f"{len(items) - len(shown)} further items")]
    return tag("dl", *parts, class_="clip-evidence") if parts else Markup("")


def _order(scores: pd.DataFrame) -> dict[str, int]:
    """Where each criterion comes: the lowest first."""
    lowest = scores.assign(lowest=scores[["judge", "people"]].min(axis=1)).sort_values("lowest")["criterion"]
    return {name: place for place, name in enumerate(lowest)}


def _reasons(row: Any) -> Markup:
    named = (("asked for", row.requirement), ("seen", row.observation), ("because", row.words))
    told = [f"{what}: {text}" for what, text in named if text]
    if len(told) == 1 and row.words:
        told = [row.words]
    return together([" — ", "; ".join(told)]) if told else Markup("")


def _votes(rows: pd.DataFrame) -> str:
    """What people said, counted ("yes 2, no 1")."""
    counts = Counter(rows["said"])
    return ", ".join(f"{said} (×{n})" if n > 1 else str(said) for said, n in sorted(counts.items()))


def _known(value: Any) -> str:
    return value if isinstance(value, str) else ""
