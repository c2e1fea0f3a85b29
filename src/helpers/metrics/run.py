"""The run of metrics: each clip decoded once for all, resumable, with a row for whatever is asked of a clip.

Whatever keeps a clip from its value is a status of its row, with the reason: a clip that was never made,
that vanished, changed or does not decode; a photograph that is absent or damaged; a measurement that failed.
Only a model that cannot be loaded ends the run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tqdm import tqdm

from helpers.checking import DataError
from helpers.metrics.cases import Case, Problem
from helpers.metrics.journal import read, writing
from helpers.metrics.measurer import Measurer
from helpers.metrics.results import Results, results_of
from helpers.metrics.work import Found, Work, hashed
from helpers.paths import shown
from helpers.video.cache import Cache
from helpers.video.frames import sample_all
from helpers.video.sampling import Rule

# Clips in memory at once, decoded while the ones before are measured: 16 frames at 1360x768 take 50 MB.
BATCH, READERS = 4, 2


def measure(
    measurers: Sequence[Measurer],
    cases: Sequence[Case],
    logs: Path,
    *,
    name: str = "1-of-1",
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
        logs: the folder of the journals, `<measurer's name>/<name>.jsonl`.
        name: of this run's journals; runs at the same time need different ones.
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
        works = [Work(one, stack.enter_context(writing(Path(logs) / one.name, name))) for one in measurers]
        cases = hashed(cases)
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
    return results_of([row for case in cases for work in works for row in work.rows_of(case)])


def collected(measurers: Sequence[Measurer], cases: Sequence[Case], logs: Path) -> Results:
    """What is known of clips by now, from all journals; nothing is measured, and no model loaded.

    A clip that no run has come to has no row.

    Args:
        measurers: as for `measure`.
        cases: as for `measure`.
        logs: as for `measure`.

    Raises:
        DataError: a journal that is none.
    """
    works = [Work(one, read(Path(logs) / one.name)) for one in measurers]
    return results_of([row for case in hashed(cases) for work in works for row in work.rows_of(case)])


def still_open(measurer: Measurer, cases: Sequence[Case], logs: Path) -> list[Case]:
    """The clips that `measure` would measure, as far as can be told without reading them.

    Raises:
        DataError: as `collected`.
    """
    work = Work(measurer, read(Path(logs) / measurer.name))
    return [case for case in hashed(cases) if work.is_open(case)]


def _decoded(
    cases: Sequence[Case], works: Sequence[Work], batch: int, cache: Cache | None
) -> Iterator[list[tuple[Case, Found]]]:
    """The clips in batches with their frames by every rule asked for; the next batch is decoded meanwhile."""

    def frames(case: Case) -> Found:
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


def _gathered(chunk: Sequence[Case], futures: Sequence) -> list[tuple[Case, Found]]:
    return [(case, future.result()) for case, future in zip(chunk, futures, strict=True)]


def _frames(case: Case, rules: Sequence[Rule], cache: Cache | None) -> Found:
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


def _photograph_first(case: Case) -> str:
    """What clips are ordered by: those of one photograph stand side by side, so that it is read once."""
    return "" if isinstance(case.reference, Problem) else case.reference.sha256


def _check_names(names: Sequence[str], what: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"found the {what} '{name}' {times} times; expected each name once")
