"""The clips of simulated models, made by the run that makes all clips: its jobs, and what it loads.

A landmark's clip is its reference photograph, filmed and spoilt as far as the clip is unfaithful; any other
prompt's is a drawn scene. The same journal, ladder and files as for every model; a clip costs some ten
milliseconds.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers import tables
from helpers.generation.catalogue import Rung
from helpers.generation.jobs import Job
from helpers.generation.journal import clip_path, video_id
from helpers.generation.outcomes import Clip
from helpers.photographs.pictures import read_picture
from helpers.published import AUDIO_ASPECTS
from helpers.simulate.clips.scenes import FPS, SOUND_RATE, drawn_scene, tone
from helpers.simulate.clips.study import simulate_clip
from helpers.simulate.dials import SimulatedModel
from helpers.simulate.levels import clip_level, scene_of, share

PHOTOGRAPH_SIZE, PHOTOGRAPH_FRAMES = (256, 192), 16


@dataclass(frozen=True)
class Camera:
    """A simulated model as the run of generation knows one: described, and loaded, at once.

    Attributes:
        dials: the model's.
        tiling, offload, ladder: nothing runs out of memory here.
    """

    dials: SimulatedModel
    tiling: bool = False
    offload: str = "none"
    ladder: tuple[Rung, ...] = ()

    @property
    def name(self) -> str:
        """The model's name."""
        return self.dials.name

    def generate(self, prompt: str, negative_prompt: str, settings: "Take", seed: int, memory: Rung) -> Clip:
        """Draw or film one clip."""
        fault = 1 - settings.shown
        if settings.photograph is not None:
            frames = simulate_clip(
                _photograph(settings.photograph),
                self.dials.error,
                fault,
                frames=PHOTOGRAPH_FRAMES,
                fps=settings.fps,
                size=PHOTOGRAPH_SIZE,
                seed=settings.look,
            )
            return Clip(frames, title=settings.title)
        frames = drawn_scene(settings.look, settings.own, fault, settings.lines)
        if not settings.sound:
            return Clip(frames, title=settings.title)
        return Clip(frames, tone(settings.own), SOUND_RATE, title=settings.title)

    def describe(self, settings: "Take") -> dict[str, Any]:
        """How a clip was made."""
        return {"simulated": True, "how": "filmed photograph" if settings.photograph else "drawing"}

    def free(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class Take:
    """What one clip is made from, beside its prompt.

    Attributes:
        shown: how faithful it is, 0 to 1.
        look: seed of what the clips of a scene share.
        own: seed of what is the clip's own.
        lines: what is written on a drawing.
        title: in the file's metadata.
        sound: whether it has a tone.
        photograph: the reference to film; None for a drawing.
        fps: frames a second.
    """

    shown: float
    look: int
    own: int
    lines: tuple[str, ...]
    title: str
    sound: bool
    photograph: Path | None = None
    fps: float = FPS


@dataclass(frozen=True)
class TakeJob(Job):
    """A clip of a simulated model to make."""

    model: Camera
    settings: Take
    landmark: str | None = field(default=None)

    @cached_property
    def asked(self) -> dict[str, Any]:
        """Everything that decides what the clip shows."""
        take = self.settings
        return {
            "simulated": True,
            "dials": self.model.dials.model_dump(mode="json"),
            "prompt": self.prompt,
            "seed": self.seed,
            "shown": round(take.shown, 6),
            "landmark": self.landmark if take.photograph else None,
            "fps": take.fps,
        }


def takes_of(
    models: Iterable[SimulatedModel], prompts: pd.DataFrame, seeds: Sequence[int], *, study: Path, seed: int
) -> list[TakeJob]:
    """All clips of a study's simulated models, model by model, in the order of its prompts.

    Args:
        models: the models.
        prompts: rows of the table prompts.
        seeds: each prompt is shown once for each.
        study: the study's folder; its table landmarks says where the photographs are. A landmark whose
            photograph is not there is drawn.
        seed: the study's, from which the clips' faithfulness follows.
    """
    photographs = _photographs(study)
    jobs = []
    for model in models:
        camera = Camera(model)
        for row in prompts.itertuples():
            for own in seeds:
                clip_path(model.name, row.prompt_id, own)
                take = _take(model, row, video_id(model.name, row.prompt_id, own), seed, photographs)
                jobs.append(TakeJob(camera, take, row.prompt_id, row.text, "", own, row.landmark_id))
    return jobs


def plan_text(jobs: Iterable[TakeJob], done: set[str]) -> str:
    """What is left to make, one line a model."""
    lines = []
    for name in dict.fromkeys(job.model.name for job in jobs):
        own = [job.video_id for job in jobs if job.model.name == name]
        left = len(set(own) - done)
        lines.append(f"{name}: {left:,} of {len(own):,} clips left; drawn here, seconds a hundred, no GPU")
    return "\n".join(lines)


def _take(model: SimulatedModel, prompt: Any, clip: str, seed: int, photographs: dict[str, Path]) -> Take:
    topic = next((x for x in (prompt.aspect, prompt.category, prompt.variant) if pd.notna(x)), "")
    return Take(
        shown=float(share(clip_level(seed, model, prompt, clip))),
        look=zlib.crc32(f"{seed} {scene_of(prompt)}".encode()),
        own=zlib.crc32(f"{seed} {clip}".encode()),
        lines=("simulated", f"{prompt.country}: {topic}"),
        title=f"simulated: {model.name}, {prompt.prompt_id}",
        sound=model.sound and prompt.aspect in AUDIO_ASPECTS,
        photograph=photographs.get(prompt.landmark_id) if pd.notna(prompt.landmark_id) else None,
    )


def _photographs(study: Path) -> dict[str, Path]:
    if not tables.exists(study, "landmarks"):
        return {}
    known = tables.read(study, "landmarks").dropna(subset="reference_image")
    paths = {row.landmark_id: study / row.reference_image for row in known.itertuples()}
    return {name: path for name, path in paths.items() if path.exists()}


@lru_cache(maxsize=64)
def _photograph(path: Path) -> np.ndarray:
    return read_picture(path)
