"""GAP's judging: a clip's frames beside the reference photograph (GAP, section 3.2, "VLM-as-A-Judge").

The judge sees the photograph, the same five frames that the metrics and the people see, and the instruction
that the clip was made from. It gives two whole numbers from 0 to 5, whose mean is the judge's score.
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
from helpers.templates import Template, template

TEXTS = Path(__file__).parent / "texts"


def comparing_template() -> Template:
    """The wording."""
    return template(TEXTS / "landmarks.txt")


def comparing_cases(videos: pd.DataFrame, prompts: pd.DataFrame, landmarks: pd.DataFrame) -> pd.DataFrame:
    """What is compared: every clip of a landmark's prompt, with the landmark's photograph.

    Args:
        videos: rows of the table videos.
        prompts: rows of the table prompts.
        landmarks: rows of the table landmarks.

    Returns:
        Columns video_id, landmark_id, text (the instruction), country, scene (the landmark) and
        reference_image, which is missing where the landmark has no photograph or is not in the table.
    """
    told = prompts.loc[prompts["landmark_id"].notna(), ["prompt_id", "landmark_id", "text", "country"]]
    cases = videos[["video_id", "prompt_id"]].merge(told, on="prompt_id")
    photographs = landmarks.set_index("landmark_id")["reference_image"]
    cases = cases.assign(reference_image=cases["landmark_id"].map(photographs), scene=cases["landmark_id"])
    return cases[["video_id", "landmark_id", "text", "country", "scene", "reference_image"]]


def compared_criteria(*, backwards: bool = False) -> tuple[Criterion, ...]:
    """The criteria, in their order or in the opposite one."""
    criteria = tuple(of_framework("landmarks").values())
    return criteria[::-1] if backwards else criteria


def comparing_request(
    case: Any, shown: tuple[Part, ...], judge: Judge, *, backwards: bool = False
) -> Request:
    """The request for one row of `comparing_cases`; what is shown is the photograph and then the frames."""
    criteria = compared_criteria(backwards=backwards)
    text = comparing_template().fill(instruction=case.text, criteria=described(criteria, targets=False))
    return judge.request(shown, text, grades_form(criteria, targets=False))


def comparison_rows(
    cases: pd.DataFrame, results: Sequence[Result], rater_id: str, *, backwards: bool = False
) -> pd.DataFrame:
    """The grades that replies hold, as rows of the table ratings; see `graded.rating_rows`."""
    criteria = compared_criteria(backwards=backwards)
    return rating_rows(cases["video_id"], results, [criteria] * len(cases), rater_id)
