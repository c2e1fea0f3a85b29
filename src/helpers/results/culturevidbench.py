"""CultureVidBench's results (its sections 5.2 to 5.4) from a study's tables, before they are drawn."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.published import CRITERIA
from helpers.results.culturescore import TEXT_VIDEO
from helpers.results.page import LackingError, Page, scored
from helpers.results.ranks import rank_ranges
from helpers.scores import coverage
from helpers.scores.countries import country_dispersion
from helpers.scores.culturevidbench import GROUPS, SCORES, culturevidbench, graded_clips
from helpers.scores.outcomes import SCORED
from helpers.scores.raters import chosen
from helpers.scores.score import stacked
from helpers.stats.agreement import inter_rater_correlation
from helpers.stats.association_by_level import country_averaged
from helpers.stats.results import Estimate

PEOPLE = "people"
# How the cultural score averages (Figures 6 and 8 leave it open): two groups of criteria, or the four
# criteria.
READINGS = ("groups", "criteria")
SEMANTIC = "semantic_adherence"
# What a text-video similarity can be compared with (Table 2).
SEMANTIC_CRITERIA = ("element_alignment", "subject_alignment", "action_alignment")
COEFFICIENTS = {"tau": "kendall", "rho": "spearman"}


def cultural(reading: str) -> str:
    """The name of the cultural score in one reading.

    Args:
        reading: "groups", the mean of two group means, which needs something to judge in both; or "criteria",
            the mean of those of the four criteria that could be judged.

    Raises:
        ValueError: another word.
    """
    if reading not in READINGS:
        raise ValueError(f"reading: found '{reading}', expected one of {', '.join(READINGS)}")
    return f"cultural_by_{reading}"


def graded(page: Page) -> dict[str, pd.DataFrame]:
    """Every clip under every criterion by each who graded: people first, if there are any, then judges.

    Returns:
        By "people" or the judge's name, as `helpers.scores.culturevidbench.graded_clips`.

    Raises:
        LackingError: a table without rows, or nobody's grades.
    """
    page.need("prompts", "videos", "ratings")
    people, judges = page.get(page.people), page.get(page.judges)
    found = {} if isinstance(people, LackingError) else {PEOPLE: graded_clips(page.tables, people)}
    for judge in [] if isinstance(judges, LackingError) else judges:
        found[judge] = graded_clips(page.tables, judge)
    if not found:
        raise judges
    return found


def by(cases: Mapping[str, pd.DataFrame], columns: Sequence[str], *names: str) -> pd.DataFrame:
    """Scores by evaluator and further columns.

    Args:
        cases: as `graded`.
        columns: such as model, country or aspect.
        names: the scores wanted; all where left out.

    Returns:
        Rows with the column evaluator first; those without an estimate are left out.

    Raises:
        LackingError: none has one.
    """
    found = stacked({who: culturevidbench(own, list(columns)) for who, own in cases.items()}, "evaluator")
    return scored(found, *names)


def left_out(page: Page) -> str:
    """Which models `pooled` leaves out and why, to end a caption with; empty where none is."""
    return coverage.said_left_out(coverage.left_out(page.tables))


def pooled(page: Page, cases: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The cases that count where models are averaged: without models that were shown few of the prompts.

    Args:
        page: whose clips say which models these are.
        cases: as `graded`.

    Returns:
        As `graded`; without those who graded other models only.

    Raises:
        LackingError: nobody graded any other.
    """
    few = coverage.left_out(page.tables)
    kept = {who: coverage.without(own, few) for who, own in cases.items()}
    kept = {who: own for who, own in kept.items() if len(own)}
    if not kept:
        raise LackingError(
            f"Only clips of {', '.join(few)} were graded, and these were shown too few of the prompts to be "
            "averaged over models."
        )
    return kept


def drops(cases: Mapping[str, pd.DataFrame], reading: str) -> pd.DataFrame:
    """Figure 8's percentages: the relative drop of each aspect, also where it is refused.

    Args:
        cases: as `graded`.
        reading: as `cultural`.

    Returns:
        Rows by evaluator and aspect; the status says why an estimate is missing.

    Raises:
        LackingError: no aspect has one.
    """
    found = stacked({who: culturevidbench(own, ["aspect"]) for who, own in cases.items()}, "evaluator").table
    rows = found[found["score"].eq(f"drop_by_{reading}")].reset_index(drop=True)
    if rows["estimate"].isna().all():
        raise LackingError("No aspect has both a cultural score and semantic adherence.")
    return rows


def by_one(cases: Mapping[str, pd.DataFrame], who: str, columns: Sequence[str]) -> pd.DataFrame:
    """The scores of one evaluator, as `by`."""
    return by({who: one(cases, who)}, columns)


def one(cases: Mapping[str, pd.DataFrame], who: str) -> pd.DataFrame:
    """The cases of one evaluator.

    Raises:
        LackingError: these graded nothing.
    """
    if who not in cases:
        raise LackingError(f"No grades by {who} in this study; there are grades by {', '.join(cases)}.")
    return cases[who]


def first_judge(cases: Mapping[str, pd.DataFrame]) -> str:
    """The first judge.

    Raises:
        LackingError: only people graded.
    """
    judges = [who for who in cases if who != PEOPLE]
    if not judges:
        raise LackingError(
            "No judge graded these clips: `python -m helpers.judging STUDY.yaml` fills the table 'ratings'."
        )
    return judges[0]


def correlations(page: Page, cases: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Table 2: each judge and text-video metric against people, clip by clip within countries.

    Args:
        page: with metric_values, if there are any.
        cases: as `graded`.

    Returns:
        One row an evaluator, criterion and coefficient: evaluator, criterion, coefficient (tau or rho),
        estimate, low, high (t interval over countries), n (countries), clips. The last evaluator is
        "between people": the mean over pairs of raters, n then counting pairs. Criteria in which nothing
        could be correlated are left out.

    Raises:
        LackingError: no people's grades, or nobody to compare with them.
    """
    people = _values(one(cases, PEOPLE))
    others = {who: _values(own) for who, own in cases.items() if who != PEOPLE}
    rows = []
    for who, own in others.items():
        both = people.merge(
            own[["video_id", "criterion", "value"]], on=["video_id", "criterion"], suffixes=("", "_other")
        )
        rows += _correlated(who, both, list(CRITERIA))
    for metric in _metrics(page):
        values = page.tables["metric_values"].query("metric == @metric").dropna(subset="value")
        both = people.merge(values[["video_id", "value"]], on="video_id", suffixes=("", "_other"))
        rows += _correlated(metric, both, list(SEMANTIC_CRITERIA))
    rows += _between_people(page, people)
    if not rows:
        raise LackingError("No clip was graded by people and by a judge, or twice by people.")
    return pd.DataFrame(rows)


def ranked(cases: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Figure 4: the place of each model under each criterion by each evaluator, with the places it may hold.

    Returns:
        One row an evaluator, model and criterion, in the order of the criteria: evaluator, criterion, model,
        estimate, rank (ties share the best place), best, worst, of and clusters (prompts).

    Raises:
        LackingError: no criterion in which two models have scores.
    """
    wanted = [score for score in SCORES if score.name in CRITERIA]
    table = by(cases, ["model"], *CRITERIA).astype({"model": str})
    found = []
    for who, rows in table.groupby("evaluator", sort=False):
        models = {score.name: list(rows.loc[rows["score"].eq(score.name), "model"]) for score in wanted}
        places = rank_ranges(cases[who], wanted, models, cluster="prompt_id")
        found.append(rows.merge(places, on=["model", "score"]))
    rows = pd.concat(found, ignore_index=True)
    rows = rows[rows["of"].gt(1)].rename(columns={"score": "criterion"})
    if rows.empty:
        raise LackingError("There are no two models with scores under the same criterion, so no ranks.")
    grades = rows.groupby(["evaluator", "criterion"])["estimate"]
    rows["rank"] = grades.rank(ascending=False, method="min").astype(int)
    order = {name: place for place, name in enumerate(CRITERIA)}
    rows = rows.sort_values("criterion", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    columns = ["evaluator", "criterion", "model", "estimate", "rank", "best", "worst", "of", "clusters"]
    return rows[columns]


def dispersion(cases: pd.DataFrame, reading: str, *, resamples: int, seed: int) -> pd.DataFrame:
    """Figure 5b: how far countries are apart, in each group of criteria and in culture.

    Args:
        cases: one evaluator's.
        reading: as `cultural`.
        resamples: draws of noise.
        seed: of these.

    Raises:
        LackingError: fewer than three countries with an interval under every score.
    """
    scores = culturevidbench(cases, ["country"])
    found = country_dispersion(scores, resamples=resamples, seed=seed)
    found = found[found["score"].isin([*GROUPS, cultural(reading)])]
    if "range" not in found or found["range"].isna().all():
        raise LackingError(
            "Dispersion takes at least three countries with an interval; this study has fewer."
        )
    return found.dropna(subset="range").reset_index(drop=True)


def _values(cases: pd.DataFrame) -> pd.DataFrame:
    kept = cases[cases["outcome"].eq(SCORED)]
    text = ["video_id", "prompt_id", "model", "country", "criterion"]
    return kept[[*text, "value"]].astype(dict.fromkeys(text, str)).reset_index(drop=True)


def _metrics(page: Page) -> list[str]:
    there = set(page.tables["metric_values"].dropna(subset="value")["metric"])
    return [name for name in TEXT_VIDEO if name in there]


def _correlated(who: str, both: pd.DataFrame, criteria: Sequence[str]) -> list[dict]:
    rows = []
    for criterion in criteria:
        part = both[both["criterion"].eq(criterion)]
        for letter, name in COEFFICIENTS.items():
            if len(part):
                found = country_averaged(part["value"], part["value_other"], part["country"], name)
                about = {"evaluator": who, "criterion": criterion, "coefficient": letter}
                rows += _row(about, found, found.details["clips"])
    return rows


def _between_people(page: Page, people: pd.DataFrame) -> list[dict]:
    raters = chosen(page.tables, "human")["rater_id"]
    given = page.tables["ratings"]
    given = given[given["rater_id"].isin(raters) & given["score"].notna()].astype({"score": float})
    countries = people.drop_duplicates("video_id").set_index("video_id")["country"]
    rows = []
    for criterion in CRITERIA:
        part = given[given["criterion"].eq(criterion) & given["video_id"].isin(countries.index)]
        # Raters of different countries share no clip, so that each country's first, second, third make a
        # column.
        country = part["video_id"].map(countries)
        seat = part["rater_id"].groupby(country).rank("dense").astype(int)
        panel = part.assign(seat=seat).pivot_table(index="video_id", columns="seat", values="score")
        if panel.shape[1] < 2:
            continue
        for letter, name in COEFFICIENTS.items():
            found = inter_rater_correlation(panel.to_numpy(), panel.index.map(countries), name, method="t")
            about = {"evaluator": "between people", "criterion": criterion, "coefficient": letter}
            rows += _row(about, found, len(panel))
    return rows


def _row(about: dict, found: Estimate, clips: int) -> list[dict]:
    if not np.isfinite(found.estimate):
        return []
    ends = {name: getattr(found, name) for name in ("estimate", "low", "high", "n")}
    return [about | ends | {"clips": clips}]
