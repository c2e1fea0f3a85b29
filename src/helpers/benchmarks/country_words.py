"""Countries' names and demonyms in English texts: does a text say which country it is about?

CultureScore's third variant takes the country out of a prompt and leaves cities and religious, cultural and
lifestyle words in (its Appendix C.3). This is the check on it, by rule, for all the world's countries and
territories: their names, other and former names, and demonyms (`data/geography/demonyms.csv`), but not the
words that only look like one (`data/geography/lookalikes.csv`): the Indian Ocean, a china cup, "polish the
silver", roast turkey, New Jersey, Mexico City.

Where a rule cannot tell, it finds: "Jordan waves" may be a first name and is found, so that a person looks.
What it misses on purpose: a lower-case word that is also something else ("a street in turkey").
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import pandas as pd

from helpers.checking import Table, one_of, text
from helpers.paths import DATA
from helpers.schemas import country

_DEMONYMS = Table(
    columns={"country": country(), "other_names": text(nullable=True), "demonyms": text(nullable=True)},
    key=("country",),
)
_LOOKALIKES = Table(
    columns={
        "word": text(),
        "lower_case": one_of(("yes", "no")),
        "before": text(nullable=True),
        "after": text(nullable=True),
        "needs": text(nullable=True),
        "meaning": text(),
    },
    key=("word",),
)
_PUNCTUATION = str.maketrans("’ʼ‐‑–", "''---")


class CountryWord(NamedTuple):
    """A name or demonym in a text.

    Attributes:
        word: as the text has it, with a plural "s".
        countries: the countries that it can mean ("Korean": two), by their short English names.
    """

    word: str
    countries: tuple[str, ...]


class _Lookalike(NamedTuple):
    """When a word is none of a country's: small letters, certain words around it, or others missing."""

    lower_case: bool
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    needs: re.Pattern[str] | None


def country_words(prompt: str) -> tuple[CountryWord, ...]:
    """The names and demonyms of countries in a text, in their order.

    Capital letters do not matter, except for words with another meaning and for abbreviations ("US", "us");
    accents, kinds of apostrophes and "St." or "Saint" do not matter.

    Args:
        prompt: English text; words of other languages are found only where they are spelt alike.

    Returns:
        One entry each time a word stands in the text; none where it says no country.
    """
    written = unicodedata.normalize("NFC", prompt)
    bare = plain(written)
    return tuple(
        CountryWord(written[found.start() : found.end()], tuple(_spellings()[_spelling(found["word"])]))
        for found in _pattern().finditer(bare)
        if not _is_lookalike(found, bare)
    )


def names_no_country(prompt: str) -> bool:
    """Whether a text is free of the names and demonyms of countries.

    Args:
        prompt: as `country_words` takes it.
    """
    return not country_words(prompt)


def listed_countries() -> pd.DataFrame:
    """The file of names and demonyms.

    Returns:
        Columns country (short English name), other_names and demonyms, several separated by ";": one row each
        of country_converter's countries and territories but Antarctica, which is a continent.

    Raises:
        DataError: the file does not fit its schema.
    """
    return _DEMONYMS.read_csv(DATA / "geography" / "demonyms.csv")


def plain(written: str) -> str:
    """A text without accents and with plain apostrophes and hyphens, letter for letter."""
    letters = (unicodedata.normalize("NFD", letter)[0] for letter in unicodedata.normalize("NFC", written))
    return "".join(letters).translate(_PUNCTUATION)


def _is_lookalike(found: re.Match[str], bare: str) -> bool:
    rule = _lookalikes().get(_spelling(found["word"]))
    if rule is None:
        return False
    before, after = bare[: found.start()], bare[found.end() :]
    return bool(
        (rule.lower_case and found["word"][0].islower())
        or (rule.before and rule.before.search(before))
        or (rule.after and rule.after.match(after))
        or (rule.needs and not rule.needs.search(before))
    )


@cache
def _spellings() -> dict[str, list[str]]:
    """The countries behind each spelling of a name or demonym."""
    countries = defaultdict(list)
    for word, name in _words():
        if name not in countries[_spelling(word)]:
            countries[_spelling(word)].append(name)
    return dict(countries)


@cache
def _pattern() -> re.Pattern[str]:
    """All words, longer ones first, so that "Papua New Guinea" wins over "Guinea"."""
    words = sorted({plain(word) for word, _ in _words()}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?=\w)(?P<word>{'|'.join(map(_as_pattern, words))})s?(?!\w)", re.IGNORECASE)


@cache
def _lookalikes() -> dict[str, _Lookalike]:
    rows = _LOOKALIKES.read_csv(DATA / "geography" / "lookalikes.csv").itertuples()
    return {
        _spelling(plain(row.word)): _Lookalike(
            lower_case=row.lower_case == "yes",
            before=_one_of(row.before, r"(?<!\w)(?:{})[\s,-]+$"),
            after=_one_of(row.after, r"[\s-]+(?:{})(?!\w)"),
            needs=_one_of(row.needs, r"(?<!\w)(?:{})\s+$"),
        )
        for row in rows
    }


def _words() -> Iterable[tuple[str, str]]:
    """Each name and demonym with its country."""
    for row in listed_countries().itertuples():
        for listed in (row.country, row.other_names, row.demonyms):
            for word in _parts(listed):
                yield word, row.country


def _parts(listed: str) -> list[str]:
    return listed.split(";") if pd.notna(listed) else []


def _one_of(listed: str, pattern: str) -> re.Pattern[str] | None:
    """The pattern with the listed words in its gap; None where none are listed."""
    words = "|".join(map(_as_pattern, map(plain, _parts(listed))))
    return re.compile(pattern.format(words), re.IGNORECASE) if words else None


def _as_pattern(word: str) -> str:
    """A word as a pattern; spaces and hyphens stand for each other, abbreviations need their capitals."""
    parts = (r"(?:St\.?|Saint)" if part in ("St.", "Saint") else re.escape(part) for part in _split(word))
    spelt = r"[\s-]+".join(parts)
    return f"(?-i:{spelt})" if word.isupper() else spelt


def _spelling(word: str) -> str:
    """The form under which all ways of writing a word are one."""
    return " ".join("saint" if part in ("st.", "st") else part for part in _split(plain(word).casefold()))


def _split(word: str) -> list[str]:
    return re.split(r"[\s-]+", word)
