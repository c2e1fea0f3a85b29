"""Pictures of patch similarity: which patches were found again where, and how well."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from helpers import figures

Region = tuple[float, float, float, float]


def centres(grid: tuple[int, int], region: Region, size: tuple[int, int]) -> NDArray[np.float64]:
    """The patches' centres in a picture's pixels, (rows × columns, 2) as x and y.

    Args:
        grid: rows and columns of patches.
        region: what of the picture they cover: top, left, bottom, right as shares of its sides.
        size: height and width of the picture.
    """
    top, left, bottom, right = region
    y = (top + (bottom - top) * (np.arange(grid[0]) + 0.5) / grid[0]) * size[0]
    x = (left + (right - left) * (np.arange(grid[1]) + 0.5) / grid[1]) * size[1]
    return np.stack([*np.meshgrid(x, y)], axis=-1).reshape(-1, 2)


def similarity_map(
    axes: Axes,
    picture: NDArray[np.uint8],
    similarity: Sequence[float],
    grid: tuple[int, int],
    region: Region,
    limits: tuple[float, float],
) -> AxesImage:
    """A picture in grey with each patch's highest cosine laid over it in colour.

    Args:
        axes: to draw in.
        picture: (height, width, 3).
        similarity: (rows × columns,) the highest cosine of each patch.
        grid: rows and columns of patches.
        region: what of the picture they cover.
        limits: the cosines at the ends of the scale.

    Returns:
        The coloured layer, for a scale beside it.
    """
    height, width = picture.shape[:2]
    top, left, bottom, right = region
    axes.imshow(picture.mean(axis=2), cmap="gray", vmin=0, vmax=255)
    layer = axes.imshow(
        np.reshape(similarity, grid),
        cmap=figures.SEQUENTIAL,
        vmin=limits[0],
        vmax=limits[1],
        alpha=0.7,
        extent=(left * width, right * width, bottom * height, top * height),
        interpolation="nearest",
    )
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    return layer


def matched_patches(
    axes: Axes,
    pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    places: tuple[NDArray[np.float64], NDArray[np.float64]],
    gap: int = 12,
) -> None:
    """Two pictures side by side, brought to one height, with lines between patches that match.

    Args:
        axes: to draw in.
        pictures: (height, width, 3) each.
        places: (matches, 2) as x and y in either picture's pixels, in the same order.
        gap: pixels of white between the pictures.
    """
    one, other = pictures
    scale = one.shape[0] / other.shape[0]
    width = one.shape[1] + gap + other.shape[1] * scale
    axes.imshow(one, extent=(0, one.shape[1], one.shape[0], 0))
    axes.imshow(other, extent=(one.shape[1] + gap, width, one.shape[0], 0))
    ends = places[1] * scale + [one.shape[1] + gap, 0]
    for color, thickness in (("white", 3.0), ("C0", 1.4)):
        lines = np.stack([places[0], ends], axis=1)
        axes.add_collection(LineCollection(lines, colors=color, linewidths=thickness))
    axes.plot(*np.concatenate([places[0], ends]).T, "o", color="C0", mec="white", ms=5)
    axes.set(xlim=(0, width), ylim=(one.shape[0], 0))
    axes.set_axis_off()
