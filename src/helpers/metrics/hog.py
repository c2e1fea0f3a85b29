"""Patches described by edges and colours alone: a backbone without weights, for where no model can be had.

It is not what the papers use. It knows nothing of what a picture shows, and its scores cannot be compared
with those of DINOv2; but they are computed from real pixels, and anyone can recompute them.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skimage.color import rgb2lab
from skimage.feature import hog

from helpers.metrics.backbones import Mode, Tokens
from helpers.metrics.patch_matching import unit
from helpers.metrics.picture_sizes import middle, middle_region, resized, whole_size

CELL, CELLS, ORIENTATIONS = 8, 2, 9
PATCH = CELL * CELLS
# Where L2-Hys cuts, so that a single edge does not fill a block.
HYSTERESIS = 0.2
# DINOv2's own preprocessing.
SHORTEST, MIDDLE = 256, 224
_CUT = (MIDDLE, MIDDLE)


class Hog:
    """Histograms of oriented gradients with the mean colour of each patch of 16 × 16 pixels.

    A token is the descriptor of Dalal and Triggs (2005) for one block of 2 × 2 cells of 8 × 8 pixels (9
    orientations, L2-Hys), followed by the mean lightness as a point on a half circle, so that black and white
    are opposites, and by the mean a* and b* in units of 50 (CIELAB). In the mode "paper" the picture is
    brought to size as for DINOv2, to show what that loses; the descriptor is the same.
    """

    name = "hog"

    def __init__(self, mode: Mode, size: int) -> None:
        self._mode, self._size = mode, size
        self.settings: dict[str, Any] = {
            "backbone": self.name,
            "mode": mode,
            "size": size if mode == "whole" else MIDDLE,
            "patch": PATCH,
            "orientations": ORIENTATIONS,
        }

    def load(self) -> dict[str, Any]:
        """Nothing to load."""
        return {}

    def tokens(self, pictures: NDArray[np.uint8]) -> Tokens:
        """As `Backbone.tokens`."""
        height, width = pictures.shape[1:3]
        if self._mode == "paper":
            small, region = middle(pictures, SHORTEST, MIDDLE), middle_region(height, width, SHORTEST, _CUT)
        else:
            size = whole_size(height, width, self._size, PATCH)
            small, region = resized(pictures, size), (0.0, 0.0, 1.0, 1.0)
        small = small.permute(0, 2, 3, 1).numpy()
        grid = small.shape[1] // PATCH, small.shape[2] // PATCH
        described = torch.from_numpy(np.stack([_described(picture, grid) for picture in small]))
        return Tokens(tokens=unit(described.float()), grid=grid, region=region)


def _described(picture: NDArray[np.uint8], grid: tuple[int, int]) -> NDArray[np.float64]:
    edges = block_edges(picture)
    patches = rgb2lab(picture.astype(np.float32) / 255).reshape(grid[0], PATCH, grid[1], PATCH, 3)
    lightness, a, b = patches.mean(axis=(1, 3)).reshape(-1, 3).T
    angle = np.pi * lightness / 100
    return np.column_stack([edges, np.cos(angle), np.sin(angle), a / 50, b / 50])


def block_edges(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Histograms of oriented gradients of blocks side by side, normalised by L2-Hys.

    scikit-image normalises overlapping blocks, one at a time, of which a quarter would be used here. So it
    takes the whole picture for one block, which leaves the cells' histograms as they are but for a factor,
    and the blocks are normalised here.

    Args:
        picture: RGB (height, width, 3), sides multiples of `PATCH`.

    Returns:
        (blocks, 36), row by row; zeros for a block without an edge.
    """
    rows, columns = (side // CELL for side in picture.shape[:2])
    [[cells]] = hog(
        picture,
        orientations=ORIENTATIONS,
        pixels_per_cell=(CELL, CELL),
        cells_per_block=(rows, columns),
        block_norm="L1",
        feature_vector=False,
        channel_axis=-1,
    )
    blocks = cells.reshape(rows // CELLS, CELLS, columns // CELLS, CELLS, ORIENTATIONS).swapaxes(1, 2)
    blocks = blocks.reshape(-1, CELLS * CELLS * ORIENTATIONS)
    return _to_length_1(np.minimum(_to_length_1(blocks), HYSTERESIS))


def _to_length_1(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
