"""The clips that a study will have: which are there, what is left to make, and what that takes."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd

from helpers import schemas, tables
from helpers.generation import catalogue as catalogues
from helpers.generation import journal
from helpers.generation import plan as generation
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order, orders_of, read_book
from helpers.generation.hosted_plan import plan_of
from helpers.generation.jobs import Job, finished, jobs_of
from helpers.imports.files import list_videos, read_manifest
from helpers.imports.named import ClipFolder
from helpers.imports.rows import recorded
from helpers.simulate.clips.scenes import FPS, FRAMES, SIZE
from helpers.simulate.dials import SimulatedModel
from helpers.study import Study

# Of a clip about which nothing is known yet.
USUAL = {"width": 1280, "height": 720, "fps": 24.0, "frames": 121}
DRAWN = {"width": SIZE[0], "height": SIZE[1], "fps": FPS, "frames": FRAMES}
ROWS = (
    "model",
    "benchmark",
    "clips",
    "left",
    "gpu_hours",
    "disk_gb",
    "weights_gb",
    "gpu_gb",
    "money",
    "currency",
)


@dataclass(frozen=True, kw_only=True)
class Footage:
    """A study's clips, made and to be made.

    Attributes:
        rows: one row a model and benchmark, with the columns `ROWS`; what is not known is missing.
        videos: rows of the table videos: those that are there, and those to come as if they were.
        notes: what the services' prices and the folders had to say, in words.
    """

    rows: pd.DataFrame
    videos: pd.DataFrame
    notes: tuple[str, ...]


def footage_of(study: Study, prompts: pd.DataFrame) -> Footage:
    """Count a study's clips; nothing is loaded, decoded or asked.

    Args:
        study: the study.
        prompts: what is to be shown.

    Raises:
        DataError: what would keep the clips from being made: clips that were made otherwise, models with the
            same name, a model without settings for a benchmark.
    """
    there = _those_there(study, prompts)
    parts = []
    if study.models or study.own_models or study.hosted or study.simulated_models:
        models, hosted = study.chosen_models()
        parts.append(_generated(study, jobs_of(models, prompts, study.all_seeds, catalogues.load())))
        parts += [_hosted(study, model, prompts) for model in hosted]
        parts += [_drawn(study, model, prompts, there) for model in study.simulated_models]
    parts += [_brought(study, folder, prompts, there) for folder in study.clips]
    coming = pd.DataFrame(
        [row for part in parts for row in part.coming], columns=list(schemas.TABLES["videos"].columns)
    )
    new = coming[~coming["video_id"].isin(there["video_id"])]
    return Footage(
        rows=pd.DataFrame([row for part in parts for row in part.rows], columns=list(ROWS)),
        videos=pd.concat([there, new], ignore_index=True) if len(there) else new,
        notes=tuple(part.note for part in parts if part.note),
    )


@dataclass(frozen=True)
class _Part:
    """One source of clips: rows of the plan, rows of the table videos to come, and what is to be said."""

    rows: list[dict[str, Any]]
    coming: list[dict[str, Any]]
    note: str = ""


def _those_there(study: Study, prompts: pd.DataFrame) -> pd.DataFrame:
    """The clips of the prompts that the study has."""
    if not tables.exists(study.folder, "videos"):
        return pd.DataFrame(columns=list(schemas.TABLES["videos"].columns))
    known = tables.read(study.folder, "videos")
    return known[known["prompt_id"].isin(prompts["prompt_id"]) & known["status"].eq("ok")]


def _generated(study: Study, jobs: list[Job]) -> _Part:
    if not jobs:
        return _Part([], [])
    done = finished(jobs, journal.read(study.folder), study.folder)
    planned = generation.plan(jobs, done)
    columns = [column for column in ROWS if column in planned]
    return _Part(planned[columns].to_dict("records"), [_of_job(job) for job in jobs])


def _of_job(job: Job) -> dict[str, Any]:
    width, height = catalogues.final_size(job.model, job.settings)
    call = job.settings.call
    about = {"width": width, "height": height, "frames": call["num_frames"], "fps": job.settings.fps}
    return _row(job.video_id, job.prompt_id, job.model.name, about, job.model.audio)


def _hosted(study: Study, model: HostedModel, prompts: pd.DataFrame) -> _Part:
    """Clips to order, with what they cost."""
    orders = orders_of(model, prompts, study.all_seeds)
    found = plan_of(study.folder, orders, journal.read(study.folder), read_book(study.folder, model), None)
    clip = {**USUAL, "frames": round(model.seconds * USUAL["fps"])}
    new, left = (
        Counter(map(_benchmark(prompts), found.new)),
        Counter(map(_benchmark(prompts), [*found.new, *found.going])),
    )
    rows = [
        {
            "model": model.name,
            "benchmark": name,
            "clips": clips,
            "left": left[name],
            "disk_gb": left[name] * _bytes(clip) / 1e9,
            "money": new[name] * model.cost,
            "currency": model.price.currency,
        }
        for name, clips in Counter(map(_benchmark(prompts), orders)).items()
    ]
    coming = [_row(order.video_id, order.prompt_id, model.name, clip, True) for order in orders]
    price = model.price
    said = f"{model.name}: {price.per_second:g} {price.currency} a second on {price.date}, {price.source}"
    return _Part(rows, coming, said)


def _benchmark(prompts: pd.DataFrame) -> Callable[[Order], str]:
    of = dict(zip(prompts["prompt_id"], prompts["benchmark"], strict=True))
    return lambda order: of[order.prompt_id]


def _drawn(study: Study, model: SimulatedModel, prompts: pd.DataFrame, there: pd.DataFrame) -> _Part:
    """Clips of a simulated model."""
    coming = [
        _row(journal.video_id(model.name, prompt_id, seed), prompt_id, model.name, DRAWN, model.sound)
        for prompt_id in prompts["prompt_id"]
        for seed in study.all_seeds
    ]
    have = set(there["video_id"])
    left = pd.Series([row["video_id"] not in have for row in coming])
    rows, benchmarks = [], np.repeat(prompts["benchmark"].to_numpy(), len(study.all_seeds))
    for name, of in left.groupby(benchmarks, sort=False):
        disk = of.sum() * _bytes(DRAWN) / 1e9
        rows.append(
            {
                "model": model.name,
                "benchmark": name,
                "clips": len(of),
                "left": int(of.sum()),
                "gpu_hours": 0.0,
                "disk_gb": disk,
            }
        )
    return _Part(rows, coming)


def _brought(study: Study, folder: ClipFolder, prompts: pd.DataFrame, there: pd.DataFrame) -> _Part:
    """As many clips as there are video files; which prompts they show is known once they were imported."""
    path, model = folder.path, folder.model or folder.folder
    if not path.exists():
        return _Part([], [], f"{folder.folder}: not there; expected a folder of clips or a manifest")
    named = _names_of_prompts(folder)
    number = len(named)
    source = json.dumps({"imported_from": recorded(path, study.folder)}, ensure_ascii=False)[1:-1]
    have = int(there["settings"].str.contains(source, regex=False, na=False).sum()) if len(there) else 0
    row = {"model": model, "benchmark": "brought along", "clips": number, "left": number - have}
    row |= {"gpu_hours": 0.0, "disk_gb": 0.0}
    if folder.copies and not folder.is_manifest:
        row["disk_gb"] = (
            sum(file.stat().st_size for file in list_videos(path).videos) / 1e9 if not have else 0
        )
    known = set(prompts["prompt_id"])
    some = cycle(prompts["prompt_id"])
    ids = [name if name in known else next(some) for name in ([] if have else named)]
    coming = [_row(f"{model}/{at}", prompt_id, model, USUAL) for at, prompt_id in enumerate(ids)]
    said = (
        f"{folder.folder}: {sum(name in known for name in named):,} of its {number:,} clips are named after "
        "a prompt of the study; until imported, each other one counts as one of some prompt"
    )
    return _Part([row], coming, "" if have else said)


def _names_of_prompts(folder: ClipFolder) -> list[str]:
    """What may be each clip's prompt: a manifest's `prompt_id`, or a file's name without its ending."""
    if folder.is_manifest:
        return read_manifest(folder.path)["prompt_id"].tolist()
    return [file.stem for file in list_videos(folder.path).videos]


def _row(
    video_id: str, prompt_id: str, model: str, about: dict[str, Any], audio: bool = False
) -> dict[str, Any]:
    """A row of the table videos for a clip that is still to come."""
    return {
        "video_id": video_id,
        "prompt_id": prompt_id,
        "model": model,
        "path": "to come",
        "audio": audio,
        "sha256": sha256(video_id.encode()).hexdigest(),
        "status": "ok",
        **about,
    }


def _bytes(about: dict[str, Any]) -> float:
    return about["width"] * about["height"] * about["frames"] * generation.BITS_PER_PIXEL / 8
