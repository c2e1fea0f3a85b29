"""How much moves in a clip, and how much its brightness flickers: descriptions, not merits.

A judge of quality may reward stillness, since what stands still shows few faults. These two numbers keep the
one apart from the other. Both look at short bursts of consecutive frames: frames that lie far apart show
neither flicker nor how fast something moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.registry import Metric

SIDE = 128
# Rec. 709, on the stored (gamma-encoded) values.
LUMA = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)


@dataclass(frozen=True)
class Bursts:
    """A rule of sampling: `n` bursts of three consecutive frames, spread evenly from the first to the last.

    In a short clip bursts overlap, and each frame is taken once.
    """

    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise ValueError(f"Bursts takes {self.n!r} of them; expected a whole number of at least 1")

    @property
    def name(self) -> str:
        """`bursts-5` and so on."""
        return f"bursts-{self.n}"

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken; see `helpers.video.sampling.Rule.pick`."""
        last = max(len(times) - 3, 0)
        starts = np.linspace(0, last, self.n).round() if self.n > 1 else np.array([last // 2])
        taken = np.unique(starts[:, None] + np.arange(3)).astype(np.int64)
        return taken[taken < len(times)]


_ABOUT = {
    "low": 0.0,
    "high": np.inf,
    "direction": "neither",
    "frames": Bursts(5),
    "cost": "a few milliseconds beside the decoding",
}
MOTION = Metric(
    name="motion",
    title="Change of luma per second",
    source="mean absolute difference of consecutive frames; defined here",
    **_ABOUT,
)
FLICKER = Metric(
    name="flicker",
    title="Flicker of the mean brightness",
    source="mean absolute deviation of a frame's brightness from its neighbours' mean; defined here",
    **{**_ABOUT, "high": 1.0},
)
METRICS = (MOTION, FLICKER)


class Motion:
    """Motion and flicker; see `Measurer`, `motion_amount` and `flicker`."""

    name = "motion"
    metrics = METRICS
    settings: Mapping[str, Any] = {"side": SIDE, "luma": "Rec. 709"}

    def load(self) -> Mapping[str, Any]:
        """Nothing to load."""
        return {}

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """As `Measurer.measure`; clips of too few frames have no value."""
        return [self._measured(clip) for clip in clips]

    def _measured(self, clip: Clip) -> Outcome:
        frames = clip.frames
        lumas = luma(frames.images)
        few = len(frames) < 3
        return Outcome(
            values={
                "motion": motion_amount(lumas, frames.indices, frames.times),
                "flicker": flicker(lumas, frames.indices),
            },
            notes=(f"only {len(frames)} frames, expected at least 3",) if few else (),
        )


def luma(images: NDArray[np.uint8], side: int = SIDE) -> NDArray[np.float32]:
    """Pictures (n, height, width, 3) as luma from 0 to 1, (n, side, side), averaged over areas."""
    small = [
        Image.fromarray(np.asarray(image)).resize((side, side), Image.Resampling.BOX) for image in images
    ]
    return np.stack([np.asarray(image, np.float32) @ LUMA / 255 for image in small])


def motion_amount(
    lumas: NDArray[np.floating], indices: NDArray[np.int64], times: NDArray[np.float64]
) -> float | None:
    """The mean absolute change of luma between consecutive frames, per second.

    Brightness that changes everywhere counts, and so do the noise of compression and cuts. A quick motion
    beyond the size of its texture no longer adds.

    Args:
        lumas: (n, height, width) from 0 to 1.
        indices: (n,) the frames' numbers in the clip, increasing; pairs whose numbers differ by 1 count.
        times: (n,) seconds.

    Returns:
        In shares of the full range per second, 0 where nothing changes; None without such a pair.
    """
    pairs = np.flatnonzero(np.diff(indices) == 1)
    if not len(pairs):
        return None
    changes = np.abs(lumas[pairs + 1] - lumas[pairs]).mean(axis=(1, 2), dtype=float)
    return float((changes / (times[pairs + 1] - times[pairs])).mean())


def flicker(lumas: NDArray[np.floating], indices: NDArray[np.int64]) -> float | None:
    """How far a frame's mean luma lies from the mean of the two frames around it, on average.

    A steady brightening, as of a sunrise, counts nothing; brightness that goes up and down from frame to
    frame counts whole.

    Args:
        lumas: (n, height, width) from 0 to 1.
        indices: (n,) the frames' numbers in the clip, increasing; three that follow each other count.

    Returns:
        A share of the full range, 0 to 1; None without three frames that follow each other.
    """
    middle = np.flatnonzero((np.diff(indices)[:-1] == 1) & (np.diff(indices)[1:] == 1)) + 1
    if not len(middle):
        return None
    means = lumas.mean(axis=(1, 2), dtype=float)
    return float(np.abs(means[middle] - (means[middle - 1] + means[middle + 1]) / 2).mean())
