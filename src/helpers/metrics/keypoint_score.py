"""GAP's keypoint-based local alignment of a frame, and of a clip, with a reference (section 3.2, Eqs. 2-8).

What the paper leaves undefined is decided here, and every such case is noted on the region that it concerns:

- A region in which the reference does not match itself, or which is perfectly flat, cannot be scored: Eq. 4
  would divide by 0. It is left out, and the other regions' weights sum to 1.
- With fewer than three distinct points on one side geometry is 0, since two points fit any other two. Density
  is 0 as well where a point has no second nearest other.
- A region that the frame does not show has no matches, scores 0 and keeps its weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helpers.metrics.keypoint_formula import (
    FEWEST,
    GAP,
    Constants,
    density,
    detailness,
    geometry,
    laplacian_variances,
    saturated,
)
from helpers.metrics.matchers import Matches
from helpers.metrics.regions import Regions
from helpers.metrics.working import grey


@dataclass(frozen=True, eq=False)
class KeypointReference:
    """What is known of a reference photograph before any clip is seen.

    Attributes:
        regions: of its working copy.
        variances: (regions,) of the Laplacian, in squared grey levels.
        points: (n, 2) pixels at which it matches itself.
        found: baselines by neighbour, as far as they are known.
    """

    regions: Regions
    variances: NDArray[np.float64]
    points: NDArray[np.float64]
    found: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    @cached_property
    def areas(self) -> NDArray[np.int64]:
        """(regions,) in pixels; overlapping regions keep their own."""
        return self.regions.masks.sum(axis=(1, 2))

    def baselines(self, neighbour: int) -> NDArray[np.float64]:
        """(regions,) density of the points at which it matches itself, 1/pixel; computed once."""
        if neighbour not in self.found:
            inside = [Matches(self.points, self.points).inside(mask) for mask in self.regions.masks]
            self.found[neighbour] = np.array([density(one.reference, neighbour) for one in inside])
        return self.found[neighbour]


@dataclass(frozen=True)
class RegionScore:
    """How well a frame recovers one region.

    Attributes:
        label: what the region is called.
        weight: its share of the area of all scored regions (w_k); 0 where it is left out.
        detail: d_k, Eq. 2.
        baseline: density of the points at which the reference matches itself, 1/pixel.
        matches: how many of the frame's matches lie in it.
        ratio: r_k, Eq. 4; 0 where the region is left out.
        density: D_k, Eq. 5, 0 to 1.
        geometry: G_k, Eq. 6, 0 to 1.
        note: what had to be decided; empty where the formula says it all.
    """

    label: str
    weight: float
    detail: float
    baseline: float
    matches: int
    ratio: float
    density: float
    geometry: float
    note: str = ""


@dataclass(frozen=True)
class FrameScore:
    """A frame's alignment.

    Attributes:
        regions: those of the reference, in their order.
        matches: how many there are in the whole picture.
    """

    regions: tuple[RegionScore, ...]
    matches: int

    @property
    def density(self) -> float:
        """D(f), Eq. 7, 0 to 1."""
        return sum(region.weight * region.density for region in self.regions)

    @property
    def geometry(self) -> float:
        """G(f), Eq. 7, 0 to 1."""
        return sum(region.weight * region.geometry for region in self.regions)

    @property
    def score(self) -> float:
        """Keypoint-Match(f), Eq. 8: density and geometry together, 0 to 2."""
        return self.density + self.geometry

    def table(self) -> pd.DataFrame:
        """One row a region, with a column for each attribute of `RegionScore`."""
        columns = [one.name for one in fields(RegionScore)]
        return pd.DataFrame(self.regions, columns=columns)


@dataclass(frozen=True)
class ClipScore:
    """A clip's alignment: that of its best frame.

    Attributes:
        frames: each frame's, in their order; at least one.
    """

    frames: tuple[FrameScore, ...]

    @property
    def best(self) -> int:
        """The number of the frame with the highest score; the first among equals."""
        return int(np.argmax([frame.score for frame in self.frames]))

    @property
    def score(self) -> float:
        """The best frame's score, 0 to 2."""
        return self.frames[self.best].score


def known(picture: NDArray[np.uint8], regions: Regions, self_matches: Matches) -> KeypointReference:
    """What is to be known of a reference.

    Args:
        picture: its working copy, RGB (height, width, 3).
        regions: of the copy.
        self_matches: of the copy with itself.
    """
    return KeypointReference(
        regions, laplacian_variances(grey(picture), regions.masks), self_matches.reference
    )


def score_frame(reference: KeypointReference, matches: Matches, constants: Constants = GAP) -> FrameScore:
    """A frame's alignment.

    Args:
        reference: as `known` gives it.
        matches: of the reference with the frame.
        constants: the formula's.

    Raises:
        ValueError: no region can be scored, as in a reference of one colour.
    """
    return score_clip(reference, [matches], constants).frames[0]


def score_clip(
    reference: KeypointReference, matches: Sequence[Matches], constants: Constants = GAP
) -> ClipScore:
    """A clip's alignment from the matches of each of its frames.

    Raises:
        ValueError: as `score_frame`, or no frame.
    """
    if not matches:
        raise ValueError("found no frames, expected one at least")
    details = detailness(reference.variances, constants.tau)
    baselines = reference.baselines(constants.neighbour)
    areas = reference.areas * ((details > 0) & (baselines > 0))
    if not areas.any():
        raise ValueError(
            "the reference photograph has no region with detail in which it matches itself; expected one"
        )
    regions = [
        (
            mask,
            {"label": label, "weight": float(weight), "detail": float(detail), "baseline": float(baseline)},
        )
        for mask, label, weight, detail, baseline in zip(
            reference.regions.masks,
            reference.regions.labels,
            areas / areas.sum(),
            details,
            baselines,
            strict=True,
        )
    ]
    return ClipScore(
        tuple(
            FrameScore(
                tuple(_score_region(about, one.inside(mask), constants) for mask, about in regions), len(one)
            )
            for one in matches
        )
    )


def _score_region(about: Mapping[str, Any], matches: Matches, constants: Constants) -> RegionScore:
    count = len(matches)
    if about["weight"] == 0:
        reason = "no detail" if about["detail"] == 0 else "the reference does not match itself here"
        nothing = {"ratio": 0.0, "density": 0.0, "geometry": 0.0}
        return RegionScore(**about, **nothing, matches=count, note=f"left out: {reason}")
    ratio = density(matches.reference, constants.neighbour) / (about["detail"] * about["baseline"])
    fit = geometry(matches.reference, matches.frame)
    return RegionScore(
        **about,
        matches=count,
        ratio=float(ratio),
        density=float(saturated(ratio, constants.beta)),
        geometry=fit or 0.0,
        note=f"fewer than {FEWEST} distinct points: geometry is 0" if fit is None else "",
    )
