"""Who answered: the responses that count, each one's rater, and why the others do not count."""

import pandas as pd

from helpers.geography import COUNTRIES, nearest_country
from helpers.people.mapping import Accepted, Mapping
from helpers.people.prolific import HANDED_IN, known_country
from helpers.people.qualtrics import is_finished, is_real
from helpers.people.rules import EXCLUDED, SCREENS, screen

TRUE, FALSE = ("true", "1", "yes", "blinded"), ("false", "0", "no", "informed")


def read_raters(
    responses: pd.DataFrame, mapping: Mapping, sheets: pd.DataFrame, people: pd.DataFrame | None
) -> tuple[pd.DataFrame, list[dict]]:
    """Tell the responses that count from the others.

    Args:
        responses: the export, as `read_qualtrics` returns it.
        mapping: what its columns mean.
        sheets: the assignment sheets.
        people: Prolific's participants, as `read_prolific` returns them, if any.

    Returns:
        The table `raters`, indexed by row of the export and with each one's `sheet`; and a line for each
        response that does not count.
    """
    named = pd.DataFrame(
        {
            "rater_id": _numbered(responses, mapping),
            "kind": "human",
            "country": _cohort(responses, mapping),
            "sheet": _sheet(responses, mapping, sheets),
        },
        index=responses.index,
    )
    why = _why_not(responses, mapping, named, set(sheets["rater_id"]), people)
    excluded = [
        dict(zip(EXCLUDED, ("responses", row, named["rater_id"][row], None, None, reason), strict=True))
        for row, reason in why.dropna().items()
    ]
    raters, counted = named[why.isna()], responses[why.isna()]
    background = pd.DataFrame(index=raters.index, columns=list(SCREENS), dtype=str)
    if people is not None:
        background = people.reindex(counted[mapping.rater]).set_axis(raters.index)
    native = screen(background, raters["country"], mapping.prolific.languages)["native"]
    if mapping.native:
        said = _says_native(counted, mapping.native)
        native = said if people is None else said & native
    return raters.assign(
        native=native,
        language=background["language"],
        blinded=_blinded(counted, mapping),
        attention=_attention(counted, mapping),
    ), excluded


def _numbered(responses: pd.DataFrame, mapping: Mapping) -> pd.Series:
    """The survey's name and a running number for each participant, in the order of the file."""
    participant = responses[mapping.rater]
    numbers = pd.factorize(participant.where(is_real(responses) & participant.ne("")))[0]
    names = [f"{mapping.name}-{number + 1}" if number >= 0 else None for number in numbers]
    return pd.Series(names, responses.index, dtype=str)


def _cohort(responses: pd.DataFrame, mapping: Mapping) -> pd.Series:
    if mapping.country_column is None:
        return pd.Series(mapping.country, responses.index, dtype=str)
    return responses[mapping.country_column].map(known_country)


def _sheet(responses: pd.DataFrame, mapping: Mapping, sheets: pd.DataFrame) -> pd.Series:
    if mapping.sheet_column is None:
        return pd.Series(sheets["rater_id"].iloc[0], responses.index)
    return responses[mapping.sheet_column]


def _why_not(
    responses: pd.DataFrame,
    mapping: Mapping,
    named: pd.DataFrame,
    sheets: set[str],
    people: pd.DataFrame | None,
) -> pd.Series:
    """The first reason for which each response does not count; missing where it does."""
    participant = responses[mapping.rater]
    tests = [
        (~is_real(responses), "Status '" + responses["Status"] + "' is not a respondent's"),
        (~is_finished(responses), "not finished"),
        (participant.eq(""), "no participant id"),
        (~named["country"].isin(COUNTRIES), named["country"].map(_unknown_country, na_action="ignore")),
        (~named["sheet"].isin(sheets), "unknown assignment sheet '" + named["sheet"] + "'"),
    ]
    if mapping.consent:
        tests.append((~responses[mapping.consent.column].isin(mapping.consent.accept), "no consent"))
    if mapping.duration:
        seconds = pd.to_numeric(responses[mapping.duration.column], errors="coerce")
        reason = f"took less than {mapping.duration.at_least:g} seconds, or an unknown time"
        tests.append((~seconds.ge(mapping.duration.at_least), reason))
    if people is not None:
        status = participant.map(people["status"]).fillna("without a status")
        tests.append((~participant.isin(people.index), "not among Prolific's participants"))
        tests.append((~status.isin(HANDED_IN), "submission " + status + " on Prolific"))
    why = pd.Series(None, responses.index, dtype=str)
    for fails, reason in tests:
        why = why.mask(why.isna() & fails, reason)
    second = participant.where(why.isna()).duplicated() & why.isna()
    return why.mask(second, "the participant's second response; the first one counts")


def _unknown_country(name: str) -> str:
    return f"unknown country '{name}'{nearest_country(name, COUNTRIES)}"


def _blinded(responses: pd.DataFrame, mapping: Mapping) -> pd.Series:
    if mapping.blinded_column is None:
        return pd.Series(mapping.blinded, responses.index, dtype="boolean")
    said = responses[mapping.blinded_column].str.lower()
    return said.map(dict.fromkeys(TRUE, True) | dict.fromkeys(FALSE, False)).astype("boolean")


def _says_native(responses: pd.DataFrame, question: Accepted) -> pd.Series:
    said = responses[question.column]
    return said.isin(question.accept).astype("boolean").mask(said.eq(""))


def _attention(responses: pd.DataFrame, mapping: Mapping) -> pd.Series:
    """Whether all attention checks were passed; missing where there were none."""
    if not mapping.attention:
        return pd.Series(None, responses.index, dtype="boolean")
    passed = [responses[question.column].isin(question.accept) for question in mapping.attention]
    return pd.concat(passed, axis=1).all(axis=1).astype("boolean")
