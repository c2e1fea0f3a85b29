"""A camera that pans and zooms slowly over a still photograph, as landmark clips mostly do."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

# The photograph is kept this much larger than a frame: a view of 1/MARGIN of it has the frame's pixels.
MARGIN = 1.25
# A view's side as a share of the photograph's, at the start and at all times.
_START, _RANGE = (0.78, 0.92), (0.72, 0.98)
# Pan and change of the share a second, both as shares of the photograph.
_PAN, _ZOOM = (0.01, 0.03), (0.01, 0.03)


@dataclass(frozen=True)
class Motion:
    """A straight path from one view to another.

    Attributes:
        start: the first view: its centre (x, y), and its side; all as shares of the photograph's.
        end: the last view.
    """

    start: tuple[float, float, float]
    end: tuple[float, float, float]

    def __str__(self) -> str:
        first, last = (f"({x:.3f}, {y:.3f}) at {side:.3f}" for x, y, side in (self.start, self.end))
        return f"{first} to {last}"


def draw_motion(seed: int, duration: float) -> Motion:
    """A random path: 1 to 3 % of the photograph a second in any direction, and as much in or out.

    It ends early where it would leave the photograph.

    Args:
        seed: the same seed gives the same start, direction and speed, whatever the duration.
        duration: seconds.
    """
    rng = np.random.default_rng([seed, 0])
    side = rng.uniform(*_START)
    centre = 0.5 + (1 - side) / 2 * rng.uniform(-1, 1, 2)
    angle, pan = rng.uniform(0, 2 * np.pi), rng.uniform(*_PAN)
    zoom = rng.choice([-1, 1]) * rng.uniform(*_ZOOM)
    last_side = float(np.clip(side + zoom * duration, *_RANGE))
    moved = centre + pan * duration * np.array([np.cos(angle), np.sin(angle)])
    last = np.clip(moved, last_side / 2, 1 - last_side / 2)
    return Motion((*centre.tolist(), float(side)), (*last.tolist(), last_side))


def fill(photograph: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The middle of a photograph, as large as fits, at a (width, height) in pixels."""
    height, width = photograph.shape[:2]
    scale = min(width / size[0], height / size[1])
    across, down = size[0] * scale, size[1] * scale
    left, top = max(0.0, (width - across) / 2), max(0.0, (height - down) / 2)
    box = (left, top, min(left + across, width), min(top + down, height))
    return np.asarray(Image.fromarray(photograph).resize(size, Image.Resampling.LANCZOS, box=box))


def film(still: np.ndarray, motion: Motion, frames: int, size: tuple[int, int]) -> np.ndarray:
    """What the camera sees along its path.

    Args:
        still: uint8 RGB (height, width, 3), of the frames' proportions.
        motion: the path.
        frames: how many, evenly spaced along it.
        size: (width, height) of a frame in pixels.

    Returns:
        uint8 (frames, height, width, 3).
    """
    picture = Image.fromarray(still)
    views = np.linspace(motion.start, motion.end, frames)
    seen = np.empty((frames, size[1], size[0], 3), np.uint8)
    for frame, (x, y, side) in zip(seen, views, strict=True):
        box = np.array([x - side / 2, y - side / 2, x + side / 2, y + side / 2]).clip(0, 1)
        frame[:] = picture.resize(size, Image.Resampling.BICUBIC, box=tuple(box * (picture.size * 2)))
    return seen
