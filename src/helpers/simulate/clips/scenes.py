"""Drawn scenes that stand for clips: each prompt has a look of its own, and a dial that spoils it.

A drawing shows nothing of its prompt and says so: the word "simulated" stands in every frame.
"""

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from helpers.simulate.clips.faithfulness import altered

SIZE, FRAMES, FPS = (160, 96), 12, 8.0
SOUND_RATE = 16_000
_FIGURES = (3, 7)
# Of 255: how much the brightness of a wholly unfaithful clip jumps from frame to frame.
_FLICKER = 12.0


def drawn_scene(look: int, own: int, fault: float, lines: tuple[str, ...]) -> np.ndarray:
    """Discs that drift over hills below a line of text.

    Args:
        look: seed of what the clips of one prompt share: colours, hills, figures.
        own: seed of what is the clip's own: where the figures go, how it flickers.
        fault: 0 (sharp and steady) to 1 (blurred and flickering).
        lines: what is written on it.

    Returns:
        uint8 (FRAMES, height, width, 3).
    """
    drawn, rng = np.random.default_rng([look, 0]), np.random.default_rng([own, 1])
    backdrop = altered(_backdrop(drawn), "detail_loss", fault, seed=own)
    frames = np.repeat(backdrop[None], FRAMES, axis=0)
    for _ in range(drawn.integers(*_FIGURES)):
        radius, colour = int(drawn.integers(5, 12)), drawn.integers(60, 256, 3).astype(np.uint8)
        disc = np.hypot(*np.ogrid[-radius : radius + 1, -radius : radius + 1]) <= radius
        way = rng.uniform((0, 30), SIZE) + rng.uniform(-2, 2, 2) * np.arange(FRAMES)[:, None]
        corners = np.clip(way, 0, np.subtract(SIZE, 2 * radius + 1)).astype(int)
        for frame, (left, top) in zip(frames, corners, strict=True):
            frame[top : top + len(disc), left : left + len(disc)][disc] = colour
    flicker = np.rint(fault * _FLICKER * rng.standard_normal(FRAMES)).astype(np.int16)
    frames = np.clip(frames + flicker[:, None, None, None], 0, 255).astype(np.uint8)
    label = _label(lines)
    frames[:, : label.shape[0]] = np.where(label[None], 255, frames[:, : label.shape[0]] // 2)
    return frames


def tone(own: int) -> np.ndarray:
    """A quiet tone as long as a drawn scene, float32 (1, samples) at `SOUND_RATE`."""
    seconds = np.arange(int(SOUND_RATE * FRAMES / FPS)) / SOUND_RATE
    pitch = np.random.default_rng([own, 2]).uniform(200, 500)
    return (0.1 * np.sin(2 * np.pi * pitch * seconds))[None].astype(np.float32)


def _backdrop(rng: np.random.Generator) -> np.ndarray:
    width, height = SIZE
    sky, ground = rng.integers(100, 230, 3), rng.integers(25, 130, 3)
    x, y = np.arange(width) / width, np.arange(height)[:, None] / height
    waves, phases = rng.uniform(3, 12, (3, 1)), rng.uniform(0, 2 * np.pi, (3, 1))
    hills = y > 0.6 + 0.07 * np.sin(waves * x + phases).sum(axis=0)
    shade = 1 - 0.4 * np.broadcast_to(y, hills.shape)[..., None]
    return (np.where(hills[..., None], ground, sky) * shade).astype(np.uint8)


@cache
def _label(lines: tuple[str, ...]) -> np.ndarray:
    """Where the letters of some lines are, bool (height, width, 1)."""
    font = ImageFont.load_default(10)
    strip = Image.new("1", (SIZE[0], 12 * len(lines) + 2))
    for number, line in enumerate(lines):
        ImageDraw.Draw(strip).text((3, 12 * number), line, fill=1, font=font)
    return np.asarray(strip)[..., None]
