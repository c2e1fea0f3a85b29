"""The encoders behind every file written here: H.264 that any browser plays, and AAC sound."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream
from numpy.typing import NDArray

AAC_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)
LAYOUTS = {1: "mono", 2: "stereo"}
# x264's bytes depend on how many threads it has, so their number must not follow from the machine's cores.
_THREADS = 4


@contextmanager
def new_mp4(path: Path, title: str = "") -> Iterator[OutputContainer]:
    """A new MP4 file whose index comes first, so that it plays while it loads and a cut-off end shows.

    Nothing in it depends on the clock or the file's name: equal input gives equal bytes. It appears under its
    name once it is whole; where writing fails, what stood there before stays.
    """
    whole = path.resolve()
    if whole.exists() and not whole.is_file():  # a device, such as /dev/full, is never replaced
        with _opened(whole, title) as container:
            yield container
        return
    part = unfinished(whole, os.getpid())
    try:
        with _opened(part, title) as container:
            yield container
        part.replace(whole)
    finally:
        part.unlink(missing_ok=True)


def unfinished(path: Path, process: int) -> Path:
    """Where a process writes a file until it is whole; the name is short, however long the file's own is."""
    return path.with_name(f".{hashlib.sha256(path.name.encode()).hexdigest()[:16]}.{process}.part")


@contextmanager
def _opened(path: Path, title: str) -> Iterator[OutputContainer]:
    with av.open(path, "w", format="mp4", options={"movflags": "+faststart"}) as container:
        if title:
            container.metadata["title"] = title
        yield container


def add_video(
    container: OutputContainer, width: int, height: int, rate: Fraction, *, crf: int, lossless: bool = False
) -> VideoStream:
    """An H.264 stream: 4:2:0, BT.709, limited range; or RGB without loss.

    Args:
        container: the file.
        width: even unless lossless, pixels.
        height: even unless lossless, pixels.
        rate: frames per second.
        crf: x264's constant rate factor, 0 (best) to 51.
        lossless: RGB in full range, every value kept; browsers do not play it.
    """
    # With its macroblock tree, x264 gives other bytes from run to run for many sizes.
    options = {"preset": "veryfast", "crf": str(crf), "x264-params": "mbtree=0"}
    if lossless:
        options = {"preset": "ultrafast", "qp": "0"}
    stream = container.add_stream("libx264rgb" if lossless else "libx264", rate, options)
    context = stream.codec_context
    context.width, context.height = width, height
    context.pix_fmt = "rgb24" if lossless else "yuv420p"
    context.thread_count = _THREADS
    context.color_primaries, context.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    if not lossless:
        context.colorspace, context.color_range = Colorspace.ITU709, ColorRange.MPEG
    return stream


def encode_picture(
    stream: VideoStream, picture: NDArray[np.uint8], pts: int, time_base: Fraction
) -> list[Any]:
    """The packets that one more RGB picture (height, width, 3) yields; height and width as the stream's."""
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    if stream.codec_context.pix_fmt == "yuv420p":
        frame = frame.reformat(
            format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG
        )
    frame.pts, frame.time_base = pts, time_base
    return stream.encode(frame)


def add_audio(container: OutputContainer, rate: int, channels: int, bit_rate: int) -> AudioStream:
    """An AAC stream.

    Args:
        container: the file.
        rate: samples per second, one of `AAC_RATES`.
        channels: 1 or 2.
        bit_rate: bits per second for all channels together.
    """
    stream = container.add_stream("aac", rate, layout=LAYOUTS[channels])
    stream.codec_context.bit_rate = bit_rate
    return stream


def encode_sound(stream: AudioStream, samples: NDArray[np.float32]) -> list[Any]:
    """The packets of a whole sound track (channels, samples) in [-1, 1], from time 0, to its end."""
    frame = av.AudioFrame.from_ndarray(
        np.ascontiguousarray(samples, np.float32), format="fltp", layout=LAYOUTS[len(samples)]
    )
    frame.sample_rate, frame.time_base, frame.pts = stream.rate, Fraction(1, stream.rate), 0
    return [*stream.encode(frame), *stream.encode(None)]
