"""The stages of a study: what makes clips, takes them in, judges and measures them, and brings people in.

A stage is a command line that goes on where it stopped: `python -m helpers.judging STUDY.yaml --judge NAME`.
The workflow runs each by `python -m helpers.stages STUDY.yaml STAGE`, which runs that very command and, once
it has ended, leaves a record in `studies/<name>/stages/`: its exit status, and a hash of each file that it
keeps. In the workflow the record stands for the tables, because Snakemake deletes what a rule is about to
write, and a judge's table holds rows that nothing could bring back, such as those about a photograph that is
gone.

Exit status 1 says that some clips failed or some calls were not answered. They have rows with a status in the
tables, and the study goes on with them; `make study RETRY=1` runs such stages again.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from helpers import study as studies
from helpers.checking import DataError, nearest
from helpers.gpus import one_gpu
from helpers.judging.named import NamedJudge, part_name
from helpers.judging.study import plan_study
from helpers.paths import found_at, shown
from helpers.servers import own_servers, wait_for
from helpers.study import Study

UNFINISHED = 1
JUDGED = ("prompts", "questions", "landmarks", "videos")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A stage of one study.

    Attributes:
        name: its rule's name.
        module: the package whose `__main__` it runs.
        arguments: of its command line, after the study file.
        reads: names of study tables.
        writes: parts of study tables, as "table/part"; a part's name may end in `*`.
        touches: further parts that it may write, from what others have left.
        keeps: patterns below the study's folder: the files whose content says whether anything has changed.
            Without any, those that it writes.
        files: further files that it reads, from the project's root.
        settings: what the study file says that decides its results.
        judge: a judge whose servers have to answer first, where there is anything left to ask.
        gpu: how many it needs.
        threads: how many it can use.
        memory: in MB.
        minutes: after which a cluster may end it; it goes on when it is run again.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    touches: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    settings: Any = field(default=None, compare=False)
    judge: NamedJudge | None = None
    gpu: int = 0
    threads: int = 1
    memory: int = 4_000
    minutes: int = 240

    def record(self, folder: Path) -> Path:
        """Where it leaves its record in a study's folder."""
        return folder / "stages" / f"{self.name}.txt"

    def adds_to(self, folder: Path, file: Path) -> bool:
        """Whether a file of a study's tables is one that it writes."""
        return _is_one(file, folder, self.writes)

    def may_write(self, folder: Path, file: Path) -> bool:
        """Whether a file of a study's tables is one that it writes or touches."""
        return _is_one(file, folder, (*self.writes, *self.touches))

    def kept(self, folder: Path) -> Iterator[Path]:
        """The files that its record tells of."""
        patterns = self.keeps or [f"tables/{part}.parquet" for part in self.writes]
        yield from sorted({file for pattern in patterns for file in folder.glob(pattern)})


def _is_one(file: Path, folder: Path, parts: tuple[str, ...]) -> bool:
    return any(fnmatch(str(file), str(folder / "tables" / f"{part}.parquet")) for part in parts)


def stages_of(study: Study) -> list[Stage]:
    """The stages of a study, each only where the study file names something for it to do."""
    return [*_generation(study), *_imports(study), *_judging(study), *_metrics(study), *_people(study)]


def _generation(study: Study) -> Iterator[Stage]:
    open_models = [*study.models, *study.own_models]
    if not [*open_models, *study.hosted, *study.simulated_models]:
        return
    shards = study.shards.generation
    for number in range(1, shards + 1):
        # Services are asked by the first shard alone.
        hosted = ["logs/videos/hosted-*.jsonl"] if number == 1 else []
        yield Stage(
            name=f"generation-{number}-of-{shards}",
            module="helpers.generation",
            arguments=("--shard", f"{number}/{shards}"),
            reads=("prompts",),
            writes=("videos/generated", "videos/hosted"),
            touches=("videos/imported",),
            keeps=(f"logs/videos/generated-{number}-of-{shards}.jsonl", *hosted),
            files=("data/models.yaml",),
            settings=_said(
                study, "models", "own_models", "hosted", "simulated_models", "prompts", "seed", "all_seeds"
            ),
            gpu=int(bool(open_models)),
            **({"threads": 4, "memory": 96_000, "minutes": 24 * 60} if open_models else {}),
        )


def _imports(study: Study) -> Iterator[Stage]:
    if study.clips:
        yield Stage(
            name="imports",
            module="helpers.imports",
            reads=("prompts",),
            writes=("videos/imported",),
            touches=("videos/generated", "videos/hosted"),
            files=tuple(shown(clips.path) for clips in study.clips if clips.is_manifest),
            settings=_said(study, "clips"),
        )


def _judging(study: Study) -> Iterator[Stage]:
    for judge in study.judges:
        part = part_name(judge.name)
        local = judge.kind == "local"
        # A simulated judge sees what the simulated clips truly show.
        truth = _said(study, "simulated_models", "seed") if judge.kind == "simulated" else {}
        yield Stage(
            name=f"judging-{part}",
            module="helpers.judging",
            arguments=("--judge", judge.name),
            reads=JUDGED,
            writes=tuple(f"{table}/{part}" for table in ("answers", "ratings", "raters")),
            settings=_without_pace(judge) | truth,
            judge=judge if own_servers([judge]) else None,
            gpu=int(local),
            **({"threads": 4, "memory": 64_000} if local else {}),
            minutes=24 * 60,
        )


def _metrics(study: Study) -> Iterator[Stage]:
    for metric, number in product(study.metrics, range(1, study.shards.metrics + 1)):
        shard = f"{number}-of-{study.shards.metrics}"
        yield Stage(
            name=f"metrics-{metric.part}-{shard}",
            module="helpers.metrics",
            arguments=("--metric", metric.part, "--shard", shard.replace("-of-", "/")),
            reads=("prompts", "landmarks", "videos"),
            writes=(f"metric_values/{metric.part}",),
            # The table's part has all shards' rows, as far as they have come.
            keeps=(f"logs/metrics/{metric.part}/{shard}.jsonl",),
            settings=metric.model_dump(mode="json", exclude={"device"}),
            gpu=int(metric.gpu),
            threads=4,
            memory=32_000 if metric.gpu else 8_000,
            minutes=24 * 60,
        )


def _people(study: Study) -> Iterator[Stage]:
    tables = ("raters", "assignments", "relevance", "answers", "ratings", "rankings")
    if study.surveys:
        files = {shown(found_at(file)) for survey in study.surveys for file in survey.files}
        yield Stage(
            name="people",
            module="helpers.people",
            reads=JUDGED,
            writes=tuple(f"{table}/survey-*" for table in tables),
            files=tuple(sorted(files)),
            settings=_said(study, "surveys"),
        )
    if study.simulated_people:
        yield Stage(
            name="simulated-people",
            module="helpers.simulate.people",
            reads=JUDGED,
            writes=tuple(f"{table}/simulated-people" for table in tables),
            settings=_said(study, "simulated_people", "simulated_models", "seed"),
        )


def _said(study: Study, *keys: str) -> dict[str, Any]:
    """What a study file says under some of its keys, and how its seeds come out."""
    content = study.model_dump(mode="json") | {"all_seeds": study.all_seeds}
    return {key: content[key] for key in keys}


def _without_pace(judge: NamedJudge) -> dict[str, Any]:
    """A judge without what changes nothing in its answers."""
    return judge.model_dump(mode="json", exclude={"concurrency", "base_url", "key_variable", "price"})


def stage_of(study: Study, name: str) -> Stage:
    """A stage by its name.

    Raises:
        DataError: the study has no such stage.
    """
    known = {stage.name: stage for stage in stages_of(study)}
    if name not in known:
        raise DataError(
            f"the study '{study.name}' has no stage '{name}'{nearest(name, known)} "
            f"(expected one of {', '.join(known) or 'none'})"
        )
    return known[name]


def run(study_file: str, stage: Stage, folder: Path) -> int:
    """Run a stage's command and, unless it was refused or interrupted, leave its record.

    Returns:
        The command's exit status, where 1 (not everything has a result) counts as 0.
    """
    print("python -m", stage.module, study_file, *stage.arguments, flush=True)
    command = import_module(f"{stage.module}.__main__" if _is_package(stage.module) else stage.module).main
    if stage.judge and plan_study(folder, stage.judge.judge()).to_ask:
        wait_for(stage.judge)
    with one_gpu() if stage.gpu else nullcontext():
        code = command([study_file, *stage.arguments])
    if code > UNFINISHED:
        return code
    if code == UNFINISHED:
        print(f"{stage.name}: not everything has a result (see above); `make study RETRY=1` tries it again")
    record = stage.record(folder)
    record.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{_hash(file)}  {file.relative_to(folder).as_posix()}" for file in stage.kept(folder)]
    unfinished = record.with_name(f".{record.name}.tmp")
    unfinished.write_text("\n".join([f"exit status {code}", *lines, ""]), encoding="utf-8")
    unfinished.replace(record)
    return 0


def _is_package(module: str) -> bool:
    return hasattr(import_module(module), "__path__")


def _hash(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def forget(study: Study, *, retry: bool = False) -> None:
    """Delete the records of stages that have to run again although nothing that they read has changed.

    Args:
        study: the study.
        retry: also of those that ended without a result for everything.
    """
    for stage in stages_of(study):
        record = stage.record(study.folder)
        if not record.exists():
            continue
        status, *files = record.read_text(encoding="utf-8").splitlines()
        lost = any(not (study.folder / line.split("  ", 1)[1]).exists() for line in files)
        if lost or (retry and status != "exit status 0"):
            record.unlink()


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the stage's own exit status, but 0 where some of its results are failures."""
    parser = argparse.ArgumentParser(prog="python -m helpers.stages", description="Run a stage of a study.")
    parser.add_argument("study", help="the study's YAML file")
    parser.add_argument("stage", nargs="?", help="its name; without it the study's stages are listed")
    options = parser.parse_args(arguments)
    try:
        study = studies.load(options.study)
        if options.stage is None:
            print(*(stage.name for stage in stages_of(study)), sep="\n")
            return 0
        return run(options.study, stage_of(study, options.stage), study.folder)
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
