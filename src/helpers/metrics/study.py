"""Measuring a study's clips: its tables in, a part of `metric_values` for each metric out.

A metric is asked only of clips that it can say something about: they have a file, their prompt is in the
table, and where a photograph is needed the prompt names a landmark that has one. Other clips have no row, and
the report counts them. A row without a value is of a clip that was asked about in vain.
"""

import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers import tables
from helpers.metrics.building import measurer_of
from helpers.metrics.cases import Case, cases_of
from helpers.metrics.measurer import Measurer
from helpers.metrics.named import NamedMetric
from helpers.metrics.registry import Need
from helpers.metrics.results import Results
from helpers.metrics.run import collected, measure, still_open
from helpers.paths import shown
from helpers.shards import block
from helpers.video.cache import Cache

TABLES = ("videos", "prompts", "landmarks")
# Where a study keeps what is computed from reference photographs alone.
REFERENCES = Path("cache") / "references"


@dataclass(frozen=True)
class Report:
    """What came of a metric.

    Attributes:
        results: of the clips of this run, or of its shard.
        path: the part of the table, with all shards' rows so far.
        rows: how many it has.
        left_out: clips of the study that the metric is not asked of, by reason.
    """

    results: Results
    path: Path
    rows: int
    left_out: Mapping[str, int]

    @property
    def exit_code(self) -> int:
        """0 where each clip of this run was measured, else 1; what cannot be read as a value was measured."""
        return int(self.results.table["status"].isin(["failed", "missing"]).any())

    def __str__(self) -> str:
        lines = []
        for metric, rows in self.results.table.groupby("metric", sort=False):
            values = rows["value"].dropna()
            mean = f", mean {values.mean():.4g}" if len(values) else ""
            lines.append(f"  {metric}: {len(values):,} of {len(rows):,} clips{mean}")
        lines += [f"    {clips:,} {status}: {reason}" for status, reason, clips in self.results.lacking()]
        lines += [f"  not asked of {count:,} {reason}" for reason, count in self.left_out.items()]
        return "\n".join([*lines, f"  {self.rows:,} rows in {shown(self.path)}"])


def measure_study(
    study: Path, metric: NamedMetric, *, shard: tuple[int, int] = (1, 1), quiet: bool | None = None
) -> Report:
    """Measure a study's clips, or go on where an earlier run stopped, in whatever shards.

    It writes the part of `metric_values` that bears the metric's name, from the journals of all shards in
    `logs/metrics/<its name>/`, ordered by clip. Whichever shard ends last writes all rows, and a run without
    shards writes them again. Clips are measured one by one, since in a batch the last digit of a value may
    depend on a clip's neighbours, and shards would not give what one run gives.

    Args:
        study: the study's folder, with the tables videos and prompts, and landmarks where it has them.
        metric: as the study file names it.
        shard: which share of the clips, from (1, n) to (n, n); clips of one photograph stay together where
            the shares allow it.
        quiet: as `run.measure`.

    Raises:
        ModelError: the model cannot be loaded; nothing that was measured is lost.
        DataError: a table that is absent or does not fit its schema, or a damaged journal.
        ValueError: settings of the metric that do not fit each other.
    """
    number, of = shard
    measurer, cases, left_out = _work(study, metric)
    cache = Cache(study / "cache" / "frames")
    logs = study / "logs" / "metrics"
    own = block(cases, number, of)
    results = measure([measurer], own, logs, name=f"{number}-of-{of}", cache=cache, batch=1, quiet=quiet)
    # Shards that end at the same time write one after the other, so that the last one has seen all.
    with _alone(logs / measurer.name / ".lock"):
        rows = collected([measurer], cases, logs).table.sort_values(["video_id", "metric"], ignore_index=True)
        path = tables.write(study, "metric_values", rows, part=metric.part)
    return Report(results, path, len(rows), left_out)


def plan_study(study: Path, metric: NamedMetric, *, shard: tuple[int, int] = (1, 1)) -> str:
    """What `measure_study` has left to do, in words; no model is loaded.

    Raises:
        DataError, ValueError: as `measure_study`.
    """
    measurer, cases, left_out = _work(study, metric)
    own = block(cases, *shard)
    left = still_open(measurer, own, study / "logs" / "metrics")
    lines = [f"  {len(left):,} of {len(own):,} clips left; each costs {measurer.metrics[0].cost}"]
    return "\n".join([*lines, *(f"  not asked of {n:,} {reason}" for reason, n in left_out.items())])


def _work(study: Path, metric: NamedMetric) -> tuple[Measurer, list[Case], Counter[str]]:
    """Who measures, and which clips, those of one photograph side by side."""
    measurer = measurer_of(metric, study / REFERENCES)
    found = {name: tables.read(study, name) for name in TABLES if name != "landmarks"}
    if tables.exists(study, "landmarks"):
        found["landmarks"] = tables.read(study, "landmarks")
    asked, left_out = asked_of(found, measurer.metrics[0].needs)
    landmarks = found["prompts"].set_index("prompt_id")["landmark_id"]
    ordered = asked.assign(landmark_id=asked["prompt_id"].map(landmarks)).sort_values(
        ["landmark_id", "video_id"]
    )
    return measurer, cases_of(found | {"videos": ordered}, study), left_out


def asked_of(found: Mapping[str, pd.DataFrame], needs: frozenset[Need]) -> tuple[pd.DataFrame, Counter[str]]:
    """The clips that a metric is asked of, and how many it is not asked of, by reason.

    Args:
        found: the tables videos and prompts, and landmarks where there are any.
        needs: the metric's.
    """
    videos = found["videos"].merge(
        found["prompts"][["prompt_id", "landmark_id"]], on="prompt_id", how="left", indicator=True
    )
    landmarks = found.get("landmarks", pd.DataFrame(columns=["landmark_id", "reference_image"]))
    pictured = landmarks.loc[landmarks["reference_image"].notna(), "landmark_id"]
    rules = {"clips without a file": videos["status"].ne("ok") | videos["path"].isna()}
    if needs:
        rules["clips of a prompt that the table prompts lacks"] = videos["_merge"].ne("both")
    if "reference" in needs:
        rules["clips whose prompt names no landmark"] = videos["landmark_id"].isna()
        lacking = (
            "a landmark without a photograph"
            if "landmarks" in found
            else "landmarks, of which there is no table"
        )
        rules[f"clips of {lacking}"] = ~videos["landmark_id"].isin(pictured)
    left_out: Counter[str] = Counter()
    asked = pd.Series(True, index=videos.index)
    for reason, holds in rules.items():
        if count := int((asked & holds).sum()):
            left_out[reason] = count
        asked &= ~holds
    return found["videos"][asked.to_numpy()], left_out


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process is in here with the same file, and go in."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
