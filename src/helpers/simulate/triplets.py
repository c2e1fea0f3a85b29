"""The human study of a simulated CultureScore: relevance, answers and rankings of the sheets' triplets."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.people.assignment import culturescore_sheets
from helpers.simulate.latent import stream
from helpers.simulate.raters import Rater
from helpers.simulate.study import cohorts

# Share of the questions that native people called relevant (CultureScore, 4.2).
RELEVANT = {"context": 0.842, "identity": 0.783, "behavior": 0.690}
_BIASED = ["country", "category", "dimension", "variant", "model"]


def triplet_tables(
    people: Sequence[Rater],
    tables: dict[str, pd.DataFrame],
    pairs: pd.DataFrame,
    quality: pd.Series,
    seed: int,
    *,
    triplets: int = 9,
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """What people say about the triplets on their sheets.

    Args:
        people: raters, each with a country.
        tables: the study's prompts, questions and videos.
        pairs: one row a question about a clip, with the true answer and what a bias may act on.
        quality: each clip's share of true yes, by video_id.
        seed: the study's seed.
        triplets: triplets a person, 9 in the paper.

    Returns:
        The tables assignments, relevance, answers and rankings; and the truth about the questions asked
        (question_id, relevant): true with the share that the paper's raters called relevant, by dimension.

    Raises:
        ValueError: a rater without a country, or too few prompts for the sheets.
    """
    sheets = _sheets(people, tables, seed, triplets)
    asked = sheets.loc[sheets["tier"].eq("accuracy"), ["rater_id", "video_id", "question_id", "prompt_id"]]
    pairs = pairs[pairs["question_id"].isin(set(asked["question_id"]))].drop(columns="prompt_id")
    shown = asked.merge(pairs.astype({"video_id": str, "question_id": str}), on=["video_id", "question_id"])
    questions = shown.drop_duplicates("question_id").sort_values("question_id")
    likely = questions["dimension"].map(RELEVANT).to_numpy(float)
    questions = questions[["question_id"]].assign(
        relevant=stream(seed, "relevant").random(likely.size) < likely
    )
    standardised = (quality - quality.mean()) / quality.std(ddof=0)
    said: dict[str, list[pd.DataFrame]] = {"relevance": [], "answers": [], "rankings": []}
    for person in people:
        clips = shown[shown["rater_id"].eq(person.rater_id)].reset_index(drop=True)
        about = clips[_BIASED]
        answers = person.answers(clips["answer"].to_numpy(bool), about, seed)
        said["answers"].append(clips[["video_id", "question_id", "rater_id"]].join(answers))
        probes = clips[["rater_id", "question_id"]].drop_duplicates().merge(questions)
        votes = person.answers(probes["relevant"].to_numpy(bool), probes[["rater_id"]], seed, "relevance")
        said["relevance"].append(probes.assign(relevant=votes["answer"]).dropna(subset="relevant"))
        perceived = person.ranks(standardised.loc[clips["video_id"]].to_numpy(), about, seed)
        said["rankings"].append(_ranking(clips, perceived))
    return {"assignments": sheets} | {name: pd.concat(rows) for name, rows in said.items()}, questions


def _ranking(clips: pd.DataFrame, perceived: np.ndarray) -> pd.DataFrame:
    """A person's rows of the table `rankings`; clips perceived alike are ranked in the order shown."""
    ranks = clips.assign(perceived=perceived).groupby("prompt_id")["perceived"]
    rank = ranks.rank(method="first", ascending=False).astype(int)
    return clips[["prompt_id", "rater_id", "model"]].assign(rank=rank)


def _sheets(
    people: Sequence[Rater], tables: dict[str, pd.DataFrame], seed: int, triplets: int
) -> pd.DataFrame:
    """The paper's sheets of extended clips, for each country's people."""
    sheets = []
    for country, names in cohorts(people).items():
        prompts = tables["prompts"].loc[
            lambda rows, country=country: rows["variant"].eq("extended") & rows["country"].eq(country)
        ]
        sheet = culturescore_sheets(
            prompts,
            tables["questions"],
            tables["videos"].loc[lambda rows, shown=prompts["prompt_id"]: rows["prompt_id"].isin(shown)],
            seed=int(stream(seed, "sheets", country).integers(2**32)),
            raters=len(names),
            triplets=triplets,
        )
        sheets.append(sheet.assign(rater_id=sheet["rater_id"].map(names)))
    return pd.concat(sheets)
