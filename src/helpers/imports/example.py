"""A folder of clips such as somebody may bring along, with faults in it that are known."""

import shutil
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helpers.generation.catalogue import Expected
from helpers.video.write import write_clip

MODEL = "Drawn Scenes 1.0"
WIDTH, HEIGHT, FRAMES, FPS = 320, 180, 24, 8
SAMPLE_RATE = 16_000
FEWEST_PROMPTS = 12
_FOUND_AS = {"cut off": "truncated", "web page": "unreadable"}


def made_up(models: Iterable[str]) -> bool:
    """Whether any of these models is the example's, is simulated or has random weights, as its name says."""
    return any(name == MODEL or "random" in name.lower() or "simulated" in name.lower() for name in models)


def expected(benchmark: str) -> Expected:
    """What the example's clips should be."""
    return Expected(benchmark=benchmark, width=WIDTH, height=HEIGHT, frames=FRAMES, fps=FPS, audio=True)


def write_example(folder: Path | str, prompts: pd.DataFrame) -> pd.DataFrame:
    """Write small drawn clips of prompts in CultureVidBench's layout, some of them faulty.

    A drawing shows a sun that rises over hills, coloured by the prompt's id: it stands for a clip and shows
    nothing of the prompt. Equal prompts give equal files.

    Args:
        folder: where they go, in a folder named after the model, which is emptied first.
        prompts: at least 12 rows of the table `prompts`.

    Returns:
        The planted faults: `kind` as an import should name it, and `prompt_id`, missing where the fault is a
        file of no known prompt.

    Raises:
        ValueError: fewer than 12 prompts.
    """
    ids = list(prompts["prompt_id"])
    if len(ids) < FEWEST_PROMPTS:
        raise ValueError(f"found {len(ids)} prompts, expected at least {FEWEST_PROMPTS}")
    folder = Path(folder) / MODEL
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    faults = dict(
        zip(
            ids[1:9],
            ["cut off", "wrong size", "missing", "same file", "no sound", "too short", "takes", "web page"],
            strict=True,
        )
    )
    for prompt_id in ids:
        place = folder / f"{prompt_id}_{zlib.crc32(prompt_id.encode()):08x}.mp4"
        _write(place, prompt_id, faults.get(prompt_id, ""), first=ids[0])
    _draw(folder / "from-an-older-list_1.mp4", "older")
    (folder / ".DS_Store").write_bytes(b"\0")
    planted = [(_FOUND_AS.get(fault, fault), prompt_id) for prompt_id, fault in faults.items()]
    return pd.DataFrame([*planted, ("unknown prompt", None)], columns=["kind", "prompt_id"])


def _write(place: Path, prompt_id: str, fault: str, *, first: str) -> None:
    if fault == "missing":
        return
    if fault == "web page":
        place.write_text("<html><body>504 Gateway Time-out</body></html>\n", encoding="utf-8")
    elif fault == "same file":
        _draw(place, first)
    else:
        about = {
            "wrong size": {"size": (HEIGHT, WIDTH)},
            "no sound": {"sound": False},
            "too short": {"frames": FRAMES // 2},
        }
        _draw(place, prompt_id, **about.get(fault, {}))
    if fault == "cut off":
        content = place.read_bytes()
        place.write_bytes(content[: len(content) * 2 // 3])
    elif fault == "takes":
        _draw(place.with_stem(f"{place.stem}_second"), f"{prompt_id} again")


def _draw(
    place: Path,
    name: str,
    *,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    frames: int = FRAMES,
    sound: bool = True,
) -> None:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    pictures = _pictures(size, frames, rng)
    if not sound:
        write_clip(place, pictures, FPS)
        return
    seconds = np.arange(SAMPLE_RATE * frames // FPS) / SAMPLE_RATE
    tone = 0.1 * np.sin(2 * np.pi * rng.uniform(200, 500) * seconds)
    write_clip(place, pictures, FPS, audio=tone[None].astype(np.float32), sample_rate=SAMPLE_RATE)


def _pictures(size: tuple[int, int], frames: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A sun that rises over hills: uint8 (frames, height, width, 3)."""
    width, height = size
    sky, ground = rng.integers(100, 230, 3), rng.integers(25, 100, 3).astype(np.uint8)
    x, y = np.arange(width) / width, np.arange(height)[:, None] / height
    waves, phases = rng.uniform(3, 12, (3, 1)), rng.uniform(0, 2 * np.pi, (3, 1))
    hills = y > 0.65 + 0.06 * np.sin(waves * x + phases).sum(axis=0)
    backdrop = (sky * (1 - 0.4 * np.broadcast_to(y, hills.shape)[..., None])).astype(np.uint8)
    backdrop[hills] = ground
    drawn = np.repeat(backdrop[None], frames, axis=0)
    across = rng.uniform(0.2, 0.8)
    for picture, up in zip(drawn, np.linspace(0.75, 0.25, frames), strict=True):
        sun = ((x - across) * width / height) ** 2 + (y - up) ** 2 < 0.008
        picture[sun & ~hills] = (255, 230, 128)
    return drawn
