"""The clips that a study will have: which are there, what is left to make, and what that takes."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
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
from helpers.imports.candidates import Candidate, Candidates, ModelNames, candidates_of
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
        refused: folders that an import would refuse, and why.
    """

    rows: pd.DataFrame
    videos: pd.DataFrame
    notes: tuple[str, ...]
    refused: tuple[str, ...]


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
    parts += [_brought(study, folder, prompts) for folder in study.clips]
    coming = pd.DataFrame(
        [row for part in parts for row in part.coming], columns=list(schemas.TABLES["videos"].columns)
    )
    new = coming[~coming["video_id"].isin(there["video_id"])]
    return Footage(
        rows=pd.DataFrame([row for part in parts for row in part.rows], columns=list(ROWS)),
        videos=pd.concat([there, new], ignore_index=True) if len(there) else new,
        notes=tuple(part.note for part in parts if part.note),
        refused=tuple(part.refused for part in parts if part.refused),
    )


@dataclass(frozen=True)
class _Part:
    """One source of clips: rows of the plan and of the table videos, and what is to be said or refuses it."""

    rows: list[dict[str, Any]]
    coming: list[dict[str, Any]]
    note: str = ""
    refused: str = ""


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


def _brought(study: Study, folder: ClipFolder, prompts: pd.DataFrame) -> _Part:
    """The clips that an import would take in, by their names alone; none is opened."""
    if not folder.path.exists():
        what = "folder or manifest"
        return _Part([], [], refused=f"{folder.folder}: no such {what}; expected finished clips there")
    found = _candidates(folder, prompts)
    files = {clip.file for clip in found.found}
    number = len(files | {one.file for one in found.problems if one.file and one.kind != "unusual"})
    if not found.found:
        names = "" if folder.is_manifest else f", in names like '{folder.layout}'"
        said = f"none of its {number:,} clips shows a prompt of the study; expected its prompts' ids or texts"
        return _Part([], [], refused=f"{folder.folder}: {said}{names}{found.hint}")
    left = _not_imported(study, folder, found.found)
    benchmarks = dict(zip(prompts["prompt_id"], prompts["benchmark"], strict=True))

    def kind(clip: Candidate) -> tuple[str, str]:
        return clip.model, benchmarks[clip.prompt_id]

    open_ones = Counter(map(kind, left))
    rows = [
        {
            "model": model,
            "benchmark": benchmark,
            "clips": clips,
            "left": open_ones[model, benchmark],
            "gpu_hours": 0.0,
            "disk_gb": _copied(folder, [clip for clip in left if kind(clip) == (model, benchmark)]),
        }
        for (model, benchmark), clips in Counter(map(kind, found.found)).items()
    ]
    coming = [_row(f"{folder.folder}/{clip.file}", clip.prompt_id, clip.model, USUAL) for clip in left]
    said = f"{folder.folder}: {len(files):,} of its {number:,} clips show a prompt of the study"
    return _Part(rows, coming, said if left else "")


def _candidates(folder: ClipFolder, prompts: pd.DataFrame) -> Candidates:
    """The clips as `helpers.imports` finds them."""
    catalogue = catalogues.load()
    known = {model.name for model in (*catalogue.models, *catalogue.hosted)}
    return candidates_of(
        folder.path,
        dict(zip(prompts["prompt_id"], prompts["text"], strict=True)),
        ModelNames(folder.names, known),
        pattern=folder.layout,
        model=folder.model,
    )


def _not_imported(study: Study, folder: ClipFolder, clips: list[Candidate]) -> list[Candidate]:
    """Those clips of which the study's table has no row yet, of whatever status."""
    if not tables.exists(study.folder, "videos"):
        return clips
    settings = tables.read(study.folder, "videos")["settings"].dropna().map(json.loads)
    source = recorded(folder.path, study.folder)
    have = {one.get("file") for one in settings if one.get("imported_from") == source}
    return [clip for clip in clips if clip.file not in have]


def _copied(folder: ClipFolder, clips: list[Candidate]) -> float:
    """GB that copies of clips take."""
    there = [clip.path for clip in clips if folder.copies and clip.path.exists()]
    return sum(path.stat().st_size for path in there) / 1e9


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
