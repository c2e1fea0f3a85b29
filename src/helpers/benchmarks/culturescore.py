"""CultureScore's prompts: from a scene to its variants (Rani et al. 2026, Appendix C.1 to C.3 and C.7).

Each step has two functions. `…_requests` says what to ask a model, for `helpers.chat.ask.ask_many`; `…_rows`
takes the frame and the results and adds columns. A reply is believed only as far as a rule can check it.

    scenarios = SCENARIOS.read_csv("scenes.csv")
    results = ask_many(decompose_requests(scenarios, writer), backend, log)
    scenarios = decompose_rows(scenarios, results)

The order is decompose, then extend, remove_country and (on what that gives) uniqueness. Questions follow in
`helpers.benchmarks.culturescore_questions`, the study's tables in `helpers.benchmarks.culturescore_tables`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from helpers.benchmarks.country_words import country_words, listed_countries
from helpers.benchmarks.model_steps import Filled, RuleError, Step, Writer
from helpers.benchmarks.starter import OPENER
from helpers.chat.forms import Form
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.checking import Table, one_of, text
from helpers.published import CATEGORIES, DIMENSIONS
from helpers.schemas import country

SCENARIOS = Table(
    columns={"scenario_id": text(), "country": country(), "category": one_of(CATEGORIES), "prompt": text()},
    key=("scenario_id",),
)
DECOMPOSE = Step("decompose", None, ("base", *DIMENSIONS))
EXTEND = Step("extend", "decompose", ("extended", *(f"{dimension}_detail" for dimension in DIMENSIONS)))
REMOVE_COUNTRY = Step("remove_country", "decompose", ("no_country",))
UNIQUENESS = Step("uniqueness", "remove_country", ("unique", "unique_reason"))
# The order in which an extended prompt spells the facets out (Appendix C.2).
DETAIL_ORDER = ("behavior", "identity", "context")

# May go together with a country ("a café in Chile"), or come in its place ("Germans" to "people").
_SMALL_WORDS = frozenset(("a", "an", "the", "in", "of", "from", "at", "s"))
_STAND_INS = frozenset(("people", "person", "men", "man", "women", "woman"))


class Facets(Form):
    """A scene taken apart, and its prompt with the country in it."""

    prompt: Filled
    identity: Filled
    behavior: Filled
    context: Filled


class Details(Form):
    """What each facet looks like."""

    behavior: Filled
    identity: Filled
    context: Filled


class Rewritten(Form):
    """A prompt in other words."""

    text: Filled


class Uniqueness(Form):
    """Whether a scene belongs to one country; the reason is written first, so that the verdict follows it."""

    reason: Filled
    unique: Literal["yes", "no"]


def decompose_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask for the three facets of each scene (C.1), and for its prompt with the country in it.

    Args:
        scenarios: columns of `SCENARIOS`.
        writer: the model.

    Raises:
        DataError: the frame does not fit `SCENARIOS`.
    """
    SCENARIOS.check(scenarios, "scenarios")
    return DECOMPOSE.requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_decompose",
            Facets,
            prompt=row.prompt,
            country=row.country,
            adjective=adjective(row.country),
        ),
    )


def decompose_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The facets, and the base prompt.

    Returns:
        All rows with `base`, `identity`, `behavior` and `context`. The base prompt is `prompt` word for word
        where that names its country; elsewhere it is the model's, which may add the country and nothing more.
        A row with a facet or base prompt that does not name the country is `unscored`.
    """
    return DECOMPOSE.rows(scenarios, results, _read_facets)


def extend_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask what each facet looks like, by what its words mean in a dictionary (C.2)."""
    return EXTEND.requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_extend",
            Details,
            prompt=row.base,
            **{dimension: getattr(row, dimension) for dimension in DIMENSIONS},
        ),
    )


def extend_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The extended prompt, put together here so that the base prompt stands in it word for word.

    Returns:
        All rows with `extended` and a column `<dimension>_detail` for each dimension.
    """

    def read(row: Any, details: Details) -> list[str]:
        written = {dimension: getattr(details, dimension) for dimension in DIMENSIONS}
        return [extended_prompt(row.base, written), *written.values()]

    return EXTEND.rows(scenarios, results, read)


def extended_prompt(base: str, details: dict[str, str]) -> str:
    """Opener, base prompt word for word, and then behavior, identity and context spelt out.

    Args:
        base: the base prompt; one without a full stop gets one.
        details: a description for each dimension.
    """
    parts = [OPENER, base, *(f"{name.capitalize()}: {details[name]}" for name in DETAIL_ORDER)]
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def remove_country_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask for each base prompt without its country (C.3)."""
    return REMOVE_COUNTRY.requests(
        scenarios, lambda row: writer.request("culturescore_remove_country", Rewritten, prompt=row.base)
    )


def remove_country_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The prompts without a country.

    Returns:
        All rows with `no_country`. A reply that still names any country, or that changes more than taking the
        country out needs, makes its row `unscored`: what a model does without the country is only to be read
        from prompts that are otherwise the same.
    """
    return REMOVE_COUNTRY.rows(scenarios, results, _read_without_country)


def uniqueness_requests(scenarios: pd.DataFrame, writer: Writer) -> list[Request]:
    """Ask whether the scene, without the country's name, still belongs to that country (C.7).

    It serves only the analysis of removed countries, for which the paper kept 48.4 % of the prompts.
    """
    return UNIQUENESS.requests(
        scenarios,
        lambda row: writer.request(
            "culturescore_uniqueness", Uniqueness, country=row.country, prompt=row.no_country
        ),
    )


def uniqueness_rows(scenarios: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The verdicts: all rows with `unique` (true or false) and `unique_reason`."""
    return UNIQUENESS.rows(scenarios, results, lambda _, verdict: [verdict.unique == "yes", verdict.reason])


def adjective(country: str) -> str:
    """The adjective of a country: its first demonym, or its name where none is listed."""
    demonyms = listed_countries().set_index("country")["demonyms"].get(country)
    return demonyms.split(";")[0] if isinstance(demonyms, str) else country


def names_country(written: str, country: str) -> bool:
    """Whether a text holds a name or demonym that can mean this country."""
    return any(country in found.countries for found in country_words(written))


def _read_facets(row: Any, facets: Facets) -> list[str]:
    base = row.prompt
    if not names_country(base, row.country):
        base = facets.prompt
        lost, added = changes(row.prompt, base)
        if lost or added:
            raise RuleError(
                f"the base prompt changes more than its country: found '{base}' for '{row.prompt}', "
                f"{_listed(lost, added)}"
            )
    for name, written in {"base": base, **{name: getattr(facets, name) for name in DIMENSIONS}}.items():
        if not names_country(written, row.country):
            raise RuleError(f"{name}: found '{written}', expected it to say {row.country}")
    return [base, *(getattr(facets, name) for name in DIMENSIONS)]


def _read_without_country(row: Any, rewritten: Rewritten) -> list[str]:
    named = country_words(rewritten.text)
    if named:
        words = ", ".join(found.word for found in named)
        raise RuleError(f"found '{words}' in '{rewritten.text}', expected no country")
    lost, added = changes(row.base, rewritten.text)
    if lost or added - _STAND_INS:
        raise RuleError(f"found '{rewritten.text}' for '{row.base}', {_listed(lost, added - _STAND_INS)}")
    return [rewritten.text]


def changes(before: str, after: str) -> tuple[set[str], set[str]]:
    """The words that a rewritten prompt lacks and those that it adds.

    Returns:
        Words in small letters; countries' words, articles and the prepositions that go with a country ("in
        Chile") do not count.
    """
    first, second = (Counter(_words(written)) for written in (before, after))
    countries = {
        part for found in country_words(before) + country_words(after) for part in _words(found.word)
    }
    ignored = countries | _SMALL_WORDS
    return set(first - second) - ignored, set(second - first) - ignored


def _words(written: str) -> list[str]:
    return re.findall(r"\w+", written.casefold())


def _listed(lost: set[str], added: set[str]) -> str:
    parts = [
        f"{what} '{', '.join(sorted(words))}'"
        for what, words in (("without", lost), ("with", added))
        if words
    ]
    return " and ".join(parts)
