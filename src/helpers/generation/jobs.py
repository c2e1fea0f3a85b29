"""The clips that a study asks for: one for each model, prompt and seed, with everything that makes them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from helpers.checking import DataError
from helpers.generation.catalogue import Catalogue, Model, Settings
from helpers.generation.journal import Row, check_models, check_origin, clip_path, video_id

DONE = ("ok", "blocked")


@dataclass(frozen=True)
class Job:
    """A clip to make."""

    model: Model
    settings: Settings
    prompt_id: str
    prompt: str
    negative_prompt: str
    seed: int

    @property
    def video_id(self) -> str:
        """Its name in the study's tables."""
        return video_id(self.model.name, self.prompt_id, self.seed)

    @property
    def path(self) -> str:
        """Where it goes, relative to the study's folder."""
        return clip_path(self.model.name, self.prompt_id, self.seed)

    @cached_property
    def asked(self) -> dict[str, Any]:
        """Everything that decides what the clip shows, as JSON; a clip made otherwise is another clip."""
        model = self.model
        asked = {
            "id": model.id,
            "revision": model.revision,
            "prompt": self.prompt,
            "negative_prompt": self.negative_prompt,
            "seed": self.seed,
            "call": self.settings.call,
            "fps": self.settings.fps,
            "dtype": model.dtype,
            "dtypes": model.dtypes,
            "fp8": model.fp8,
            "quantisation": model.quantisation,
            "scheduler": model.scheduler,
            "second_stage": model.second_stage and model.second_stage.model_dump(),
        }
        return json.loads(json.dumps(asked))


def jobs_of(
    models: Iterable[Model], prompts: pd.DataFrame, seeds: Iterable[int], catalogue: Catalogue
) -> list[Job]:
    """All clips of a study, model by model, in the order of its prompts.

    Args:
        models: the models, each with settings for every benchmark that the prompts belong to.
        prompts: rows of the table `prompts`.
        seeds: each prompt is shown once for each.
        catalogue: for the negative prompt that everyone shares.

    Raises:
        DataError: a model lacks settings for a benchmark, two models share a folder's name, or a prompt's id
            cannot name a file.
    """
    seeds, models = list(seeds), list(models)
    check_models(model.name for model in models)
    jobs = []
    try:
        for model in models:
            negative = catalogue.negative_prompt if model.negative_prompt is None else model.negative_prompt
            settings = {name: model.for_benchmark(name) for name in prompts["benchmark"].unique()}
            for row in prompts.itertuples():
                for seed in seeds:
                    job = Job(model, settings[row.benchmark], row.prompt_id, row.text, negative, seed)
                    clip_path(model.name, row.prompt_id, seed)
                    jobs.append(job)
    except ValueError as error:
        raise DataError(str(error)) from None
    names = [job.video_id for job in jobs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two clips would be named '{twice}'; expected each model, prompt and seed once")
    return jobs


def shard(jobs: list[Job], number: int, of: int) -> list[Job]:
    """Every `of`-th clip from the `number`-th on (counted from 1); the shards share none and leave none."""
    if not 1 <= number <= of:
        raise DataError(f"shard {number}/{of}: expected 1/{of} to {of}/{of}")
    return jobs[number - 1 :: of]


def finished(jobs: Iterable[Job], rows: Mapping[str, Row], study: Path) -> set[str]:
    """The clips that need not be made again; files are looked at, not read.

    A clip is finished where its row says that it was made, or refused by a guardrail, and where its file lies
    there with the size that it had. Failed ones are tried again.

    Raises:
        DataError: a clip is finished but was asked for otherwise (the message names the first difference), or
            is there from elsewhere, or a model's clips would be kept as those of another one.
    """
    jobs = list(jobs)
    check_models([*(row.model for row in rows.values()), *(job.model.name for job in jobs)])
    found = set()
    for job in jobs:
        row = rows.get(job.video_id)
        check_origin(row, "generated")
        if row is None or row.origin != "generated" or row.status not in DONE:
            continue
        if row.status == "ok" and _size(study / job.path) != row.bytes:
            continue
        if difference := _difference(row.settings.get("asked", {}), job.asked):
            raise DataError(
                f"{job.video_id} was made otherwise: {difference}. Clips of one study must be made alike: "
                "give the study another name, or move its videos and logs away"
            )
        found.add(job.video_id)
    return found


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _difference(was: dict[str, Any], now: dict[str, Any]) -> str:
    for name in sorted({*was, *now}):
        if was.get(name) == now.get(name):
            continue
        if isinstance(was.get(name), dict) and isinstance(now.get(name), dict):
            return f"{name}.{_difference(was[name], now[name])}"
        return f"{name} was {was.get(name)!r}, is now {now.get(name)!r}"
    return ""
