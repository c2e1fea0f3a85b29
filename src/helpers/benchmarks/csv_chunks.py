"""Large CSV files, a chunk of rows at a time, with every bad row named by its line.

pandas' fast reader stops at the first row with too many fields and fills up those with too few; Python's own
knows the line of every row, so that none is left unaccounted for, and reads several million in half a minute.
"""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.benchmarks.line_report import LineReport
from helpers.checking import DataError, nearest
from helpers.paths import shown

CHUNK = 100_000

_UNDECODABLE = re.compile(r"[\udc80-\udcff]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")

# What each value of a column must pass: the column, which rows pass, and what was expected.
Check = tuple[str, pd.Series, str]


def read_chunks(
    path: Path | str, columns: Sequence[str], report: LineReport, size: int = CHUNK
) -> Iterator[pd.DataFrame]:
    """The wanted columns of a CSV file, chunk by chunk.

    Args:
        path: a UTF-8 file with a header; other columns than the wanted ones are skipped.
        columns: the wanted columns.
        report: where rows with too few or too many fields and rows that are not UTF-8 are noted, which are
            left out, and a missing last line break (a file cut off).
        size: rows a chunk.

    Yields:
        Frames of strings, "" where a field is empty; the index holds each row's line number (of its last line
        where a quoted field spans several).

    Raises:
        DataError: no such file, or a wanted column is missing.
        BadLinesError: a quote that is never closed, or far too many problems.
    """
    for rows, places in _rows(Path(path), columns, report, size):
        yield _frame(rows, columns, places)


def read_whole(path: Path | str, columns: Sequence[str], report: LineReport) -> pd.DataFrame:
    """All rows of a smaller file at once; as `read_chunks` otherwise."""
    return joined(read_chunks(path, columns, report), columns)


def joined(chunks: Iterator[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """Chunks as one frame; an empty one with these columns where there is no chunk."""
    frames = list(chunks)
    return pd.concat(frames) if frames else pd.DataFrame(columns=list(columns), dtype="str")


def only(path: Path | str, rows: pd.DataFrame, checks: Sequence[Check], report: LineReport) -> pd.DataFrame:
    """The rows that pass every check; what the others hold goes to the report.

    Args:
        path: the rows' file.
        rows: rows with their line numbers as index.
        checks: for each column what its values must be.
        report: where the others are noted.
    """
    good = np.ones(len(rows), bool)
    for column, passes, expected in checks:
        for line, value in rows.loc[~passes, column].items():
            report.add(
                path, line, f"{column}: found {repr(value) if value else 'nothing'}, expected {expected}"
            )
        good &= passes.to_numpy(bool)
    return rows[good]


def once(path: Path | str, rows: pd.DataFrame, key: str, report: LineReport) -> pd.DataFrame:
    """The first row of each key; later ones go to the report."""
    again = rows[key].duplicated()
    for line, value in rows.loc[again, key].items():
        report.add(path, line, f"{key}: found {value} again, expected each once")
    return rows[~again]


def having(
    path: Path | str, columns: Sequence[str], key: str, wanted: Collection[str], report: LineReport
) -> pd.DataFrame:
    """The rows of a large file whose key is one of a few; otherwise as `read_chunks`."""
    found, at = {}, columns.index(key)
    for rows, places in _rows(Path(path), columns, report, CHUNK):
        found |= {line: row for line, row in rows.items() if row[places[at]] in wanted}
    return _frame(found, columns, places) if found else joined(iter(()), columns)


def _rows(
    path: Path, columns: Sequence[str], report: LineReport, size: int
) -> Iterator[tuple[dict[int, list[str]], list[int]]]:
    """Chunks of good rows by line number, and where the wanted columns stand in them."""
    try:
        file = path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"{shown(path)}: no such file; expected a CSV file") from None
    with file:
        reader = csv.reader(file, strict=True)
        try:
            places, width = _header(path, next(reader, []), columns)
            while rows := _take(reader, size):
                yield _fitting(path, rows, width, report), places
        except csv.Error as error:
            report.add(path, reader.line_num, f"cannot be read further ({error}); is a quote left open?")
            report.refuse()
        if not _ends_with_line_break(path):
            report.add(path, reader.line_num, "ends without a line break; was the file cut off?")


def _header(path: Path, header: list[str], columns: Sequence[str]) -> tuple[list[int], int]:
    """Where the wanted columns stand, and how many there are in all."""
    missing = [name for name in columns if name not in header]
    if missing:
        raise DataError(
            f"{shown(path)}: column '{missing[0]}' is missing{nearest(missing[0], header)}; "
            f"expected the columns {', '.join(columns)}"
        )
    return [header.index(name) for name in columns], len(header)


def _take(reader: Any, size: int) -> dict[int, list[str]]:
    """The next rows by line number."""
    before = reader.line_num
    rows = list(islice(reader, size))
    if reader.line_num - before == len(rows):
        return dict(enumerate(rows, start=before + 1))
    spans = [1 + sum(len(_LINE_BREAK.findall(field)) for field in row) for row in rows]
    return dict(zip((before + np.cumsum(spans)).tolist(), rows, strict=True))


def _fitting(path: Path, rows: dict[int, list[str]], width: int, report: LineReport) -> dict[int, list[str]]:
    """The rows that have a field for each column and are UTF-8; the others go to the report."""
    problems = {
        line: f"found {len(row)} fields, expected {width} as in the header"
        for line, row in rows.items()
        if len(row) != width
    }
    # One test for the whole chunk: hardly any chunk has such a row.
    try:
        "".join(map("".join, rows.values())).encode()
    except UnicodeEncodeError:
        problems |= {line: "not UTF-8" for line, row in rows.items() if _UNDECODABLE.search("".join(row))}
    for line, problem in problems.items():
        report.add(path, line, problem)
    return {line: row for line, row in rows.items() if line not in problems} if problems else rows


def _frame(rows: dict[int, list[str]], columns: Sequence[str], places: Sequence[int]) -> pd.DataFrame:
    fields = list(zip(*rows.values(), strict=True)) or [()] * (max(places) + 1)
    return pd.DataFrame(
        {name: pd.array(fields[place], dtype="str") for name, place in zip(columns, places, strict=True)},
        index=pd.Index(list(rows), name="line", dtype=int),
    )


def _ends_with_line_break(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"
