"""Matches that one camera movement explains: homography and fundamental matrix, estimated with MAGSAC.

Not in GAP. A homography moves a plane, or a scene seen from one spot; a fundamental matrix moves any rigid
scene, but only asks each point to lie near a line. It therefore keeps more by chance, of matches without any
sense several times as many as a homography; and a plane determines none, so that whichever is found keeps
the plane's own matches and those wrong ones that happen to lie near its lines. MAGSAC (Barath et al., CVPR
2019) is OpenCV's `USAC_MAGSAC`, which draws the same samples in every run.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from helpers.metrics.matchers import Matches

Model = Literal["homography", "fundamental"]

SAMPLE = {"homography": 4, "fundamental": 7}
"""Matches that determine each model, and so fit it always."""
# A sample for a fundamental matrix costs several times as much; so many find one that 39 % of matches obey.
_ITERATIONS = {"homography": 10_000, "fundamental": 5_000}
_CONFIDENCE = 0.999


@dataclass(frozen=True, eq=False)
class Inliers:
    """What one movement explains.

    Attributes:
        model: which kind of movement.
        kept: (matches,) which of the matches it explains.
        matrix: (3, 3), reference to frame; None where none was found.
    """

    model: Model
    kept: NDArray[np.bool_]
    matrix: NDArray[np.float64] | None

    def __len__(self) -> int:
        return int(self.kept.sum())

    def share_of(self, most: int) -> float:
        """Inliers beyond the few that fit always, as a share of those that a perfect copy has: 0 to 1.

        Args:
            most: the matches of the reference with itself.
        """
        always = SAMPLE[self.model]
        return float(np.clip((len(self) - always) / max(most - always, 1), 0, 1))


# Settings that differ in other things ask for the same few matches one after the other.
@lru_cache(maxsize=64)
def inliers(matches: Matches, model: Model = "homography", *, threshold: float = 3.0) -> Inliers:
    """The matches that the best movement of a kind explains.

    Args:
        matches: of a reference with a frame.
        model: the kind.
        threshold: how far a point may lie from where the movement puts it (homography), or from its line
            (fundamental), in pixels.

    Returns:
        No inliers and no matrix where there are not more matches than `SAMPLE`, or all of them lie on a line.

    Raises:
        ValueError: an unknown kind.
    """
    if model not in SAMPLE:
        raise ValueError(f"found the model '{model}'; expected one of {', '.join(SAMPLE)}")
    nothing = Inliers(model, np.zeros(len(matches), bool), None)
    if len(matches) <= SAMPLE[model]:
        return nothing
    reference, frame = (side.astype(np.float32) for side in (matches.reference, matches.frame))
    try:
        if model == "homography":
            found = cv2.findHomography(
                reference,
                frame,
                cv2.USAC_MAGSAC,
                threshold,
                maxIters=_ITERATIONS[model],
                confidence=_CONFIDENCE,
            )
        else:
            found = cv2.findFundamentalMat(
                reference, frame, cv2.USAC_MAGSAC, threshold, _CONFIDENCE, _ITERATIONS[model]
            )
    except cv2.error:  # points that determine no movement
        return nothing
    matrix, kept = found
    if matrix is None or matrix.shape != (3, 3):
        return nothing
    return Inliers(model, kept.ravel().astype(bool), matrix)
