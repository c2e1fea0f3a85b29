"""Media files damaged in ways that are known and repeat: 72 and more, each from its name alone."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from helpers.video.write import write_clip
from video.making import encode, pictures, tone

SOURCES = ("sound.mp4", "h264.mov", "h264.mkv", "vp9.webm", "mpeg4.avi", "h264.ts", "moving.gif")


def _flipped(content: bytes, bits: int, seed: int) -> bytes:
    random, damaged = Random(seed), bytearray(content)
    for _ in range(bits):
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def _zeroed(content: bytes, start: float, end: float) -> bytes:
    a, b = int(len(content) * start), int(len(content) * end)
    return content[:a] + bytes(b - a) + content[b:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a tenth": lambda content: content[: len(content) // 10],
    "half": lambda content: content[: len(content) // 2],
    "nearly all": lambda content: content[:-30],
    "5 bits flipped": lambda content: _flipped(content, 5, 1),
    "200 bits flipped": lambda content: _flipped(content, 200, 2),
    "a hole of zeros": lambda content: _zeroed(content, 0.5, 0.7),
    "head of zeros": lambda content: _zeroed(content, 0, 0.05),
    "head cut off": lambda content: content[64:],
    "shuffled": lambda content: bytes(Random(3).sample(content, len(content))),
}


def _picture(kind: str) -> bytes:
    buffer = BytesIO()
    Image.fromarray(pictures(1)[0]).save(buffer, kind)
    return buffer.getvalue()


def _archive() -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("clip.mp4", "not here")
    return buffer.getvalue()


OTHERS: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.mp4": (lambda: b"", "empty"),
    "one byte.mp4": (lambda: b"\0", "not_media"),
    "zeros.mp4": (lambda: bytes(5000), "not_media"),
    "noise.mp4": (lambda: np.random.default_rng(0).bytes(5000), "not_media"),
    "text.mp4": (lambda: b"There is no clip here.\n" * 99, "not_media"),
    "page not found.mp4": (lambda: b"<!DOCTYPE html><html><h1>404 Not Found</h1></html>", "not_media"),
    "error.webm": (lambda: json.dumps({"error": {"code": 429}}).encode(), "not_media"),
    "archive.mp4": (_archive, "not_media"),
    "pointer.mp4": (
        lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "not_media",
    ),
    "playlist.mp4": (lambda: b"#EXTM3U\n#EXTINF:1,\nsound.mp4\n#EXT-X-ENDLIST\n", "not_media"),
    "playlist.m3u8": (lambda: b"#EXTM3U\n#EXTINF:1,\nsound.mp4\n#EXT-X-ENDLIST\n", "not_media"),
    "list.ffconcat": (lambda: b"ffconcat version 1.0\nfile sound.mp4\n", "not_media"),
    "only a beginning.mp4": (lambda: b"\0\0\0\x18ftypisom\0\0\2\0isomiso2", "unreadable"),
    "only a beginning.webm": (lambda: b"\x1aE\xdf\xa3", "unreadable"),
    "only a beginning.png": (lambda: _picture("png")[:20], "unreadable"),
    "picture.mp4": (lambda: _picture("png"), "picture"),
    "picture %d.jpg": (lambda: _picture("jpeg"), "picture"),
    "half a picture.jpg": (lambda: _picture("jpeg")[:600], "unreadable"),
}


def corpus(folder: Path) -> dict[str, Path]:
    """Write every damaged file; the result maps its name to it."""
    write_clip(folder / "sound.mp4", pictures(12), 8, audio=tone(1.5), sample_rate=24_000)
    for kind in SOURCES[1:]:
        encode(folder / kind, pictures(12), kind)
    contents = {kind: (folder / kind).read_bytes() for kind in SOURCES}
    files = {
        f"{damage} of {kind}": change(content)
        for kind, content in contents.items()
        for damage, change in DAMAGES.items()
    }
    files["two in one.mp4"] = contents["sound.mp4"] * 2
    files["clip after noise.mp4"] = np.random.default_rng(1).bytes(999) + contents["sound.mp4"]
    files |= {name: content() for name, (content, _) in OTHERS.items()}
    paths = {}
    for name, content in files.items():
        paths[name] = folder / name
        paths[name].write_bytes(content)
    return paths


NAMES = [
    *(f"{damage} of {kind}" for kind in SOURCES for damage in DAMAGES),
    "two in one.mp4",
    "clip after noise.mp4",
    *OTHERS,
]
