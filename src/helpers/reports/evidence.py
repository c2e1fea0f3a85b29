"""What was said of single clips: scores by criterion, where judges and people disagree, and their words.

Nothing here makes a page: tables in, tables out.
"""

import re
from collections.abc import Collection

import pandas as pd

from helpers.criteria import CRITERIA
from helpers.reports.judged import Judged
from helpers.reports.panels import Panel
from helpers.reports.words import harmless
from helpers.results.page import SAID_IN

# A judge's reasoning ends with its answer in a box, which is said already.
_BOX = re.compile(r"[\s*$]*\\boxed\{[^\n]*\}[\s*$.]*$")
_WORDS = [
    "rater_id",
    "kind",
    "criterion",
    "item",
    "asked",
    "said",
    "status",
    "requirement",
    "observation",
    "words",
]


def clip_scores(judged: Judged, judge: Panel | None, people: Panel | None) -> pd.DataFrame:
    """Every clip under every criterion, by a judge and by people.

    Args:
        judged: a benchmark's judgements.
        judge: one of them, or None.
        people: them, or None.

    Returns:
        One row a clip and criterion (a dimension of questions, a graded criterion, or alignment) that either
        scored: video_id, prompt_id, model, country, group (category or aspect; missing where the benchmark
        has none), variant, criterion, judge and people (0 to 1; missing where not scored), n_judge and
        n_people (questions or grades behind them), apart (judge minus people, over what both scored; missing
        without).
    """
    framework = judged.framework
    sides = {"judge": judge, "people": people}
    parts = [judged.cases(panel).assign(side=side) for side, panel in sides.items() if panel is not None]
    about = ["prompt_id", "model", "country"]
    if not parts:
        columns = [
            "video_id",
            *about,
            "group",
            "variant",
            "criterion",
            *sides,
            "n_judge",
            "n_people",
            "apart",
        ]
        return pd.DataFrame(columns=columns)
    scored = pd.concat([part.astype({"part": str}) for part in parts], ignore_index=True)
    scored = scored[scored["value"].notna()]
    item = framework.item if framework.item == "question_id" else "criterion"
    scored = scored.assign(criterion=scored["part"], value=scored["value"] / framework.top)
    wide = scored.pivot_table(
        index=list(dict.fromkeys(["video_id", "criterion", item])),
        columns="side",
        values="value",
        observed=True,
    ).reindex(columns=list(sides))
    wide["apart"] = wide["judge"] - wide["people"]
    groups = wide.groupby(level=["video_id", "criterion"], observed=True)
    means = groups.mean().join(groups[list(sides)].count().add_prefix("n_")).reset_index()
    extra = {"group": framework.group, "variant": "variant"}
    clips = scored.drop_duplicates("video_id").set_index("video_id")
    told = {name: means["video_id"].map(clips[name].astype(object)) for name in about}
    told |= {
        name: means["video_id"].map(clips[column].astype(object)) if column in clips else pd.NA
        for name, column in extra.items()
    }
    return means.assign(**told).astype({"video_id": str, "criterion": str})


def evidence(judged: Judged, clips: Collection[str], who: Collection[Panel]) -> pd.DataFrame:
    """What some raters said of some clips, and why, item by item.

    Args:
        judged: a benchmark's judgements.
        clips: their video_ids.
        who: whose words.

    Returns:
        One row a clip, item and rater: video_id, panel (its title), rater_id, kind, criterion, item
        (question_id or criterion), asked (the question, or the criterion's name), said ("yes", "no", "4 of
        5", "not applicable", or the status), status, requirement, observation and words (reasoning or
        justification; of a reply that could not be read, the reply). Words are cut and hold no keys or
        paths.

    Raises:
        DataError: as `helpers.tables.read_about`, which reads the words.
    """
    tables = judged.page.with_words(clips).tables
    raters = tables["raters"].set_index("rater_id")["kind"]
    by_kind = {panel.who: panel.title for panel in who}
    titles = raters.map(by_kind).fillna(pd.Series(raters.index.map(by_kind), raters.index))
    name = SAID_IN[judged.framework.name]
    rows = tables[name]
    rows = rows[rows["rater_id"].map(titles).notna()]
    rows = rows.assign(panel=rows["rater_id"].map(titles), kind=rows["rater_id"].map(raters))
    rows = _answered(rows, tables["questions"]) if name == "answers" else _graded(rows)
    unread = rows["status"].eq("unscored")
    rows = rows.assign(words=rows["words"].mask(unread, rows["raw"]))
    words = {
        column: rows[column].map(harmless) for column in ("requirement", "observation", "words", "asked")
    }
    return rows.assign(**words)[["video_id", "panel", *_WORDS]].reset_index(drop=True)


def _answered(rows: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    asked = questions.set_index("question_id")
    said = rows["answer"].map({True: "yes", False: "no"}).astype(object).fillna(rows["status"])
    return rows.assign(
        criterion=rows["question_id"].map(asked["dimension"]),
        item=rows["question_id"],
        asked=rows["question_id"].map(asked["text"]),
        said=said,
        requirement=None,
        observation=None,
        words=rows["reasoning"].str.replace(_BOX, "", regex=True),
    )


def _graded(rows: pd.DataFrame) -> pd.DataFrame:
    top = rows["criterion"].map({name: criterion.high for name, criterion in CRITERIA.items()})
    said = rows["score"].astype(object).astype(str) + " of " + top.astype(str)
    silent = rows["score"].isna()
    said = said.mask(silent & rows["status"].eq("ok"), "not applicable").mask(
        silent & rows["status"].ne("ok"), rows["status"]
    )
    return rows.assign(
        item=rows["criterion"],
        asked=rows["criterion"].str.replace("_", " "),
        said=said,
        words=rows["justification"],
    )


def clip_facts(judged: Judged, clips: Collection[str]) -> pd.DataFrame:
    """What a page says of each clip beside the judgements.

    Args:
        judged: a benchmark's judgements.
        clips: their video_ids; the rows come in this order.

    Returns:
        video_id, model, path, status, seed, prompt_id, text (the prompt), country, category, aspect, element
        and variant.
    """
    tables = judged.page.tables
    videos = tables["videos"].set_index("video_id").loc[list(clips)].reset_index()
    columns = ["prompt_id", "text", "country", "category", "aspect", "element", "variant"]
    return videos[["video_id", "model", "path", "status", "seed", "prompt_id"]].merge(
        tables["prompts"][columns], on="prompt_id", how="left"
    )
