"""What a study of any number of clips costs on paper, and which limit comes first."""

from dataclasses import dataclass

import pandas as pd

from helpers.generation import catalogue
from helpers.generation.plan import bytes_a_clip, seconds_a_clip
from helpers.planning.asking import REPLY, gpu_hours
from helpers.planning.measuring import PIXEL

PIXELS_A_TOKEN = 32 * 32


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What clips are like, who judges them, and on what machines.

    Attributes:
        model: an open model of the catalogue.
        benchmark: whose settings it makes clips with, and whose protocol judges them.
        questions: calls for each clip: one, or for CultureScore one a question.
        frames: that a judge sees of a clip.
        longest: pixels of the longer side of what it sees.
        words: tokens of a question's text.
        judge: parameters of the judge in billions; each token uses all of them.
        at_once: calls in flight on one GPU.
        gpus: that share the work.
        cores: that share the decoding.
        disk_gb: room on the disk.
    """

    model: str = "Wan 2.2"
    benchmark: str = "culturevidbench"
    questions: int = 1
    frames: int = 16
    longest: int = 768
    words: int = 1500
    judge: float = 32.0
    at_once: int = 16
    gpus: int = 8
    cores: int = 64
    disk_gb: float = 20_000.0


def costs(clips: int, setting: Setting) -> pd.DataFrame:
    """Work and room that a study takes.

    Args:
        clips: how many are made, decoded and judged, each once.
        setting: what the rest is assumed to be.

    Returns:
        One row for each of `generate`, `decode`, `judge` (with amount in hours of one GPU or core, and the
        days that one waits) and `clips`, `frames`, `replies` (with amount in GB); columns what, amount, unit,
        days (missing for room), limit ("time" or "disk").
    """
    model = catalogue.load().model(setting.model)
    made = model.for_benchmark(setting.benchmark)
    width, height = catalogue.final_size(model, made)
    frames = made.call["num_frames"]
    generate = clips * seconds_a_clip(model, made) / 3600
    decode = clips * width * height * frames * PIXEL / 3600
    judge = gpu_hours(setting.judge, setting.judge, *tokens(clips, setting), setting.at_once)
    work = [
        ("generate", generate, "GPU hours", generate / setting.gpus / 24),
        ("decode", decode, "core hours", decode / setting.cores / 24),
        ("judge", judge, "GPU hours", judge / setting.gpus / 24),
    ]
    room = [
        ("clips", clips * bytes_a_clip(model, made) / 1e9),
        ("frames", clips * setting.frames * width * height * 3 / 1e9),
        ("replies", clips * setting.questions * REPLY[setting.benchmark] * 4 * 2 / 1e9),
    ]
    rows = [(*row, "time") for row in work] + [(what, gb, "GB", None, "disk") for what, gb in room]
    return pd.DataFrame(rows, columns=["what", "amount", "unit", "days", "limit"]).astype({"days": float})


def tokens(clips: int, setting: Setting) -> tuple[float, float]:
    """Tokens that a judge reads and writes."""
    model = catalogue.load().model(setting.model)
    width, height = catalogue.final_size(model, model.for_benchmark(setting.benchmark))
    factor = min(1.0, setting.longest / max(width, height))
    seen = setting.frames * width * height * factor**2 / PIXELS_A_TOKEN
    calls = clips * setting.questions
    return calls * (seen + setting.words), calls * float(REPLY[setting.benchmark])


def limits(clips: int, setting: Setting, *, days: float, keep_frames: bool = False) -> pd.Series:
    """What a study takes of each limit, as a multiple of it; the largest comes first, if it is above 1.

    Args:
        clips: how many.
        setting: the machines' size is part of it.
        days: how long one is ready to wait.
        keep_frames: every decoded frame is kept, rather than as many as the cache holds.

    Returns:
        The multiples, by "generate", "decode", "judge" and "disk".
    """
    found = costs(clips, setting).set_index("what")
    room = found["limit"].eq("disk")
    if not keep_frames:
        room &= found.index != "frames"
    shares = found.loc[found["limit"].eq("time"), "days"] / days
    disk = found.loc[room, "amount"].sum() / setting.disk_gb
    return pd.concat([shares, pd.Series({"disk": disk})])
