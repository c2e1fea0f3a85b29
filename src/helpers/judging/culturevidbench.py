"""CultureVidBench's judging: eight criteria in one reply (Han et al. 2026, section 4.2 and Appendix C.2).

Target-explicit judging has the judge name what the element, the subject and the action should be before it
says what it sees; the ablation "without target" leaves that step out and keeps the rest.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.chat.messages import Part
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.criteria import Criterion, of_framework
from helpers.judging.graded import described, grades_form, rating_rows
from helpers.judging.judge import Judge
from helpers.published import AUDIO_ASPECTS
from helpers.templates import Template, template

TEXTS = Path(__file__).parent / "texts"
SEEN = "what can be seen in the clip"
SEEN_AND_HEARD = "what can be seen in the clip and heard in its sound"


def grading_template(*, targets: bool = True) -> Template:
    """The wording, target-explicit or without the target."""
    return template(TEXTS / ("culturevidbench.txt" if targets else "culturevidbench_without_target.txt"))


def grading_cases(videos: pd.DataFrame, prompts: pd.DataFrame) -> pd.DataFrame:
    """What is graded: every clip of a CultureVidBench prompt, with what the judge is told about it.

    Args:
        videos: rows of the table videos.
        prompts: rows of the table prompts.

    Returns:
        Columns video_id, country, aspect, element, text, scene (the prompt), and sound: whether there is a
        sound to be graded, since the aspect has one and the clip carries it (section 4.1).
    """
    told = prompts.loc[
        prompts["benchmark"].eq("culturevidbench"), ["prompt_id", "country", "aspect", "element", "text"]
    ]
    cases = videos[["video_id", "prompt_id", "audio"]].merge(told, on="prompt_id")
    sound = cases["aspect"].isin(AUDIO_ASPECTS) & cases["audio"].fillna(False)
    cases = cases.assign(sound=sound).rename(columns={"prompt_id": "scene"})
    return cases[["video_id", "country", "aspect", "element", "text", "scene", "sound"]]


def asked_criteria(case: Any, judge: Judge, *, backwards: bool = False) -> tuple[Criterion, ...]:
    """The criteria that a judge is asked about: the sound only where there is one and the judge hears it.

    Args:
        case: a row of `grading_cases`, as `itertuples` gives it.
        judge: who is asked.
        backwards: in the opposite order, to find a judge whose grades depend on it.
    """
    heard = judge.hears and case.sound
    criteria = [
        criterion
        for criterion in of_framework("culturevidbench").values()
        if heard or criterion.name != "audio_alignment"
    ]
    return tuple(reversed(criteria) if backwards else criteria)


def grading_request(
    case: Any, shown: tuple[Part, ...], judge: Judge, *, targets: bool = True, backwards: bool = False
) -> Request:
    """The request for one row of `grading_cases`, as `itertuples` gives it; see `asked_criteria`."""
    criteria = asked_criteria(case, judge, backwards=backwards)
    text = grading_template(targets=targets).fill(
        evidence=SEEN_AND_HEARD if judge.hears else SEEN,
        country=case.country,
        element=case.element,
        prompt=case.text,
        criteria=described(criteria, targets=targets),
    )
    return judge.request(shown, text, grades_form(criteria, targets=targets))


def grade_rows(
    cases: pd.DataFrame, results: Sequence[Result], judge: Judge, *, backwards: bool = False
) -> pd.DataFrame:
    """The grades that replies hold, as rows of the table ratings; see `graded.rating_rows`."""
    asked = [asked_criteria(case, judge, backwards=backwards) for case in cases.itertuples()]
    return rating_rows(cases["video_id"], results, asked, judge.rater_id)
