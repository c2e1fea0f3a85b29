"""Rules about the entries of a study file that its schema alone cannot state, each for one of its keys.

Each takes a key's value and returns it, or raises a ValueError that says what was found and expected.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import fields
from fnmatch import filter as filter_names
from types import NoneType
from typing import Any, TypeVar

from helpers.checking import nearest
from helpers.imports.named import ClipFolder
from helpers.judging.named import NamedJudge, part_name
from helpers.metrics.named import NamedMetric, check_names
from helpers.parameters import checked
from helpers.paths import NOTEBOOKS
from helpers.people.named import NamedSurvey
from helpers.simulate.dials import PEOPLE_PART, Dials, SimulatedPeople

# Any model that has a name.
Named = TypeVar("Named")


def parameters(given: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Notebooks that are there, and parameters that these have."""
    known = _notebooks()
    for notebook, values in given.items():
        if notebook not in known:
            raise ValueError(f"there is no notebook '{notebook}'{nearest(notebook, known)}")
        for name, value in values.items():
            if not isinstance(value, bool | int | float | str | list | NoneType):
                raise ValueError(
                    f"{notebook}: parameter '{name}': found {value!r}, expected text, a number, true, false "
                    "or a list"
                )
        checked(NOTEBOOKS / f"{notebook}.ipynb", values)
    return given


def outputs(patterns: list[str]) -> list[str]:
    """Patterns each of which at least one notebook's name fits."""
    known = _notebooks()
    for pattern in patterns:
        if not filter_names(known, pattern):
            raise ValueError(
                f"there is no notebook '{pattern}'{nearest(pattern, known)} (expected names such as "
                "81_leaderboard, or patterns such as 8*)"
            )
    return patterns


def _notebooks() -> list[str]:
    return sorted(notebook.stem for notebook in NOTEBOOKS.glob("*.ipynb"))


def seeds(given: list[int]) -> list[int]:
    """Seeds that every model takes, each once."""
    if any(not 0 <= seed < 2**63 for seed in given) or len(set(given)) < len(given):
        raise ValueError(f"found {given}, expected different whole numbers from 0 to 2^63 - 1")
    return given


def folders(clips: list[ClipFolder]) -> list[ClipFolder]:
    """Each folder of clips once."""
    names = [clip.folder for clip in clips]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"found the folder '{twice[0]}' twice, expected each once")
    for clip in clips:
        _check_characters([clip.model or "", *clip.names.values()])
    return clips


def models(given: list[Named]) -> list[Named]:
    """Models whose names can be shown and written."""
    _check_characters(model.name for model in given)
    return given


def _check_characters(names: Iterable[str]) -> None:
    for name in names:
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            raise ValueError(
                f"found the name {name!r}, expected one without control characters and halves of characters"
            )


def judges(given: list[NamedJudge]) -> list[NamedJudge]:
    """Judges whose files have different names, and dials that there are."""
    _check_characters(judge.name for judge in given)
    seen: dict[str, str] = {}
    for judge in given:
        part = part_name(judge.name)
        if seen.get(part) == judge.name:
            raise ValueError(f"found the judge '{judge.name}' twice, expected each name once")
        if part in seen:
            raise ValueError(
                f"found the judges '{seen[part]}' and '{judge.name}', whose files would be called the same; "
                "expected names that differ in their letters and digits"
            )
        seen[part] = judge.name
        _check_dials(judge)
    return given


def _check_dials(judge: NamedJudge) -> None:
    known = [dial.name for dial in fields(Dials)]
    for name in judge.dials:
        if name not in known:
            raise ValueError(f"found the dial '{name}' of {judge.name}{nearest(name, known)}")
    try:
        Dials(**judge.dials)
    except ValueError as error:
        raise ValueError(f"{judge.name}: {error}") from None


def metrics(given: list[NamedMetric]) -> list[NamedMetric]:
    """Metrics whose values have different names."""
    check_names(given)
    return given


def surveys(given: list[NamedSurvey]) -> list[NamedSurvey]:
    """Each survey once or, where it comes as tables, once for each table."""
    names = [(survey.name, survey.table) for survey in given]
    whole = [survey.name for survey in given if survey.table is None]
    for name, table in names:
        if names.count((name, table)) > 1 or (table and name in whole):
            raise ValueError(
                f"found the survey '{name}' twice, expected each name once (or, where its format is table, "
                "once for each table)"
            )
    return given


def check_raters(
    judges: Sequence[NamedJudge], surveys: Sequence[NamedSurvey], people: SimulatedPeople | None
) -> None:
    """Refuse a judge whose parts of the study's tables would be those of a survey or of simulated people.

    Raises:
        ValueError: there is one; the message names both.
    """
    others = {survey.part: f"the survey '{survey.name}'" for survey in surveys}
    if people is not None:
        others[PEOPLE_PART] = "the key 'simulated_people'"
    for judge in judges:
        if other := others.get(part_name(judge.name)):
            raise ValueError(
                f"found the judge '{judge.name}' and {other}, whose files would be called the same; "
                "expected a judge's name that differs in its letters and digits"
            )
