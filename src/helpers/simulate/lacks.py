"""What a study's own tables lack for a notebook's analysis, in words that fit after "The study X has".

One function a notebook; an empty text says that nothing is lacking. A judge's rows never stand in for those
of people.
"""

from collections.abc import Collection, Mapping
from typing import Literal

import pandas as pd

from helpers import geography
from helpers.landmark_scores import clip_scores
from helpers.people.rules import apply_rules
from helpers.published import CRITERIA
from helpers.simulate.gaps import FAITHFULNESS

Tables = Mapping[str, pd.DataFrame]

# What a rater says in a table, and what several raters can say it of.
_SAID = {
    "relevance": ("relevant", "question_id"),
    "answers": ("answer", "question_id"),
    "rankings": ("rank", "prompt_id"),
    "ratings": ("score", "video_id"),
}
_BY_PEOPLE = {"relevance": "votes on relevance", "answers": "answers", "rankings": "rankings"}
LEAST_LANDMARKS, LEAST_PAIRS, LEAST_CLIPS = 40, 10, 3


def for_agreement(tables: Tables, criterion: str) -> str:
    """What notebook 52 needs: two people of the same, in two countries, in each table that is given."""
    left, _ = apply_rules(tables)
    lacks = [
        too_few(rows_by(left, name, "human"), f"{what} by people", raters=2, countries=2)
        for name, what in _BY_PEOPLE.items()
        if name in left
    ]
    if "ratings" in left:
        rows = rows_by(left, "ratings", "human", [criterion])
        what = f"grades of {criterion} by people"
        lacks.append(too_few(rows, what, raters=2, countries=2))
        lacks.append(too_few(rows[_together(rows)], f"{what} of {LEAST_CLIPS} clips a country", countries=2))
    return next(filter(None, lacks), "")


def for_a_judge_beside_people(tables: Tables, judge: str, criterion: str) -> str:
    """What notebook 61 needs: a judge, and two residents a clip of three prompts in two countries."""
    left, _ = apply_rules(tables)
    rows = rows_by(left, "ratings", "human", [criterion])
    machine = rows_by(left, "ratings", "judge", [criterion])
    machine = machine[machine["rater_id"].eq(judge)]
    if machine.empty:
        return f"no grades of {criterion} by a judge '{judge}' (the parameter `judge`)"
    both = rows[rows["video_id"].isin(machine["video_id"])]
    prompts = both.groupby("country")["prompt_id"].nunique()
    both = both[both["country"].isin(prompts.index[prompts.ge(3)])]
    what = f"grades of {criterion} by residents on three prompts' clips that the judge graded"
    return too_few(both, what, raters=2, countries=2)


def for_country_gaps(tables: Tables, before: str, after: str) -> str:
    """What notebook 62 needs: people's cultural and semantic ratings of two models that can be compared."""
    for group in ("cultural_faithfulness", "semantic_adherence"):
        criteria = [name for name, its_group in CRITERIA.items() if its_group == group]
        rows = rows_by(_outside_sets(tables), "ratings", "human", criteria)
        what = f"ratings of {group.replace('_', ' ')} by people"
        if lack := too_few(rows, what, countries=3):
            return lack
        if not comparable(rows, 2):
            return f"{what}, but of no two aspects that all {rows['country'].nunique()} countries have"
        for name, model in {"before": before, "after": after}.items():
            if rows["model"].ne(model).all():
                return f"no {what} for the model {model} (the parameter `{name}`)"
    return ""


def for_page_views(tables: Tables, model: str, score: str) -> str:
    """What notebook 63 needs: two scores of enough landmarks with page views, in both halves of each axis."""
    if lack := _no_clip(tables, model):
        return lack
    clips = clip_scores(tables, model).query("variant == 'detailed'")
    names = ["people", "judge", *tables["metric_values"]["metric"].unique()]
    what = f"scores by {score} of detailed clips with page views"
    if score not in names or clips[score].isna().all():
        return f"no {what}"
    known = clips.dropna(subset=[score, "log_views"])
    if (found := known["log_views"].nunique()) < LEAST_LANDMARKS:
        return f"{what} for {found} landmarks, fewer than {LEAST_LANDMARKS}"
    if clips[names].count().gt(9).sum() < 2:
        return "no second score beside it"
    lacks = (too_few_groups(known, what, axis, "country", 2) for axis in geography.AXES)
    return next(filter(None, lacks), "")


def for_specificity(tables: Tables, model: str, score: str) -> str:
    """What notebook 64 needs: enough landmarks with a short and a detailed prompt, North and South."""
    if lack := _no_clip(tables, model):
        return lack
    clips = clip_scores(tables, model)
    if score not in clips:
        return f"no scores by {score}"
    rows = clips.dropna(subset=[score])
    twice = rows[rows.groupby("landmark_id")["variant"].transform("nunique").eq(2)]
    what = f"scores by {score} of landmarks with a short and a detailed prompt"
    if len(twice) and (found := twice["landmark_id"].nunique()) < LEAST_PAIRS:
        return f"{what}, but of {found}, fewer than {LEAST_PAIRS}"
    return too_few_groups(twice, what, "global_north_south", "landmark_id", 2)


def for_continents(tables: Tables, model: str, score: str) -> str:
    """What notebook 65 needs: two continents of two countries each."""
    if lack := _no_clip(tables, model):
        return lack
    clips = clip_scores(tables, model).query("variant == 'detailed'")
    what = f"scores by {score} of detailed clips"
    if score not in clips:
        return f"no {what}"
    return too_few_groups(clips.dropna(subset=[score]), what, "continent", "country", 2)


def for_a_pilot(tables: Tables) -> str:
    """What notebook 66 needs: two people on two prompts a country, in two countries."""
    rows = rows_by(_outside_sets(tables), "ratings", "human", FAITHFULNESS)
    prompts = rows.groupby("country")["prompt_id"].nunique()
    rows = rows[rows["country"].isin(prompts.index[prompts.gt(1)])]
    what = "ratings of cultural faithfulness by people for two prompts a country"
    return too_few(rows, what, raters=2, countries=2)


def comparable(rows: pd.DataFrame, aspects: int) -> bool:
    """Whether three countries or more have so many aspects in common that their means can be compared.

    Args:
        rows: with the columns country and aspect.
        aspects: how many they must have in common.
    """
    cells = pd.crosstab(rows["country"], rows["aspect"])
    return len(cells) > 2 and cells.gt(0).all().sum() >= aspects


def whole_sets(rows: pd.DataFrame, score: str, countries: int) -> int:
    """How many matched sets have, for some model, scored clips in so many countries.

    Args:
        rows: with the columns matched_set, model, country and the score.
        score: the column of the score; NaN where a clip has none.
        countries: in how many a whole set is scored.
    """
    places = rows.dropna(subset=score).groupby(["matched_set", "model"])["country"].nunique()
    return len(places.index[places.eq(countries)].unique("matched_set"))


def of_several(rows: pd.DataFrame, what: str) -> pd.DataFrame:
    """The rows of countries in which two people or more said something: one alone agrees with nobody.

    A printed line names the others.

    Args:
        rows: with the columns country and rater_id.
        what: what the rows are, for that line.
    """
    alone = rows.groupby("country")["rater_id"].transform("nunique").lt(2)
    if alone.any():
        countries = ", ".join(sorted(set(rows.loc[alone, "country"])))
        print(f"left out, by one person alone: {what} of {countries}")
    return rows[~alone]


def graded_together(grades: pd.DataFrame) -> pd.DataFrame:
    """The grades that can agree: by two people or more of a country, of three clips or more.

    Criteria for which that is so in fewer than two countries go as a whole. Printed lines name what goes.

    Args:
        grades: with the columns criterion, country, video_id, rater_id and score.
    """
    together, few = _together(grades), f"fewer than {LEAST_CLIPS} clips graded by several people"
    for criterion, rows in grades.groupby("criterion"):
        left = set(rows.loc[together[rows.index], "country"])
        if len(left) < 2:
            together[rows.index] = False
            print(f"left out, {few} in all countries but one at most: {criterion}")
        elif without := ", ".join(sorted(set(rows["country"]) - left)):
            print(f"left out, {few}: {criterion} in {without}")
    return grades[together]


def _together(grades: pd.DataFrame) -> pd.Series:
    """Which grades are of clips that several people graded, where a country has enough of these."""
    scored = grades[grades["score"].notna()]
    several = scored[scored.groupby(["criterion", "video_id"])["rater_id"].transform("nunique").gt(1)]
    clips = several.groupby(["criterion", "country"])["video_id"].transform("nunique")
    return pd.Series(grades.index.isin(clips.index[clips.ge(LEAST_CLIPS)]), grades.index)


def rows_by(
    tables: Tables,
    name: Literal["relevance", "answers", "rankings", "ratings"],
    kind: Literal["human", "judge"],
    criteria: Collection[str] = (),
) -> pd.DataFrame:
    """The rows of a table in which raters of one kind say something, and what they say it of.

    Args:
        tables: the table, `prompts`, `raters`; for relevance `questions`, for answers and ratings `videos`.
        name: the table.
        kind: whose rows; a judge's never count as people's, nor theirs as a judge's.
        criteria: ratings under these only; all where empty.

    Returns:
        The rows with a value (no failed, unscored or missing ones, no "not applicable"), with the columns of
        their prompt, the clip's model, and `item`: the question, prompt or clip that raters may have in
        common.
    """
    value, item = _SAID[name]
    raters, prompts = tables["raters"], tables["prompts"]
    rows = tables[name]
    rows = rows[rows[value].notna() & rows["rater_id"].isin(raters.loc[raters["kind"].eq(kind), "rater_id"])]
    if criteria:
        rows = rows[rows["criterion"].isin(list(criteria))]
    if name == "relevance":
        places = prompts[["scenario_id", "country"]].drop_duplicates("scenario_id")
        rows = rows.merge(tables["questions"][["question_id", "scenario_id"]]).merge(places)
    else:
        if name != "rankings":
            rows = rows.merge(tables["videos"][["video_id", "prompt_id", "model"]], on="video_id")
        rows = rows.merge(prompts, on="prompt_id")
    return rows.assign(item=rows[item])


def too_few(rows: pd.DataFrame, what: str, *, raters: int = 1, countries: int = 1) -> str:
    """What rows lack for a comparison of raters or countries.

    Args:
        rows: as `rows_by` returns them.
        what: what they are, such as "ratings by people".
        raters: so many have to say something of the same question, prompt or clip.
        countries: in so many countries.

    Returns:
        Words that fit after "The study has"; an empty text if nothing is lacking.
    """
    if rows.empty:
        return f"no {what}"
    together = rows[rows.groupby("item")["rater_id"].transform("nunique").ge(raters)]
    if together.empty:
        return f"{what}, but nowhere {raters} raters of the same"
    found = together["country"].nunique()
    if found < countries:
        each = f", with {raters} raters of the same in each" if raters > 1 else ""
        return f"{what}, but in too few countries ({found} of the {countries} needed{each})"
    return ""


def too_few_groups(rows: pd.DataFrame, what: str, by: str, of: str, least: int) -> str:
    """What rows lack for a comparison of groups: two groups, each of so many units, are needed.

    Args:
        rows: what is compared.
        what: what the rows are, such as "scores by people".
        by: the column that names the groups.
        of: the column that names the units.
        least: so many units a group.

    Returns:
        Words that fit after "The study has"; an empty text if nothing is lacking.
    """
    if rows.empty:
        return f"no {what}"
    large = rows.groupby(by)[of].nunique().ge(least).sum()
    groups, units = by.replace("_", " "), of.removesuffix("_id")
    return f"{what}, but not in two groups ({groups}) of {least} ({units}) each" if large < 2 else ""


def _outside_sets(tables: Tables) -> Tables:
    """The tables with the prompts that belong to no matched set."""
    prompts = tables["prompts"]
    return {**tables, "prompts": prompts[prompts["matched_set"].isna()]}


def _no_clip(tables: Tables, model: str) -> str:
    return f"no clip by {model} (the parameter `model`)" if tables["videos"]["model"].ne(model).all() else ""
