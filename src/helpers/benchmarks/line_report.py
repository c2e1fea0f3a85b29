"""Everything wrong with the lines of one or more files, collected before anything is refused.

A person who mends a file of a thousand lines wants all its bad lines at once, each with its number.
"""

from pathlib import Path

import pandas as pd

from helpers.checking import DataError
from helpers.paths import shown

# A message that a person reads names this many lines; `BadLinesError.problems` holds them all.
MOST_SHOWN = 100
# More problems than this: it is another kind of file, and reading on would only collect noise.
MOST_KEPT = 10_000
COLUMNS = ("file", "line", "problem")


class BadLinesError(DataError):
    """Lines that cannot be used.

    Attributes:
        problems: one row for each problem (columns file, line, problem), in the order in which they were met.
    """

    def __init__(self, problems: pd.DataFrame):
        self.problems = problems
        count = len(problems)
        shown_rows = problems.head(MOST_SHOWN).itertuples()
        lines = [f"  - {row.file}, line {row.line}: {row.problem}" for row in shown_rows]
        if count > MOST_SHOWN:
            lines.append(f"  - and {count - MOST_SHOWN:,} more")
        super().__init__("\n".join([f"{count:,} problem{'s' * (count > 1)}", *lines]))


class LineReport:
    """A growing list of problems, each with its file and line."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, str], None] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, file: Path | str, line: int, problem: str) -> None:
        """Note a problem; one that is known already is not noted again.

        Args:
            file: the file.
            line: the line's number, from 1; a record that spans lines bears that of its last one.
            problem: what was found and what was expected.

        Raises:
            BadLinesError: these are more than 10,000 problems.
        """
        self._found[shown(file), int(line), problem] = None
        if len(self._found) > MOST_KEPT:
            self.refuse()

    def frame(self) -> pd.DataFrame:
        """The problems so far: columns file, line, problem; empty where there are none."""
        return pd.DataFrame(list(self._found), columns=list(COLUMNS))

    def refuse(self) -> None:
        """Do nothing where all was well.

        Raises:
            BadLinesError: there are problems; the message names each with its file and line.
        """
        if self._found:
            raise BadLinesError(self.frame())
