"""Starter sets: small CultureScore and CultureVidBench prompts and questions of this project's own.

They let every notebook run without a download or a model. They were drafted with a language model and checked
by rule. Each row names a public source of fact, and none has been reviewed by native raters: they are
examples to build with, not a measure of any country. Three sets:

- 50 CultureScore scenarios, one for each of 10 countries and 5 categories: three variants, 9 questions;
- 168 CultureVidBench-style prompts, one for each of 12 countries and 14 aspects;
- 40 everyday scenes that take each of those 12 countries' names in turn, so that only the name differs.
"""

import pandas as pd

from helpers.checking import Table, nearest, one_of, text, whole
from helpers.geography import CULTURESCORE_COUNTRIES, CULTUREVIDBENCH_COUNTRIES
from helpers.paths import DATA
from helpers.published import ASPECTS, CATEGORIES, DIMENSIONS, VARIANTS
from helpers.schemas import check

STARTER = DATA / "starter"
REVIEW = "not reviewed by native raters"
# How an extended prompt begins, before the base prompt (CultureScore, C.2, asks for a cinematic opening).
OPENER = "Filmed as one cinematic take."
WITH_ARTICLE = ("Netherlands", "United States")

_YES_NO = one_of(("yes", "no"))
_ORIGIN = {"source": text(), "source_url": text(), "review": one_of((REVIEW,))}

TABLES = {
    "culturescore_scenarios": Table(
        columns={
            "scenario_id": text(),
            "country": one_of(CULTURESCORE_COUNTRIES),
            "category": one_of(CATEGORIES),
            "base": text(unique=True),
            "no_country": text(unique=True),
            **{dimension: text() for dimension in DIMENSIONS},
            **{f"{dimension}_detail": text() for dimension in DIMENSIONS},
            "unique": _YES_NO,
            "unique_reason": text(),
            **_ORIGIN,
        },
        key=("scenario_id",),
        rows=50,
    ),
    "culturescore_questions": Table(
        columns={
            "question_id": text(),
            "scenario_id": text(),
            "dimension": one_of(DIMENSIONS),
            "text": text(),
            "weight": whole(1, 10),
            "explicit": _YES_NO,
            "asked_from": one_of(VARIANTS["culturescore"]),
        },
        key=("question_id",),
        rows=450,
    ),
    "culturevidbench_prompts": Table(
        columns={
            "prompt_id": text(),
            "country": one_of(CULTUREVIDBENCH_COUNTRIES),
            "aspect": one_of(tuple(ASPECTS)),
            "element": text(),
            "text": text(unique=True),
            "text_cue": _YES_NO,
            "audio_cue": _YES_NO,
            **_ORIGIN,
        },
        key=("prompt_id",),
        rows=168,
    ),
    "matched_scenes": Table(
        columns={
            "matched_set": text(),
            "aspect": one_of(tuple(ASPECTS)),
            "element": text(),
            "template": text(unique=True),
            **_ORIGIN,
        },
        key=("matched_set",),
        rows=40,
    ),
}


def load(name: str) -> pd.DataFrame:
    """One of the starter files, checked.

    Args:
        name: one of `TABLES`; `data/README.md` explains every column.

    Raises:
        ValueError: no file has this name.
        DataError: the file does not fit its schema.
    """
    if name not in TABLES:
        raise ValueError(
            f"no starter set '{name}'{nearest(name, TABLES)}; expected one of {', '.join(TABLES)}"
        )
    return TABLES[name].read_csv(STARTER / f"{name}.csv")


def scenarios() -> pd.DataFrame:
    """The CultureScore scenarios as `load` gives them, and the extended prompt.

    Returns:
        50 rows; `extended` is the opener, the base prompt word for word, and then behavior, identity and
        context spelt out, the order of CultureScore's Appendix C.2.
    """
    rows = load("culturescore_scenarios")
    extended = OPENER + " " + rows["base"]
    for dimension in ("behavior", "identity", "context"):
        extended += f" {dimension.capitalize()}: " + rows[f"{dimension}_detail"]
    return rows.assign(extended=extended)


def prompts() -> pd.DataFrame:
    """All starter prompts as a study's table `prompts`.

    Returns:
        798 rows: 150 CultureScore (base, extended, no_country, tied by scenario_id), 168 CultureVidBench and
        480 in matched sets.

    Raises:
        DataError: a file does not fit its schema.
    """
    every = pd.concat([_scenario_prompts(), _aspect_prompts(), _matched_prompts()], ignore_index=True)
    return check("prompts", every.drop(columns=list(_ORIGIN)), STARTER)


def questions() -> pd.DataFrame:
    """The questions as a study's table `questions`.

    `verified` is missing, since no model has verified them; `evidence` is the scenario's source with the
    remark that nobody native has reviewed it.

    Returns:
        450 rows, three of each dimension for each scenario; yes is the faithful answer.

    Raises:
        DataError: a file does not fit its schema.
    """
    asked = load("culturescore_questions").merge(
        load("culturescore_scenarios")[["scenario_id", *_ORIGIN]], on="scenario_id", validate="many_to_one"
    )
    evidence = asked["source"] + " (" + asked["source_url"] + "); " + asked["review"]
    asked = asked.assign(explicit=asked["explicit"].eq("yes"), evidence=evidence)
    return check("questions", asked.drop(columns=list(_ORIGIN)), STARTER)


def sources() -> pd.DataFrame:
    """Where the facts of each prompt come from.

    Returns:
        Columns prompt_id, source, source_url and review (always `REVIEW`), the rows of `prompts`.
    """
    every = pd.concat([_scenario_prompts(), _aspect_prompts(), _matched_prompts()], ignore_index=True)
    return every[["prompt_id", *_ORIGIN]]


def _scenario_prompts() -> pd.DataFrame:
    variants = scenarios().melt(
        id_vars=["scenario_id", "country", "category", *_ORIGIN],
        value_vars=["base", "extended", "no_country"],
        var_name="variant",
        value_name="text",
    )
    return variants.assign(
        prompt_id=variants["scenario_id"] + "-" + variants["variant"].str.replace("_", "-"),
        benchmark="culturescore",
    ).sort_values(["scenario_id", "variant"])


def _aspect_prompts() -> pd.DataFrame:
    rows = load("culturevidbench_prompts")
    return rows.assign(
        benchmark="culturevidbench",
        variant="plain",
        text_cue=rows["text_cue"].eq("yes"),
        audio_cue=rows["audio_cue"].eq("yes"),
    )


def _matched_prompts() -> pd.DataFrame:
    rows = load("matched_scenes").merge(pd.DataFrame({"country": CULTUREVIDBENCH_COUNTRIES}), how="cross")
    return rows.assign(
        prompt_id="starter-" + rows["matched_set"] + "-" + rows["country"].str.lower().str.replace(" ", "-"),
        benchmark="culturevidbench",
        variant="plain",
        text=[
            template.format(country=_in_a_sentence(country))
            for template, country in zip(rows["template"], rows["country"], strict=True)
        ],
    ).drop(columns="template")


def _in_a_sentence(country: str) -> str:
    return f"the {country}" if country in WITH_ARTICLE else country
