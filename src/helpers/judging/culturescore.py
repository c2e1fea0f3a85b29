"""CultureScore's judging: one yes/no question about a clip at a time (Rani et al. 2026, Appendix C.6).

The judge says what it sees, compares it with the description in the question, looks at the movement and at
stand-ins, and only then answers in a box. It sees frames and hears nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.chat.boxed import Boxed
from helpers.chat.messages import Part
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.judging.judge import Judge
from helpers.templates import Template, template

TEXTS = Path(__file__).parent / "texts"
ANSWER = Boxed(("yes", "no"))


def question_template(*, negated: bool = False) -> Template:
    """The question's wording; negated, it asks whether the clip fails to show what is asked about."""
    return template(TEXTS / ("culturescore_negated.txt" if negated else "culturescore.txt"))


def question_cases(videos: pd.DataFrame, prompts: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    """What is asked: every question about a scenario, of every clip made from one of its prompts.

    Args:
        videos: rows of the table videos.
        prompts: rows of the table prompts; those without a scenario_id have no questions.
        questions: rows of the table questions. Unverified ones are asked too: leaving them out is the
            analysis's decision.

    Returns:
        Columns video_id, question_id, text, dimension, country and scene, which clips share whose questions
        are the same; a clip's questions stand together, in the order of the clips. What cannot be asked is
        counted by `not_asked`.
    """
    scenes = prompts.loc[prompts["scenario_id"].notna(), ["prompt_id", "scenario_id", "country"]]
    clips = videos[["video_id", "prompt_id"]].merge(scenes, on="prompt_id")
    wanted = ["scenario_id", "question_id", "text", "dimension"]
    cases = clips.merge(questions[wanted], on="scenario_id")
    cases = cases.rename(columns={"scenario_id": "scene"})
    return cases[["video_id", "question_id", "text", "dimension", "country", "scene"]]


def not_asked(videos: pd.DataFrame, prompts: pd.DataFrame, questions: pd.DataFrame) -> dict[str, int]:
    """How many clips and questions find no partner, by kind; the arguments are those of `question_cases`."""
    scenes = videos.merge(prompts, on="prompt_id")["scenario_id"]
    known = prompts["scenario_id"].dropna()
    return {
        "clips of a prompt without scenario": int(scenes.isna().sum()),
        "clips of a scenario without questions": int(
            (scenes.notna() & ~scenes.isin(questions["scenario_id"])).sum()
        ),
        "questions of a scenario without prompt": int((~questions["scenario_id"].isin(known)).sum()),
    }


def question_request(case: Any, shown: tuple[Part, ...], judge: Judge, *, negated: bool = False) -> Request:
    """The request for one row of `question_cases`, as `itertuples` gives it."""
    return judge.request(shown, question_template(negated=negated).fill(question=case.text), ANSWER)


def answer_rows(cases: pd.DataFrame, results: Sequence[Result], rater_id: str) -> pd.DataFrame:
    """The answers that replies hold, as rows of the table answers.

    Args:
        cases: what was asked, as `question_cases` returns it.
        results: what came of each request, in the same order.
        rater_id: the judge.

    Returns:
        Columns video_id, question_id, rater_id, answer (boolean, missing unless the status is ok), status,
        raw, reasoning; one row a case.
    """
    rows = [
        {
            "video_id": case.video_id,
            "question_id": case.question_id,
            "rater_id": rater_id,
            "answer": result.value.answer == "yes" if result.status == "ok" else None,
            "status": result.status,
            "raw": result.raw if result.repair is None else result.repair,
            "reasoning": result.value.reasoning if result.status == "ok" else None,
        }
        for case, result in zip(cases.itertuples(), results, strict=True)
    ]
    columns = ["video_id", "question_id", "rater_id", "answer", "status", "raw", "reasoning"]
    return pd.DataFrame(rows, columns=columns).astype({"answer": "boolean"})
