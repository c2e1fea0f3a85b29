"""Generating a study's clips: what fails is recorded and the rest goes on; the same command continues."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from tqdm import tqdm

from helpers.checking import DataError
from helpers.generation import journal
from helpers.generation.catalogue import Catalogue, Model, Rung, Settings
from helpers.generation.catalogue import load as load_catalogue
from helpers.generation.jobs import Job, finished
from helpers.generation.keep import check_room, keep
from helpers.generation.ladder import ladder_of
from helpers.generation.outcomes import Clip, GuardrailError, is_black
from helpers.journal import OpenJournal
from helpers.paths import shown, without_folder

PACKAGES = (
    "torch",
    "diffusers",
    "transformers",
    "accelerate",
    "peft",
    "ftfy",
    "numpy",
    "av",
    "cosmos-guardrail",
)


MOST_SHOWN = 20


class Loaded(Protocol):
    """A loaded model, as `pipelines.Pipeline` is."""

    def generate(
        self, prompt: str, negative_prompt: str, settings: Settings, seed: int, memory: Rung
    ) -> Clip:
        """Make one clip."""

    def describe(self, settings: Settings) -> dict[str, Any]:
        """What a clip's record says about the program."""

    def free(self) -> None:
        """Give back memory."""


@dataclass
class Summary:
    """How a run went.

    Attributes:
        statuses: of the clips that this run tried.
        skipped: clips that were finished before.
        problems: why clips are not ok, or odd, by `video_id`.
    """

    statuses: Counter = field(default_factory=Counter)
    skipped: int = 0
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 where every clip of this run is ok, else 1."""
        return int(any(status != "ok" for status in self.statuses))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        lines = [f"clips of this run: {counts or 'none'}; finished before: {self.skipped}"]
        lines += [f"  {name}: {problem}" for name, problem in [*self.problems.items()][:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"  and {len(self.problems) - MOST_SHOWN} more, each in its row of `videos`")
        return "\n".join(lines)


def from_diffusers(model: Model, device: str | None = None) -> Loaded:
    """Load a model through diffusers; importing it costs ten seconds, so only where there is work."""
    from helpers.generation.pipelines import load

    return load(model, device)


def generate(
    study: Path,
    jobs: Sequence[Job],
    *,
    name: str = "generated-1-of-1",
    catalogue: Catalogue | None = None,
    load: Callable[[Model], Loaded] = from_diffusers,
    quiet: bool = False,
) -> Summary:
    """Make the clips that are not finished yet, and write the table `videos`.

    A clip's row is written after its file has its name. A clip that fails gets a row too, and is tried again
    by the next run; so is one whose row was not written. A blocked one is final.

    Args:
        study: the study's folder.
        jobs: the clips, all of one model next to each other.
        name: of this run's journal; runs at the same time need different ones.
        catalogue: for the ladder that models share.
        load: loads a model, once and only where some of its clips are left.
        quiet: no progress bars.

    Raises:
        DataError: the journal is damaged, in use or cannot be written, or finished clips were made otherwise.
    """
    study = Path(study)
    catalogue = catalogue or load_catalogue()
    rows = journal.read(study)
    done = finished(jobs, rows, study)
    left = [job for job in jobs if job.video_id not in done]
    summary = Summary(skipped=len(done))
    # Into a file, such as a cluster's log, a line each half minute is enough.
    pause = 0.1 if sys.stderr.isatty() else 30
    bar = tqdm(total=len(left), unit="clip", disable=quiet, mininterval=pause, dynamic_ncols=True)
    with journal.writing(study, name) as log, bar:
        try:
            for row in _rows(left, study, catalogue, load, _commits(rows.values())):
                _record(log, row)
                summary.statuses[row.status] += 1
                notes = [row.settings.get("problem"), *row.settings["flags"]]
                if found := "; ".join(note for note in notes if note):
                    summary.problems[row.video_id] = found
                bar.set_postfix(summary.statuses, refresh=False)
                bar.update()
        finally:
            journal.write_table(study)
    return summary


def _record(log: OpenJournal[journal.Row], row: journal.Row) -> None:
    try:
        log.add(row)
    except OSError as error:
        raise DataError(
            f"{shown(log.path)}: {error.strerror}; nothing can be recorded, so the run stops"
        ) from None


def _commits(rows: Iterable[journal.Row]) -> dict[str, str]:
    """The commit of the weights that made each model's clips so far, by the model's name."""
    made = [row for row in rows if row.origin == "generated" and row.status == "ok"]
    return {row.model: row.settings["made"]["commit"] for row in made if row.settings["made"].get("commit")}


def _rows(
    jobs: Iterable[Job],
    study: Path,
    catalogue: Catalogue,
    load: Callable[[Model], Loaded],
    commits: Mapping[str, str],
) -> Iterable[journal.Row]:
    for _, group in groupby(jobs, key=lambda job: job.model.name):
        of_model = list(group)
        model = of_model[0].model
        try:
            loaded = load(model)
            commit = loaded.describe(of_model[0].settings).get("commit")
        # Whatever goes wrong in there, the other models' clips can still be made.
        except Exception as error:
            for job in of_model:
                yield _row(job, status="failed", problem=f"the model cannot be loaded: {_said(error, study)}")
            continue
        if commits.get(model.name, commit) != commit:
            raise DataError(
                f"{model.name}: earlier clips were made by the weights of commit {commits[model.name]}, now "
                f"'{model.revision}' is {commit}; set `revision` to the former"
            )
        ladder = ladder_of(model, catalogue)
        for job in of_model:
            yield _one(job, study, loaded, ladder)
        del loaded


def _one(job: Job, study: Path, loaded: Loaded, ladder: Any) -> journal.Row:
    """Make one clip, or say why not."""
    start = time.perf_counter()
    measured: dict[str, Any] = {}
    flags: list[str] = []
    status, problem = "ok", None
    try:
        check_room(study / job.path)
        clip = ladder.climb(lambda rung: _call(loaded, job, rung), loaded.free)
        flags = clip.flags
        computed = time.perf_counter() - start
        measured = {"path": job.path, **keep(clip, study / job.path, job.settings.fps)}
        if is_black(clip):
            status, problem = "failed", "every frame is black; the clip is kept to be looked at"
    except GuardrailError as error:
        status, problem = "blocked", str(error)
    # Any failure is this clip's alone, until it turns out otherwise.
    except Exception as error:
        status, problem = "failed", _said(error, study)
    seconds = time.perf_counter() - start
    about: dict[str, Any] = {}
    try:
        about = loaded.describe(job.settings)
    except Exception as error:
        status, problem = "failed", f"the model does not say how it made the clip: {_said(error, study)}"
    made = {
        **about,
        "memory": ladder.rung.model_dump(),
        "seconds": round(seconds, 3),
        "seconds_computing": round(computed, 3) if measured else None,
        "versions": versions(),
    }
    return _row(job, status=status, problem=problem, flags=flags, made=made, measured=measured)


def _call(loaded: Loaded, job: Job, rung: Rung) -> Clip:
    return loaded.generate(job.prompt, job.negative_prompt, job.settings, job.seed, rung)


def _row(
    job: Job,
    *,
    status: journal.Status,
    problem: str | None = None,
    flags: Sequence[str] = (),
    made: dict[str, Any] | None = None,
    measured: dict[str, Any] | None = None,
) -> journal.Row:
    settings = {"asked": job.asked, "made": made or {}, "flags": list(flags)}
    if problem:
        settings["problem"] = problem
    return journal.Row(
        video_id=job.video_id,
        prompt_id=job.prompt_id,
        model=job.model.name,
        seed=job.seed,
        status=status,
        settings=settings,
        at=journal.now(),
        origin="generated",
        **(measured or {}),
    )


def _said(error: Exception, study: Path) -> str:
    """An error in one line, the kind first; it names the study's files as its tables do."""
    message = without_folder(str(error), study).strip().splitlines()
    return f"{type(error).__name__}: {message[0]}" if message else type(error).__name__


@cache
def versions() -> dict[str, str]:
    """The versions of the packages that decide how a clip looks; those not installed are left out."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
