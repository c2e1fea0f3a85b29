"""Qualtrics' CSV export: three header rows, then one row a response.

The rows hold the columns' names, the questions' texts and, as JSON, the ids by which Qualtrics imports them
(Qualtrics support, "Understanding Your Dataset"). Cells may hold commas and line breaks.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from helpers.checking import MOST_SHOWN, DataError, csv_rows, nearest
from helpers.paths import shown

HEADER_ROWS = 3
# What `Status` says of a respondent, as text or recoded; previews, tests and spam say other things.
REAL_STATUSES = ("IP Address", "0", "Offline", "16")
FINISHED = ("true", "1")
# Qualtrics' optional code for "saw the question and left it empty".
SEEN_BUT_EMPTY = "-99"


def read_qualtrics(path: Path | str, columns: Iterable[str]) -> pd.DataFrame:
    """Read the named columns of a Qualtrics export and no others.

    Args:
        path: a CSV file exported with the default header rows, as numbers or as choice text.
        columns: the columns to read; `Status` and `Finished` are read as well.

    Returns:
        One row a response, all cells as text without surrounding blanks, unanswered ones empty; the index
        `row` counts the file's rows from 1, headers included, as a spreadsheet shows them.

    Raises:
        DataError: no such file, not UTF-8, other header rows, a row with too few or too many cells (a file
            that was cut off), a column that the file lacks or holds twice.
    """
    name, rows = shown(path), csv_rows(Path(path), "a Qualtrics CSV export", private=True)
    if len(rows) < HEADER_ROWS or not all(_is_import_id(cell) for cell in rows[HEADER_ROWS - 1]):
        raise DataError(
            f"{name}: the third row does not hold Qualtrics' import ids; expected a CSV export with three "
            "header rows (names, question texts, ImportId)"
        )
    header = rows[0]
    wanted = list(dict.fromkeys(["Status", "Finished", *columns]))
    problems = [
        f"column '{column}' is missing{nearest(column, header)}" for column in wanted if column not in header
    ]
    problems += [f"column '{column}' is there twice" for column in wanted if header.count(column) > 1]
    if problems:
        more = f"; and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
        raise DataError(f"{name}: {'; '.join(problems[:MOST_SHOWN])}{more}")
    places = [header.index(column) for column in wanted]
    cells = [[row[place].strip() for place in places] for row in rows[HEADER_ROWS:]]
    index = pd.RangeIndex(HEADER_ROWS + 1, HEADER_ROWS + 1 + len(cells), name="row")
    return pd.DataFrame(cells, columns=wanted, index=index, dtype=str).replace(SEEN_BUT_EMPTY, "")


def is_real(responses: pd.DataFrame) -> pd.Series:
    """Which responses came from respondents and not from a preview, a test, an import or a spam filter."""
    return responses["Status"].isin(REAL_STATUSES)


def is_finished(responses: pd.DataFrame) -> pd.Series:
    """Which responses reached the survey's end."""
    return responses["Finished"].str.lower().isin(FINISHED)


def _is_import_id(cell: str) -> bool:
    try:
        return "ImportId" in json.loads(cell)
    except (json.JSONDecodeError, TypeError):
        return False
