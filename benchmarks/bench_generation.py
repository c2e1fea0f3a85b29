"""What generating costs besides the model: for each clip, and when a run that is almost done starts again.

A stand-in gives ready pictures at once, so the time that is left is ours: turning them into whole numbers,
encoding, reading back, hashing, recording. The reference is what a user would
write instead: turn the pictures into whole numbers and write them with the encoder that diffusers ships, with
no check, no hash, no record and no way to go on. Encoding itself is the same work in both.
"""

import contextlib
import io
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import torch
from benchmarks.harness import Row, at_most, seconds
from diffusers.utils import encode_video
from numpy.typing import NDArray

from helpers.generation import catalogue, journal, keep
from helpers.generation.jobs import Job, finished, jobs_of
from helpers.generation.outcomes import Clip, as_uint8
from helpers.generation.run import generate
from helpers.video.write import write_clip

CLIP_SECONDS = 10.0
WIDTH, HEIGHT, FRAMES, FPS = 832, 480, 81, 16
CLIPS, STUDY = 5, 7_000
CALL = {
    "height": HEIGHT, "width": WIDTH, "num_frames": FRAMES, "num_inference_steps": 40, "guidance_scale": 4.0,
    "guidance_scale_2": 3.0, "max_sequence_length": 512,
}  # fmt: skip
MODEL = catalogue.Model.model_validate(
    {"name": "Stand-in", "family": "wan", "id": "none", "settings": [{"call": CALL, "fps": FPS}]}
)


def jobs(number: int) -> list[Job]:
    scene = "Dancers at a wedding wear cloth of the region and clap to the drums. " * 8
    rows = [{"prompt_id": f"p{i}", "benchmark": "culturevidbench", "text": scene} for i in range(number)]
    return jobs_of([MODEL], pd.DataFrame(rows), [0], catalogue.load())


def pictures() -> NDArray[np.float32]:
    """A scene with edges and a moving camera, as a model gives it."""
    rng = np.random.default_rng(0)
    small = rng.random((HEIGHT // 16, WIDTH // 16, 3), dtype=np.float32)
    scene = small.repeat(16, axis=0).repeat(16, axis=1)
    return np.stack([np.roll(scene, 2 * frame, axis=1) for frame in range(FRAMES)])


class StandIn:
    """Gives the same pictures for every prompt, as the real one does: floats that become whole numbers."""

    def __init__(self, frames: NDArray[np.float32]) -> None:
        self.frames = frames

    def __call__(self, model: catalogue.Model) -> "StandIn":
        return self

    def generate(self, *_: object) -> Clip:
        return Clip(as_uint8(self.frames))

    def describe(self, settings: catalogue.Settings) -> dict:
        return {"commit": None}

    def free(self) -> None:
        pass


class Timed:
    """Counts the processor time of a function, so that other work on the machine does not matter."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *given: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return self.function(*given, **options)
        finally:
            self.seconds += time.process_time() - start


def ours(frames: NDArray[np.float32]) -> tuple[float, float]:
    """Processor seconds a clip, and those of them that encode."""
    encoding, making = Timed(write_clip), Timed(generate)
    with TemporaryDirectory() as folder, patch.object(keep, "write_clip", encoding):
        making(Path(folder), jobs(CLIPS), load=StandIn(frames), quiet=True)
    return making.seconds / CLIPS, encoding.seconds / CLIPS


def bare(frames: NDArray[np.float32], folder: str) -> None:
    whole = (frames * 255).round().astype("uint8")
    with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
        encode_video(torch.from_numpy(whole), FPS, f"{folder}/bare.mp4")


def resumed() -> float:
    """Seconds until a run of a whole study knows that one clip is left."""
    with TemporaryDirectory() as folder:
        study, asked = Path(folder), jobs(STUDY)
        made = {"scheduler": dict.fromkeys(map(str, range(40)), 0.5), "versions": {"torch": "2.14.1"}}
        for job in asked[:-1]:
            (study / job.path).parent.mkdir(parents=True, exist_ok=True)
            (study / job.path).write_bytes(b"clip")
        with journal.writing(study, "generated-1-of-1") as log:
            lines = [row(job, made).model_dump_json() for job in asked[:-1]]
            log.path.write_text("\n".join(lines) + "\n")
        start = time.perf_counter()
        done = finished(jobs(STUDY), journal.read(study), study)
        journal.write_table(study)
        took = time.perf_counter() - start
    assert len(done) == STUDY - 1
    return took


def row(job: Job, made: dict) -> journal.Row:
    return journal.Row(
        video_id=job.video_id, prompt_id=job.prompt_id, model=job.model.name, seed=job.seed, path=job.path,
        width=WIDTH, height=HEIGHT, frames=FRAMES, fps=FPS, audio=False, sha256="0" * 64, status="ok",
        settings={"asked": job.asked, "made": made, "flags": []}, bytes=4, at=journal.now(),
        origin="generated",
    )  # fmt: skip


def run() -> list[Row]:
    frames = pictures()
    with TemporaryDirectory() as folder:
        reference = seconds(lambda: bare(frames, folder))
    total, encoding = min(ours(frames) for _ in range(3))
    what = f"{WIDTH}x{HEIGHT}, {FRAMES} frames; processor time"
    return [
        Row(what=f"diffusers' own export ({what})", value=reference, unit="s/clip"),
        Row(what="ours, with check, hash and record", value=total, unit="s/clip"),
        Row(what="of which encoding", value=encoding, unit="s/clip"),
        at_most(
            f"all but encoding, of a clip that takes {CLIP_SECONDS:.0f} s",
            100 * (total - encoding) / CLIP_SECONDS,
            2,
            "%",
        ),
        at_most(f"going on after {STUDY:,} clips", resumed(), 5, "s"),
    ]
