"""Patch similarity beside the bare matrix products it needs, and what 500 landmarks take of memory."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from benchmarks.harness import Row, at_most, peak_megabytes, seconds
from PIL import Image

from helpers.metrics import patches
from helpers.metrics.backbones import Tokens
from helpers.metrics.cases import Case, reference_at
from helpers.metrics.patch_matching import patch_similarity, unit
from helpers.metrics.run import measure
from helpers.video.write import write_clip

# DINOv2-Large at 224 and at 518 pixels, for clips of 5 frames.
DIMS, SIZES, FRAMES, CLIPS = 1024, {224: 256, 518: 1369}, 5, 4
FEW, MANY = 50, 500


class Drawn:
    """A backbone that draws tokens of DINOv2-Large's size, so that the machinery around it is measured."""

    name, settings = "drawn", {"backbone": "drawn"}

    def load(self) -> dict[str, Any]:
        return {}

    def tokens(self, pictures: np.ndarray) -> Tokens:
        drawn = torch.randn(len(pictures), SIZES[224], DIMS)
        return Tokens(tokens=unit(drawn), grid=(16, 16), region=(0.0, 0.0, 1.0, 1.0))


def measure_landmarks(count: int) -> None:
    """A clip of each of so many landmarks, each with a photograph of its own."""
    with TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.mp4"
        write_clip(clip, np.zeros((8, 64, 64, 3), np.uint8), 8)
        cases = []
        for at in range(count):
            photograph = Path(folder) / f"{at}.png"
            Image.fromarray(np.full((64, 64, 3), [at % 256, at // 256, 0], np.uint8)).save(photograph)
            cases.append(Case(video_id=str(at), path=clip, reference=reference_at(photograph)))
        measure([patches.PatchSimilarity(Drawn())], cases, Path(folder) / "logs", quiet=True)


def against_products(size: int, count: int) -> list[Row]:
    drawn = torch.Generator().manual_seed(0)
    reference = unit(torch.randn(count, DIMS, generator=drawn))
    frames = unit(torch.randn(FRAMES * CLIPS, count, DIMS, generator=drawn))

    def products() -> None:
        for frame in frames:
            torch.matmul(reference, frame.T)

    bare, ours = seconds(products, repeats=3), seconds(lambda: patch_similarity(reference, frames), repeats=3)
    what = f"{CLIPS} clips of {FRAMES} frames at {size} pixels ({count} patches of {DIMS})"
    return [
        Row(what=f"{what}: bare matrix products", value=bare, unit="s"),
        Row(what=f"{what}: patch similarity", value=ours, unit="s"),
        at_most(f"{what}: patch similarity over bare products", ours / bare, 1.5, "x"),
    ]


def run() -> list[Row]:
    rows = [row for size, count in SIZES.items() for row in against_products(size, count)]
    code = "from benchmarks.bench_patches import measure_landmarks\nmeasure_landmarks({})"
    few, many = (peak_megabytes(code.format(count)) for count in (FEW, MANY))
    return [
        *rows,
        Row(what=f"peak memory for {FEW} landmarks", value=few, unit="MB"),
        Row(what=f"peak memory for {MANY} landmarks", value=many, unit="MB"),
        at_most(f"peak memory for {MANY} landmarks over that for {FEW}", many / few, 1.1, "x"),
    ]
