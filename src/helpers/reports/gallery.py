"""A gallery of failures: cards with controls that filter them, all shown where scripts do not run."""

from collections.abc import Mapping, Sequence

import pandas as pd
from IPython.display import HTML
from markupsafe import Markup

from helpers.reports.clip_cards import clip_cards
from helpers.reports.elements import counted, shown, tag
from helpers.reports.evidence import clip_scores
from helpers.reports.frameworks import title
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel
from helpers.reports.selection import ALIKE, ALONE, HIGHER, LOWER, Choice

# What a criterion's name is joined by in a card's attribute; no name holds it.
BETWEEN = "|"
_STANDS = {
    HIGHER: "the judge gives more",
    LOWER: "people give more",
    ALIKE: "they agree",
    ALONE: "only one of them judged",
}


def gallery(judged: Judged, judge: Panel | None, choice: Choice, scores: pd.DataFrame | None = None) -> HTML:
    """Cards of the chosen clips, with controls by country, group, criterion, model and disagreement.

    Args:
        judged: a benchmark's judgements.
        judge: whose evidence is shown.
        choice: the clips, as `helpers.reports.selection.failures` chooses them.
        scores: as `clip_scores` returns them, where they are at hand.
    """
    clips = choice.clips
    if scores is None:
        scores = clip_scores(judged, judge, judged.people)
    marks = {row["video_id"]: _marks(row) for row in clips.to_dict("records")}
    cards = clip_cards(judged, list(clips["video_id"]), judge, scores, marks)
    of_all = f"{counted(len(clips), 'clips')} of {choice.found:,} that failed or divide judge and people"
    return shown(
        tag(
            "section",
            _controls(judged, clips),
            tag(
                "p",
                of_all,
                class_="gallery-count",
                role="status",
                data_all=len(clips),
                data_found=choice.found,
            ),
            tag("div", *cards, class_="gallery-cards"),
            class_="gallery",
            aria_label=f"Gallery of failures, {judged.framework.title}",
        ),
        script="gallery.js",
    )


def _marks(row: Mapping[str, object]) -> dict[str, str]:
    group = row["group"] if isinstance(row["group"], str) else ""
    return {
        "data_country": str(row["country"]),
        "data_group": group,
        "data_criterion": BETWEEN.join(row["criteria"]),
        "data_model": str(row["model"]),
        "data_stand": str(row["stand"]),
    }


def _controls(judged: Judged, clips: pd.DataFrame) -> Markup:
    """The controls that leave a choice; hidden until the script that makes them work runs."""
    name = judged.framework.name
    criteria = sorted({each for row in clips["criteria"] for each in row})
    groups = sorted(each for each in clips["group"].dropna().unique() if each)
    stands = [each for each in _STANDS if clips["stand"].eq(each).any()]
    choices = [
        ("country", "Country", {each: each for each in sorted(clips["country"].unique())}),
        ("group", (judged.framework.group or "group").capitalize(), {each: title(each) for each in groups}),
        ("criterion", "Criterion", {each: title(each) for each in criteria}),
        ("model", "Model", {each: judged.label(each) for each in sorted(clips["model"].unique())}),
        ("stand", "Judge and people", {each: _STANDS[each] for each in stands}),
    ]
    boxes = [_select(f"{name}-{key}", key, label, found) for key, label, found in choices if len(found) > 1]
    if not boxes:
        return Markup("")
    reset = tag("button", "Show all", type="button", class_="gallery-reset")
    return tag(
        "form",
        *boxes,
        reset,
        class_="gallery-controls",
        hidden=True,
        aria_label=f"Filters, {judged.framework.title}",
    )


def _select(identifier: str, key: str, label: str, choices: Mapping[str, str]) -> Markup:
    options: Sequence[Markup] = [tag("option", text, value=value) for value, text in choices.items()]
    box = tag("select", tag("option", "all", value=""), *options, id=identifier, data_filter=key)
    return tag("span", tag("label", label, for_=identifier), box, class_="gallery-control")
