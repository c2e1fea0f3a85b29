"""Which metrics a calibration measures, and under which settings besides their own."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.keypoint_formula import Constants
from helpers.metrics.keypoints import XFEAT
from helpers.metrics.motion import Motion
from helpers.metrics.patches import PATCH_HOG
from helpers.metrics.registry import Metric
from helpers.video.sampling import Rule, Uniform

RANDOM = replace(
    PATCH_HOG,
    name="patch_random",
    title="Patch similarity (a small DINOv2 with random weights)",
    source="GAP, section 3.2, Eq. 1, with a model that has learnt nothing",
    cost="5 pictures through 60 thousand parameters",
)
"""What an untrained model gives by the same formula: not a metric to use."""


@dataclass(frozen=True)
class First:
    """A rule of sampling: the first `n` frames; see `helpers.video.sampling.Rule`."""

    n: int

    @property
    def name(self) -> str:
        """`first-5` and so on."""
        return f"first-{self.n}"

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken."""
        return np.arange(min(self.n, len(times)))


DEFAULT = "default"
FRAMES: dict[str, Rule] = {"first 5 frames": First(5), "1 frame": Uniform(1)}
SMALLER = "half the pixels a side"
SMALLER_PATCHES, SMALLER_COPIES = 112, 320
CONSTANTS = {
    "τ = 300": Constants(tau=300.0),
    "τ = 30,000": Constants(tau=30_000.0),
    "β = 0.5": Constants(beta=0.5),
    "nearest neighbour": Constants(neighbour=1),
}
SETTINGS = (*FRAMES, SMALLER, *CONSTANTS)
"""All but the default."""

WORDS = {
    "patch_hog": "patches (HOG)",
    "patch_random": "patches (random weights)",
    "keypoint_alignment_xfeat": "keypoints D + G",
    "keypoint_density_xfeat": "density D",
    "keypoint_geometry_xfeat": "geometry G",
    "homography_inliers_xfeat": "inliers",
    "fundamental_inliers_xfeat": "epipolar inliers",
    "motion": "motion",
    "flicker": "flicker",
}
"""Short names of what is calibrated, for axes and tables."""


def metrics() -> dict[str, Metric]:
    """What is calibrated, by name."""
    return {one.name: one for one in (PATCH_HOG, RANDOM, *XFEAT, *Motion.metrics)}


COMPARED = [name for name, metric in metrics().items() if "reference" in metric.needs]
"""The metrics that compare with a reference."""
