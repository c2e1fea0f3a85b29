"""The parts of GAP's keypoint-based local alignment (section 3.2, Eqs. 2-6), as functions of arrays.

Points are (x, y) in pixels of a picture's working copy (`working.working_copy`), centres of pixels at whole
numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage
from scipy.spatial import KDTree, procrustes

FEWEST = 3
"""Distinct points of a side below which geometry says nothing: any two points fit any other two exactly."""


@dataclass(frozen=True)
class Constants:
    """What the formula leaves to choose.

    Attributes:
        tau: scale of detailness, in squared grey levels. GAP's value, 3000, fits 8-bit grey.
        beta: scale at which density saturates; GAP's value is 1.5.
        neighbour: which other matched point density measures the distance to. GAP says the second nearest
            neighbour: 2 is that, read literally. 1, the nearest other point, is what results where a
            point counts as its own nearest neighbour, as in searches with a k-d tree.
    """

    tau: float = 3000.0
    beta: float = 1.5
    neighbour: int = 2

    def __post_init__(self) -> None:
        if not (self.tau > 0 and self.beta > 0 and self.neighbour >= 1):
            raise ValueError(f"found {self}; expected tau and beta above 0 and a neighbour of at least 1")


GAP = Constants()
"""The paper's constants, and its words on the neighbour read literally."""


def laplacian_variances(grey: NDArray[np.uint8], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Variance of the Laplacian inside each region: the numerator of Eq. 2's exponent.

    The Laplacian is the sum of second differences along rows and columns (kernel 0 1 0, 1 -4 1, 0 1 0), as
    OpenCV's `Laplacian` computes it by default; beyond the border the picture is mirrored. GAP names neither
    kernel nor size. The variance divides by the number of pixels, and depends on the picture's size.

    Args:
        grey: (height, width), 8-bit grey.
        masks: (regions, height, width).

    Returns:
        (regions,), squared grey levels; 0 for an empty region.
    """
    response = ndimage.laplace(grey.astype(np.float64), mode="mirror")
    return np.array([response[mask].var() if mask.any() else 0.0 for mask in masks])


def detailness(variance: ArrayLike, tau: float) -> NDArray[np.float64]:
    """Eq. 2: 1 - exp(-variance / tau), from 0 (a flat region) to 1."""
    return -np.expm1(-np.asarray(variance, dtype=np.float64) / tau)


def density(points: ArrayLike, neighbour: int) -> float:
    """How densely points lie: the inverse of the mean distance from each to its n-th nearest other point.

    This is the text before Eq. 4; the equation itself, numbered 3, is missing from the paper. Points that
    coincide count once: a distance of 0 would say that a single place is infinitely dense.

    Args:
        points: (n, 2) pixels.
        neighbour: 1 for the nearest other point, 2 for the second nearest.

    Returns:
        In 1/pixel; 0 where a point has too few others, since what is not there is infinitely far away.
    """
    points = np.unique(np.asarray(points, dtype=np.float64).reshape(-1, 2), axis=0)
    if len(points) <= neighbour:
        return 0.0
    # The first that the tree finds is the point itself.
    distances = KDTree(points).query(points, k=[neighbour + 1])[0]
    return float(1 / distances.mean())


def saturated(ratio: ArrayLike, beta: float) -> NDArray[np.float64]:
    """Eq. 5: 1 - exp(-ratio / beta), from 0 to 1."""
    return -np.expm1(-np.asarray(ratio, dtype=np.float64) / beta)


def geometry(reference: ArrayLike, frame: ArrayLike) -> float | None:
    """Eq. 6: one minus the Procrustes disparity of matched points.

    `scipy.spatial.procrustes` centres both sets, scales them to norm 1, and turns, mirrors and scales one
    onto the other as well as possible; the disparity is the sum of squares that remains. The result is thus
    the squared sum of the singular values of the sets' cross-covariance: it does not change with translation,
    rotation, scale, or the order of the two sets. Nor does it change with a mirror image, which GAP, naming
    Procrustes analysis only, does not exclude.

    Args:
        reference: (n, 2) pixels in the reference.
        frame: (n, 2) pixels in the frame, each matched with the point of the same number.

    Returns:
        0 to 1; None where it says nothing: one side has fewer than `FEWEST` distinct points, however many
        matches there are.

    Raises:
        ValueError: two sets of different sizes.
    """
    reference, frame = (np.asarray(side, dtype=np.float64).reshape(-1, 2) for side in (reference, frame))
    if len(reference) != len(frame):
        raise ValueError(f"found {len(reference)} and {len(frame)} points; expected pairs")
    if min(len(np.unique(side, axis=0)) for side in (reference, frame)) < FEWEST:
        return None
    return float(np.clip(1 - procrustes(reference, frame)[2], 0, 1))
