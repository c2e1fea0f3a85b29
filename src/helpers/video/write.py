"""Writing a clip as an MP4 file: H.264, BT.709 colours, the frame rate kept exactly, sound as AAC."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from helpers.video.encoding import (
    AAC_RATES,
    LAYOUTS,
    add_audio,
    add_video,
    encode_picture,
    encode_sound,
    new_mp4,
)

CRF = 17
SOUND_BITS = 96_000
"""Bits per second for each channel."""
FASTEST = 1000


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a new file holds.

    Attributes:
        path: the file.
        width: pixels, as stored.
        height: pixels, as stored.
        frames: how many.
        fps: frames per second, exactly.
        padded: an odd width or height was made even by repeating the last column or row, which 4:2:0 needs.
        clipped: samples of the sound beyond [-1, 1], set to the nearer end.
    """

    path: Path
    width: int
    height: int
    frames: int
    fps: Fraction
    padded: bool
    clipped: int


def write_clip(
    path: Path | str,
    frames: Iterable[NDArray[np.uint8]],
    fps: float | Fraction,
    *,
    audio: NDArray[np.floating] | None = None,
    sample_rate: int | None = None,
    title: str = "",
    lossless: bool = False,
) -> Written:
    """Write an MP4 file that browsers play; equal input gives equal bytes on every machine of one kind.

    The file appears under its name while it is written, and is removed if that fails. Memory holds one frame
    of an iterator at a time.

    Args:
        path: the file; whatever its suffix, the content is MP4. An existing file is replaced.
        frames: RGB, uint8: an array (frames, height, width, 3), or an iterator of (height, width, 3), at
            least one. Odd heights and widths are padded by one, unless lossless.
        fps: frames per second, above 0 and at most 1000. A float stands for the nearest fraction with a
            denominator up to 10,000: 9.8 is 49/5, 23.976 is 2997/125. The film rate, 24000/1001, can be given
            as a `Fraction`.
        audio: samples (channels, samples), 1 or 2 channels, in [-1, 1]; they start with the first frame.
        sample_rate: samples per second; AAC knows those in `encoding.AAC_RATES`.
        title: a title in the file's metadata.
        lossless: keep every value, as RGB; the file is large and browsers do not play it.

    Raises:
        ValueError: no frames, frames of unequal size or another type, a frame rate out of range, sound of
            another shape or rate, or that is not finite.
        OSError: the file cannot be written.
    """
    path = Path(path)
    rate = _rate(fps)
    samples, clipped = _sound(audio, sample_rate)
    pictures = _checked(frames)
    first = next(pictures, None)
    if first is None:
        raise ValueError("no frames; expected at least one to write a clip")
    height, width = first.shape[:2]
    odd = not lossless and bool(height % 2 or width % 2)
    edges = ((0, height % 2), (0, width % 2), (0, 0)) if odd else ()
    if odd:
        height, width = height + height % 2, width + width % 2
    with new_mp4(path, title) as container:
        video = add_video(container, width, height, rate, crf=CRF, lossless=lossless)
        if samples is not None:
            sound = add_audio(container, sample_rate, len(samples), SOUND_BITS * len(samples))
            container.mux(encode_sound(sound, samples))
        count = 0
        for picture in itertools.chain([first], pictures):
            picture = np.pad(picture, edges, mode="edge") if odd else picture
            container.mux(encode_picture(video, picture, count, 1 / rate))
            count += 1
        container.mux(video.encode(None))
    return Written(path=path, width=width, height=height, frames=count, fps=rate, padded=odd, clipped=clipped)


def _rate(fps: float | Fraction) -> Fraction:
    rate = Fraction(fps).limit_denominator(10_000) if math.isfinite(fps) else 0
    if not 0 < rate <= FASTEST:
        raise ValueError(f"fps is {fps}; expected frames per second above 0 and at most {FASTEST}")
    return rate


def _sound(
    audio: NDArray[np.floating] | None, sample_rate: int | None
) -> tuple[NDArray[np.float32] | None, int]:
    """The samples within [-1, 1], and how many were not."""
    if audio is None:
        return None, 0
    samples = np.asarray(audio)
    if samples.ndim != 2 or len(samples) not in LAYOUTS or not samples.size or samples.dtype.kind != "f":
        raise ValueError(
            f"audio has the shape {samples.shape} and type {samples.dtype}; "
            "expected floats, (1 or 2 channels, samples)"
        )
    if sample_rate not in AAC_RATES:
        raise ValueError(f"sample_rate is {sample_rate}; expected one of {', '.join(map(str, AAC_RATES))}")
    if not np.isfinite(samples).all():
        raise ValueError("audio holds values that are not finite; expected samples in [-1, 1]")
    beyond = int((np.abs(samples) > 1).sum())
    return np.clip(samples, -1, 1).astype(np.float32), beyond


def _checked(frames: Iterable[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    shape = None
    for number, frame in enumerate(frames):
        frame = np.asarray(frame)
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or not frame.size:
            raise ValueError(
                f"frame {number} has the shape {frame.shape} and type {frame.dtype}; "
                "expected (height, width, 3) of uint8, RGB"
            )
        if shape not in (None, frame.shape):
            raise ValueError(f"frame {number} has the shape {frame.shape}; expected {shape} as the first")
        shape = frame.shape
        yield frame
