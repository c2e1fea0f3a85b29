"""Frames from a clip of 5 s at 1360x768: sampled, shared and probed, beside plain decoding with PyAV."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from benchmarks.harness import Row, at_least, at_most, peak_megabytes, seconds
from numpy.typing import NDArray

from helpers.video.cache import Cache
from helpers.video.frames import sample, sample_all
from helpers.video.probe import probe
from helpers.video.sampling import PerSecond, Uniform

FRAMES, HEIGHT, WIDTH, FPS = 81, 768, 1360, 16
CONSUMERS = 5
RULES = [Uniform(5), Uniform(16), PerSecond(1), PerSecond(2), Uniform(32)]


def scene(seed: int = 0) -> NDArray[np.uint8]:
    """Two textures that drift apart, as hard to compress as a generated clip: (frames, height, width, 3)."""
    rng = np.random.default_rng(seed)
    near, far = np.zeros((2, HEIGHT, WIDTH + FRAMES * 2, 3))
    for layer in (near, far):
        for step, strength in ((128, 45), (32, 20), (8, 6)):
            coarse = rng.normal(size=(HEIGHT // step + 2, layer.shape[1] // step + 2, 3))
            fine = coarse.repeat(step, axis=0).repeat(step, axis=1)
            layer += strength * fine[: layer.shape[0], : layer.shape[1]]
    clip = np.empty((FRAMES, HEIGHT, WIDTH, 3), np.uint8)
    for moment, picture in enumerate(clip):
        mixed = near[:, 2 * moment : 2 * moment + WIDTH] + far[:, FRAMES - moment : FRAMES - moment + WIDTH]
        picture[:] = np.clip(mixed + 128, 0, 255)
    return clip


def generated(path: Path) -> None:
    """Write the scene as generators do, with x264's own settings."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream("libx264", FPS)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in scene():
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        file.mux(stream.encode(None))


def plain(path: Path, wanted: frozenset[int]) -> list[NDArray[np.uint8]]:
    """What one writes with PyAV alone: decode from the start, convert what is wanted, stop after the last."""
    taken = []
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for number, frame in enumerate(container.decode(video=0)):
            if number in wanted:
                taken.append(frame.to_ndarray(format="rgb24"))
            if number == max(wanted):
                return taken
    return taken


def each_decodes(path: Path) -> None:
    for _ in range(CONSUMERS):
        np.array(sample(path, Uniform(16)).images)


def all_share(path: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for _ in range(CONSUMERS):
        np.array(sample(path, Uniform(16), Cache(folder)).images)


def each_rule_decodes(path: Path) -> None:
    for rule in RULES:
        sample(path, rule)


PLAIN_CODE = """
import av
with av.open({path!r}) as container:
    frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
"""
SAMPLE_CODE = """
from helpers.video.frames import sample
from helpers.video.sampling import Uniform
sample({path!r}, Uniform(5))
"""


def run() -> list[Row]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "clip.mp4"
        generated(path)
        five = frozenset(Uniform(5).pick(np.arange(FRAMES) / FPS, FRAMES / FPS).tolist())
        alone, ours = seconds(lambda: plain(path, five)), seconds(lambda: sample(path, Uniform(5)))
        apart, shared = (
            seconds(lambda: each_decodes(path)),
            seconds(lambda: all_share(path, folder / "frames")),
        )
        rule_by_rule = seconds(lambda: each_rule_decodes(path))
        at_once = seconds(lambda: sample_all(path, RULES))
        quick, thorough = seconds(lambda: probe(path)), seconds(lambda: probe(path, thorough=True))
        plain_peak = peak_megabytes(PLAIN_CODE.format(path=str(path)))
        sample_peak = peak_megabytes(SAMPLE_CODE.format(path=str(path)))
        megabytes = path.stat().st_size / 1e6
    return [
        Row(what="the clip: 81 frames, 1360x768, H.264", value=megabytes, unit="MB"),
        Row(what="5 frames, PyAV alone", value=alone, unit="s"),
        Row(what="5 frames, sample", value=ours, unit="s"),
        at_least("5 frames: PyAV's time over ours", alone / ours, 1.0, "×"),
        Row(what="5 consumers of 16 frames, each decodes", value=apart, unit="s"),
        Row(what="5 consumers of 16 frames, one cache, empty at first", value=shared, unit="s"),
        at_least("5 consumers: time of each decoding over sharing", apart / shared, 3.5, "×"),
        Row(what="5 rules, one after another", value=rule_by_rule, unit="s"),
        Row(what="5 rules, sample_all", value=at_once, unit="s"),
        Row(what="5 rules: one after another over at once", value=rule_by_rule / at_once, unit="×"),
        Row(what="probe", value=1000 * quick, unit="ms"),
        Row(what="probe, thorough", value=1000 * thorough, unit="ms"),
        Row(what="peak memory, PyAV alone, all frames in a list", value=plain_peak, unit="MB"),
        at_most("peak memory, sample of 5 frames", sample_peak, plain_peak, "MB"),
    ]
