"""What comes of one call of a model: a clip, or the reason why there is none."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# Of 255: pictures that nowhere get brighter are black, as half-precision overflows leave them.
BLACK = 8


class OutOfMemoryError(Exception):
    """The device's memory ran out."""


class GuardrailError(Exception):
    """A guardrail refused the prompt or the clip."""


@dataclass(frozen=True)
class Clip:
    """A generated clip.

    Attributes:
        frames: RGB, uint8, shape (frames, height, width, 3).
        audio: float32 in [-1, 1], shape (channels, samples); None without sound.
        sample_rate: samples a second; None without sound.
        flags: what is odd about it, such as "guardrail altered 12 frames".
        title: in the file's metadata.
    """

    frames: NDArray[np.uint8]
    audio: NDArray[np.float32] | None = None
    sample_rate: int | None = None
    flags: list[str] = field(default_factory=list)
    title: str = ""


def as_uint8(frames: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Pictures in [0, 1] as whole numbers, rounded to the nearest.

    Args:
        frames: any shape; values beyond the range are clipped.

    Raises:
        ValueError: some value is not a number or infinite: half precision overflowed somewhere.
    """
    pictures = np.empty(frames.shape, np.uint8)
    # One frame at a time: a whole clip of floats is a gigabyte, and each step would copy it.
    for frame, picture in zip(frames, pictures, strict=True):
        if not np.isfinite(frame).all():
            share = float(np.mean(~np.isfinite(frames)))
            raise ValueError(f"{share:.1%} of the pixels are not finite numbers; try another dtype")
        scaled = frame * np.float32(255)
        np.clip(scaled, 0, 255, out=scaled)
        np.rint(scaled, out=scaled)
        picture[...] = scaled
    return pictures


def is_black(clip: Clip) -> bool:
    """Whether no pixel of any frame is brighter than `BLACK`."""
    return bool(clip.frames.max() < BLACK)
