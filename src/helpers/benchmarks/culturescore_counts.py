"""What a CultureScore benchmark holds, in counts, and how much of its questions its prompts give away."""

import pandas as pd

from helpers.benchmarks.stems import share_said
from helpers.published import DIMENSIONS, VARIANTS

# Weights as Appendix C.4 groups them.
BANDS = {"critical (8-10)": (8, 10), "expected (4-7)": (4, 7), "minor (1-3)": (1, 3)}


def prompt_counts(prompts: pd.DataFrame) -> pd.DataFrame:
    """How much of each variant there is.

    Args:
        prompts: CultureScore rows of a table `prompts`.

    Returns:
        One row a variant that occurs: variant, prompts, scenarios, countries, categories, cells (a cell is a
        category of a country) and the least and most scenarios of a cell that is not empty.
    """
    rows = []
    for variant in VARIANTS["culturescore"]:
        part = prompts[prompts["variant"].eq(variant)]
        cells = part.groupby(["country", "category"])["scenario_id"].nunique()
        if len(part):
            rows.append(
                {
                    "variant": variant,
                    "prompts": len(part),
                    "scenarios": part["scenario_id"].nunique(),
                    "countries": part["country"].nunique(),
                    "categories": part["category"].nunique(),
                    "cells": len(cells),
                    "least": cells.min(),
                    "most": cells.max(),
                }
            )
    return pd.DataFrame(rows)


def question_counts(questions: pd.DataFrame) -> pd.DataFrame:
    """Questions by dimension: how many, how many explicit, of which weight.

    Args:
        questions: rows of a table `questions`.

    Returns:
        One row a dimension: dimension, questions, scenarios, explicit, implicit, mean_weight, and one column
        for each band of `BANDS`. Questions whose weight or kind is not known count in neither.
    """
    rows = []
    for dimension in DIMENSIONS:
        part = questions[questions["dimension"].eq(dimension)]
        explicit = part["explicit"].dropna()
        bands = {name: int(part["weight"].between(*limits).sum()) for name, limits in BANDS.items()}
        rows.append(
            {
                "dimension": dimension,
                "questions": len(part),
                "scenarios": part["scenario_id"].nunique(),
                "explicit": int(explicit.sum()),
                "implicit": int((~explicit).sum()),
                "mean_weight": part["weight"].mean(),
                **bands,
            }
        )
    return pd.DataFrame(rows)


def given_away(
    questions: pd.DataFrame, prompts: pd.DataFrame, variants: tuple[str, ...] = ("base", "extended")
) -> pd.DataFrame:
    """How much of each question stands in the prompts of its scenario.

    Where a variant spells out what the questions ask, a model needs less knowledge of its own: part of its
    gain is then the prompt's. The share of words (`stems.share_said`) is a rough measure of that.

    Args:
        questions: rows of a table `questions`.
        prompts: rows of a table `prompts`.
        variants: which variants to compare.

    Returns:
        One row a question and variant of its scenario: question_id, scenario_id, dimension, variant, share.
    """
    texts = prompts.loc[prompts["variant"].isin(variants), ["scenario_id", "variant", "text"]]
    pairs = questions.merge(texts, on="scenario_id", suffixes=("", "_prompt"))
    share = [share_said(row.text, row.text_prompt) for row in pairs.itertuples()]
    return pairs[["question_id", "scenario_id", "dimension", "variant"]].assign(share=share)
