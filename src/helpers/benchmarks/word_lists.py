"""Lists of words that a text is searched for: what must not stand in it, what it asks to hear or to read.

A list is a YAML file with a version; a study that changes one raises it. An entry is a word or a phrase,
found as whole words in small or capital letters. A `*` stands for any letters ("kill*" finds "killing", not
"skill") and a space also for a hyphen.

The safety screen of a table of prompts is
`find_words(prompts.set_index("prompt_id")["text"], "safety")`.
"""

import re
from functools import cache
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from helpers.checking import nearest
from helpers.configuration import read_yaml

WORDS = Path(__file__).parent / "words"


class WordList(BaseModel):
    """A list of words in named groups.

    Attributes:
        version: raised with every change.
        review: who has checked the list, or that nobody has.
        groups: the entries of each group.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int = Field(ge=1)
    review: str
    groups: dict[str, list[str]]


@cache
def word_list(name: str) -> WordList:
    """One of the lists that stand beside this module.

    Args:
        name: "safety" or "cues".

    Raises:
        ValueError: no such list.
        DataError: the file does not fit `WordList`.
    """
    known = sorted(path.stem for path in WORDS.glob("*.yaml"))
    if name not in known:
        raise ValueError(f"no word list '{name}'{nearest(name, known)}; expected one of {', '.join(known)}")
    return read_yaml(WORDS / f"{name}.yaml", WordList, what="a word list")


def find_words(texts: pd.Series, name: str) -> pd.DataFrame:
    """Every entry of a list that stands in the texts.

    Args:
        texts: strings; the index tells them apart.
        name: as `word_list` takes it.

    Returns:
        Columns text (the index of `texts`), group, word (as the text has it): one row for each hit, in the
        order of the texts. A finding is for a person to judge; a word list knows no context.
    """
    hits = [
        (index, group, hit)
        for index, text in texts.items()
        for group, pattern in _patterns(name).items()
        for hit in dict.fromkeys(pattern.findall(text.replace("’", "'")))
    ]
    return pd.DataFrame(hits, columns=["text", "group", "word"])


def has_word(texts: pd.Series, name: str, group: str) -> pd.Series:
    """Whether any entry of a group stands in each text.

    Args:
        texts: strings.
        name: as `word_list` takes it.
        group: one of the list's groups.

    Returns:
        Booleans with the index of `texts`.

    Raises:
        ValueError: no such list or group.
    """
    patterns = _patterns(name)
    if group not in patterns:
        raise ValueError(
            f"no group '{group}' in the word list '{name}'{nearest(group, patterns)}; "
            f"expected one of {', '.join(patterns)}"
        )
    found = [patterns[group].search(text.replace("’", "'")) is not None for text in texts]
    return pd.Series(found, index=texts.index, dtype=bool)


@cache
def _patterns(name: str) -> dict[str, re.Pattern[str]]:
    """One pattern for each group; longer entries first, so that a phrase wins over its first word."""
    return {
        group: re.compile("|".join(map(_pattern, sorted(entries, key=len, reverse=True))), re.IGNORECASE)
        for group, entries in word_list(name).groups.items()
    }


def _pattern(entry: str) -> str:
    words = (re.escape(word).replace(r"\*", r"\w*") for word in entry.split())
    return r"(?<![\w-])" + r"[\s-]+".join(words) + r"(?!\w)"
