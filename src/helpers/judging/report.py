"""What came of a run of judging, counted by status and kind of problem."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from helpers.chat.results import Result
from helpers.schemas import STATUSES

KINDS = {
    "unscored": "not to be read",
    "blocked": "refused",
    "failed": "no answer",
    "missing": "not asked yet",
}
READINGS = {"strict": "", "tolerant": "with something around it", "repaired": "after a repair"}


@dataclass(frozen=True)
class Report:
    """How many questions ended how.

    Attributes:
        counts: columns protocol, status, kind and n; `n` counts requests: questions about a clip, or clips
            graded under all criteria at once.
        not_asked: clips and questions that no request is made of, by kind.
        models: the rows of each model that answered, by the server's account.
        kept: rows of an earlier run that stay, since now there is no value.
    """

    counts: pd.DataFrame
    not_asked: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0

    def count(self, **wanted: str) -> int:
        """The requests of a protocol, status or kind."""
        rows = self.counts
        for column, value in wanted.items():
            rows = rows[rows[column].eq(value)]
        return int(rows["n"].sum())

    def __str__(self) -> str:
        lines = []
        for protocol, rows in self.counts.groupby("protocol", sort=False):
            total, scored = rows["n"].sum(), rows.loc[rows["status"].eq("ok"), "n"].sum()
            lines.append(f"{protocol}: {scored:,} of {total:,} scored")
            lines += [
                f"  {row.n:>7,} {row.status}{f', {row.kind}' if row.kind else ''}"
                for row in rows.itertuples()
            ]
        lines += [f"not asked: {count:,} {kind}" for kind, count in self.not_asked.items()]
        if self.kept:
            lines.append(f"kept: {self.kept:,} rows of an earlier run, since nothing can be asked now")
        if len(self.models) > 1:
            named = ", ".join(f"{model} ({count:,} rows)" for model, count in self.models.items())
            lines.append(f"CAUTION: more than one model answered under this judge's name: {named}")
        return "\n".join(lines) or "nothing to judge"


def kind_of(result: Result) -> str:
    """What a result is counted under beside its status."""
    return READINGS[result.reading] if result.status == "ok" else KINDS[result.status]


def report(outcomes: Iterable[tuple[str, str, str]], not_asked: Mapping[str, int] | None = None) -> Report:
    """Count what came of requests.

    Args:
        outcomes: for each its protocol, status and kind.
        not_asked: as in `Report`.
    """
    found = Counter(outcomes)
    rows = sorted(((*what, n) for what, n in found.items()), key=_place)
    counts = pd.DataFrame(rows, columns=["protocol", "status", "kind", "n"])
    return Report(counts, not_asked or {})


def _place(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[0], STATUSES.index(row[1]), row[2]
