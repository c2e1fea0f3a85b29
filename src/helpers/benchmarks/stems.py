"""The words of an English text that carry meaning, so that two texts can be compared roughly.

It is a rule of thumb: capitals, accents, small words and common endings do not count. Synonyms do ("flat",
"apartment").
"""

import re

from helpers.benchmarks.country_words import plain

_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about above after all an and any are as at be before behind both but by can do does each every for"
        " from has have her his how in into is it its more no not of off on one or other out over she than"
        " that the their them then there they this those through to two under until up was were what when"
        " where which while who with without",
    )
)
_ENDING = re.compile(r"(?:ies|es|s|ing|ed|e|y)$")
_SHORTEST = 3


def stems(written: str) -> frozenset[str]:
    """The different meaning-carrying words of a text, without their endings.

    Args:
        written: English text.
    """
    words = set(re.findall(r"\w+", plain(written).casefold())) - _SMALL_WORDS
    return frozenset(_without_ending(word) for word in words)


def share_said(question: str, prompt: str) -> float:
    """The share of a question's words that stand in a prompt, from 0 to 1.

    Args:
        question: a text; one without any meaning-carrying word has the share 0.
        prompt: a text.
    """
    asked = stems(question)
    return len(asked & stems(prompt)) / max(1, len(asked))


def shares_a_word(written: str, name: str) -> bool:
    """Whether a text holds a meaning-carrying word of a name."""
    return bool(stems(written) & stems(name))


def _without_ending(word: str) -> str:
    short = _ENDING.sub("", word)
    return short if len(short) >= _SHORTEST else word
