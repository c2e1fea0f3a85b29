"""Small clips that show nothing of their prompts: something to be judged where the judge is simulated."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.generation.journal import slug
from helpers.paths import file_hash
from helpers.schemas import check
from helpers.simulate.clips.camera import MARGIN, draw_motion, fill, film
from helpers.video.write import write_clip

FRAMES, FPS, SIZE = 16, 8.0, (96, 64)
SOUND_RATE = 16_000
_BLOCKS = (6, 9)
_SQUARE = 12


def write_carriers(
    prompts: pd.DataFrame, models: Sequence[str], study: Path | str, *, sound: bool = False, seed: int
) -> pd.DataFrame:
    """Write a clip of each prompt for each made-up model: a white square crosses coloured blocks.

    No two clips are alike, so that each has a hash of its own, and each looks different backwards.

    Args:
        prompts: rows of a table `prompts`.
        models: names for those who would have made the clips.
        study: the study's folder; clips go into its `videos`.
        sound: whether each has a tone.
        seed: the same seed gives the same clips.

    Returns:
        The study's table videos, with paths relative to its folder.
    """
    rows = []
    for model in models:
        for prompt_id in prompts["prompt_id"]:
            path = f"videos/{slug(model)}/{prompt_id}.mp4"
            own = zlib.crc32(f"{seed} {model} {prompt_id}".encode())
            rows.append({"video_id": f"{prompt_id}/{model}", "prompt_id": prompt_id, "model": model})
            rows[-1] |= {"seed": own, "path": path, "sha256": _write(Path(study) / path, own, sound)}
    about = {"width": SIZE[0], "height": SIZE[1], "frames": FRAMES, "fps": FPS, "audio": sound}
    return check("videos", pd.DataFrame(rows).assign(**about, status="ok"), "carriers")


def _write(path: Path, seed: int, sound: bool) -> str:
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (*_BLOCKS, 3), dtype=np.uint8)
    still = fill(blocks, (round(MARGIN * SIZE[0]), round(MARGIN * SIZE[1])))
    pictures = film(still, draw_motion(seed, (FRAMES - 1) / FPS), FRAMES, SIZE)
    top = rng.integers(SIZE[1] - _SQUARE)
    for picture, left in zip(pictures, np.linspace(0, SIZE[0] - _SQUARE, FRAMES).astype(int), strict=True):
        picture[top : top + _SQUARE, left : left + _SQUARE] = 255
    seconds = np.arange(int(SOUND_RATE * FRAMES / FPS)) / SOUND_RATE
    tone = 0.1 * np.sin(2 * np.pi * rng.uniform(200, 500) * seconds)[None].astype(np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"audio": tone, "sample_rate": SOUND_RATE} if sound else {}
    write_clip(path, pictures, FPS, title="simulated: shows nothing of its prompt", **about)
    return file_hash(path)
