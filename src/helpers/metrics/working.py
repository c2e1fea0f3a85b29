"""The working copy of a picture: the pixels that matchers, regions and detailness all speak about."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

LONG_SIDE = 640
"""Pixels of a working copy's longer side. The memory of dense matchers grows with its fourth power."""
STEP = 8
"""Sides are multiples of this, the stride of the matchers' coarse maps."""
SHORTEST = 32
"""The least side that the matchers take."""


def working_copy(picture: NDArray[np.uint8], long_side: int = LONG_SIDE) -> NDArray[np.uint8]:
    """A picture at the size at which it is matched.

    Pictures whose longer side is beyond `long_side` are brought down to it; smaller ones keep their size.
    Sides are then rounded to multiples of 8 and are at least 32, which changes proportions by at most a
    few per cent unless the picture is tiny.

    Args:
        picture: (height, width, 3), RGB.
        long_side: in pixels; a multiple of 8.

    Raises:
        ValueError: another shape or type.
    """
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or not picture.size:
        raise ValueError(f"found {picture.dtype} of shape {picture.shape}; expected uint8 (height, width, 3)")
    height, width = picture.shape[:2]
    scale = min(1.0, long_side / max(height, width))
    size = tuple(max(SHORTEST, round(side * scale / STEP) * STEP) for side in (width, height))
    if size == (width, height):
        return picture
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))


def grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """8-bit grey of an RGB picture by ITU-R 601's weights, as Pillow computes it."""
    return np.asarray(Image.fromarray(picture).convert("L"))
