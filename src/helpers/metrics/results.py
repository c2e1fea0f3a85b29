"""What came of a run of metrics: rows of `metric_values`, and what is known about each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from helpers import schemas

_COLUMNS = ["video_id", "metric", "value", "status", "reason", "notes", "details", "settings", "loaded", "at"]


@dataclass(frozen=True)
class Results:
    """What came of a run.

    Attributes:
        table: rows of the table `metric_values`, in the order of the cases: one a clip and metric, but for
            metrics that have no meaning for a clip.
        about: the same rows with reason, notes, details, settings, loaded and at: why there is no value, what
            is odd about one, and how it was measured.
    """

    table: pd.DataFrame
    about: pd.DataFrame

    def lacking(self, most: int = 5) -> list[tuple[str, str, int]]:
        """Why clips have no value: status, reason (or note) and clips, the most frequent reasons first.

        A clip counts once under a reason, however many metrics lack their value for it.

        Args:
            most: reasons that are told apart; the last entry sums up the others.
        """
        rows = self._said()[self.about["status"].ne("ok")]
        found = (
            rows.groupby(["status", "said"])["video_id"].nunique().sort_values(ascending=False, kind="stable")
        )
        told = [(status, said, int(clips)) for (status, said), clips in found.head(most).items()]
        if len(rest := found.iloc[most:]):
            statuses = " or ".join(dict.fromkeys(rest.index.get_level_values("status")))
            told.append((statuses, f"{len(rest)} other reasons", int(rest.sum())))
        return told

    def summary(self) -> pd.DataFrame:
        """One row a metric and status: metric, status, clips, mean, and the most frequent reason or note."""
        grouped = self._said().groupby(["metric", "status"], sort=False)
        return grouped.agg(
            clips=("video_id", "size"),
            mean=("value", "mean"),
            most_often=("said", _most_often),
        ).reset_index()

    def _said(self) -> pd.DataFrame:
        """The rows with `said`: the reason, or else the notes."""
        reason = self.about["reason"]
        return self.about.assign(said=reason.where(reason.ne(""), self.about["notes"].map("; ".join)))


def results_of(rows: Sequence[Mapping[str, Any]]) -> Results:
    """Rows as `work.Work.rows_of` gives them, checked."""
    about = pd.DataFrame(rows, columns=_COLUMNS).astype({"value": float})
    values = schemas.check("metric_values", about[["video_id", "metric", "value", "status"]], "metrics")
    return Results(values, about)


def _most_often(words: pd.Series) -> str:
    return next(iter(words[words.ne("")].mode()), "")
