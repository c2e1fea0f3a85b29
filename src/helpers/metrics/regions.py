"""Regions of a reference photograph: parts that are compared apart and weighted by their area.

GAP takes its regions from Grounded SAM (`grounded_sam`). The sources here need no weights. They do not know
what a landmark is, and say so by their names: sky and street get regions as the building does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helpers.metrics.working import STEP

WHOLE = "whole image"


@dataclass(frozen=True, eq=False)
class Regions:
    """Parts of a picture.

    Attributes:
        masks: (regions, height, width); they may overlap, and each keeps its own area.
        labels: what each is called.
        notes: what is odd about them, a few words each.
    """

    masks: NDArray[np.bool_]
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.masks.ndim != 3 or self.masks.dtype != bool or len(self.masks) != len(self.labels):
            raise ValueError(
                f"found {self.masks.dtype} masks of shape {self.masks.shape} with {len(self.labels)} labels; "
                "expected bool (regions, height, width) and a label each"
            )

    def __len__(self) -> int:
        return len(self.labels)


class RegionSource(Protocol):
    """Whoever finds regions.

    Attributes:
        settings: everything that regions depend on, as JSON.
    """

    settings: Mapping[str, Any]

    def find(self, picture: NDArray[np.uint8], category: str | None = None) -> Regions:
        """Regions of a working copy.

        Args:
            picture: RGB (height, width, 3).
            category: the landmark's, for sources that look for something.

        Returns:
            At least one region, none of them empty; `whole` with a note where nothing was found.
        """


def whole(picture: NDArray[np.uint8], *notes: str) -> Regions:
    """The whole picture as one region."""
    return Regions(np.ones((1, *picture.shape[:2]), bool), (WHOLE,), notes)


class WholeImage:
    """One region, the picture."""

    settings: Mapping[str, Any] = {"regions": WHOLE}

    def find(self, picture: NDArray[np.uint8], category: str | None = None) -> Regions:
        """See `RegionSource.find`."""
        return whole(picture)


class Grid:
    """Equal rectangles."""

    def __init__(self, rows: int = 2, columns: int = 3) -> None:
        """Choose the numbers of rows and columns, each at least 1."""
        if min(rows, columns) < 1:
            raise ValueError(f"found {rows} rows and {columns} columns; expected at least 1 of each")
        self.rows, self.columns = rows, columns
        self.settings = {"regions": "grid", "rows": rows, "columns": columns}

    def find(self, picture: NDArray[np.uint8], category: str | None = None) -> Regions:
        """See `RegionSource.find`; regions are named by row and column from the upper left, from 1."""
        height, width = picture.shape[:2]
        row = np.arange(height) * self.rows // height
        column = np.arange(width) * self.columns // width
        masks = [(row[:, None] == r) & (column == c) for r in range(self.rows) for c in range(self.columns)]
        labels = [f"row {r + 1}, column {c + 1}" for r in range(self.rows) for c in range(self.columns)]
        return Regions(np.stack(masks), tuple(labels))


class Superpixels:
    """Connected patches of similar colour: SLIC superpixels, merged to a few with Ward's method.

    SLIC (Achanta et al. 2012, scikit-image's) finds the superpixels at a quarter of the copy's size;
    neighbours are merged by their mean CIELAB colour (scikit-learn's agglomerative clustering). The same
    picture gives the same regions, with edges in steps of 4 pixels.
    """

    SUPERPIXELS, REDUCTION = 80, 4

    def __init__(self, regions: int = 5) -> None:
        """Choose how many regions there are to be at most."""
        if regions < 1:
            raise ValueError(f"found {regions} regions, expected at least 1")
        self.regions = regions
        self.settings = {"regions": "merged superpixels", "superpixels": self.SUPERPIXELS, "count": regions}

    def find(self, picture: NDArray[np.uint8], category: str | None = None) -> Regions:
        """See `RegionSource.find`; regions are named by number, the largest first."""
        from scipy.sparse import coo_array
        from skimage.color import rgb2lab
        from skimage.segmentation import slic
        from sklearn.cluster import AgglomerativeClustering

        if picture.shape[0] % STEP or picture.shape[1] % STEP:
            raise ValueError(
                f"found {picture.shape[:2]} pixels; expected a working copy, sides in steps of {STEP}"
            )
        small = np.asarray(Image.fromarray(picture).reduce(self.REDUCTION))
        lab, cells = rgb2lab(small), slic(small, self.SUPERPIXELS, compactness=10, start_label=0)
        count = cells.max() + 1
        if count <= 1 or self.regions == 1:
            return whole(picture)
        touching = np.concatenate(
            [
                np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()]),
                np.stack([cells[:-1].ravel(), cells[1:].ravel()]),
            ],
            axis=1,
        )
        touching = np.unique(touching[:, touching[0] != touching[1]], axis=1)
        links = coo_array((np.ones(touching.shape[1]), tuple(touching)), shape=(count, count)).tocsr()
        sizes = np.bincount(cells.ravel(), minlength=count)
        colours = [np.bincount(cells.ravel(), lab[..., c].ravel(), count) / sizes for c in range(3)]
        merging = AgglomerativeClustering(min(self.regions, count), connectivity=links + links.T)
        merged = merging.fit_predict(np.stack(colours, axis=1))[cells]
        merged = merged.repeat(self.REDUCTION, axis=0).repeat(self.REDUCTION, axis=1)
        by_area = np.argsort(-np.bincount(merged.ravel()), kind="stable")
        labels = tuple(f"patch {number + 1}" for number in range(len(by_area)))
        return Regions(np.stack([merged == one for one in by_area]), labels)
