"""CSV files that people open in spreadsheet programs, which run a cell that begins like a formula.

An apostrophe before such a cell keeps it text (OWASP, "CSV Injection"). Cells that begin with apostrophes and
then like a formula get one more, so that reading back gives exactly what was written.
"""

import pandas as pd

_FORMULA = r"^('*[=+\-@\t\r])"
_KEPT_AS_TEXT = r"^'('*[=+\-@\t\r])"


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before every text that a spreadsheet program would take for a formula."""
    return frame.replace(_FORMULA, r"'\1", regex=True)


def as_written(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it was before `as_text`."""
    return frame.replace(_KEPT_AS_TEXT, r"\1", regex=True)
