"""CultureScore from answers: three dimensions, their mean, and all questions pooled (Rani et al. 2026, 3.2).

The paper averages "model performance across the three decomposed dimensions", and the scores of its section
4.1 (56.8, 51.4, 50.9 %) are such means. The Overall column of its Table 9 pools all questions instead, so
that a dimension counts by how many questions it has. Both are given, each under its name.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.people.rules import irrelevant_questions, majority_vote
from helpers.published import DIMENSIONS
from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.outcomes import SCORED, as_cases, outcomes
from helpers.scores.raters import are_people, assigned, chosen
from helpers.scores.score import Score, Scores

SCORES = (
    *(Score(name=dimension, groups=((dimension,),)) for dimension in DIMENSIONS),
    Score(name="macro", groups=(DIMENSIONS,)),
    Score(name="pooled", groups=(DIMENSIONS,), pooled=True),
)
_KINDS = {True: "explicit", False: "implicit"}


def asked_questions(
    tables: Mapping[str, pd.DataFrame], who: str = "judge", *, verified_only: bool = True
) -> pd.DataFrame:
    """Every question that is to be answered about every clip, and what became of it.

    A judge is to answer all questions about the scenario of each clip, people those on their sheets (or, with
    no table assignments, those that they answered). Several raters count by their majority
    (`helpers.people.rules.majority_vote`). Leave raters who failed a check out beforehand
    (`helpers.people.rules.apply_rules` with relevance=False, so that irrelevant questions are counted here).

    Args:
        tables: prompts, questions, videos, raters, answers; if there, relevance and assignments. Answers
            about clips that are not among the videos are no part of it.
        who: a rater_id, or a kind: "judge" or "human".
        verified_only: set aside questions that are not known to be verified.

    Returns:
        One row a clip and question: video_id, prompt_id, model, variant, country, category, scenario_id,
        question_id, dimension, part (the dimension), explicit ("explicit", "implicit" or "unknown": whether
        the prompt that the question was made from asks for what the question is about), asked_from,
        question_weight, value (1 for yes, 0 for no, else missing), weight (1) and outcome. Set aside are
        unverified questions, those that a majority of people calls irrelevant, and ties.

    Raises:
        ValueError: nobody of that name or kind, a clip of an unknown prompt, or an answer to a question that
            does not belong to the clip's scenario.
    """
    raters = chosen(tables, who)
    clips, questions = _clips(tables), tables["questions"].reset_index(drop=True)
    clip, question = _pairs(clips, questions)
    given = tables["answers"]
    given = given[
        given["rater_id"].isin(raters["rater_id"]) & given["video_id"].isin(clips["video_id"])
    ].reset_index(drop=True)
    said, tied = _said(given)
    keys = pd.Index(clip.astype(np.int64) * len(questions) + question)
    place = keys.get_indexer(_keys(said, clips, questions))
    if (place < 0).any():
        lost = said.iloc[(place < 0).argmax()]
        raise ValueError(
            f"found an answer about clip '{lost['video_id']}' to question '{lost['question_id']}', "
            f"expected a question about the clip's scenario ({(place < 0).sum()} such)"
        )
    answer, status = np.full(len(keys), np.nan), np.full(len(keys), None, dtype=object)
    answer[place], status[place] = said["answer"].to_numpy(float, na_value=np.nan), said["status"]
    is_tied = np.zeros(len(keys), dtype=bool)
    is_tied[place] = tied
    rules = [
        ("unverified", (~questions["verified"].fillna(False)).to_numpy(bool)[question] & verified_only),
        ("irrelevant", questions["question_id"].isin(_irrelevant(tables)).to_numpy()[question]),
        ("tied", is_tied),
        ("no_clip", clips["status"].ne("ok").to_numpy()[clip] & np.isnan(answer)),
    ]
    became = outcomes(pd.Series(status), rules)
    about = _described(clips, questions, clip, question)
    cases = as_cases(about, about["dimension"], answer, became)
    if are_people(raters):
        shown = assigned(tables, raters, "accuracy")
        wanted = np.zeros(len(keys), dtype=bool)
        wanted[place] = True
        spots = keys.get_indexer(_keys(shown[shown["video_id"].isin(clips["video_id"])], clips, questions))
        wanted[spots[spots >= 0]] = True
        cases = cases[wanted].reset_index(drop=True)
    return cases


def agreement_with_people(judge: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Whether a judge answers as the majority of people does.

    The paper calls its CultureScore on the human subset both the share of questions whose generated answer
    matches the majority's, and a score with the majority as the truth (4.2), which can be read as this
    agreement or as the majority's own yes-rate, `culturescore(people)`. Report both, each under its name.

    Args:
        judge: the judge's `asked_questions`.
        people: the people's; pairs that the judge was not to answer are left out.

    Returns:
        The people's rows; value is 1 where both say the same and 0 where not. Where the people have no
        answer their outcome stays, and otherwise the judge's.
    """
    keys = ["video_id", "question_id"]
    other = judge[[*keys, "value", "outcome"]].astype(dict.fromkeys(keys, str))
    both = people.astype(dict.fromkeys(keys, str)).merge(other, on=keys, suffixes=("", "_judge"))
    scored = both["outcome"].eq(SCORED)
    return both.assign(
        value=both["value"].eq(both["value_judge"]).astype(float),
        outcome=both["outcome"].where(~scored, both["outcome_judge"]),
    ).drop(columns=["value_judge", "outcome_judge"])


def culturescore(
    cases: pd.DataFrame,
    by: Sequence[str] = ("model", "variant"),
    *,
    weighted: bool = False,
    cluster: str = "scenario_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """Shares of yes: in each dimension, the mean of the three ("macro") and of all questions ("pooled").

    Args:
        cases: as `asked_questions` or `agreement_with_people` return them.
        by: columns whose combinations are the cells: model, variant, country, category, explicit, …
        weighted: count each question by its weight, 1 to 10, rather than once.
        cluster: "scenario_id" for a claim about further scenarios of these countries, "country" for one about
            further countries.
        least_share: as `helpers.scores.cells.score_cells`; the mean needs it in every dimension.
        level: confidence level of the intervals.

    Raises:
        ValueError: as `score_cells`; weighted, and a question without a weight.
    """
    if weighted:
        cases = cases.assign(weight=question_weights(cases))
    return score_cells(cases, by, SCORES, cluster=cluster, least_share=least_share, level=level)


def question_weights(cases: pd.DataFrame) -> pd.Series:
    """Each case's weight, 1 to 10.

    Raises:
        ValueError: a scored question has none.
    """
    without = cases["question_weight"].isna() & cases["outcome"].eq(SCORED)
    if without.any():
        first = cases.loc[without, "question_id"].iloc[0]
        raise ValueError(
            f"question '{first}': found no weight ({without.sum()} cases), expected one from 1 to 10 for each"
        )
    return cases["question_weight"].astype(float)


def _clips(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The clips of CultureScore's prompts with what describes them."""
    prompts, videos = tables["prompts"], tables["videos"]
    unknown = ~videos["prompt_id"].isin(prompts["prompt_id"])
    if unknown.any():
        first = videos[unknown].iloc[0]
        raise ValueError(
            f"clip '{first['video_id']}': found the prompt '{first['prompt_id']}', expected a known one"
        )
    columns = ["prompt_id", "variant", "country", "category", "scenario_id"]
    about = prompts.loc[prompts["benchmark"].eq("culturescore"), columns]
    return videos[["video_id", "prompt_id", "model", "status"]].merge(about, on="prompt_id")


def _pairs(clips: pd.DataFrame, questions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Positions of clip and question for every question about every clip's scenario."""
    of_clips = clips[["scenario_id"]].assign(clip=np.arange(len(clips)))
    of_questions = questions[["scenario_id"]].assign(question=np.arange(len(questions)))
    pairs = of_clips.merge(of_questions, on="scenario_id")
    return pairs["clip"].to_numpy(), pairs["question"].to_numpy()


def _keys(rows: pd.DataFrame, clips: pd.DataFrame, questions: pd.DataFrame) -> np.ndarray:
    """One number for each clip and question; -1 for an unknown question."""
    clip = pd.Index(clips["video_id"]).get_indexer(rows["video_id"]).astype(np.int64)
    question = pd.Index(questions["question_id"]).get_indexer(rows["question_id"])
    return np.where(question < 0, -1, clip * len(questions) + question)


def _said(given: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """One row a clip and question: the only rater's or the majority's answer, its status; and the ties."""
    keys = ["video_id", "question_id"]
    if not given.duplicated(keys).any():
        return given[[*keys, "answer", "status"]], np.zeros(len(given), dtype=bool)
    votes = majority_vote(given)
    # Without any vote the first reply's status says why; a tie is told apart below.
    first = given.drop_duplicates(keys)[[*keys, "status"]]
    votes = votes.merge(first, on=keys)
    votes["status"] = votes["status"].mask(votes["n"].gt(0), "ok")
    return votes[[*keys, "answer", "status"]], votes["tied"].to_numpy(bool)


def _irrelevant(tables: Mapping[str, pd.DataFrame]) -> pd.Series:
    """The questions that a majority of people calls irrelevant."""
    if "relevance" not in tables:
        return pd.Series(dtype=str)
    raters = tables["raters"]
    people = raters.loc[raters["kind"].eq("human"), "rater_id"]
    votes = irrelevant_questions(tables["relevance"].loc[lambda rows: rows["rater_id"].isin(people)])
    return votes.loc[votes["excluded"], "question_id"]


def _described(
    clips: pd.DataFrame, questions: pd.DataFrame, clip: np.ndarray, question: np.ndarray
) -> pd.DataFrame:
    """What describes each case, as categories: a million cases then take some ten megabytes a column."""
    of_clip = ["video_id", "prompt_id", "model", "variant", "country", "category", "scenario_id"]
    asked = questions.assign(
        explicit=questions["explicit"].map(_KINDS).astype(object).fillna("unknown"),
        question_weight=questions["weight"].astype(float),
    )
    of_question = ["question_id", "dimension", "explicit", "asked_from"]
    columns = {name: pd.Categorical(clips[name]).take(clip) for name in of_clip}
    columns |= {name: pd.Categorical(asked[name]).take(question) for name in of_question}
    weight = asked["question_weight"].to_numpy()[question]
    return pd.DataFrame(columns | {"question_weight": weight})
