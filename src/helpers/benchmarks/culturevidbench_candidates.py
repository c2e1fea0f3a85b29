"""CultureVidBench's candidates: three prompts for each element, written by a model, checked by rule.

After section 3.2 of Han et al. 2026: a model fills the template of the element's category three times, and
two people choose. The model gives the template's parts, and the sentence is put together here, so that its
shape is never in doubt. Rules find what they can; the rest is for `helpers.benchmarks.review`.

    elements = one_row_each(read_elements("elements.csv"))
    results = ask_many(candidate_requests(elements, writer), backend, log)
    written = candidate_rows(elements, results)
    write_sheets(for_review(written.candidates), folder, seed=1)
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import pandas as pd
from pydantic import Field

from helpers.benchmarks.culturescore import names_country
from helpers.benchmarks.culturevidbench import PROMPTS_PER_ELEMENT
from helpers.benchmarks.culturevidbench_elements import sentence
from helpers.benchmarks.model_steps import Filled, Step, Writer
from helpers.benchmarks.review import CANDIDATES
from helpers.benchmarks.stems import shares_a_word
from helpers.benchmarks.word_lists import find_words
from helpers.chat.forms import Form
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.published import ASPECTS

WRITE = Step("write", None, ())
PER_ELEMENT = 3
# The shortest and the longest prompt of the published list, in words.
FEWEST_WORDS, MOST_WORDS = 6, 25
COLUMNS = (*CANDIDATES.columns, "form_status", "form_reason")


class MaterialParts(Form):
    """Parts of a prompt about a thing."""

    subject: Filled
    action: Filled
    element: Filled
    context: Filled


class SocialParts(Form):
    """Parts of a prompt about a practice."""

    subject: Filled
    practice: Filled
    context: Filled


class RitualParts(Form):
    """Parts of a prompt about two steps of a ritual, with the steps' numbers in the source."""

    subject: Filled
    first_step: int
    first_activity: Filled
    second_step: int
    second_activity: Filled
    context: Filled


class MaterialCandidates(Form):
    """Three prompts about a thing."""

    candidates: Annotated[list[MaterialParts], Field(min_length=PER_ELEMENT, max_length=PER_ELEMENT)]


class SocialCandidates(Form):
    """Three prompts about a practice."""

    candidates: Annotated[list[SocialParts], Field(min_length=PER_ELEMENT, max_length=PER_ELEMENT)]


class RitualCandidates(Form):
    """Three prompts about a ritual."""

    candidates: Annotated[list[RitualParts], Field(min_length=PER_ELEMENT, max_length=PER_ELEMENT)]


FORMS = {"material": MaterialCandidates, "social": SocialCandidates, "ritual": RitualCandidates}
PARTS = {"material": MaterialParts, "social": SocialParts, "ritual": RitualParts}


class CandidateRows(NamedTuple):
    """What came of asking for candidates.

    Attributes:
        elements: all elements, with the status of `write`.
        candidates: three rows for each element whose reply could be read, columns `COLUMNS`. `form_status`
            is unscored, with the reason, for one that a rule sets aside: none is dropped.
        left_out: elements with too few usable candidates: country, aspect, element, needed, usable, reason.
    """

    elements: pd.DataFrame
    candidates: pd.DataFrame
    left_out: pd.DataFrame


def one_row_each(elements: pd.DataFrame) -> pd.DataFrame:
    """A collection of elements with one row for each.

    Args:
        elements: rows of `culturevidbench_elements.read_elements`.

    Returns:
        Columns element_id (`<country>-<aspect>-<number>`), country, aspect, element, category, activities (a
        tuple in the order of the source, empty for what is no ritual) and source, in the order of the file.
    """
    groups = elements.sort_values("step", kind="stable").groupby(["country", "aspect", "element"], sort=False)
    rows = groups.agg(
        activities=("activity", lambda names: tuple(names.dropna())), source=("source", "first")
    ).reset_index()
    order = elements[["country", "aspect", "element"]].drop_duplicates()
    rows = order.merge(rows, on=list(order), validate="one_to_one")
    cell = (rows["country"] + "-" + rows["aspect"]).str.lower().str.replace(" ", "-")
    number = rows.groupby(["country", "aspect"]).cumcount() + 1
    return rows.assign(element_id=cell + "-" + number.astype(str), category=rows["aspect"].map(ASPECTS))


def candidate_requests(elements: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask for three prompts about each element, by the template of its category.

    Args:
        elements: rows of `one_row_each`.
        writer: the model; the paper used GPT-5.4.
    """

    def ask(row: Any) -> Request:
        steps = "\n".join(f"{number}. {name}" for number, name in enumerate(row.activities, start=1))
        return writer.request(
            f"culturevidbench_write_{row.category}",
            FORMS[row.category],
            country=row.country,
            aspect=row.aspect.replace("-", " "),
            element=row.element,
            fewest=str(FEWEST_WORDS),
            most=str(MOST_WORDS),
            **({"activities": steps} if steps else {}),
        )

    return WRITE.requests(elements, ask)


def candidate_rows(elements: pd.DataFrame, results: Sequence[Result]) -> CandidateRows:
    """The candidates, each with the check of its form and the safety screen.

    Args:
        elements: the frame that the requests were made from.
        results: what came of them.
    """
    rows: list[tuple] = []

    def read(row: Any, reply: Form) -> list[Any]:
        texts = [_text(row.category, parts) for parts in reply.candidates]
        problems = [candidate_problem(text, row.country, row.element, row.category) for text in texts]
        if row.category == "ritual":
            problems = [
                problem or step_problem(parts, len(row.activities))
                for problem, parts in zip(problems, reply.candidates, strict=True)
            ]
        problems = [
            problem or ("is there twice; expected three different ones" if _seen(text, texts[:at]) else None)
            for at, (text, problem) in enumerate(zip(texts, problems, strict=True))
        ]
        for at, (text, problem) in enumerate(zip(texts, problems, strict=True), start=1):
            status = "unscored" if problem else "ok"
            about = (row.country, row.aspect, row.element, text, row.source, status, problem)
            rows.append((f"{row.element_id}-{at}", *about))
        return []

    elements = WRITE.rows(elements, results, read)
    candidates = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    return CandidateRows(elements, candidates, _left_out(elements, candidates))


def candidate_problem(text: str, country: str, element: str, category: str) -> str | None:
    """What a rule finds wrong with a candidate, or None.

    Whether it is natural, true and new is for the reviewers.

    Args:
        text: the sentence.
        country: the element's country, which the sentence has to name.
        element: its name. A thing or a practice is named by a word of it at least, as in 99 and 94 % of the
            published list's material and social prompts; a ritual may be shown by its steps alone.
        category: material, social or ritual.
    """
    length = len(text.split())
    if not FEWEST_WORDS <= length <= MOST_WORDS:
        return f"found {length} words, expected {FEWEST_WORDS} to {MOST_WORDS}"
    if not names_country(text, country):
        return f"found no word for {country}, expected its name or adjective"
    if category != "ritual" and not shares_a_word(text, element):
        return f"found no word of '{element}', expected the element's name"
    flagged = find_words(pd.Series([text]), "safety")
    if len(flagged):
        return f"found '{flagged['word'][0]}' ({flagged['group'][0]}), expected nothing that the screen stops"
    return None


def step_problem(parts: RitualParts, steps: int) -> str | None:
    """What is wrong with the two steps of a ritual's candidate, or None.

    Args:
        parts: the reply.
        steps: how many activities the source has.
    """
    if 1 <= parts.first_step < parts.second_step <= steps:
        return None
    return (
        f"found step {parts.first_step} and then step {parts.second_step}, "
        f"expected two of {steps} in their order"
    )


def for_review(candidates: pd.DataFrame) -> pd.DataFrame:
    """The usable candidates of elements that have enough of them: rows of `review.CANDIDATES`."""
    usable = candidates[candidates["form_status"].eq("ok")]
    if usable.empty:
        return usable[list(CANDIDATES.columns)].reset_index(drop=True)
    needed = usable["aspect"].map(ASPECTS).map(PROMPTS_PER_ELEMENT)
    sizes = usable.groupby(["country", "aspect", "element"])["text"].transform("size")
    return usable.loc[sizes.ge(needed), list(CANDIDATES.columns)].reset_index(drop=True)


def _text(category: str, parts: Form) -> str:
    words = {name: part for name, part in parts if not name.endswith("_step")}
    return sentence(category, **words)


def _seen(text: str, earlier: list[str]) -> bool:
    return text.casefold() in {other.casefold() for other in earlier}


def _left_out(elements: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    names = ["country", "aspect", "element"]
    usable = candidates[candidates["form_status"].eq("ok")].groupby(names).size().rename("usable")
    rows = elements.merge(usable.reset_index(), on=names, how="left").fillna({"usable": 0})
    rows = rows.assign(
        needed=rows["category"].map(PROMPTS_PER_ELEMENT),
        usable=rows["usable"].astype(int),
        reason=rows["write_reason"].fillna("candidates were set aside"),
    )
    return rows.loc[rows["usable"] < rows["needed"], [*names, "needed", "usable", "reason"]]
