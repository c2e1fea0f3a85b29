"""The page that explains a study's tables, column by column: `python -m helpers.schema_page` writes it."""

from pathlib import Path

import pandera.pandas as pa

from helpers.checking import DataError, Table, text
from helpers.commands import leave, status_of
from helpers.paths import DATA, ROOT, shown
from helpers.results.page import FILLED_BY
from helpers.schemas import TABLES

PAGE = ROOT / "book" / "tables.md"
# What the page says in words; a row without a column is about the table.
WORDS = DATA / "schema" / "columns.csv"
_ON_ONE_LINE = pa.Check.str_matches(r"[^|\n]+\Z", error="words on one line without '|'")
_SCHEMA = Table(
    columns={"table": text(), "column": text(nullable=True), "meaning": pa.Column(str, _ON_ONE_LINE)},
    key=("table", "column"),
)
_TYPES = {"str": "text", "float64": "number", "Int64": "whole number", "boolean": "true or false"}
_OPENING = f"""\
# A study's tables

% This page is made by `python -m helpers.schema_page` from `helpers.schemas` and `{shown(WORDS)}`.

What you can find in a study's tables, and what rows have to be like that you add. The tables are declared in
`helpers.schemas` and checked at every read and write: an error names the file, the row, what was found and
what was expected.

- **Where.** `studies/<name>/tables/<table>.parquet`, or parts of the table in `studies/<name>/tables/<table>/`,
  which are read as one. `helpers.tables.read` reads a table.
- **Key.** No two rows of a table have the same values in all columns of its key.
- **May be empty.** Such a column may also be left out of what is written; it is then empty in all rows.
- **Filled by.** People's rows in `raters`, `answers` and `ratings` are filled as `rankings` is.
- **Status.** `ok`: as it should be. `unscored`: given, but it could not be understood. `failed`: it was tried
  in vain. `blocked`: refused, for example by a content filter. `missing`: never given.
"""


def page(words: Path = WORDS) -> str:
    """The page, in MyST.

    Args:
        words: the CSV file with the meaning of every table and column.

    Raises:
        DataError: a table or column without words, or words about one that there is not; all in one message.
    """
    meanings = _meanings(words)
    return "\n".join([_OPENING, *(_section(name, table, meanings) for name, table in TABLES.items())])


def _meanings(words: Path) -> dict[str, str]:
    """What is said about each table ("videos") and column ("videos.seed")."""
    rows = _SCHEMA.read_csv(words)
    places = rows["table"].str.cat("." + rows["column"]).fillna(rows["table"])
    found = dict(zip(places, rows["meaning"], strict=True))
    wanted = [
        place for name, table in TABLES.items() for place in (name, *(f"{name}.{each}" for each in table.columns))
    ]
    problems = [f"no words for {place}" for place in wanted if place not in found]
    problems += [f"words for {place}, which helpers.schemas lacks" for place in found if place not in wanted]
    if problems:
        raise DataError(f"{shown(words)}: {'; '.join(problems)}")
    return found


def _section(name: str, table: Table, meanings: dict[str, str]) -> str:
    rows = [("Column", "Type", "Allowed", "May be empty", "Meaning"), ("---",) * 5]
    for column, kind in table.columns.items():
        empty = "yes" if kind.nullable else "no"
        type_ = _TYPES[str(kind.dtype)]
        rows.append((f"`{column}`", type_, _allowed(kind.checks[0]), empty, meanings[f"{name}.{column}"]))
    lines = [f"## `{name}`", "", meanings[name], ""]
    lines += [f"- **Key:** {_listed(table.key)}", f"- **Filled by:** {FILLED_BY[name]}", ""]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _allowed(check: pa.Check) -> str:
    """A column's values: those listed, from lowest to highest, or in the words of the check's own messages."""
    said = check.statistics
    if check.name == "isin":
        return _listed(said["allowed_values"])
    if check.name == "in_range":
        return f"{said['min_value']:,} to {said['max_value']:,}"
    return check.error


def _listed(values: list | tuple) -> str:
    return ", ".join(f"`{value}`" for value in values)


def main() -> int:
    """Write the page; returns 0, or 2 after words that do not fit."""
    return status_of(lambda: bool(PAGE.write_text(page(), encoding="utf-8")) - 1)


if __name__ == "__main__":
    leave(main)
