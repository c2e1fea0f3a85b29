"""Which frames of a clip are looked at.

A rule is given the presentation times of all frames of a clip, and so is right for a variable frame rate too.
Frames are numbered from 0 in the order in which they are shown.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Rule(Protocol):
    """A rule of sampling."""

    @property
    def name(self) -> str:
        """A short name, for captions, tables and file names."""

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken, increasing, each once.

        Args:
            times: (frames,) when each frame appears, seconds, increasing from 0; at least one.
            end: when the last frame disappears, seconds, beyond the last time.
        """


@dataclass(frozen=True)
class Uniform:
    """`n` frames spread evenly over the clip's frames, the first and the last among them.

    Frame `round(i * (frames - 1) / (n - 1))` for i = 0 … n - 1; halves go to the even number, as in numpy.
    This is what Qwen3-VL's video processor takes, `np.linspace(0, frames - 1, n).round()`. The papers sample
    5 (GAP, section 3.2) and 16 frames (CultureVidBench, section 5.1) "uniformly" and leave the positions
    open. `Uniform(1)` is the middle frame, `(frames - 1) // 2`. A clip of at most `n` frames gives each of
    its frames
    once: fewer than `n`, none twice.
    """

    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int | np.integer) or self.n < 1:
            raise ValueError(f"Uniform takes {self.n!r} frames; expected a whole number of at least 1")

    @property
    def name(self) -> str:
        """`uniform-5` and so on."""
        return f"uniform-{self.n}"

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken; see `Rule.pick`."""
        frames = len(times)
        if self.n >= frames:
            return np.arange(frames)
        if self.n == 1:
            return np.array([(frames - 1) // 2])
        return np.linspace(0, frames - 1, self.n).round().astype(np.int64)


@dataclass(frozen=True)
class PerSecond:
    """The frames on screen at 0, 1/fps, 2/fps, … seconds, up to the clip's end.

    Time counts from the clip's first frame. A frame that stays on screen over several of these moments is
    taken once. A clip of 5 s gives 5 frames at 1 fps, the first at 0 s and the last at 4 s.
    """

    fps: float

    def __post_init__(self) -> None:
        if not 0 < self.fps <= 1000:  # also refuses not-a-number
            raise ValueError(f"PerSecond takes {self.fps!r} frames a second; expected above 0, at most 1000")

    @property
    def name(self) -> str:
        """`per-second-2` and so on."""
        return f"per-second-{float(self.fps):.12g}"

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken; see `Rule.pick`."""
        # Moment k falls into frame i when times[i] <= k / fps < times[i + 1]. Times are rounded to the file's
        # clock and to floats, so that a frame due exactly at a moment may seem a hair late.
        edges = np.append(times, end) * self.fps
        first_moment = np.maximum(np.ceil(edges - 1e-4 * self.fps), 1)
        first_moment[0] = 0
        return np.flatnonzero(np.diff(first_moment) > 0)
