"""Clips that are said to a model: as frames, or whole with their sound.

A request only names its clips. Where they have to be read from a file, that happens once they are sent.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from helpers.chat.pictures import Picture

# Gemini's count at its usual resolution; other models count by size.
TOKENS_A_FRAME = 258


class ClipFrames(ABC):
    """A clip as the frames that were taken from it.

    Servers get a text such as "t = 1.20 s" and a picture for each frame; a local model that knows video gets
    a video with these times.

    Attributes:
        pictures: the frames, all of one size. Where they have to be read and cannot be, ValueError.
        times: when each is shown, in seconds from the clip's beginning, rising.
        indices: the place of each frame in the clip, from 0.
        fps: the clip's frames a second.
        total: the clip's number of frames.
        tokens: about how many tokens they take, as so many pictures; nothing is read for it.
    """

    pictures: tuple[Picture, ...]
    times: tuple[float, ...]
    indices: list[int]
    fps: float
    total: int
    tokens: int

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """What the request's key is made from; nothing is read for it."""


@dataclass(frozen=True)
class HeldFrames(ClipFrames):
    """Frames in memory.

    Raises:
        ValueError: no frame, frames of several sizes, another number of times, or times that do not rise from
            0 on.
    """

    pictures: tuple[Picture, ...]
    times: tuple[float, ...]
    fps: float
    total: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "pictures", tuple(self.pictures))
        object.__setattr__(self, "times", tuple(float(time) for time in self.times))
        sizes = {(picture.width, picture.height) for picture in self.pictures}
        if len(sizes) != 1:
            found = ", ".join(f"{width} × {height}" for width, height in sorted(sizes)) or "none"
            raise ValueError(f"pictures: found sizes {found}; expected frames of one size")
        if len(self.times) != len(self.pictures):
            raise ValueError(f"times: found {len(self.times)}, expected {len(self.pictures)}, one a picture")
        if not (self.fps > 0 and math.isfinite(self.fps) and self.total >= 1):
            raise ValueError(f"found {self.total} frames at {self.fps} a second, expected positive numbers")
        rising = all(before < after for before, after in pairwise((*self.times, math.inf)))
        if not rising or self.times[0] < 0:
            raise ValueError(f"times: found {self.times}, expected rising seconds from 0 on")

    @property
    def indices(self) -> list[int]:
        """The place of each frame in the clip, by its time; near it where the rate varies."""
        return [min(round(time * self.fps), self.total - 1) for time in self.times]

    @property
    def tokens(self) -> int:
        """About how many tokens they take, as so many pictures."""
        return sum(picture.tokens for picture in self.pictures)

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        return {
            "type": "frames",
            "pictures": [picture.content() for picture in self.pictures],
            "times": list(self.times),
            "fps": float(self.fps),
            "total": self.total,
        }


@dataclass(frozen=True, kw_only=True)
class WholeClip:
    """A clip that is sent as a file, for models that choose the frames themselves.

    Attributes:
        sha256: of the clip's file, in hexadecimal.
        media: its media type.
        fps: frames a second that the model is told to look at; Gemini takes up to 24.
        frames: how many that gives, for counting tokens.
        sound: whether the file that is sent has the clip's sound. Without, it is a muted copy, so that no
            server has to be trusted to leave the sound out.
        change: what was done to the clip before, such as "reversed"; empty for the clip as it is.
        load: gives the bytes that are sent; raises ValueError where they cannot be had.
    """

    sha256: str
    media: str = "video/mp4"
    fps: float
    frames: int
    sound: bool
    change: str = ""
    load: Callable[[], bytes] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.fps <= 24:
            raise ValueError(f"fps: found {self.fps}, expected frames a second above 0 and up to 24")

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return self.frames * TOKENS_A_FRAME

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        about = {"sha256": self.sha256, "fps": self.fps, "sound": self.sound, "change": self.change}
        return {"type": "clip"} | about
