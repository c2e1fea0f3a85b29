"""What came of a run of metrics: rows of `metric_values`, and what is known about each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from helpers import tables

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

    def summary(self) -> pd.DataFrame:
        """One row a metric and status: metric, status, clips, mean, and the most frequent reason or note."""
        said = self.about["reason"].where(self.about["reason"].ne(""), self.about["notes"].map("; ".join))
        grouped = self.about.assign(said=said).groupby(["metric", "status"], sort=False)
        return grouped.agg(
            clips=("video_id", "size"),
            mean=("value", "mean"),
            most_often=("said", _most_often),
        ).reset_index()


def results_of(rows: Sequence[Mapping[str, Any]]) -> Results:
    """Rows as `work.Work.rows_of` gives them, checked."""
    about = pd.DataFrame(rows, columns=_COLUMNS).astype({"value": float})
    values = tables.check("metric_values", about[["video_id", "metric", "value", "status"]], "metrics")
    return Results(values, about)


def _most_often(words: pd.Series) -> str:
    return next(iter(words[words.ne("")].mode()), "")
