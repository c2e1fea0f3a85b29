"""What a change of the prompt does: extended against base, and the country removed (CultureScore, RQ2, RQ3).

Two variants are compared question by question, scenario by scenario and model by model, so that both sides
rest on the same questions. Explicit questions ask for what the prompt says: their gain is in part the
prompt's, since a longer prompt gives more of the answer away.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from helpers.checking import nearest
from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.culturescore import SCORES, question_weights
from helpers.scores.outcomes import OUTCOMES, SCORED
from helpers.scores.score import Scores, stacked

DIFFERENCES = tuple(replace(score, bounds=(-1.0, 1.0), signed=True) for score in SCORES)
_KEYS = ["model", "question_id"]


def paired_questions(cases: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Each model's answers to each question about two variants of its scenario, as one difference.

    Args:
        cases: as `helpers.scores.culturescore.asked_questions` returns them.
        first: the variant to compare with, such as "base".
        second: the variant that is compared.

    Returns:
        One row a model and question that was asked of either: country, category, scenario_id, dimension,
        part, explicit, asked_from, question_weight, value (second minus first, each the mean over its clips,
        from -1 to 1), weight and outcome. A question with no score on one side has that side's outcome (the
        first's, if both lack it); one whose scenario has no clip of the other variant at all is "unpaired".

    Raises:
        ValueError: a variant that no clip has; the nearest is offered.
    """
    for variant in (first, second):
        if not cases["variant"].eq(variant).any():
            found = list(cases["variant"].unique())
            raise ValueError(
                f"found no case of the variant '{variant}'{nearest(variant, found)}; expected one of {found}"
            )
    before, after = (_side(cases[cases["variant"].eq(variant)]) for variant in (first, second))
    both = before.add_suffix("_first").join(after.add_suffix("_second"), how="outer").reset_index()
    became = [both[f"outcome_{side}"].fillna("unpaired") for side in ("first", "second")]
    outcome = became[0].mask(became[0].eq(SCORED) | became[1].eq("unpaired"), became[1])
    of_question = ["country", "category", "scenario_id", "question_id", "dimension", "part"]
    about = cases[[*of_question, "explicit", "asked_from", "question_weight"]].drop_duplicates("question_id")
    return (
        both[_KEYS]
        .merge(about, on="question_id")
        .assign(
            value=both["value_second"] - both["value_first"],
            weight=1.0,
            outcome=pd.Categorical(outcome, categories=list(OUTCOMES)),
        )
    )


def gains(
    cases: pd.DataFrame,
    by: Sequence[str] = ("model",),
    *,
    first: str = "base",
    second: str = "extended",
    weighted: bool = False,
    cluster: str = "scenario_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """How much a second variant of the prompts adds to each score, in shares of yes.

    Args:
        cases: as `helpers.scores.culturescore.asked_questions` returns them.
        by: columns whose combinations are the cells: model, country, category; "explicit" splits by whether
            the prompt that a question was made from asks for what the question is about.
        first: the variant to compare with.
        second: the variant that is compared.
        weighted: as `helpers.scores.culturescore.culturescore`, and the same for cluster and level.
        cluster: see there.
        least_share: share of the pairs that need a score on both sides.
        level: see there.

    Returns:
        The scores of `culturescore`, second minus first, with t intervals; `n` and `asked` count pairs of a
        model and a question.

    Raises:
        ValueError: as `paired_questions` and `culturescore`.
    """
    pairs = paired_questions(cases, first, second)
    return _differences(pairs, by, weighted, cluster, least_share, level)


def country_removal(
    cases: pd.DataFrame,
    unique: Collection[str],
    by: Sequence[str] = ("model",),
    *,
    against: Sequence[str] = ("extended", "base"),
    weighted: bool = False,
    cluster: str = "scenario_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """What removing the country from the prompt costs, in scenarios that belong to one country only.

    The paper removes the country from the base prompt and quotes the drop from the extended one, which
    mixes the country's loss with that of the description; against the base prompt the country is all that
    differs. Both are given.

    Args:
        cases: as `helpers.scores.culturescore.asked_questions` returns them.
        unique: the scenarios that were classified as culturally unique (Appendix C.7); the others are set
            aside and counted.
        by: as `gains`, as are the options that follow.
        against: the variants to compare with.
        weighted: see there.
        cluster: see there.
        least_share: see there.
        level: see there.

    Returns:
        As `gains`, with the column against: no_country minus that variant, below zero for a drop.

    Raises:
        ValueError: as `gains`, or none of the unique scenarios among the cases.
    """
    known = set(cases["scenario_id"].unique()) & set(unique)
    if not known:
        raise ValueError(f"unique: found none of its {len(unique)} scenarios among the cases, expected some")
    found = {}
    for variant in against:
        pairs = paired_questions(cases, variant, "no_country")
        common = ~pairs["scenario_id"].isin(known)
        outcome = pairs["outcome"].mask(common, "not_unique")
        pairs = pairs.assign(outcome=pd.Categorical(outcome, categories=list(OUTCOMES)))
        found[variant] = _differences(pairs, by, weighted, cluster, least_share, level)
    return stacked(found, "against")


def _side(cases: pd.DataFrame) -> pd.DataFrame:
    """By model and question, the mean over its clips of one variant and what became of it."""
    clips = cases.groupby(_KEYS, observed=True)
    side = clips.agg(value=("value", "mean"), outcome=("outcome", "first"))
    return side.assign(outcome=side["outcome"].astype(object).mask(side["value"].notna(), SCORED))


def _differences(
    pairs: pd.DataFrame,
    by: Sequence[str],
    weighted: bool,
    cluster: str,
    least_share: float,
    level: float,
) -> Scores:
    if weighted:
        pairs = pairs.assign(weight=question_weights(pairs))
    return score_cells(pairs, by, DIFFERENCES, cluster=cluster, least_share=least_share, level=level)
