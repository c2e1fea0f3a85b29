"""Who sees which clips, in which order: seeded assignment sheets, balanced over positions.

A sheet is a part of the table `assignments`. Its rater_id names the sheet ("Japan-1"); whoever fills it in is
given a name of their own when the survey is read back (`helpers.people.exports`).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from helpers.published import ASPECTS, DIMENSIONS
from helpers.schemas import check

# CultureScore, B.3: all of a triplet's tiers, in this order, before the next triplet.
TRIPLET_TIERS = ("relevance", "accuracy", "ranking")


def culturescore_sheets(
    prompts: pd.DataFrame,
    questions: pd.DataFrame,
    videos: pd.DataFrame,
    *,
    seed: int,
    raters: int = 5,
    triplets: int = 9,
    attention_checks: int = 2,
) -> pd.DataFrame:
    """CultureScore's human study (4.2 and B.3): each country's raters judge the same triplets of clips.

    A triplet is one prompt's clips by all models, with one question about them. Every country gets as many
    triplets from each dimension as the number allows, each from another prompt. The paper leaves open in
    which order raters meet the triplets: here each rater gets an order of their own, so that tiredness does
    not always fall on the same prompt. In every k triplets (first to k-th, and so on) each of the k models
    stands once at each position.

    Args:
        prompts: a table `prompts` of the prompts to draw from, one variant of each scenario.
        questions: a table `questions`; a prompt's questions are those of its scenario.
        videos: a table `videos`; only prompts with a clip with status "ok" by every model are drawn.
        seed: seed of all draws.
        raters: raters a country.
        triplets: triplets a rater.
        attention_checks: checks a rater, each after another triplet, never after the last.

    Returns:
        A table `assignments`: for each rater, step and tier one row a clip, and one row an attention check.

    Raises:
        ValueError: a country with too few prompts, a scenario twice, or numbers that cannot be.
    """
    _check_counts(raters, triplets, attention_checks)
    if prompts["scenario_id"].duplicated().any():
        twice = prompts.loc[prompts["scenario_id"].duplicated(), "scenario_id"].iloc[0]
        raise ValueError(f"prompts: found the scenario {twice} twice, expected one variant of each scenario")
    rng = np.random.default_rng(seed)
    clips, models = _complete(videos), videos["model"].nunique()
    usable = prompts[prompts["prompt_id"].isin(clips)].merge(questions, on="scenario_id")
    sheets = []
    for country in sorted(prompts["country"].unique()):
        drawn = _triplets(usable[usable["country"].eq(country)], triplets, rng)
        if len(drawn) < triplets:
            raise ValueError(
                f"{country}: found {len(drawn)} prompts with a question and clips by all {models} "
                f"models, expected {triplets}"
            )
        for rater in range(1, raters + 1):
            order = rng.permutation(len(drawn))
            shown = list(_balanced(models, len(drawn), rng))
            for step, (triplet, order_shown) in enumerate(zip(order, shown, strict=True), start=1):
                prompt, question = drawn[triplet]
                for tier in TRIPLET_TIERS:
                    asked = None if tier == "ranking" else question
                    sheets += [
                        (f"{country}-{rater}", step, tier, position, prompt, clip, asked)
                        for position, clip in enumerate(clips[prompt][order_shown], start=1)
                    ]
            sheets += _attention(f"{country}-{rater}", triplets, attention_checks, rng)
    return _sheet_table(sheets)


def culturevidbench_sheets(
    prompts: pd.DataFrame,
    videos: pd.DataFrame,
    *,
    seed: int,
    raters: int = 3,
    attention_checks: int = 2,
) -> pd.DataFrame:
    """CultureVidBench's human study (4.3): one prompt an aspect and country, by all models.

    With 14 aspects and seven models a rater sees 98 clips. All raters of a country see the same clips. The
    paper does not print their order: here each rater meets the prompts in an order of their own, all clips of
    a prompt together, and each model stands equally often at each position.

    Args:
        prompts: a table `prompts`; of each country and aspect one is drawn.
        videos: a table `videos`; only prompts with a clip with status "ok" by every model are drawn.
        seed: seed of all draws.
        raters: raters a country.
        attention_checks: checks a rater, each after another prompt, never after the last.

    Returns:
        A table `assignments`, tier "rating": for each rater and step (prompt) one row a clip, and one row an
        attention check.

    Raises:
        ValueError: a country and aspect without a usable prompt, or numbers that cannot be.
    """
    _check_counts(raters, len(ASPECTS), attention_checks)
    rng = np.random.default_rng(seed)
    clips, models = _complete(videos), videos["model"].nunique()
    usable = prompts[prompts["prompt_id"].isin(clips)].sort_values("prompt_id")
    sheets = []
    for country in sorted(prompts["country"].unique()):
        found = usable[usable["country"].eq(country)]
        without = [aspect for aspect in ASPECTS if aspect not in set(found["aspect"])]
        if without:
            raise ValueError(
                f"{country}: no prompt has clips by all {models} models for {', '.join(without)}"
            )
        drawn = [rng.choice(found.loc[found["aspect"].eq(aspect), "prompt_id"]) for aspect in ASPECTS]
        for rater in range(1, raters + 1):
            order = rng.permutation(drawn)
            shown = _balanced(models, len(drawn), rng)
            for step, (prompt, order_shown) in enumerate(zip(order, shown, strict=True), start=1):
                sheets += [
                    (f"{country}-{rater}", step, "rating", position, prompt, clip, None)
                    for position, clip in enumerate(clips[prompt][order_shown], start=1)
                ]
            sheets += _attention(f"{country}-{rater}", len(drawn), attention_checks, rng)
    return _sheet_table(sheets)


def _check_counts(raters: int, steps: int, attention_checks: int) -> None:
    if raters < 1 or steps < 1:
        raise ValueError(f"found {raters} raters and {steps} steps, expected at least one of each")
    if not 0 <= attention_checks < steps:
        raise ValueError(f"attention_checks: found {attention_checks}, expected 0 to {steps - 1}")


def _complete(videos: pd.DataFrame) -> dict[str, np.ndarray]:
    """The clips of each prompt that every model has a usable clip for, the models in one order."""
    usable = videos[videos["status"].eq("ok")].sort_values("model").drop_duplicates(["prompt_id", "model"])
    usable = usable[usable.groupby("prompt_id")["model"].transform("size").eq(videos["model"].nunique())]
    return {prompt: rows.to_numpy(object) for prompt, rows in usable.groupby("prompt_id")["video_id"]}


def _triplets(usable: pd.DataFrame, wanted: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Pairs of prompt and question, the dimensions taking turns, no prompt twice."""
    shuffled = usable.sort_values("question_id").sample(frac=1, random_state=rng)
    drawn: dict[str, str] = {}
    for turn in range(wanted):
        free = shuffled[~shuffled["prompt_id"].isin(drawn.keys())]
        dimension = DIMENSIONS[turn % len(DIMENSIONS)]
        fitting = free[free["dimension"].eq(dimension)]
        for pick in (fitting if len(fitting) else free).head(1).itertuples():
            drawn[pick.prompt_id] = pick.question_id
    return list(drawn.items())


def _balanced(models: int, steps: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Orders of the models, step by step, from random Latin squares: cyclic shifts of one order, shuffled."""
    for first in range(0, steps, models):
        order = rng.permutation(models)
        shifts = rng.permutation(models)[: steps - first]
        yield from (np.roll(order, shift) for shift in shifts)


def _attention(rater: str, steps: int, checks: int, rng: np.random.Generator) -> list[tuple]:
    """Attention checks after random steps, the last one excepted."""
    after = np.sort(rng.choice(np.arange(1, steps), size=checks, replace=False))
    return [(rater, step, "attention", 1, None, None, None) for step in after]


def _sheet_table(rows: list[tuple]) -> pd.DataFrame:
    columns = ["rater_id", "step", "tier", "position", "prompt_id", "video_id", "question_id"]
    sheets = pd.DataFrame(rows, columns=columns).sort_values(["rater_id", "step"], kind="stable")
    return check("assignments", sheets, "sheets")
