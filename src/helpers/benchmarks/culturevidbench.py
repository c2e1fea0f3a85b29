"""CultureVidBench's prompts: the published list as a table, its counts, and the subset that people rate.

The list (Han et al. 2026, section 3) has one prompt a line, `id<TAB>element<TAB>prompt`. The id's six digits
are CCAAEE: country, aspect and a running number, the first two in the order of `helpers.geography` and
`helpers.published`.
"""

import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.benchmarks.line_report import LineReport
from helpers.benchmarks.word_lists import has_word
from helpers.checking import DataError
from helpers.geography import CULTUREVIDBENCH_COUNTRIES, countries
from helpers.paths import shown
from helpers.published import ASPECTS, AUDIO_ASPECTS
from helpers.schemas import check

COUNTRY_CODES = {f"{number:02}": name for number, name in enumerate(CULTUREVIDBENCH_COUNTRIES, start=1)}
ASPECT_CODES = {f"{number:02}": name for number, name in enumerate(ASPECTS, start=1)}
# Rituals have procedures, so that the paper kept two prompts with different steps for each (its section 3.2).
PROMPTS_PER_ELEMENT = {"material": 1, "social": 1, "ritual": 2}

_EXPECTED = "expected id, element and prompt, separated by tabs"
_ID = re.compile(r"[0-9]{6}")


def read_list(path: Path | str) -> pd.DataFrame:
    """Read a list of prompts in the published format.

    Blank lines and lines that begin with # are ignored; a byte order mark and Windows line ends are accepted.

    Args:
        path: a UTF-8 text file of lines `id<TAB>element<TAB>prompt`.

    Returns:
        The rows of a study's table `prompts`, in the order of the file; prompt_id is the published id and the
        variant `plain`. text_cue and audio_cue say whether the words ask for visible writing, and for music,
        song or chanting (word list "cues"). They are our reading: the list does not mark them. `described`
        adds category, region and audio scope.

    Raises:
        DataError: no such file, one that cannot be read, or no prompt in it.
        BadLinesError: lines with more or fewer than three columns, that are not UTF-8, with an id that is not
            six digits, is used twice or names no country or aspect, or without element or prompt. All of them
            are named in one message, and nothing is returned.
    """
    report, rows, lines = LineReport(), [], {}
    for number, line in _numbered_lines(Path(path), report):
        fields = [field.strip() for field in line.split("\t")]
        problem = _problem(fields, lines)
        if problem:
            report.add(path, number, problem)
            continue
        lines[fields[0]] = number
        rows.append(fields)
    report.refuse()
    if not rows:
        raise DataError(f"{shown(path)}: found no prompt, {_EXPECTED}")
    return as_prompts(pd.DataFrame(rows, columns=["prompt_id", "element", "text"]), path)


def as_prompts(listed: pd.DataFrame, source: Path | str) -> pd.DataFrame:
    """The table `prompts` from ids, elements and texts.

    Args:
        listed: columns prompt_id (six digits CCAAEE), element, text.
        source: the file (or other origin) that messages name.

    Raises:
        DataError: as `helpers.schemas.check`.
    """
    code = listed["prompt_id"].str
    return check(
        "prompts",
        listed.assign(
            benchmark="culturevidbench",
            country=code[:2].map(COUNTRY_CODES),
            aspect=code[2:4].map(ASPECT_CODES),
            variant="plain",
            text_cue=has_word(listed["text"], "cues", "text"),
            audio_cue=has_word(listed["text"], "cues", "audio"),
        ),
        source,
    )


def numbered(kept: pd.DataFrame) -> pd.DataFrame:
    """Newly written prompts as rows of a table `prompts`, with ids as in the published list.

    Args:
        kept: columns country, aspect, element, text; at most 99 rows for each country and aspect.

    Returns:
        Rows by country, aspect and the order of `kept`; prompt_id is CCAAEE.

    Raises:
        ValueError: a country that the benchmark has no code for, or more than 99 prompts in a cell.
    """
    codes = {name: code for table in (COUNTRY_CODES, ASPECT_CODES) for code, name in table.items()}
    unknown = set(kept["country"]) - set(codes)
    if unknown:
        raise ValueError(f"no code for {', '.join(sorted(unknown))}; expected the benchmark's countries")
    cell = kept["country"].map(codes) + kept["aspect"].map(codes)
    number = kept.groupby(cell).cumcount() + 1
    if number.gt(99).any():
        raise ValueError(f"found {number.max()} prompts in one cell; expected at most 99, two digits")
    listed = kept.assign(prompt_id=cell + number.astype(str).str.zfill(2)).sort_values("prompt_id")
    return as_prompts(listed[["prompt_id", "element", "text"]], "numbered prompts")


def described(prompts: pd.DataFrame) -> pd.DataFrame:
    """Prompts with what their country and aspect imply.

    Args:
        prompts: CultureVidBench rows of a table `prompts`.

    Returns:
        The same rows with `category` (material, social, ritual; the table itself keeps that column for
        CultureScore's categories), `region` (World Values Survey cultural region), `audio_scope` (whether the
        paper judges sound for this aspect, its section 4.1) and `words` (separated by white space).

    Raises:
        ValueError: a row of another benchmark or of a country outside `helpers.geography.countries`.
    """
    others = prompts.loc[prompts["benchmark"].ne("culturevidbench"), "benchmark"]
    if len(others):
        raise ValueError(f"prompts: found {len(others)} rows of {others.iloc[0]}, expected culturevidbench")
    region = prompts["country"].map(countries().set_index("country")["cultural_region"])
    if region.isna().any():
        raise ValueError(
            f"prompts: no cultural region is known for {prompts.loc[region.isna(), 'country'].iloc[0]}"
        )
    return prompts.assign(
        category=prompts["aspect"].map(ASPECTS),
        region=region,
        audio_scope=prompts["aspect"].isin(AUDIO_ASPECTS),
        words=prompts["text"].str.split().str.len().astype(int),
    )


def counts(prompts: pd.DataFrame) -> pd.DataFrame:
    """How many prompts each country has in each aspect.

    Args:
        prompts: rows of a table `prompts`.

    Returns:
        Countries x aspects, both in the order of the benchmark's codes; 0 where there is none. Countries that
        the benchmark does not have come last, in alphabetical order.
    """
    extra = sorted(set(prompts["country"]) - set(CULTUREVIDBENCH_COUNTRIES))
    table = pd.crosstab(prompts["country"], prompts["aspect"])
    return table.reindex(
        index=pd.Index([*CULTUREVIDBENCH_COUNTRIES, *extra], name="country"),
        columns=pd.Index(list(ASPECTS), name="aspect"),
        fill_value=0,
    )


def human_subset(prompts: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """One prompt for each aspect of each country, drawn at random: what people rate (section 4.3).

    Args:
        prompts: rows of a table `prompts`; the order does not matter.
        seed: the same seed draws the same prompts from the same list.

    Returns:
        The rows drawn, by prompt_id; 12 countries x 14 aspects = 168 of the published list. Which ones the
        paper drew is not published.

    Raises:
        ValueError: a country lacks an aspect; the first such cells are named.
    """
    table = counts(prompts).loc[lambda rows: rows.sum(axis=1).gt(0)]
    empty = [f"{table.index[row]}, {table.columns[column]}" for row, column in np.argwhere(table.eq(0))]
    if empty:
        raise ValueError(
            f"{len(empty)} of {table.size} cells hold no prompt ({'; '.join(empty[:5])}); "
            "expected one or more for each aspect of each country"
        )
    ordered = prompts.sort_values("prompt_id")
    drawn = ordered.groupby(["country", "aspect"]).sample(1, random_state=np.random.default_rng(seed))
    return drawn.sort_values("prompt_id").reset_index(drop=True)


def _numbered_lines(path: Path, report: LineReport) -> list[tuple[int, str]]:
    """The lines that hold something, with their numbers; those that are not UTF-8 go to the report."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"{shown(path)}: no such file; expected a list of prompts") from None
    except OSError as error:
        raise DataError(f"{shown(path)}: {error.strerror}; expected a list of prompts") from None
    found = []
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            report.add(path, number, f"byte {error.start + 1} of the line is not UTF-8")
            continue
        if line.strip() and not line.startswith("#"):
            found.append((number, line))
    return found


def _problem(fields: list[str], earlier: dict[str, int]) -> str | None:
    """What is wrong with a line's fields, or None; `earlier` holds the line of each id already read."""
    if len(fields) != 3:
        return f"found {len(fields)} column{'s' * (len(fields) != 1)} ({' | '.join(fields)}), {_EXPECTED}"
    prompt_id, element, text = fields
    if not _ID.fullmatch(prompt_id):
        return f"found the id '{prompt_id}', expected six digits (country, aspect, number)"
    country, aspect = prompt_id[:2], prompt_id[2:4]
    if country not in COUNTRY_CODES:
        return f"id {prompt_id}: found the country code {country}, expected 01 to {max(COUNTRY_CODES)}"
    if aspect not in ASPECT_CODES:
        return f"id {prompt_id}: found the aspect code {aspect}, expected 01 to {max(ASPECT_CODES)}"
    for what, found in (("element", element), ("prompt", text)):
        if not _is_visible(found):
            return f"id {prompt_id}: found no {what}, expected some text"
    if prompt_id in earlier:
        return f"id {prompt_id}: found again, expected each id once (line {earlier[prompt_id]} has it)"
    return None


def _is_visible(text: str) -> bool:
    """Whether anything is to be seen of a text: zero-width spaces and the like are not."""
    return any(unicodedata.category(character)[0] not in "ZC" for character in text)
