"""One measurer at work: which clips are open to it, what it finds in them, and the journal that keeps it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from helpers.metrics.cases import Case, Problem
from helpers.metrics.journal import Journal, Row
from helpers.metrics.measurer import Clip, Measurer, ModelError, Outcome
from helpers.metrics.registry import Metric
from helpers.paths import file_hash, shown
from helpers.video.frames import Frames
from helpers.video.sampling import Rule

MEASURING_ERRORS = (ValueError, OSError, ArithmeticError, RuntimeError, MemoryError)
# By so much, sums of single-precision numbers pass the end of a metric's range.
ROUNDING = 1e-5
Found = dict[Rule, Frames] | Problem


class Work:
    """One measurer with its journal, or what its journals hold, and what keeps clips from it."""

    def __init__(self, measurer: Measurer, journal: Journal | dict[str, Row]) -> None:
        self.measurer, self.journal = measurer, journal
        self.known = journal.rows if isinstance(journal, Journal) else journal
        first, *others = measurer.metrics
        if any((one.frames, one.needs) != (first.frames, first.needs) for one in others):
            raise ValueError(f"{measurer.name}: its metrics differ in frames or needs; expected the same")
        self.rule, self.needs = first.frames, first.needs
        self._loaded: Mapping[str, Any] = {}

    def is_open(self, case: Case) -> bool:
        """Whether a clip is still to be measured, as far as can be told without reading it."""
        if case.problem(self.needs):
            return False
        row = self.known.get(self.key(case))
        return row is None or not row.done

    def key(self, case: Case) -> str:
        """Stands for everything that the clip's values depend on."""
        content = {"video_id": case.video_id, "clip": case.sha256, "frames": self.rule.name}
        content["settings"] = dict(self.measurer.settings)
        if "reference" in self.needs:
            content["reference"] = [case.reference.sha256, case.reference.category]
        if "prompt" in self.needs:
            content["prompt"] = case.prompt
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def load(self) -> None:
        """Load the measurer's model.

        Raises:
            ModelError: it cannot be loaded.
        """
        self._loaded = self.measurer.load()

    def measure(self, chunk: Sequence[tuple[Case, Found]]) -> None:
        """Measure those of some clips that are still open, and write down what came of them."""
        cases = [(case, found) for case, found in chunk if self.is_open(case)]
        bad = [(case, found) for case, found in cases if isinstance(found, Problem)]
        clips = [(case, self._clip(case, found)) for case, found in cases if not isinstance(found, Problem)]
        results = bad + list(zip([case for case, _ in clips], self._outcomes(clips), strict=True))
        if results:
            self.journal.add([self._row(case, result) for case, result in results])

    def rows_of(self, case: Case) -> Iterator[dict[str, Any]]:
        """The case's row for each metric that has a meaning for it; none where nobody has measured it yet."""
        problem = case.problem(self.needs)
        row = self._row(case, problem, "") if problem else self.known.get(self.key(case))
        if row is None:
            return
        about = row.model_dump(include={"reason", "notes", "details", "settings", "loaded", "at"})
        for metric in self.measurer.metrics:
            if row.done and metric.name not in row.values:
                continue
            value = row.values.get(metric.name)
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
        declared = {metric.name: metric for metric in self.measurer.metrics}
        if unknown := result.values.keys() - declared.keys():
            raise ValueError(
                f"{self.measurer.name}: found the value '{min(unknown)}', which it does not declare"
            )
        within = {name: _within(declared[name], value) for name, value in result.values.items()}
        values = {name: value for name, (value, _) in within.items()}
        notes = (*result.notes, *(note for _, note in within.values() if note))
        status = "unscored" if None in values.values() else "ok"
        return Row(status=status, values=values, notes=notes, details=dict(result.details), **about)


def hashed(cases: Sequence[Case]) -> list[Case]:
    """Cases with their files' hashes, or with why a file cannot be read; recorded hashes are taken over."""
    return [_hashed(case) for case in cases]


def _hashed(case: Case) -> Case:
    if isinstance(case.path, Problem):
        return case
    try:
        found = case.sha256 or file_hash(case.path)
    except FileNotFoundError:
        return replace(case, path=Problem("missing", f"{shown(case.path)}: no such file; expected a clip"))
    except OSError as error:
        return replace(case, path=Problem("failed", f"{shown(case.path)}: {error.strerror or error}"))
    return replace(case, sha256=found)


def _within(metric: Metric, value: float | None) -> tuple[float | None, str]:
    """A value if its metric allows it, else None and why; what rounding adds at an end is taken off."""
    if value is None:
        return None, ""
    kept = min(max(float(value), metric.low), metric.high)
    if not np.isfinite(value) or abs(kept - value) > ROUNDING:
        return None, f"{metric.name}: found {value:.6g}, expected {metric.range}"
    return kept, ""
