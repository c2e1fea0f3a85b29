"""VideoScore2's three scores in its answer: where they stand, and what they are."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from helpers.chat.parsing import UnreadableError

DIMENSIONS = ("visual quality", "text-to-video alignment", "physical/common-sense consistency")
DIGITS = "12345"
# The released model writes what a dimension means between its name and the colon.
_SCORES = {
    name: re.compile(rf"{re.escape(name)}[^:\n]*:[ \t*]*(?P<score>[^\s;,]+)", re.IGNORECASE)
    for name in DIMENSIONS
}


@dataclass(frozen=True)
class Score:
    """A score in an answer.

    Attributes:
        value: 1 to 5.
        place: of its digit among the answer's characters.
    """

    value: int
    place: int


def read_scores(text: str) -> list[Score]:
    """The three scores of an answer, in the order of `DIMENSIONS`.

    What stands before `</think>` gives none. After it each dimension's name must stand once before a colon,
    followed by a whole number from 1 to 5.

    Args:
        text: the whole answer.

    Raises:
        UnreadableError: a dimension without a score, with several, or with another one.
    """
    start = text.rfind("</think>") + 1
    if not start and text.lstrip().startswith("<think>"):
        raise UnreadableError("the answer ends within its reasoning")
    return [_score(name, list(pattern.finditer(text, start))) for name, pattern in _SCORES.items()]


def _score(name: str, found: list[re.Match]) -> Score:
    if len(found) != 1:
        raise UnreadableError(f"found {len(found)} scores of {name}, expected one")
    said = found[0]["score"].rstrip(".*")
    if len(said) != 1 or said not in DIGITS:
        raise UnreadableError(f"{name}: found '{said}', expected a whole number from 1 to 5")
    return Score(int(said), found[0].start("score"))


def token_at(place: int, tokens: list[int], words: Callable[[list[int]], str]) -> int | None:
    """Which token writes a character, or None where it writes more than that one.

    Args:
        place: the character, from 0.
        tokens: the answer's.
        words: what tokens say.
    """
    number = bisect_right(range(len(tokens)), place, key=lambda count: len(words(tokens[: count + 1])))
    whole = words(tokens)
    alone = number < len(tokens) and words(tokens[number : number + 1]).strip() == whole[place]
    return number if alone else None
