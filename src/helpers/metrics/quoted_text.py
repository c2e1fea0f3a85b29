"""Text that a prompt quotes, and how many of its characters are wrong in what was read."""

import re
import unicodedata

import regex

# By Unicode's names. Korean, as most scripts, sets spaces between words.
UNSPACED = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")
# With the marks that several scripts share, such as the long-vowel mark and the ideographic full stop.
_CHARACTER = "[" + "".join(rf"\p{{Script_Extensions={name}}}" for name in UNSPACED) + "]"
_FALSE_SPACE = regex.compile(rf"(?<={_CHARACTER})\s+(?={_CHARACTER})")
_PAIRS = ('""', "“”", "„“", "„”", "«»", "»«", "‹›", "「」", "『』", "‘’")
# A straight or curly apostrophe inside a word is no quotation mark.
_QUOTED = re.compile(
    "|".join(
        [rf"(?<!\w){re.escape(a)}([^{re.escape(a + b)}\n]*){re.escape(b)}(?!\w)" for a, b in _PAIRS]
        + [r"(?<!\w)'([^'\n]+(?:'\w[^'\n]*)*)'(?!\w)"]
    )
)


def quoted(prompt: str) -> list[str]:
    """The texts in quotation marks in a prompt, in their order; those without a letter or digit are left out.

    Quotation marks stand around speech too ("she says 'Namaste'"), which nobody expects to read.
    """
    texts = ["".join(filter(None, found)) for found in _QUOTED.findall(prompt)]
    return [text.strip() for text in texts if any(map(str.isalnum, text))]


def without_false_spaces(text: str) -> str:
    """A text without the spaces between two characters of scripts that are written without spaces.

    Tesseract gives single characters, or short runs of them, of those scripts as words. Spaces beside any
    other character stay, so that "24 小时" is not "24小时".
    """
    return _FALSE_SPACE.sub("", text)


def normal(text: str) -> str:
    """A text as it is compared: compatibility forms, lower case, one space between words that have any."""
    return without_false_spaces(" ".join(unicodedata.normalize("NFKC", text).casefold().split()))


def fewest_errors(wanted: str, read: str) -> int:
    """The fewest insertions, deletions and substitutions between a text and any part of another.

    What stands before and after the best part costs nothing: other signs in the picture are no errors.

    Args:
        wanted: the text that should be there.
        read: what was read.

    Returns:
        0 to the length of `wanted`; that length where nothing of it was read.

    Source: Sellers 1980, The theory and computation of evolutionary distances: pattern recognition, Journal
    of Algorithms 1(4), with unit costs.
    """
    column = list(range(len(wanted) + 1))
    fewest = column[-1]
    for character in read:
        before, column = column, [0]
        for at, expected in enumerate(wanted):
            substituted = before[at] + (character != expected)
            column.append(min(substituted, before[at + 1] + 1, column[at] + 1))
        fewest = min(fewest, column[-1])
    return fewest


def character_error_rate(wanted: list[str], frames: list[str]) -> float:
    """The share of characters that are wrong in quoted texts, each taken from the frame that shows it best.

    Args:
        wanted: the quoted texts, at least one, each with a letter or digit.
        frames: what was read in each frame.

    Returns:
        0 (all there) to 1 (nothing of it).
    """
    texts, seen = [normal(text) for text in wanted], [normal(text) for text in frames]
    errors = sum(min(fewest_errors(text, read) for read in (*seen, "")) for text in texts)
    return errors / sum(map(len, texts))
