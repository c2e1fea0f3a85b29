"""What one person is shown and asked, screen after screen, from a sheet of assignments."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from helpers.benchmarks.country_words import country_words
from helpers.criteria import of_framework
from helpers.people.assignment import TRIPLET_TIERS
from helpers.people.instructions import instructions
from helpers.schemas import check
from helpers.widgets.asking import YES_NO, Choice, Option, Question, Ranks, Ticks, grade

BLANK = "▢"
# The order of what is asked in one step.
_TIERS = (*TRIPLET_TIERS, "rating", "attention")
# The attention check asks for the first of these by its words.
AGREEMENT = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")
_ASKED = {
    "relevance": "Is this a fair question about the scene?",
    "accuracy": "For which clips is the answer yes? Tick all of them, or none of the clips.",
    "ranking": "Which clip is most faithful? Put them in order, without ties.",
}


@dataclass(frozen=True, kw_only=True)
class Screen:
    """What is seen together.

    Attributes:
        step: the number of the person's prompt.
        tier: one of relevance, accuracy, ranking, rating, attention.
        position: of its first clip.
        framework: whose protocol it is; None for an attention check.
        prompt_id: None for an attention check.
        description: the prompt as it is shown.
        element: the cultural element as it is shown, if there is one.
        video_ids: the clips in their order.
        question_id: of CultureScore's first two tiers.
        questions: what is asked, by criterion; by "" where a screen asks one thing only.
    """

    step: int
    tier: str
    position: int = 1
    framework: str | None = None
    prompt_id: str | None = None
    description: str = ""
    element: str | None = None
    video_ids: tuple[str, ...] = ()
    question_id: str | None = None
    questions: dict[str, Question] = field(default_factory=dict)


def screens(
    sheet: pd.DataFrame,
    prompts: pd.DataFrame,
    questions: pd.DataFrame,
    *,
    country: str,
    worded: Callable[[str], str] = str,
) -> list[Screen]:
    """The screens of one sheet, in the order in which they are met.

    A triplet has one screen for each of its three tiers; grades are asked one clip a screen.

    Args:
        sheet: rows of a table `assignments`, of one rater.
        prompts: a table `prompts` that has those of the sheet.
        questions: a table `questions` that has those of the sheet; it may be empty.
        country: the country that the texts name.
        worded: what becomes of every text before it is shown.

    Raises:
        ValueError: no rows or those of several raters; a prompt or question that is unknown; a tier that the
            prompt's framework does not have; several questions in one step.
    """
    sheet = check("assignments", sheet, "sheet")
    raters = sheet["rater_id"].unique()
    if len(raters) != 1:
        raise ValueError(f"sheet: found the raters {', '.join(raters) or 'of no row'}, expected one")
    texts = questions.set_index("question_id")["text"]
    known = prompts.set_index("prompt_id")
    unknown = {
        "prompt": set(sheet["prompt_id"].dropna()) - set(known.index),
        "question": set(sheet["question_id"].dropna()) - set(texts.index),
    }
    for what, names in unknown.items():
        if names:
            raise ValueError(f"sheet: the {what} '{min(names)}' is not among the {what}s")
    order = sheet.assign(tier_order=sheet["tier"].map(_TIERS.index))
    alone = order["position"].where(order["tier"].isin(["rating", "attention"]), 0)
    found = []
    for (step, _, _), rows in order.groupby([order["step"], order["tier_order"], alone]):
        rows = rows.sort_values("position")
        if rows["tier"].iloc[0] == "attention":
            found.append(_attention(int(step), int(rows["position"].iloc[0]), country, worded))
        else:
            found.append(_screen(int(step), rows, known, texts, worded))
    return found


def _screen(
    step: int, rows: pd.DataFrame, prompts: pd.DataFrame, texts: pd.Series, worded: Callable[[str], str]
) -> Screen:
    first = rows.iloc[0]
    prompt, tier = prompts.loc[first["prompt_id"]], first["tier"]
    if (tier == "rating") == (prompt["benchmark"] == "culturescore"):
        raise ValueError(f"step {step}: found the tier {tier} for a prompt of {prompt['benchmark']}")
    question_id = None if pd.isna(first["question_id"]) else first["question_id"]
    if rows[["prompt_id", "question_id"]].drop_duplicates().shape[0] > 1:
        raise ValueError(f"step {step}, {tier}: found several prompts or questions, expected one")
    if (question_id is None) == (tier in ("relevance", "accuracy")):
        raise ValueError(
            f"step {step}, {tier}: found the question {question_id}, expected one for both tiers"
        )
    asked = "" if question_id is None else worded(texts[question_id])
    return Screen(
        step=step,
        tier=tier,
        position=int(first["position"]),
        framework=prompt["benchmark"],
        prompt_id=first["prompt_id"],
        description=worded(prompt["text"]),
        element=None if pd.isna(prompt["element"]) else worded(prompt["element"]),
        video_ids=tuple(rows["video_id"]),
        question_id=question_id,
        questions=_questions(tier, prompt["benchmark"], len(rows), asked, worded),
    )


def _questions(
    tier: str, framework: str, clips: int, asked: str, worded: Callable[[str], str]
) -> dict[str, Question]:
    if tier == "rating":
        criteria = of_framework(framework)
        return {name: grade(each, worded(each.rubric.text)) for name, each in criteria.items()}
    if tier == "relevance":
        return {"": Choice(heading=_ASKED[tier], help=asked, among=YES_NO)}
    kind = Ticks if tier == "accuracy" else Ranks
    return {"": kind(heading=_ASKED[tier], help=asked, clips=clips)}


def _attention(step: int, position: int, country: str, worded: Callable[[str], str]) -> Screen:
    options = tuple(Option(label, label, str(key)) for key, label in enumerate(AGREEMENT, start=1))
    text = worded(instructions("attention", country=country).text)
    asked = Choice(heading="One question", help=text, among=options)
    return Screen(step=step, tier="attention", position=position, questions={"": asked})


def blanked(text: str) -> str:
    """A text in which a blank stands for every name of a country and every demonym.

    Blinded raters are not told the country. Words that only look like a country's go with them ("Indian
    Ocean"); names of cities, languages and religions stay, so a text may still tell those who know.
    """
    text = unicodedata.normalize("NFC", text)
    while found := country_words(text):
        words = sorted({word.word for word in found}, key=len, reverse=True)
        text = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", BLANK, text)
    return text
