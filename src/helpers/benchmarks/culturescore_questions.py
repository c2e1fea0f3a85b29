"""CultureScore's questions: asked by a model, checked for their form, verified (Appendix C.4 and C.5).

Yes is always the faithful answer. Appendix C.4 asks from the extended prompt, section 3.2 from the validated
one: `asked_from` keeps which. Questions from the extended prompt ask for what only that prompt spells out, so
that its gain over the base prompt is partly built in.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from helpers.benchmarks.model_steps import Filled, Step, Writer
from helpers.chat.forms import Form
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.published import DIMENSIONS

AskedFrom = Literal["base", "extended"]
ASK = {
    "base": Step("questions_from_base", "decompose", ()),
    "extended": Step("questions_from_extended", "extend", ()),
}
VERIFY = Step("verify", "form", ("verified", "evidence"))
COLUMNS = (
    "question_id",
    "scenario_id",
    "country",
    "dimension",
    "text",
    "weight",
    "explicit",
    "asked_from",
    "form_status",
    "form_reason",
)

_AUXILIARY = re.compile(r"(?:is|are|was|were|do|does|did|has|have|can)\b", re.IGNORECASE)
_TEMPORAL = re.compile(
    r"\b(?:after(?:wards)?|again|alternat\w+|before|beg[ai]n\w*|continu\w+|during|end(?:s|ing)?|finally|finish\w*"
    r"|first|follow(?:s|ed|ing)?|frames?|gradual\w*|last(?:s|ing)?|next|once|order|pauses?|progress\w*"
    r"|repeat\w*|returns?|seconds?|sequence|slow(?:ly)?|smooth(?:ly)?|starts?|stead(?:y|ily)|stops?|then"
    r"|throughout|times|twice|until|when|while)\b",
    re.IGNORECASE,
)


class Asked(Form):
    """One question. Weights: 8 to 10 critical, 4 to 7 expected, 1 to 3 minor (C.4)."""

    text: Filled
    explicit: bool
    weight: Annotated[int, Field(ge=1, le=10)]


class Questions(Form):
    """The questions about one scene, at least one for each dimension."""

    identity: Annotated[list[Asked], Field(min_length=1)]
    behavior: Annotated[list[Asked], Field(min_length=1)]
    context: Annotated[list[Asked], Field(min_length=1)]


class Verdict(Form):
    """Whether a question's cultural content is real; the evidence is written first."""

    evidence: Filled
    grounded: Literal["yes", "no"]


class QuestionRows(NamedTuple):
    """What came of asking for questions.

    Attributes:
        scenarios: all scenarios, with the status of `questions_from_<variant>`.
        questions: one row a question, columns `COLUMNS`; `form_status` is unscored, with the reason, for one
            that a judge could not answer with yes or no. None for scenarios whose status is not ok.
    """

    scenarios: pd.DataFrame
    questions: pd.DataFrame


def question_requests(scenarios: pd.DataFrame, writer: Writer, *, asked_from: AskedFrom) -> list[Request]:
    """Ask for questions about each scene.

    Args:
        scenarios: rows that `culturescore.decompose_rows` or, for extended prompts, `extend_rows` gave.
        writer: the model.
        asked_from: the variant that the model sees.
    """
    return ASK[asked_from].requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_questions", Questions, country=row.country, prompt=getattr(row, asked_from)
        ),
    )


def question_rows(
    scenarios: pd.DataFrame, results: Sequence[Result], *, asked_from: AskedFrom
) -> QuestionRows:
    """The questions, each with the check of its form.

    Args:
        scenarios: the frame that the requests were made from.
        results: what came of them.
        asked_from: as in the requests.
    """
    step, rows = ASK[asked_from], []

    def read(row: Any, asked: Questions) -> list[Any]:
        earlier: Counter[str] = Counter()
        for dimension in DIMENSIONS:
            for number, question in enumerate(getattr(asked, dimension), start=1):
                problem = form_problem(question.text, dimension)
                if earlier[question.text.casefold()]:
                    problem = "is there twice; expected each question once"
                earlier[question.text.casefold()] += 1
                rows.append(
                    (
                        f"{row.scenario_id}-{asked_from}-{dimension}-{number}",
                        row.scenario_id,
                        row.country,
                        dimension,
                        question.text,
                        question.weight,
                        question.explicit,
                        asked_from,
                        "unscored" if problem else "ok",
                        problem,
                    )
                )
        return []

    scenarios = step.rows(scenarios, results, read)
    return QuestionRows(scenarios, pd.DataFrame(rows, columns=list(COLUMNS), dtype=object))


def form_problem(question: str, dimension: str) -> str | None:
    """What is wrong with a question's form, or None.

    A rule can see that it is one question which yes or no answers, and that one about behavior asks for
    sequence or duration. Whether the detail is visible and true is for the verifier and for people.

    Args:
        question: the text.
        dimension: identity, behavior or context.
    """
    if question.count("?") != 1 or not question.endswith("?"):
        return f"found {question.count('?')} question marks, expected one, at the end"
    if not _AUXILIARY.match(question):
        return f"found '{question.split()[0]}' at its beginning, expected an auxiliary verb (Is, Do, Has, …)"
    if dimension == "behavior" and not _TEMPORAL.search(question):
        return "found no word of sequence or duration, expected one in a question about behavior"
    return None


def verify_requests(questions: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask of each well-formed question whether its cultural content is real for the country (C.5)."""
    return VERIFY.requests(
        questions,
        lambda row: writer.request("culturescore_verify", Verdict, country=row.country, question=row.text),
    )


def verify_rows(questions: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The verdicts: all questions with `verified` (true or false) and `evidence`.

    The paper kept 8,811 of its 9,289 questions (94.92 %).
    """
    return VERIFY.rows(questions, results, lambda _, verdict: [verdict.grounded == "yes", verdict.evidence])
