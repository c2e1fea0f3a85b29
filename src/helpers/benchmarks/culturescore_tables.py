"""CultureScore's scenes and questions as a study's tables, with counts and the sample for costly models."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.benchmarks.culturescore_questions import VERIFY
from helpers.published import CATEGORIES, DIMENSIONS
from helpers.schemas import TABLES, check

# The step that gives each variant. The native-language variant is there only where it was asked for.
VARIANT_STEPS = {
    "base": "decompose",
    "extended": "extend",
    "no_country": "remove_country",
    "native_language": "back_translate",
}
TRIPLET = ("base", "extended", "no_country")
_CELL = ("dimension", "country", "category")
_LEFT_OUT = ["id", "scenario_id", "step", "status", "reason"]


class Benchmark(NamedTuple):
    """A benchmark's tables and what did not get into them.

    Attributes:
        prompts: a study's table `prompts`; the variants of a scene share their scenario_id.
        questions: a study's table `questions`: the well-formed ones, verified or not.
        left_out: one row for each prompt or question that has no row there: id, scenario_id, step, status and
            reason.
    """

    prompts: pd.DataFrame
    questions: pd.DataFrame
    left_out: pd.DataFrame


def benchmark_tables(scenarios: pd.DataFrame, questions: pd.DataFrame) -> Benchmark:
    """The study tables.

    Args:
        scenarios: rows that went through the steps decompose, extend and remove_country, perhaps also through
            those of the native-language variant.
        questions: rows of `culturescore_questions.verify_rows`. One whose verdict is not known has no
            `verified`.

    Raises:
        ValueError: a step has not been taken.
        DataError: as `helpers.schemas.check`.
    """
    if f"{VERIFY.name}_status" not in questions:
        raise ValueError(
            f"questions: found no column '{VERIFY.name}_status'; expected the step {VERIFY.name} first"
        )
    variants = [name for name in VARIANT_STEPS if name in TRIPLET or name in scenarios]
    prompts = pd.concat([_variant(scenarios, name) for name in variants], ignore_index=True)
    prompts = prompts.sort_values(["scenario_id", "variant"])
    made = prompts["status"].eq("ok")
    formed = questions["form_status"].eq("ok")
    misformed = questions[~formed].assign(step="form")
    misformed = misformed.rename(
        columns={"question_id": "id", "form_status": "status", "form_reason": "reason"}
    )
    return Benchmark(
        check(
            "prompts", prompts.loc[made].drop(columns=["step", "status", "reason"]), "CultureScore prompts"
        ),
        check(
            "questions", questions.loc[formed, list(TABLES["questions"].columns)], "CultureScore questions"
        ),
        pd.concat(
            [prompts[~made].rename(columns={"prompt_id": "id"})[_LEFT_OUT], misformed[_LEFT_OUT]],
            ignore_index=True,
        ),
    )


def stratified_sample(prompts: pd.DataFrame, *, per_cell: int = 2, seed: int) -> pd.DataFrame:
    """All three variants of a few scenes from each country and category, for models that cost too much.

    The paper generated 294 videos with Veo 3.1 Fast, which is 2 scenes x 49 cells x 3 variants (South Africa
    has no family scenes). Which ones it drew is not published.

    Args:
        prompts: rows of a table `prompts`; the order does not matter.
        per_cell: scenes to draw from each cell, of those with all three variants.
        seed: the same seed draws the same scenes from the same table.

    Returns:
        The rows of the scenes drawn, by scenario_id and variant; cells without any scene have none.

    Raises:
        ValueError: per_cell below 1, or a cell with some scenes but too few complete ones.
    """
    if per_cell < 1:
        raise ValueError(f"per_cell: found {per_cell}, expected at least 1")
    rows = prompts[prompts["benchmark"].eq("culturescore") & prompts["variant"].isin(TRIPLET)]
    scenes = rows.groupby(["country", "category", "scenario_id"])["variant"].nunique().reset_index()
    scenes["complete"] = scenes["variant"].eq(len(TRIPLET))
    complete = scenes.groupby(["country", "category"])["complete"].sum()
    few = complete[complete.lt(per_cell)]
    if len(few):
        named = "; ".join(f"{country}, {category}: {count}" for (country, category), count in few.items())
        raise ValueError(
            f"found too few scenes with all of {', '.join(TRIPLET)} ({named}); "
            f"expected {per_cell} in each cell"
        )
    drawn = (
        scenes[scenes["complete"]]
        .groupby(["country", "category"])
        .sample(per_cell, random_state=np.random.default_rng(seed))
    )
    kept = rows[rows["scenario_id"].isin(drawn["scenario_id"])]
    return kept.sort_values(["scenario_id", "variant"]).reset_index(drop=True)


def facet_counts(scenarios: pd.DataFrame) -> pd.DataFrame:
    """How many different facets each country has in each category: the shape of the paper's Table 1.

    Args:
        scenarios: rows of `culturescore.decompose_rows`; those whose status is not ok do not count.

    Returns:
        Columns dimension, country, category and unique_facets, as in `published`'s `culturescore_facets`; 0
        for a category in which a country has none. Capital letters do not make a facet another one.
    """
    facets = scenarios[scenarios["decompose_status"].eq("ok")].melt(
        id_vars=["country", "category"], value_vars=list(DIMENSIONS), var_name="dimension", value_name="facet"
    )
    found = facets["facet"].str.casefold().groupby([facets[name] for name in _CELL]).nunique()
    cells = pd.MultiIndex.from_product(
        [DIMENSIONS, sorted(set(scenarios["country"])), CATEGORIES], names=list(_CELL)
    )
    return found.reindex(cells, fill_value=0).rename("unique_facets").reset_index()


def _variant(scenarios: pd.DataFrame, name: str) -> pd.DataFrame:
    """One variant's prompts, with the status of the step that gives it."""
    step = VARIANT_STEPS[name]
    if f"{step}_status" not in scenarios:
        raise ValueError(f"scenarios: found no column '{step}_status'; the variant {name} needs that step")
    return pd.DataFrame(
        {
            "prompt_id": scenarios["scenario_id"] + "-" + name.replace("_", "-"),
            "benchmark": "culturescore",
            "country": scenarios["country"],
            "category": scenarios["category"],
            "variant": name,
            "text": scenarios[name],
            "scenario_id": scenarios["scenario_id"],
            "step": step,
            "status": scenarios[f"{step}_status"],
            "reason": scenarios[f"{step}_reason"],
        }
    )
