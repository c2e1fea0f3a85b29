"""Grades under several criteria in one reply: the reply's form, and its rows in the table ratings."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BeforeValidator, create_model

from helpers.chat.forms import Form
from helpers.chat.results import Result
from helpers.criteria import Criterion

NOT_APPLICABLE = "NA"
_COLUMNS = ("score", "requirement", "observation", "justification", "status", "raw")


def described(criteria: Sequence[Criterion], *, targets: bool) -> str:
    """The criteria as a judge reads them: rubric, scale and when a score is not applicable.

    Args:
        criteria: in the order in which they are asked.
        targets: whether a criterion's target is to be named first (target-explicit judging).
    """
    return "\n\n".join(_described(criterion, targets) for criterion in criteria)


def _described(criterion: Criterion, targets: bool) -> str:
    lines = [f"{criterion.name}", criterion.rubric.text]
    if targets and criterion.target:
        lines.append(f"Requirement: name {criterion.target}.")
    lines.append(f"Score: {criterion.low} to {criterion.high}.")
    if criterion.not_applicable:
        lines.append(f'Score "{NOT_APPLICABLE}" only if {criterion.not_applicable}.')
    return "\n".join(lines)


@cache
def grades_form(criteria: tuple[Criterion, ...], *, targets: bool) -> type[Form]:
    """The form of a reply that grades a clip under some criteria.

    Under each criterion the score comes last, so that it follows from what was written before. A score is one
    of the criterion's whole numbers, or "NA" where the criterion allows it; all else is refused, "4" too.
    """
    fields: dict[str, Any] = {
        criterion.name: (_grade_form(criterion, targets and criterion.target is not None), ...)
        for criterion in criteria
    }
    return create_model("Grades", __base__=Form, **fields)


@cache
def _grade_form(criterion: Criterion, target: bool) -> type[Form]:
    scores = (*criterion.scores, *((NOT_APPLICABLE,) if criterion.not_applicable else ()))
    fields: dict[str, Any] = {"requirement": (str, ...)} if target else {}
    fields |= {"observation": (str, ...), "justification": (str, ...)}
    fields["score"] = (Annotated[Literal[scores], BeforeValidator(_no_flag)], ...)
    name = "".join(word.capitalize() for word in criterion.name.split("_"))
    return create_model(name, __base__=Form, **fields)


def _no_flag(score: Any) -> Any:
    """Python, and so pydantic, takes `true` for a 1."""
    if isinstance(score, bool):
        raise ValueError(f"found {str(score).lower()}, expected a score")
    return score


def rating_rows(
    video_ids: Sequence[str], results: Sequence[Result], asked: Sequence[Sequence[Criterion]], rater_id: str
) -> pd.DataFrame:
    """The ratings that replies hold: one row for each clip and criterion that was asked.

    Args:
        video_ids: the clip of each request.
        results: what came of each request.
        asked: the criteria of each request.
        rater_id: the judge.

    Returns:
        Columns of the table ratings. A criterion that is not applicable has the status ok and no score; where
        a reply could not be read each of its criteria has the reply's status and keeps its raw text.
    """
    rows = [
        {"video_id": video_id, "criterion": criterion.name, "rater_id": rater_id} | _row(result, criterion)
        for video_id, result, criteria in zip(video_ids, results, asked, strict=True)
        for criterion in criteria
    ]
    frame = pd.DataFrame(rows, columns=["video_id", "criterion", "rater_id", *_COLUMNS])
    return frame.astype({"score": "Int64"})


def _row(result: Result, criterion: Criterion) -> dict[str, Any]:
    about = {"status": result.status, "raw": result.raw if result.repair is None else result.repair}
    if result.status != "ok":
        return about
    grade = getattr(result.value, criterion.name)
    return about | {
        "score": None if grade.score == NOT_APPLICABLE else grade.score,
        "requirement": getattr(grade, "requirement", None),
        "observation": grade.observation,
        "justification": grade.justification,
    }
