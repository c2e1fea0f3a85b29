"""Pictures that are said to a model: a still, or a clip as the frames that were taken from it."""

import base64
import hashlib
import io
import math
import struct
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from helpers.paths import shown

# What every server takes, by Pillow's names.
MEDIA = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
PIXELS_PER_TOKEN = 32 * 32
_BROKEN = (UnidentifiedImageError, OSError, SyntaxError, struct.error, Image.DecompressionBombError)


@dataclass(frozen=True)
class Picture:
    """A picture as it is sent.

    Attributes:
        data: a JPEG, PNG or WebP file's bytes; the beginning is checked, the rest only by `read`.
        media: its media type.

    Raises:
        ValueError: bytes that are no such picture, or another media type than theirs.
    """

    data: bytes = field(repr=False)
    media: str = "image/jpeg"
    width: int = field(init=False, compare=False)
    height: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        kinds = ", ".join(MEDIA)
        try:
            with Image.open(io.BytesIO(self.data), formats=tuple(MEDIA)) as image:
                found, (width, height) = MEDIA[image.format], image.size
        except _BROKEN as error:
            raise ValueError(
                f"found {len(self.data):,} bytes that are no picture ({error}); expected one of {kinds}"
            ) from None
        if found != self.media:
            raise ValueError(f"media: found {self.media!r} for a picture that is {found}")
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "height", height)

    @classmethod
    def read(cls, path: Path) -> "Picture":
        """A picture from a file, as it is.

        Args:
            path: a JPEG, PNG or WebP file, whatever its name ends in.

        Raises:
            ValueError: the file is no such picture, or it is damaged; the message names it.
            OSError: there is no such file.
        """
        data = path.read_bytes()
        try:
            with Image.open(io.BytesIO(data), formats=tuple(MEDIA)) as image:
                media = MEDIA[image.format]
                image.load()
        except _BROKEN as error:
            kinds = ", ".join(MEDIA)
            raise ValueError(
                f"{shown(path)}: found no picture that can be read ({error}); expected one of {kinds}"
            ) from None
        return cls(data, media)

    @classmethod
    def encode(cls, array: NDArray[np.uint8], quality: int = 90) -> "Picture":
        """A picture from pixels, as a JPEG without colour subsampling.

        Args:
            array: red, green and blue from 0 to 255, shape (height, width, 3), uint8.
            quality: JPEG's, from 1 to 95.

        Raises:
            ValueError: another shape or type of array, or another quality.
        """
        array = np.asarray(array)
        if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or not array.size:
            raise ValueError(
                f"found an array of {array.dtype} with shape {array.shape}; expected uint8 (height, width, 3)"
            )
        if not 1 <= quality <= 95:
            raise ValueError(f"quality: found {quality}, expected a number from 1 to 95")
        buffer = io.BytesIO()
        Image.fromarray(array).save(buffer, "JPEG", quality=quality, subsampling=0)
        return cls(buffer.getvalue())

    @cached_property
    def sha256(self) -> str:
        """The hash of its bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def tokens(self) -> int:
        """About how many tokens it takes: one for every 32 × 32 pixels, as Qwen3-VL counts.

        It is a rule of thumb: other models scale pictures first or count by tiles.
        """
        return math.ceil(self.width * self.height / PIXELS_PER_TOKEN)

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        return {"type": "picture", "media": self.media, "sha256": self.sha256}

    def data_url(self) -> str:
        """The picture as an address that holds it."""
        return f"data:{self.media};base64,{base64.b64encode(self.data).decode()}"

    def pixels(self) -> Image.Image:
        """The picture, decoded to red, green and blue.

        Raises:
            ValueError: it is damaged.
        """
        try:
            with Image.open(io.BytesIO(self.data)) as image:
                return image.convert("RGB")
        except _BROKEN as error:
            raise ValueError(f"found a damaged picture of {len(self.data):,} bytes ({error})") from None


@dataclass(frozen=True)
class Frames:
    """A clip as the frames that were taken from it.

    Servers get a text such as "t = 1.20 s" and a picture for each frame; a local model that knows video gets
    a video with these times.

    Attributes:
        pictures: the frames, all of one size.
        times: when each is shown, in seconds from the clip's beginning, rising.
        fps: the clip's frames a second.
        total: the clip's number of frames.

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
        """The place of each frame in the clip, from 0, by its time; near it where the rate varies."""
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
