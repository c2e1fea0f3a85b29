"""Pictures that are said to a model: held in memory, or read from their file once they are sent."""

import base64
import hashlib
import io
import math
import struct
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from helpers.paths import shown
from helpers.photographs.pictures import FORMATS

# What every server takes, by Pillow's names.
MEDIA = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
PIXELS_PER_TOKEN = 32 * 32
_BROKEN = (
    UnidentifiedImageError,
    OSError,
    SyntaxError,
    ValueError,
    RuntimeError,  # with it NotImplementedError
    struct.error,
    Image.DecompressionBombError,
)


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
                found, (width, height) = _media(image), image.size
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
            OSError: there is no such file, or it is a pipe or a device.
        """
        data = _content(path)
        try:
            with Image.open(io.BytesIO(data), formats=tuple(MEDIA)) as image:
                media = _media(image)
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

    @cached_property
    def data_url(self) -> str:
        """The picture as an address that holds it, kept for the next question about it."""
        return f"data:{self.media};base64,{base64.b64encode(self.data).decode()}"

    def pixels(self) -> Image.Image:
        """The picture, decoded to red, green and blue.

        Raises:
            ValueError: it is damaged.
        """
        try:
            with Image.open(io.BytesIO(self.data), formats=tuple(MEDIA)) as image:
                return image.convert("RGB")
        except _BROKEN as error:
            raise ValueError(f"found a damaged picture of {len(self.data):,} bytes ({error})") from None


@dataclass(frozen=True)
class FilePicture:
    """A picture in a file, which is read only once it is sent.

    Attributes:
        path: a file of one of `helpers.photographs.pictures.FORMATS`.
        sha256: of the file, in hexadecimal; what the picture is known by, wherever the file lies.
        longest: pixels of the longer side, to which a larger picture is scaled down.
        quality: of the JPEG that is sent.
    """

    path: Path = field(compare=False)
    sha256: str
    longest: int = 1024
    quality: int = 90

    @classmethod
    def of(cls, path: Path, longest: int = 1024, quality: int = 90) -> "FilePicture":
        """The picture in a file, as it is now.

        Raises:
            OSError: there is no such file, or it is a pipe or a device.
        """
        return cls(path, hashlib.sha256(_content(path)).hexdigest(), longest, quality)

    @property
    def tokens(self) -> int:
        """About how many tokens it takes at most, as `Picture.tokens`."""
        return math.ceil(self.longest**2 / PIXELS_PER_TOKEN)

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        about = {"sha256": self.sha256, "longest": self.longest, "quality": self.quality}
        return {"type": "picture from a file"} | about

    def read(self) -> Picture:
        """The picture as it is sent: upright, a JPEG. The last ones are kept in memory.

        Raises:
            ValueError: the file is gone, no picture, or another one than it was.
        """
        return _read(self)


@lru_cache(maxsize=32)
def _read(picture: FilePicture) -> Picture:
    try:
        data = _content(picture.path)
    except OSError as error:
        raise ValueError(f"{shown(picture.path)}: found no picture that can be read ({error})") from None
    if hashlib.sha256(data).hexdigest() != picture.sha256:
        raise ValueError(f"{shown(picture.path)}: found another picture than the run began with")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except _BROKEN as error:
        raise ValueError(f"{shown(picture.path)}: found no picture that can be read ({error})") from None
    return Picture.encode(scaled(np.asarray(upright), picture.longest), picture.quality)


def _content(path: Path) -> bytes:
    """A file's bytes; a pipe would be waited for without end."""
    if path.exists() and not path.is_file():
        raise OSError(f"{shown(path)}: not a regular file; expected a picture")
    return path.read_bytes()


def _media(image: Image.Image) -> str:
    """The media type of an opened picture; a phone's JPEG with further pictures in it is a JPEG."""
    return MEDIA["JPEG" if image.format == "MPO" else image.format]


def scaled(array: NDArray[np.uint8], longest: int) -> NDArray[np.uint8]:
    """A picture with its longer side brought down to some pixels; a smaller one stays as it is.

    Args:
        array: (height, width, 3), uint8.
        longest: pixels of the longer side, at least 1.
    """
    height, width = array.shape[:2]
    if max(height, width) <= longest:
        return array
    factor = longest / max(height, width)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return np.asarray(Image.fromarray(array).resize(size, Image.Resampling.HAMMING))
