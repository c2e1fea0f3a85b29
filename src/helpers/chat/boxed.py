r"""Answers in a box, `\boxed{yes}`, that end free reasoning, as judges of yes/no questions give them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helpers.chat.reasoning import UnfinishedError, parted
from helpers.templates import template

TEXT = Path(__file__).parent / "texts" / "boxed.txt"
_BOX = re.compile(r"\\?\bboxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_ANY_BOX = re.compile(r"\bf?boxe?d?\s*[\[{]", re.IGNORECASE)
# What models put into the box around the answer, and around the box.
_DRESS = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_EMPHASIS = str.maketrans("", "", "*_`")
_MARKS = "\"'“”$()[]{}.!: \t\n"
# A box stands alone, after a whole sentence, or after these words and nothing else.
_LEAD = re.compile(
    r"(?:^|[.!?:;…)\n])[\s$\"'(\\\[]*(?:(?:so|thus|hence|therefore|the|my|final|answer|is)\b[\s,:$]*)*$",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?:(?:so|thus|hence|therefore)\b,?\s*)?(?:(?:the|my)\s+)?(?:final\s+)?answer(?:\s+is)?\s*:?\s*(\w+)",
    re.IGNORECASE,
)


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
        r"""The one answer that a reply gives.

        Strictly that is the answer in the box that ends the reply; further boxes count if they agree. A box
        within a sentence ("not \boxed{yes}") or with words after it is none. Tolerantly, where there is no
        box, it is the answer alone as the whole reply, or a last line that calls itself the answer ("Answer:
        **Yes**"). In both cases no other such line may say otherwise. Reasoning in marks such as `<think>`
        gives no answer.

        Raises:
            BoxError: no answer, several different ones, or another one than is possible.
        """
        try:
            thought, said = parted(text)
        except UnfinishedError as problem:
            raise BoxError(str(problem)) from None
        plain = said.translate(_EMPHASIS)
        lines = [line.strip(_MARKS) for line in plain.splitlines() if line.strip(_MARKS)]
        called = [match[1].lower() for match in map(_SAID.fullmatch, lines) if match]
        reasoning = "\n".join(part for part in (thought, said) if part)
        boxes = list(_BOX.finditer(plain))
        if boxes:
            if len(boxes) < len(_ANY_BOX.findall(plain)):
                raise BoxError("the reply holds a box that cannot be read")
            last = boxes[-1]
            if plain[last.end() :].strip(_MARKS + "\\"):
                raise BoxError("something follows the box, expected it to end the reply")
            if not _LEAD.search(plain[: last.start()]):
                raise BoxError("the box stands within a sentence, expected it to stand alone")
            found = [_DRESS.sub(r"\1", box[1]).strip(_MARKS).lower() for box in boxes]
            return Verdict(self._one(found + called), reasoning, "strict")
        if not lines:
            raise BoxError("the reply is empty")
        if len(lines) == 1 and lines[0].lower() in self.answers:
            return Verdict(lines[0].lower(), reasoning, "tolerant")
        if not _SAID.fullmatch(lines[-1]):
            raise BoxError("the reply holds no box, and its last line does not say what the answer is")
        return Verdict(self._one(called), reasoning, "tolerant")

    def _one(self, found: list[str]) -> str:
        different = sorted(set(found))
        if len(different) > 1:
            raise BoxError(f"the reply gives several answers: {', '.join(different)}")
        if different[0] not in self.answers:
            raise BoxError(f"the answer is '{different[0]}', expected {' or '.join(self.answers)}")
        return different[0]
