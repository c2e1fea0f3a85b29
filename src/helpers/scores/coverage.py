"""Which models were shown few of the prompts, so that a mean over models had better do without them.

A model with clips about one country would raise or lower that country's mean over models, and no other's.
"""

from collections.abc import Mapping

import pandas as pd

from helpers.scores.cells import LEAST_SHARE


def few_prompts(prompts: Mapping[str, int], asked: int) -> dict[str, str]:
    """The models with fewer than `LEAST_SHARE` as many prompts as the model with the most.

    Args:
        prompts: how many prompts each model was shown; at least one model.
        asked: how many any of them was shown.

    Returns:
        By model, in the order given, how many ("6 of 168").
    """
    most = max(prompts.values())
    return {model: f"{n:,} of {asked:,}" for model, n in prompts.items() if n < LEAST_SHARE * most}


def left_out(tables: Mapping[str, pd.DataFrame], variant: str | None = None) -> dict[str, str]:
    """The models that nothing pooled over models is to count.

    Args:
        tables: prompts and videos of one benchmark.
        variant: of the prompts; all of them where None.

    Returns:
        As `few_prompts`, by name; none where even the model with the most was shown fewer than `LEAST_SHARE`
        of all prompts, since these models then cover different prompts whichever are left out.
    """
    prompts, clips = tables["prompts"], tables["videos"]
    if variant is not None:
        prompts = prompts[prompts["variant"].eq(variant)]
    clips = clips[clips["prompt_id"].isin(prompts["prompt_id"])].astype({"model": str})
    counts, asked = clips.groupby("model")["prompt_id"].nunique().to_dict(), clips["prompt_id"].nunique()
    every_partial = max(counts.values(), default=0) < LEAST_SHARE * asked
    return {} if every_partial or not counts else few_prompts(counts, asked)


def without(cases: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """The cases of all other models."""
    return cases[~cases["model"].isin(models)].reset_index(drop=True)


def said_left_out(few: Mapping[str, str]) -> str:
    """Which models were left out and why, to end a caption with; empty where none was.

    Args:
        few: as `left_out`, the names as a reader reads them.
    """
    if not few:
        return ""
    named = ", ".join(f"{model} ({count})" for model, count in few.items())
    return f"; means over models leave out those that were shown few of the prompts: {named}"
