r"""Answers in a box, `\boxed{yes}`, that end free reasoning, as judges of yes/no questions give them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helpers.templates import template

TEXT = Path(__file__).parent / "texts" / "boxed.txt"
# What models put into the box around the answer, or around the answer where they forget the box.
_BOX = re.compile(r"\\?\bboxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_DRESS = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_LAST_LINE = re.compile(r"(?:(?:the )?(?:final )?answer(?: is)?\s*:?\s*)?(\w+)", re.IGNORECASE)
_EMPHASIS = str.maketrans("", "", "*_`")
_MARKS = "\"'“”$()[]{}.!: \t"


class BoxError(ValueError):
    """A reply without exactly one of the possible answers; the message says what is wrong with it."""


@dataclass(frozen=True)
class Verdict:
    """A boxed answer and what was said before it."""

    answer: str
    reasoning: str
    reading: Literal["strict", "tolerant"]


@dataclass(frozen=True)
class Boxed:
    """A reply that reasons freely and then gives one of a few answers in a box.

    Attributes:
        answers: the possible answers, single words in lower case.
    """

    answers: tuple[str, ...] = ("yes", "no")

    @property
    def description(self) -> str:
        """What the model is told about the form of its reply."""
        boxes = " or ".join(rf"\boxed{{{answer}}}" for answer in self.answers)
        return template(TEXT).fill(boxes=boxes)

    def read(self, text: str) -> Verdict:
        """The one answer that a reply gives.

        Strictly that is the answer in the box; several boxes count if they agree. Tolerantly, where there is
        no box, it is a last line that is nothing but the answer ("Answer: **Yes**"). In both cases no other
        box and no other such line may say otherwise. What stands before `</think>` gives no answer.

        Raises:
            BoxError: no answer, several different ones, or another one than is possible.
        """
        thought, closed, said = text.rpartition("</think>")
        if not closed and text.lstrip().startswith("<think>"):
            raise BoxError("the reply ends within its reasoning")
        reasoning = "\n".join(part for part in (thought.replace("<think>", "").strip(), said.strip()) if part)
        plain = said.translate(_EMPHASIS)
        boxes = [_DRESS.sub(r"\1", match[1]).strip(_MARKS).lower() for match in _BOX.finditer(plain)]
        lines = [line.strip(_MARKS) for line in plain.splitlines() if line.strip(_MARKS)]
        alone = [_LAST_LINE.fullmatch(line)[1].lower() for line in lines if _is_answer(line, self.answers)]
        if boxes:
            return Verdict(self._one(boxes + alone), reasoning, "strict")
        if not lines:
            raise BoxError("the reply is empty")
        if not _is_answer(lines[-1], self.answers):
            raise BoxError("the reply holds no box, and its last line is not an answer alone")
        return Verdict(self._one(alone), reasoning, "tolerant")

    def _one(self, found: list[str]) -> str:
        different = sorted(set(found))
        if len(different) > 1:
            raise BoxError(f"the reply gives several answers: {', '.join(different)}")
        if different[0] not in self.answers:
            raise BoxError(f"the box holds '{different[0]}', expected {' or '.join(self.answers)}")
        return different[0]


def _is_answer(line: str, answers: tuple[str, ...]) -> bool:
    match = _LAST_LINE.fullmatch(line)
    return match is not None and match[1].lower() in answers
