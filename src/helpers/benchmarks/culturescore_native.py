"""CultureScore's fourth variant: the base prompt in the country's own language, checked by way of English.

The paper has no such variant. A second request, which does not see the English prompt, puts the translation
back; a rule compares the two English texts. That finds what was lost or added, not what reads badly: people
who speak the language still have to look.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from helpers.benchmarks.culturescore import Rewritten, names_country
from helpers.benchmarks.model_steps import RuleError, Step, Writer
from helpers.chat.request import Request
from helpers.chat.results import Result

# `native_draft` is what the model wrote; only what comes back from it unharmed becomes `native_language`.
TRANSLATE = Step("translate", "language", ("native_draft",))
BACK_TRANSLATE = Step("back_translate", "translate", ("native_language", "back_translation", "overlap"))
# A reworded sentence of some fifteen words keeps well over half of them; one about something else does not.
LEAST_OVERLAP = 0.5
_SMALL_WORDS = frozenset(
    ("a", "an", "and", "are", "at", "by", "for", "from", "in", "is", "of", "on", "the", "their", "to", "with")
)


def with_language(scenarios: pd.DataFrame, languages: Mapping[str, str]) -> pd.DataFrame:
    """The scenes with the language of their country.

    Args:
        scenarios: rows of `culturescore.decompose_rows`.
        languages: the language to use for each country, such as `{"Chile": "Spanish"}`. A country may be left
            out, as one whose language is English.

    Returns:
        All rows with `language`; where there is none, or no base prompt, `language_status` is missing.
    """
    language = scenarios["country"].map(dict(languages))
    based = scenarios["decompose_status"].eq("ok")
    reason = ("no language is given for " + scenarios["country"]).where(
        language.isna(), "the step decompose is " + scenarios["decompose_status"]
    )
    going = language.notna() & based
    return scenarios.assign(
        language=language,
        language_status=pd.Series("missing", index=scenarios.index).mask(going, "ok"),
        language_reason=reason.mask(going),
    )


def translate_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask for each base prompt in the language that `with_language` gave."""
    return TRANSLATE.requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_translate",
            Rewritten,
            prompt=row.base,
            language=row.language,
            country=row.country,
        ),
    )


def translate_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The translations: all rows with `native_draft`; one that only repeats the prompt is `unscored`."""

    def read(row: Any, translation: Rewritten) -> list[str]:
        if _content(translation.text) == _content(row.base):
            raise RuleError(f"found the English prompt '{translation.text}', expected {row.language}")
        return [translation.text]

    return TRANSLATE.rows(scenarios, results, read)


def back_translate_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask for each translation in English again."""
    return BACK_TRANSLATE.requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_back_translate", Rewritten, text=row.native_draft, language=row.language
        ),
    )


def back_translate_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The native-language prompts that survive the way back.

    Returns:
        All rows with `native_language`, `back_translation` and `overlap`. A row whose back-translation does
        not name the country, or shares less than half of its words with the base prompt, is `unscored`.
    """

    def read(row: Any, back: Rewritten) -> list[Any]:
        shared = overlap(row.base, back.text)
        if not names_country(back.text, row.country):
            raise RuleError(f"found '{back.text}' on the way back, expected it to say {row.country}")
        if shared < LEAST_OVERLAP:
            raise RuleError(
                f"found '{back.text}' on the way back, which shares {shared:.0%} of its words with "
                f"'{row.base}'; expected at least {LEAST_OVERLAP:.0%}"
            )
        return [row.native_draft, back.text, shared]

    return BACK_TRANSLATE.rows(scenarios, results, read)


def overlap(first: str, second: str) -> float:
    """Shared words of two English texts: 2 x shared / all (Dice 1945), from 0 to 1.

    Articles and other small words, capitals and order do not matter; a word counts as often as it stands.
    """
    one, other = _content(first), _content(second)
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _content(written: str) -> Counter[str]:
    return Counter(word for word in re.findall(r"\w+", written.casefold()) if word not in _SMALL_WORDS)
