"""The page that explains a study's tables, column by column: `python -m helpers.schema_page` writes it."""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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
_TYPES = {"float64": "number", "Int64": "whole number", "boolean": "true or false"}
_OPENING = f"""\
# A study's tables

% This page is made by `python -m helpers.schema_page` from `helpers.schemas` and `{shown(WORDS)}`.

What a study's tables hold, column by column. `helpers.schemas` declares it; every read and write checks it.

- **Where.** `studies/<name>/tables/<table>.parquet`, or several files in `studies/<name>/tables/<table>/`.
- **Key.** No two rows of a table have the same values in all columns of its key.
- **May be empty.** Such a column may also be left out of what is written; it is then empty in all rows.
- **Filled by.** People's rows in `raters`, `answers` and `ratings` come in as those in `rankings` do.
- **Status.** `ok`: as it should be. `unscored`: given, but not understood. `failed`: tried in vain, or a clip
  that cannot be read. `blocked`: refused, for example by a content filter. `missing`: never given.
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
    places = (rows["table"] + "." + rows["column"].fillna("")).str.rstrip(".")
    found = dict(zip(places, rows["meaning"], strict=True))
    wanted = [f"{name}.{each}".rstrip(".") for name, table in TABLES.items() for each in ("", *table.columns)]
    problems = [f"no words for {place}" for place in wanted if place not in found]
    problems += [f"words for {place}, which helpers.schemas lacks" for place in found if place not in wanted]
    if problems:
        raise DataError(f"{shown(words)}: {'; '.join(problems)}")
    return found


def _section(name: str, table: Table, meanings: dict[str, str]) -> str:
    rows = [("Column", "Type", "Allowed", "May be empty", "Meaning"), ("---",) * 5]
    for column, kind in table.columns.items():
        said = _TYPES.get(str(kind.dtype), "text"), _allowed(kind.checks[0]), "yes" if kind.nullable else "no"
        rows.append((f"`{column}`", *said, meanings[f"{name}.{column}"]))
    lines = [f"## `{name}`", "", meanings[name], "", f"- **Key:** {_listed(table.key)}"]
    lines += [f"- **Filled by:** {FILLED_BY[name]}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(lines)


def _allowed(check: pa.Check) -> str:
    """A column's values: a list, a range, or what the check's messages say."""
    said = check.statistics
    if check.name == "in_range":
        return f"{said['min_value']:,} to {said['max_value']:,}"
    return _listed(said["allowed_values"]) if check.name == "isin" else check.error


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0, or 2 after words that do not fit."""
    argparse.ArgumentParser(prog="python -m helpers.schema_page", description=__doc__).parse_args(arguments)
    return status_of(_write)


def _write() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{len(TABLES)} tables in {shown(PAGE)}")
    return 0


if __name__ == "__main__":
    leave(main)
