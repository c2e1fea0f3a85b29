"""The run of metrics: each clip decoded once for all, resumable, with a row for every clip and metric.

Whatever keeps a clip from its value is a status of its row, with the reason: a clip that was never made,
that vanished, changed or does not decode; a photograph that is absent or damaged; a measurement that failed.
Only a model that cannot be loaded ends the run.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from helpers import tables
from helpers.checking import DataError
from helpers.metrics.cases import Case, Problem, file_hash
from helpers.metrics.journal import Journal, Row, writing
from helpers.metrics.measurer import Clip, Measurer, ModelError, Outcome
from helpers.paths import shown
from helpers.video.cache import Cache
from helpers.video.frames import Frames, sample_all
from helpers.video.sampling import Rule

# Clips in memory at once, decoded while the ones before are measured: 16 frames at 1360x768 take 50 MB.
BATCH, READERS = 4, 2
MEASURING_ERRORS = (ValueError, OSError, ArithmeticError, RuntimeError, MemoryError)


@dataclass(frozen=True)
class Results:
    """What came of a run.

    Attributes:
        table: rows of the table `metric_values`, one a clip and metric, in the order of the cases.
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


def measure(
    measurers: Sequence[Measurer],
    cases: Sequence[Case],
    logs: Path,
    *,
    cache: Cache | None = None,
    batch: int = BATCH,
    quiet: bool | None = None,
) -> Results:
    """Measure clips, or go on where an earlier run stopped.

    Every measurer's model stays loaded until the end. Where they do not fit into memory together, call this
    once for each with the same cache: the clips are still decoded once.

    Args:
        measurers: of different names, yielding metrics of different names.
        cases: the clips, each once, as `cases.cases_of` gives them.
        logs: the folder of the journals, `<measurer's name>.jsonl`.
        cache: where decoded frames are kept.
        batch: clips that are measured together.
        quiet: without a progress bar; by default it is shown on a terminal alone.

    Raises:
        ValueError: measurers, metrics or clips of the same name.
        ModelError: a model cannot be loaded; nothing that was measured is lost.
        DataError: a journal that is none, or that another run is writing to.
    """
    _check_names([one.name for one in measurers], "measurer")
    _check_names([metric.name for one in measurers for metric in one.metrics], "metric")
    _check_names([case.video_id for case in cases], "clip")
    with ExitStack() as stack:
        works = [
            _Work(one, stack.enter_context(writing(Path(logs) / f"{one.name}.jsonl"))) for one in measurers
        ]
        cases = [_hashed(case) for case in cases]
        todo = sorted(
            (case for case in cases if any(work.is_open(case) for work in works)), key=_photograph_first
        )
        ready = [work for work in works if any(work.is_open(case) for case in todo)]
        for work in ready:
            work.load()
        bar = stack.enter_context(tqdm(total=len(todo), unit="clip", disable=quiet, dynamic_ncols=True))
        for chunk in _decoded(todo, ready, batch, cache):
            for work in ready:
                work.measure(chunk)
            bar.update(len(chunk))
        rows = [row for case in cases for work in works for row in work.rows(case)]
    about = pd.DataFrame(rows, columns=_COLUMNS).astype({"value": float})
    values = tables.check("metric_values", about[["video_id", "metric", "value", "status"]], "metrics")
    return Results(values, about)


_COLUMNS = ["video_id", "metric", "value", "status", "reason", "notes", "details", "settings", "loaded", "at"]
_Found = dict[Rule, Frames] | Problem


class _Work:
    """One measurer with its journal, and what keeps clips from it."""

    def __init__(self, measurer: Measurer, journal: Journal) -> None:
        self.measurer, self.journal = measurer, journal
        first, *others = measurer.metrics
        if any((one.frames, one.needs) != (first.frames, first.needs) for one in others):
            raise ValueError(f"{measurer.name}: its metrics differ in frames or needs; expected the same")
        self.rule, self.needs = first.frames, first.needs
        self._loaded: Mapping[str, Any] = {}

    def is_open(self, case: Case) -> bool:
        if case.problem(self.needs):
            return False
        row = self.journal.rows.get(self.key(case))
        return row is None or not row.done

    def key(self, case: Case) -> str:
        content = {"video_id": case.video_id, "clip": case.sha256, "frames": self.rule.name}
        content["settings"] = dict(self.measurer.settings)
        if "reference" in self.needs:
            content["reference"] = case.reference.sha256
        if "prompt" in self.needs:
            content["prompt"] = case.prompt
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def load(self) -> None:
        self._loaded = self.measurer.load()

    def measure(self, chunk: Sequence[tuple[Case, _Found]]) -> None:
        cases = [(case, found) for case, found in chunk if self.is_open(case)]
        bad = [(case, found) for case, found in cases if isinstance(found, Problem)]
        clips = [(case, self._clip(case, found)) for case, found in cases if not isinstance(found, Problem)]
        results = bad + list(zip([case for case, _ in clips], self._outcomes(clips), strict=True))
        if results:
            self.journal.add([self._row(case, result) for case, result in results])

    def rows(self, case: Case) -> Iterator[dict[str, Any]]:
        """The case's row for each metric."""
        problem = case.problem(self.needs)
        row = self._row(case, problem, "") if problem else self.journal.rows[self.key(case)]
        about = row.model_dump(include={"reason", "notes", "details", "settings", "loaded", "at"})
        for metric in self.measurer.metrics:
            value = row.values.get(metric.name)  # noqa: PD011
            status = row.status if value is None or row.status != "unscored" else "ok"
            yield about | {
                "video_id": case.video_id,
                "metric": metric.name,
                "value": value,
                "status": status,
            }

    def _clip(self, case: Case, found: dict[Rule, Frames]) -> Clip:
        return Clip(
            video_id=case.video_id,
            frames=found[self.rule],
            reference=case.reference if "reference" in self.needs else None,
            prompt=case.prompt if "prompt" in self.needs else None,
        )

    def _outcomes(self, clips: Sequence[tuple[Case, Clip]]) -> list[Outcome | Problem]:
        """What the measurer finds, all at once, or clip by clip where one of them is in the way."""
        if not clips:
            return []
        try:
            return self.measurer.measure([clip for _, clip in clips])
        except ModelError:
            raise
        except MEASURING_ERRORS as error:
            if len(clips) > 1:
                return [outcome for one in clips for outcome in self._outcomes([one])]
            return [Problem("failed", str(error) or type(error).__name__)]

    def _row(self, case: Case, result: Outcome | Problem, key: str | None = None) -> Row:
        about = {
            "key": self.key(case) if key is None else key,
            "video_id": case.video_id,
            "settings": dict(self.measurer.settings),
            "loaded": dict(self._loaded),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if isinstance(result, Problem):
            return Row(status=result.status, reason=result.reason, **about)
        found = result.values  # noqa: PD011
        values = {metric.name: _finite(found[metric.name]) for metric in self.measurer.metrics}
        status = "unscored" if None in values.values() else "ok"
        notes, details = result.notes, dict(result.details)
        return Row(status=status, values=values, notes=notes, details=details, **about)


def _decoded(
    cases: Sequence[Case], works: Sequence[_Work], batch: int, cache: Cache | None
) -> Iterator[list[tuple[Case, _Found]]]:
    """The clips in batches with their frames by every rule asked for; the next batch is decoded meanwhile."""

    def frames(case: Case) -> _Found:
        rules = list(dict.fromkeys(work.rule for work in works if work.is_open(case)))
        return _frames(case, rules, cache)

    with ThreadPoolExecutor(READERS) as pool:
        waiting: list = []
        for start in range(0, len(cases), batch):
            chunk = cases[start : start + batch]
            waiting.append((chunk, [pool.submit(frames, case) for case in chunk]))
            if len(waiting) == 2:
                yield _gathered(*waiting.pop(0))
        for chunk, futures in waiting:
            yield _gathered(chunk, futures)


def _gathered(chunk: Sequence[Case], futures: Sequence) -> list[tuple[Case, _Found]]:
    return [(case, future.result()) for case, future in zip(chunk, futures, strict=True)]


def _frames(case: Case, rules: Sequence[Rule], cache: Cache | None) -> _Found:
    if not case.path.exists():
        return Problem("missing", f"{shown(case.path)}: no such file; expected a clip")
    try:
        found = sample_all(case.path, rules, cache)
    except (DataError, OSError) as error:
        return Problem("failed", str(error))
    if found[0].sha256 != case.sha256:
        return Problem(
            "failed", f"{shown(case.path)}: found another file than the one recorded ({case.sha256[:12]}…)"
        )
    return dict(zip(rules, found, strict=True))


def _hashed(case: Case) -> Case:
    """The case with its file's hash, or with why its file cannot be read."""
    if isinstance(case.path, Problem):
        return case
    try:
        found = case.sha256 or file_hash(case.path)
    except FileNotFoundError:
        return replace(case, path=Problem("missing", f"{shown(case.path)}: no such file; expected a clip"))
    except OSError as error:
        return replace(case, path=Problem("failed", f"{shown(case.path)}: {error.strerror or error}"))
    return replace(case, sha256=found)


def _photograph_first(case: Case) -> str:
    """What clips are ordered by: those of one photograph stand side by side, so that it is read once."""
    return "" if isinstance(case.reference, Problem) else case.reference.sha256


def _most_often(words: pd.Series) -> str:
    return next(iter(words[words.ne("")].mode()), "")


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _check_names(names: Sequence[str], what: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"found the {what} '{name}' {times} times; expected each name once")
