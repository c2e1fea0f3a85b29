"""Checks of exercises: they say whether an answer is right, or what is wrong, and never the answer."""

import html
from typing import Any

from IPython.display import HTML

from helpers.checking import nearest
from helpers.lessons.answer import KnownAnswer
from helpers.lessons.answers import ANSWERS

WHICH = ("first", "second", "third")


class AnswerError(AssertionError):
    """An answer that is not right yet; a notebook shows the message without the traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"Not yet: {self}"]


def check(exercise: str, *found: Any) -> HTML:
    """Compare what a student found with the right answer.

    Args:
        exercise: its number, such as "91-1".
        found: the answer's parts, numbers or words; `...` where there is none yet.

    Returns:
        For display: that the answer is right, or that there is none yet.

    Raises:
        AnswerError: a wrong answer: which slip it is if it is a known one, or else what can be said without
            giving the answer away.
        ValueError: no exercise has this number, or it asks for another number of parts.
    """
    if exercise not in ANSWERS:
        raise ValueError(f"no exercise '{exercise}'{nearest(exercise, ANSWERS)}")
    answer = ANSWERS[exercise]()
    if len(found) != len(answer.parts):
        raise ValueError(f"{exercise}: found {len(found)} parts, expected {len(answer.parts)}")
    if any(part is ... for part in found):
        return _shown("No answer yet. Put it in place of the dots, run that cell, then this one.")
    wrong = [_wrong(part, right, answer.tolerance) for part, right in zip(found, answer.parts, strict=True)]
    if not any(wrong):
        return _shown("Right.")
    raise AnswerError(_slip(found, answer) or _first(wrong))


def _wrong(found: Any, right: float | str, tolerance: float) -> str:
    """What is wrong with one part; empty where it is right."""
    if isinstance(right, str):
        if not isinstance(found, str):
            return f"found {found!r}, expected a word in quotation marks."
        return "" if found.strip().casefold() == right else f"it is not '{found}'."
    try:
        number = float(found)
    except (TypeError, ValueError):
        return f"found {found!r}, expected a number."
    if abs(number - right) <= tolerance:
        return ""
    if number != number:
        return "found no number (NaN)."
    return f"{number:.4g} is too {'large' if number > right else 'small'}."


def _slip(found: tuple[Any, ...], answer: KnownAnswer) -> str:
    """What is known about this wrong answer; empty where nothing is."""
    for message, parts in answer.slips.items():
        if not any(_wrong(part, slip, answer.tolerance) for part, slip in zip(found, parts, strict=True)):
            return message
    return ""


def _first(wrong: list[str]) -> str:
    """The first complaint, with the part that it is about where there are several."""
    number, message = next((number, message) for number, message in enumerate(wrong) if message)
    return f"the {WHICH[number]} answer: {message}" if len(wrong) > 1 else message


def _shown(message: str) -> HTML:
    return HTML(f'<p class="check">{html.escape(message)}</p>')
