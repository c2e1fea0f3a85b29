"""Tables with one declared schema each, checked at every read and write.

Every failure is one `DataError` whose message names the file, the row, the column, the value and what was
expected, so that a reader can go straight to the line and mend it.
"""

import csv
import difflib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from helpers.paths import shown

MOST_SHOWN = 10
LONGEST_SHOWN = 80


class DataError(ValueError):
    """A file or table that does not fit its declared schema."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that ends a message: the known word closest to a misspelt one, or the empty string.

    Case does not matter; the hint has the known spelling.
    """
    spellings = {one.casefold(): one for one in known}
    close = difflib.get_close_matches(word.casefold(), list(spellings), n=1)
    return f"; did you mean '{spellings[close[0]]}'?" if close else ""


def brief(value: Any) -> Any:
    """A value as messages show it: a text of more than 80 characters ends there, with "…"."""
    return f"{value[:LONGEST_SHOWN]}…" if isinstance(value, str) and len(value) > LONGEST_SHOWN else value


def text(*, nullable: bool = False, unique: bool = False) -> pa.Column:
    """A column of non-empty strings."""
    filled = pa.Check.str_length(min_value=1, error="some text")
    return pa.Column(str, filled, nullable=nullable, unique=unique)


def one_of(values: Sequence[Any], *, nullable: bool = False) -> pa.Column:
    """A column whose every value is one of a declared list."""
    expected = "one of " + ", ".join(str(value) for value in values)
    return pa.Column(type(values[0]), pa.Check.isin(list(values), error=expected), nullable=nullable)


def number(low: float, high: float, *, nullable: bool = False) -> pa.Column:
    """A column of floats in the closed range [low, high]."""
    expected = f"a number from {low:g} to {high:g}"
    return pa.Column(float, pa.Check.in_range(low, high, error=expected), nullable=nullable)


def whole(low: int, high: int, *, nullable: bool = False) -> pa.Column:
    """A column of whole numbers in the closed range [low, high]; missing ones stay missing (`Int64`)."""
    expected = f"a whole number from {low} to {high}"
    return pa.Column("Int64", pa.Check.in_range(low, high, error=expected), nullable=nullable)


@dataclass(frozen=True)
class Table:
    """The one declaration of a table.

    Attributes:
        columns: the pandera column of every name, in the order in which they are written.
        key: the columns that together name a row; no two rows share them.
        rows: the exact number of rows where it is known, so that a cut file is noticed.
    """

    columns: dict[str, pa.Column]
    key: tuple[str, ...]
    rows: int | None = None

    def check(self, frame: pd.DataFrame, source: Path | str) -> pd.DataFrame:
        """Return the frame with the declared types and column order.

        Args:
            frame: rows to check; its index is ignored.
            source: the file (or other origin) that messages name.

        Raises:
            DataError: missing, misspelt or unexpected columns, values of the wrong type or out of range,
                missing values, repeated keys, a wrong number of rows; all problems in one message.
        """
        name = shown(source)
        self._check_names(frame.columns, name)
        frame = self._fractions_as_text(frame[list(self.columns)].reset_index(drop=True))
        try:
            frame = pa.DataFrameSchema(self.columns, coerce=True).validate(frame, lazy=True)
        except SchemaErrors as error:
            raise DataError(_report(name, self._value_problems(error.failure_cases))) from None
        if self.rows is not None and len(frame) != self.rows:
            problems = [*self._repeated(frame), f"{len(frame)} rows; expected {self.rows}"]
            raise DataError(_report(name, problems))
        return self.check_keys(frame, source)

    def check_keys(self, frame: pd.DataFrame, source: Path | str) -> pd.DataFrame:
        """Return the frame, whose rows are known to fit, if no key stands there twice.

        Raises:
            DataError: repeated keys; the message names the rows.
        """
        if problems := self._repeated(frame):
            raise DataError(_report(shown(source), problems))
        return frame

    def read_csv(self, path: Path | str) -> pd.DataFrame:
        """Read and check a UTF-8 CSV file; an empty cell is a missing value.

        Raises:
            DataError: as `check`, and also for a file that is absent, empty, not UTF-8, or cut off.
        """
        header, *rows = csv_rows(Path(path))
        frame = pd.DataFrame(rows, columns=header, dtype=str).replace("", None)
        return self.check(frame, path)

    def _repeated(self, frame: pd.DataFrame) -> list[str]:
        """One line for each row whose key stands in an earlier one."""
        repeated = frame[frame.duplicated(list(self.key), keep="first")]
        return [
            f"row {row + 2}: the key {dict(zip(self.key, map(brief, values), strict=True))} is used by an "
            "earlier row; expected each key once"
            for row, *values in repeated[list(self.key)].itertuples()
        ]

    def _check_names(self, found: Iterable[str], name: str) -> None:
        found = [str(column) for column in found]
        unexpected = [column for column in found if column not in self.columns]
        problems = [
            f"column '{column}' is missing{nearest(column, unexpected)}"
            for column in self.columns
            if column not in found
        ]
        problems += [
            f"column '{column}' is not expected{nearest(column, self.columns)}" for column in unexpected
        ]
        problems += [
            f"column '{column}' stands there twice"
            for column in sorted(set(found))
            if found.count(column) > 1
        ]
        if problems:
            problems.append("expected the columns " + ", ".join(self.columns))
            raise DataError(_report(name, problems))

    def _fractions_as_text(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Fractions in columns of whole numbers as text: only then does pandera name the rows with them."""
        fractions = [
            column
            for column, declared in self.columns.items()
            if str(declared.dtype) == "Int64" and pd.api.types.is_float_dtype(frame[column])
            if frame[column].mod(1).gt(0).any()
        ]
        return frame.astype(dict.fromkeys(fractions, str))

    def _value_problems(self, cases: pd.DataFrame) -> list[str]:
        """One line for each value that a pandera report names; unconvertible values only once."""
        converting = cases["check"].str.startswith(("coerce_dtype", "dtype"))
        unconverted = set(cases.loc[converting, "column"])
        problems = []
        for case, conversion in zip(cases.itertuples(), converting, strict=True):
            value = brief(case.failure_case)
            hint = self._hint(case.column, str(value))
            if case.check == "not_nullable":
                found, expected, hint = "nothing", "a value", ""
            elif conversion:
                found, expected = repr(value), self.columns[case.column].checks[0].error
            elif case.check == "field_uniqueness":
                found, expected = repr(value), "each value once"
            elif case.column in unconverted:
                continue
            else:
                found, expected = f"{value!s}", case.check
            row = "some row" if pd.isna(case.index) else f"row {case.index + 2:.0f}"
            problems.append(f"{row}, column '{case.column}': found {found}, expected {expected}{hint}")
        return list(dict.fromkeys(problems))

    def _hint(self, column: str, found: str) -> str:
        """What may be meant: as a column's own `nearest` says, or of the values that it lists as allowed."""
        declared = self.columns[column]
        if declared.metadata:
            return declared.metadata["nearest"](found)
        allowed = declared.checks[0].statistics.get("allowed_values", [])
        return nearest(found, [str(value) for value in allowed])


def csv_rows(path: Path, what: str = "a UTF-8 CSV file", *, private: bool = False) -> list[list[str]]:
    """The rows of a CSV file that is whole: it ends where a line ends, every row as long as the header.

    Args:
        path: the file, UTF-8, with or without a byte order mark.
        what: what is expected there, for messages.
        private: keep what rows hold out of the messages, as for exports about people.

    Raises:
        DataError: the file is absent, empty, no text, not UTF-8, cut off, or has rows of another length.
    """
    name = shown(path)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{name}: {reason}; expected {what}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: byte {error.start} is not UTF-8; expected {what}") from None
    if not content.strip():
        raise DataError(f"{name}: the file is empty; expected {what} with a header and rows")
    if "\0" in content:
        row = content[: content.index("\0")].count("\n") + 1
        raise DataError(f"{name}: row {row} holds a NUL character; expected {what}")
    rows = []
    try:
        rows.extend(csv.reader(io.StringIO(content, newline=""), strict=True))
    except csv.Error as error:
        raise DataError(
            f"{name}: row {len(rows) + 1} cannot be read, {error}; "
            "expected each quote to be closed (was it cut off?)"
        ) from None
    if not content.endswith("\n"):
        found = "" if private else f", found {[brief(field) for field in rows[-1]]}"
        raise DataError(
            f"{name}: row {len(rows)} ends without a line break{found}; "
            "expected a complete file (was it cut off?)"
        )
    problems = [
        f"row {line}: found {len(row)} fields{'' if private else f' ({chr(44).join(map(brief, row))})'}, "
        f"expected {len(rows[0])} as in the header"
        for line, row in enumerate(rows, start=1)
        if len(row) != len(rows[0])
    ]
    if problems:
        raise DataError(_report(name, problems))
    return rows


def _report(name: str, problems: Sequence[str]) -> str:
    """One message from one or more problems of the same file."""
    if len(problems) == 1:
        return f"{name}: {problems[0]}"
    shown_problems = [f"  - {problem}" for problem in problems[:MOST_SHOWN]]
    if len(problems) > MOST_SHOWN:
        shown_problems.append(f"  - and {len(problems) - MOST_SHOWN} more")
    return "\n".join([f"{name}: {len(problems)} problems", *shown_problems])
