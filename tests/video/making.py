"""Small clips in many formats, written with PyAV alone, so that reading is not tested against our writing."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

QUIET = {"libx265": {"x265-params": "log-level=none"}, "libsvtav1": {"svtav1-params": "lp=1"}}
FORMATS = {  # name: container, codec, pixel format
    "h264.mp4": ("mp4", "libx264", "yuv420p"),
    "h264.mov": ("mov", "libx264", "yuv420p"),
    "h264.mkv": ("matroska", "libx264", "yuv420p"),
    "h264.ts": ("mpegts", "libx264", "yuv420p"),
    "h264.flv": ("flv", "libx264", "yuv420p"),
    "h264.avi": ("avi", "libx264", "yuv420p"),
    "h264-444.mp4": ("mp4", "libx264", "yuv444p"),
    "h264-10bit.mp4": ("mp4", "libx264", "yuv420p10le"),
    "bare.h264": ("h264", "libx264", "yuv420p"),
    "hevc.mp4": ("mp4", "libx265", "yuv420p"),
    "hevc-10bit.mp4": ("mp4", "libx265", "yuv420p10le"),
    "vp9.webm": ("webm", "libvpx-vp9", "yuv420p"),
    "vp9-alpha.webm": ("webm", "libvpx-vp9", "yuva420p"),
    "mpeg4.avi": ("avi", "mpeg4", "yuv420p"),
    "mpeg2.mpg": ("mpeg", "mpeg2video", "yuv420p"),
    "prores-alpha.mov": ("mov", "prores_ks", "yuva444p10le"),
    "png-alpha.mov": ("mov", "png", "rgba"),
    "ffv1.mkv": ("matroska", "ffv1", "yuv444p"),
    "moving.gif": ("gif", "gif", "rgb8"),
    "moving.apng": ("apng", "apng", "rgba"),
}


def pictures(frames: int, height: int = 64, width: int = 96) -> NDArray[np.uint8]:
    """Smooth colours that move, each frame unlike the others: (frames, height, width, 3)."""
    moment, y, x = np.meshgrid(np.arange(frames), np.arange(height), np.arange(width), indexing="ij")
    red = 127 + 120 * np.sin((x + 5 * moment) / 15)
    green = 127 + 120 * np.sin((y - 3 * moment) / 12)
    blue = 255 * moment / max(frames - 1, 1)
    return np.stack([red, green, blue], axis=-1).astype(np.uint8)


def tone(seconds: float, rate: int = 24_000, channels: int = 1) -> NDArray[np.float32]:
    """A quiet tone of 440 Hz."""
    wave = 0.25 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    return np.tile(wave.astype(np.float32), (channels, 1))


def encode(
    path: Path,
    frames: Sequence[NDArray[np.uint8]],
    kind: str = "h264.mp4",
    *,
    rate: int = 8,
    pts: Sequence[int] | None = None,
    matrix: Sequence[int] | None = None,
    colours: tuple[int, int] | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Write RGB or RGBA frames; `pts` in thousandths of a second; `colours` are primaries and curve."""
    container, codec, pixels = FORMATS[kind]
    with av.open(str(path), "w", format=container, options=options or {}) as file:
        stream = file.add_stream(codec, rate, QUIET.get(codec, {}))
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pixels
        if matrix:
            stream.set_display_matrix(matrix)
        if colours:
            stream.codec_context.color_primaries, stream.codec_context.color_trc = colours
        if pts is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        for number, picture in enumerate(frames):
            name = "rgba" if picture.shape[2] == 4 else "rgb24"
            frame = av.VideoFrame.from_ndarray(picture, format=name).reformat(format=pixels)
            frame.pts = number if pts is None else pts[number]
            frame.time_base = Fraction(1, rate) if pts is None else Fraction(1, 1000)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return path


def decoded(path: Path) -> NDArray[np.uint8]:
    """All frames, by PyAV's own plain loop."""
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])
