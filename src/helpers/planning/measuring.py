"""What a study's metrics would look at: clips, frames, and what decoding them takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import tables
from helpers.metrics.building import measurer_of
from helpers.metrics.named import NamedMetric
from helpers.metrics.study import REFERENCES

# Seconds of one core for a pixel: 121 frames of H.264 at 1280 x 720, of which 16 were kept, took 0.2 s.
PIXEL = 1.8e-9
ASSUMPTIONS = (
    f"decoding: every clip once, all its frames, at {PIXEL * 1e9:g} ns a pixel on one core; judges and "
    "metrics share what was decoded, as long as the cache holds it",
    "metrics: what each costs beside the decoding is said in words only; its GPU hours, and weights that it "
    "downloads, are in no sum",
)


@dataclass(frozen=True)
class Measured:
    """What one metric has to do.

    Attributes:
        metric: what its values are called.
        clips: how many it is for.
        left: how many have no value and no reason why not.
        frames: how many frames of those that are left it looks at, by its rule.
        cost: what one clip costs, in words.
    """

    metric: str
    clips: int
    left: int
    frames: int
    cost: str


def measured_of(named: NamedMetric, found: Mapping[str, pd.DataFrame], study: Path) -> Measured:
    """What a metric has to do.

    Args:
        named: the metric.
        found: the tables prompts, landmarks and videos, those of clips to come included.
        study: the study's folder.
    """
    # No model is loaded: a measurer says beforehand what it needs and which frames.
    metric, videos = measurer_of(named, study / REFERENCES).metrics[0], found["videos"]
    if "reference" in metric.needs:
        prompts, places = found["prompts"], found["landmarks"]
        known = places.loc[places["reference_image"].notna(), "landmark_id"]
        shown = prompts.loc[prompts["landmark_id"].isin(known), "prompt_id"]
        videos = videos[videos["prompt_id"].isin(shown)]
    left = videos[~videos["video_id"].isin(_measured(study, metric.name))]
    frames = sum(
        len(metric.frames.pick(_times(count, fps), count / fps)) * clips
        for (count, fps), clips in left.groupby(["frames", "fps"]).size().items()
    )
    return Measured(metric.name, len(videos), len(left), frames, metric.cost)


def decoding_hours(videos: pd.DataFrame) -> float:
    """Hours of one core for decoding clips once."""
    return float((videos["width"] * videos["height"] * videos["frames"]).sum()) * PIXEL / 3600


def _measured(study: Path, name: str) -> set[str]:
    if not tables.exists(study, "metric_values"):
        return set()
    values = tables.read(study, "metric_values")
    return set(values.loc[values["metric"].eq(name) & values["status"].ne("missing"), "video_id"])


def _times(frames: float, fps: float) -> np.ndarray:
    return np.arange(int(frames)) / fps
