"""Which photographs are the same picture, a part of one another, or two views of one place.

Copies must not count as independent photographs; two different photographs of one place are what a metric
should score high without their being equal.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from PIL import Image
from scipy.fft import dctn

# Of a hash's 63 bits, copies of one picture that were scaled or compressed differ in few, unrelated pictures
# in about half. Among GCompris's photographs it is at most 2 for copies and at least 12 for all others.
MOST_BITS = 7
# The grey values of a copy follow those of its original.
LEAST_CORRELATION = 0.9

COPIES = ("near duplicate", "crop")

_HASHED, _KEPT = 32, 8
_WHOLE, _SCALES = 96, np.linspace(0.3, 1.0, 15)


def perceptual_hash(picture: np.ndarray) -> np.ndarray:
    """Whether each of a picture's lowest spatial frequencies is above their median.

    The 63 lowest coefficients, without the mean, of the cosine transform of the picture in grey at 32 x 32
    pixels: the DCT hash of Zauner 2010, *Implementation and Benchmarking of Perceptual Image Hash Functions*.

    Args:
        picture: uint8 RGB (height, width, 3).

    Returns:
        bool (63,).
    """
    low = dctn(_grey(picture, (_HASHED, _HASHED)), norm="ortho")[:_KEPT, :_KEPT].ravel()[1:]
    return low > np.median(low)


def crop_correlation(whole: np.ndarray, part: np.ndarray) -> float:
    """How well a picture fits into another as a part of it.

    The highest normalised cross-correlation (Lewis 1995) over all places and over scales that make the part
    30 to 100 % as large as fits into the whole.

    Args:
        whole: uint8 RGB (height, width, 3).
        part: likewise.

    Returns:
        -1 to 1; pictures without contrast give 0.
    """
    from skimage.feature import match_template

    wide = _longest(whole, _WHOLE)
    grey = _grey(whole, wide)
    height, width = part.shape[:2]
    fits = min(wide[0] / width, wide[1] / height)
    best = 0.0
    for scale in fits * _SCALES:
        size = max(8, round(width * scale)), max(8, round(height * scale))
        small = _grey(part, (min(size[0], wide[0]), min(size[1], wide[1])))
        if small.std() > 0:
            best = max(best, float(np.nanmax(match_template(grey, small))))
    return best


def related_pairs(pictures: Sequence[np.ndarray], landmarks: Sequence[str | None]) -> pd.DataFrame:
    """The pairs of photographs that are not independent of each other.

    Hashes compare all pairs; parts of one another are looked for only among photographs of one place.

    Args:
        pictures: uint8 RGB arrays (height, width, 3).
        landmarks: what each shows; None belongs to no place.

    Returns:
        Columns first, second (positions, first < second), same_place, bits (in which the hashes differ, of
        63), correlation (of either in the other, whichever is higher) and relation: "near duplicate", "crop"
        (one shows a part of the other) or "same place" (two different photographs).
    """
    hashes = [perceptual_hash(picture) for picture in pictures]
    rows = []
    for first, second in combinations(range(len(pictures)), 2):
        bits = int((hashes[first] != hashes[second]).sum())
        together = landmarks[first] is not None and landmarks[first] == landmarks[second]
        if not together and bits > MOST_BITS:
            continue
        correlation = _either_way(pictures[first], pictures[second])
        if bits <= MOST_BITS and correlation >= LEAST_CORRELATION:
            relation = "near duplicate"
        elif correlation >= LEAST_CORRELATION:
            relation = "crop"
        elif together:
            relation = "same place"
        else:
            continue
        rows.append((first, second, together, bits, correlation, relation))
    return pd.DataFrame(rows, columns=["first", "second", "same_place", "bits", "correlation", "relation"])


def _either_way(first: np.ndarray, second: np.ndarray) -> float:
    return max(crop_correlation(first, second), crop_correlation(second, first))


def _longest(picture: np.ndarray, side: int) -> tuple[int, int]:
    """The (width, height) at which a picture's longer side has the given length."""
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    return max(8, round(width * scale)), max(8, round(height * scale))


def _grey(picture: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A picture in grey (ITU-R 601) at a (width, height), floats."""
    grey = Image.fromarray(picture).convert("L").resize(size, Image.Resampling.BOX)
    return np.asarray(grey, float)
