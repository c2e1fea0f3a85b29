"""The stages that a study has, each only where its file names something for it to do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import product
from pathlib import Path
from typing import Any

from helpers.imports.named import ClipFolder
from helpers.judging.named import NamedJudge, part_name
from helpers.paths import found_at, shown
from helpers.servers import own_servers
from helpers.simulate.dials import PEOPLE_PART
from helpers.study import Study

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
        clips: folders and manifests whose clips it reads.
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
    clips: tuple[ClipFolder, ...] = ()
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

    def written(self, folder: Path) -> list[Path]:
        """The files of tables that it has written, by itself or with other stages."""
        return _found(folder, [f"tables/{part}.parquet" for part in self.writes])

    def kept(self, folder: Path) -> list[Path]:
        """The files that its record has a hash of."""
        return _found(folder, self.keeps) if self.keeps else self.written(folder)


def _found(folder: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted({file for pattern in patterns for file in folder.glob(pattern)})


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
            settings=_said(study, "clips", "prompts"),
            clips=tuple(study.clips),
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
            files=(shown(found_at(metric.file)),) if metric.kind == "own" else (),
            settings=metric.model_dump(mode="json", exclude={"device"}),
            gpu=int(metric.gpu),
            threads=4 if metric.gpu else 2,
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
            writes=tuple(f"{table}/{PEOPLE_PART}" for table in tables),
            settings=_said(study, "simulated_people", "simulated_models", "seed"),
        )


def _said(study: Study, *keys: str) -> dict[str, Any]:
    """What a study file says under some of its keys, and how its seeds come out."""
    content = study.model_dump(mode="json") | {"all_seeds": study.all_seeds}
    return {key: content[key] for key in keys}


def _without_pace(judge: NamedJudge) -> dict[str, Any]:
    """A judge without what changes nothing in its answers."""
    return judge.model_dump(mode="json", exclude={"concurrency", "base_url", "key_variable", "price"})
