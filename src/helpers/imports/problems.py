"""What may be wrong with a file or a prompt: one row each, worst first."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

import pandas as pd

# error: the clip cannot be used, or may not be what it says; warning: it can, but is not what was expected;
# note: worth knowing.
SEVERITIES = ("error", "warning", "note")
KINDS = {
    "missing": "error",
    "unreadable": "error",
    "truncated": "error",
    "damaged": "error",
    "no pictures": "error",
    "same file": "error",
    "ambiguous": "error",
    "unknown prompt": "error",
    "too short": "warning",
    "too long": "warning",
    "wrong size": "warning",
    "wrong fps": "warning",
    "no sound": "warning",
    "unexpected sound": "warning",
    "near name": "warning",
    "wrong extension": "warning",
    "repeated file": "warning",
    "takes": "note",
    "variable rate": "note",
    "unknown model": "note",
    "unusual": "note",
}


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        kind: one of `KINDS`.
        file: the file, or None where there is none.
        prompt_id: the prompt, or None where it is not known.
        model: the model, or None where it is not known.
        found: what was found.
        expected: what was expected.
    """

    kind: str
    file: str | None = None
    prompt_id: str | None = None
    model: str | None = None
    found: str
    expected: str

    @property
    def severity(self) -> str:
        """How bad it is; one of `SEVERITIES`."""
        return KINDS[self.kind]


COLUMNS = [*(field.name for field in fields(Problem)), "severity"]


def as_table(problems: Iterable[Problem]) -> pd.DataFrame:
    """The problems as rows (columns `COLUMNS`), the worst first and otherwise in their given order."""
    rows = [asdict(problem) | {"severity": problem.severity} for problem in problems]
    frame = pd.DataFrame(rows, columns=COLUMNS).astype("object")
    return frame.sort_values(
        "severity", key=lambda column: column.map(SEVERITIES.index), kind="stable", ignore_index=True
    )
