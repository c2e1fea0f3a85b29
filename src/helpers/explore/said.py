"""What everyone said of one clip, item by item and rater by rater, and what is missing: tables, no page."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from helpers.criteria import of_framework
from helpers.explore.clips import Clips
from helpers.published import DIMENSIONS
from helpers.reports.evidence import evidence
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel
from helpers.results.page import SAID_IN
from helpers.scores.outcomes import SCORED

# What a judge's cell says where the tables have no row for it, by what became of the item.
_NO_ROW = {
    "not_asked": "not asked",
    "no_sound": "no sound to judge",
    "no_clip": "no clip",
    "not_applicable": "not applicable",
}


@dataclass(frozen=True)
class Voice:
    """Someone whose replies make a column.

    Attributes:
        rater_id: in the table raters.
        title: as readers read it.
        person: whether this is one of the people.
    """

    rater_id: str
    title: str
    person: bool


@dataclass(frozen=True)
class Said:
    """Everything said of one clip.

    Attributes:
        items: what is asked, in its order: item (question_id or criterion), criterion, asked and, for
            questions, weight and fair (people's votes on whether the question is a fair one: "2 of 3 yes").
        voices: the judges, and the people who said anything of the clip.
        cells: by item and rater_id, a row of `helpers.reports.evidence.evidence`.
        lacking: by item and rater_id of judges, why there is no row.
        ranks: rows of the table rankings about the clip's model and prompt.
        replies: item (missing where one reply holds several grades), rater_id, raw and reason of the judges'
            replies, each once.
    """

    items: pd.DataFrame
    voices: list[Voice]
    cells: dict[tuple[str, str], Any]
    lacking: dict[tuple[str, str], str]
    ranks: pd.DataFrame
    replies: pd.DataFrame


def said_of(clips: Clips, video_id: str) -> Said:
    """What everyone said of one clip.

    Args:
        clips: the benchmark's.
        video_id: one of them.

    Raises:
        DataError: as `helpers.tables.read_about`, which reads the words.
    """
    judged = clips.one(video_id)
    judged = replace(judged, page=judged.page.with_words([video_id]))
    video = judged.page.tables["videos"].iloc[0]
    rows = evidence(judged, [video_id], judged.panels)
    items = _items(judged, video["prompt_id"])
    judges = [panel for panel in judged.panels if not panel.people]
    voices = [Voice(panel.who, panel.title, person=False) for panel in judges]
    people = rows.loc[rows["kind"].eq("human"), "rater_id"].unique()
    voices += [Voice(name, name, person=True) for name in sorted(people)]
    cells = {(row.item, row.rater_id): row for row in rows.itertuples()}
    lacking = {
        (item, panel.who): why
        for panel in judges
        for item, why in _became(clips, panel, video_id, items).items()
        if (item, panel.who) not in cells
    }
    ranks = judged.page.tables["rankings"]
    ranks = ranks[ranks["prompt_id"].eq(video["prompt_id"]) & ranks["model"].eq(video["model"])]
    return Said(items, voices, cells, lacking, ranks, _replies(judged, {panel.who for panel in judges}))


def measured(clips: Clips, video_id: str) -> pd.DataFrame:
    """A clip's values of all metrics that the benchmark has any value of.

    Returns:
        metric, value (missing without one) and status ("no row" where the table has none for this clip).
    """
    rows = clips.one(video_id).page.tables["metric_values"].set_index("metric")[["value", "status"]]
    found = rows.reindex(clips.metrics).rename_axis("metric").reset_index()
    return found.assign(status=found["status"].fillna("no row"))


def missing(clips: Clips, video_id: str, said: Said, metrics: pd.DataFrame) -> list[str]:
    """What a clip lacks, in sentences.

    Args:
        clips: the benchmark's.
        video_id: one of them.
        said: of the clip.
        metrics: as `measured` returns them.
    """
    framework, table = clips.judged.framework, SAID_IN[clips.judged.framework.name]
    found, video = [], clips.video(video_id)
    if video["status"] != "ok":
        reason = None if pd.isna(video["settings"]) else _reason(video["settings"])
        found.append(f"The clip: {video['status']}{f' ({reason})' if reason else ''}.")
    if not any(not voice.person for voice in said.voices):
        found.append(f"No judge has a row in the study's table '{table}'.")
    for voice in said.voices:
        gaps = Counter(said.lacking[key] for key in said.lacking if key[1] == voice.rater_id)
        gaps.update(
            row.status for key, row in said.cells.items() if key[1] == voice.rater_id and row.status != "ok"
        )
        gaps = {why: n for why, n in gaps.items() if why not in _NO_ROW.values()}
        if gaps:
            counts = ", ".join(f"{why} {n}" for why, n in sorted(gaps.items()))
            found.append(f"{voice.title}: of {len(said.items)} items {counts}.")
    if not any(voice.person for voice in said.voices):
        found.append(f"No person has said anything of this clip in the table '{table}'.")
    if framework.name == "culturescore" and said.ranks.empty:
        found.append("Nobody has ranked the clips of this prompt.")
    if metrics.empty:
        found.append("The study has no metric values for this benchmark.")
    if lost := [f"{row.metric} ({row.status})" for row in metrics.itertuples() if row.status != "ok"]:
        found.append(f"Metrics without a value: {', '.join(lost)}.")
    return found


def _items(judged: Judged, prompt_id: str) -> pd.DataFrame:
    """What is asked about a clip."""
    if judged.framework.name != "culturescore":
        names = of_framework(judged.framework.name)
        asked = [each.title for each in names.values()]
        return pd.DataFrame({"item": list(names), "criterion": list(names), "asked": asked})
    tables = judged.page.tables
    prompts, questions = tables["prompts"], tables["questions"]
    scenario = prompts.loc[prompts["prompt_id"].eq(prompt_id), "scenario_id"].iloc[0]
    rows = questions[questions["scenario_id"].eq(scenario)]
    rows = rows.assign(order=rows["dimension"].map(DIMENSIONS.index)).sort_values("order", kind="stable")
    votes = tables["relevance"]
    votes = votes[votes["question_id"].isin(rows["question_id"])].groupby("question_id")["relevant"]
    fair = {name: f"{int(each.sum())} of {len(each)} yes" for name, each in votes}
    return pd.DataFrame(
        {
            "item": rows["question_id"],
            "criterion": rows["dimension"],
            "asked": rows["text"],
            "weight": rows["weight"],
            "fair": rows["question_id"].map(fair),
        }
    ).reset_index(drop=True)


def _became(clips: Clips, panel: Panel, video_id: str, items: pd.DataFrame) -> dict[str, str]:
    """Why a judge may have no row for an item: what the scores make of it, or that the row is missing."""
    found = dict.fromkeys(items["item"], "missing")
    cases = clips.judged.cases(panel)
    item = clips.judged.framework.item
    if item in ("question_id", "criterion"):
        rows = cases[cases["video_id"].eq(video_id)]
        became = zip(rows[item].astype(str), rows["outcome"].astype(str), strict=True)
        found |= {name: _NO_ROW.get(why, "missing") for name, why in became if why != SCORED}
    return found


def _replies(judged: Judged, judges: set[str]) -> pd.DataFrame:
    """Judges' replies as they came; one that holds several grades stands there once."""
    rows = judged.page.tables[SAID_IN[judged.framework.name]]
    rows = rows[rows["rater_id"].isin(judges)]
    item = rows["question_id"] if judged.framework.name == "culturescore" else None
    rows = rows.assign(item=item, reason=rows["settings"].map(_reason, na_action="ignore"))
    rows = rows[rows["raw"].notna() | rows["reason"].notna()]
    return rows[["item", "rater_id", "raw", "reason"]].drop_duplicates().reset_index(drop=True)


def _reason(settings: str) -> str | None:
    """Why there is no value or clip, as the settings of a row say it."""
    try:
        found = json.loads(settings)
        return found.get("reason") or found.get("problem")
    except (ValueError, AttributeError):
        return None
