"""Writing systems: of characters, and of what a country writes."""

from collections import Counter
from functools import cache

import regex

from helpers.geography import countries

# Of the benchmarks' countries, and the others that models often write instead. Names as Unicode has them.
SCRIPTS = (
    "Latin",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Devanagari",
    "Arabic",
    "Cyrillic",
    "Ethiopic",
    "Bengali",
    "Tamil",
    "Thai",
    "Hebrew",
    "Greek",
)
_LETTERS = {name: regex.compile(rf"[\p{{Script={name}}}&&\p{{L}}]", regex.V1) for name in SCRIPTS}
# Without those that several scripts share, such as the long-vowel mark of Hiragana and Katakana.
_ANY = regex.compile(r"[\p{L}--\p{Script=Common}--\p{Script=Inherited}]", regex.V1)
# Unicode has one script for Chinese characters, whichever of their forms.
_UNICODE = {"Simplified Han": ("Han",), "Japanese": ("Han", "Hiragana", "Katakana")}


def letters_by_script(text: str) -> dict[str, int]:
    """How many letters of each script a text has; scripts without any are left out.

    Digits, marks and punctuation belong to no script. Letters of a script that is not in `SCRIPTS` count as
    "other".
    """
    counts = Counter({name: len(letter.findall(text)) for name, letter in _LETTERS.items()})
    counts["other"] = len(_ANY.findall(text)) - counts.total()
    return {name: count for name, count in counts.items() if count}


@cache
def country_scripts(country: str) -> tuple[str, ...]:
    """The scripts in which a country's language is written, by Unicode's names.

    Simplified and traditional Chinese characters are one script to Unicode and are not told apart. A country
    may see other scripts in its streets, such as Latin in Japan.

    Args:
        country: one of the benchmarks' countries, as `helpers.geography.countries` names it.

    Raises:
        ValueError: another country.
    """
    known = countries().set_index("country")["script"]
    if country not in known.index:
        raise ValueError(f"found the country '{country}', expected one of {', '.join(known.index)}")
    return _UNICODE.get(known[country], (known[country],))
