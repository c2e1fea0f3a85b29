"""What a run would cost, before anything is loaded: clips, hours on a GPU, room on the disk.

The hours are an estimate from first principles, good to a factor of two or three: the arithmetic of the
transformer, on a GPU that sustains so much of it. The first clips of a run show the true time.
"""

import math
from collections.abc import Collection, Sequence

import pandas as pd

from helpers.generation.catalogue import Model, Settings, Size, final_size
from helpers.generation.families import passes
from helpers.generation.jobs import Job
from helpers.generation.ladder import AS_DECLARED

# Operations a second: about 40 % of what an H100's data sheet states for bfloat16 (989e12).
SUSTAINED = 400e12
# Seconds a clip for reading the prompt, decoding and writing.
AROUND = 20.0
# The mean of three real CogVideoX clips written again by `video.write_clip` (0.11, 0.11 and 0.26).
BITS_PER_PIXEL = 0.16
# The largest single layer: a text encoder's table of 256,000 words, 4096 numbers of 2 bytes each.
LEAST_GB = 2.1
_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
ASSUMPTIONS = (
    f"GPU hours: 2 x parameters x tokens + 4 x layers x width x tokens² operations a pass, at "
    f"{SUSTAINED / 1e12:.0f}e12 a second, and {AROUND:.0f} s a clip around it; offloading adds to this",
    f"disk: {BITS_PER_PIXEL} bits a pixel and frame",
    "weights: what is downloaded once, in the hub's cache",
    "GPU memory (gpu_gb): the weights that are on the GPU at once, as the model is declared; what is "
    "computed with them comes on top, several GB or more. The ladder's last step, sequential offload, leaves "
    f"about {LEAST_GB:g} GB of weights there",
)


def operations(size: Size, width: int, height: int, frames: int) -> float:
    """Floating-point operations of one pass of a transformer over one clip.

    A multiplication and an addition for each parameter and token, and attention between all tokens (Kaplan
    et al., 2020, arXiv:2001.08361, section 2.1, without the causal mask).
    """
    each_frames, rows, columns = size.patch
    tokens = math.ceil(frames / each_frames) * (height // rows) * (width // columns)
    return 2 * size.billions * 1e9 * tokens + 4 * size.layers * size.width * tokens**2


def seconds_a_clip(model: Model, settings: Settings) -> float | None:
    """An estimate for one clip on one GPU; None for a model of unknown size."""
    if model.size is None:
        return None
    call = settings.call
    first = operations(model.size, call["width"], call["height"], call["num_frames"])
    total = first * passes(model.family, call) * call["num_inference_steps"]
    if model.second_stage:
        width, height = final_size(model, settings)
        total += operations(model.size, width, height, call["num_frames"]) * len(model.second_stage.sigmas)
    return total / SUSTAINED + AROUND


def bytes_a_clip(model: Model, settings: Settings) -> float:
    """An estimate of a clip's file."""
    width, height = final_size(model, settings)
    return width * height * settings.call["num_frames"] * BITS_PER_PIXEL / 8


def weights_on_gpu(model: Model, settings: Settings) -> float | None:
    """GB of weights that are on the GPU at once, as a model is declared; None for one of unknown size.

    By the catalogue's sizes: everything without offloading; with offloading by parts the larger of the
    transformer and all the rest, most of which is the text encoder; layer by layer `LEAST_GB`.
    """
    if model.size is None:
        return None
    if model.offload == "sequential":
        return LEAST_GB
    experts = 2 if settings.call.get("guidance_scale_2") is not None else 1
    stored = model.size.billions * _BYTES[model.dtype]
    rest = model.size.weights_gb - experts * stored
    kept = model.size.billions if "transformer" in model.fp8 else stored
    return max(kept, rest) if model.offload == "model" else experts * kept + rest


def plan(jobs: Sequence[Job], done: Collection[str] = ()) -> pd.DataFrame:
    """What is left to do, one row for each model and benchmark.

    Args:
        jobs: all clips.
        done: the video_id of each that is finished.

    Returns:
        Columns model, benchmark, clips, left, size, seconds (of a clip), negative_prompt, start (memory),
        weights_gb, gpu_gb, gpu_hours, disk_gb; unknown estimates are missing.
    """
    rows: dict[tuple[str, str], dict] = {}
    for job in jobs:
        model, settings = job.model, job.settings
        row = rows.setdefault((model.name, settings.benchmark), _row(job))
        row["clips"] += 1
        row["left"] += job.video_id not in done
    frame = pd.DataFrame(list(rows.values()))
    frame["gpu_hours"] = frame["left"] * frame.pop("_seconds").astype(float) / 3600
    frame["disk_gb"] = frame["left"] * frame.pop("_bytes") / 1e9
    return frame


def _row(job: Job) -> dict:
    model, settings = job.model, job.settings
    width, height = final_size(model, settings)
    return {
        "model": model.name,
        "benchmark": settings.benchmark,
        "clips": 0,
        "left": 0,
        "size": f"{width}x{height}, {settings.call['num_frames']} frames",
        "seconds": round(settings.call["num_frames"] / settings.fps, 2),
        "negative_prompt": job.negative_prompt or "(empty)",
        "start": f"{AS_DECLARED}: {model.offload} offload, {'tiling' if model.tiling else 'no tiling'}",
        "weights_gb": model.size.weights_gb if model.size else float("nan"),
        "gpu_gb": weights_on_gpu(model, settings) or float("nan"),
        "_seconds": seconds_a_clip(model, settings) or float("nan"),
        "_bytes": bytes_a_clip(model, settings),
    }


def text(frame: pd.DataFrame) -> str:
    """A plan for the terminal, with its totals and assumptions."""
    shown = frame.drop(columns=["negative_prompt", "start"])
    lines = [shown.to_string(index=False, float_format="{:.1f}".format, na_rep="unknown")]
    totals = f"{frame['left'].sum():,} of {frame['clips'].sum():,} clips left"
    hours, disk = frame["gpu_hours"].sum(), frame["disk_gb"].sum()
    lines.append(f"{totals}; about {hours:,.1f} GPU hours and {disk:,.1f} GB of clips")
    own = frame[frame["negative_prompt"].ne("(empty)")]
    lines += [f"negative prompt of {row.model}: {row.negative_prompt}" for row in own.itertuples()]
    return "\n".join([*lines, *(f"assumed: {line}" for line in ASSUMPTIONS)])
