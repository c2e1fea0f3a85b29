"""What makes patch tokens: transformers models, open_clip's visual towers, and one without weights.

Two modes say how a picture is brought to the model's size:

- "paper": as the checkpoint's own preprocessing does, which for DINOv2 scales the shorter side to 256 pixels
  and cuts the middle 224 × 224 out (GAP, section 3.2, "following the DINO preprocessing"). Whatever of a
  landmark lies outside the middle is lost.
- "whole": the whole picture with its proportions, on as many pixels as a square of a stated side (224 by
  default, at which DINOv2 is evaluated; 518 is what it was trained at), in multiples of the patch.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
import torch
from numpy.typing import NDArray

Mode = Literal["paper", "whole"]
DINOV2 = "facebook/dinov2-large"
SIZE = 224
# Pictures that go through a model at once.
MOST_PICTURES = 32


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The patches of pictures of one size.

    Attributes:
        tokens: (pictures, rows × columns, dims), float32, of length 1 each, row by row.
        grid: rows and columns of patches.
        region: what of the picture the patches cover: top, left, bottom, right as shares of its sides.
    """

    tokens: torch.Tensor
    grid: tuple[int, int]
    region: tuple[float, float, float, float]


class Backbone(Protocol):
    """Whatever makes patch tokens.

    Attributes:
        name: the model, for captions.
        settings: what tokens depend on, as JSON.
    """

    name: str
    settings: dict[str, Any]

    def load(self) -> dict[str, Any]:
        """Load the model; what is known only then (its commit, the device).

        Raises:
            ModelError: it cannot be loaded, or its tokens are no patches.
        """

    def tokens(self, pictures: NDArray[np.uint8]) -> Tokens:
        """The patch tokens of pictures of one size, uint8 RGB (n, height, width, 3)."""


def backbone(
    name: str = DINOV2,
    mode: Mode = "paper",
    *,
    size: int = SIZE,
    revision: str | None = None,
    device: str | None = None,
    dtype: str = "float32",
) -> Backbone:
    """A backbone by name; nothing is loaded yet.

    Args:
        name: the hub's id or the folder of a model that `AutoModel` loads and that has patches;
            "open_clip:<model>/<weights>" for a visual tower of open_clip ("open_clip:ViT-L-14/openai", or
            "open_clip:local-dir:<folder>"); or "hog", which needs no weights and is not the paper's in
            either mode: see `helpers.metrics.hog`.
        mode: as above.
        size: the side in pixels for "whole".
        revision: of a model on the hub.
        device: where it runs; left out, a GPU where there is one.
        dtype: of the weights: float32, bfloat16, float16, float64.

    Raises:
        ValueError: no such mode or size.
    """
    if mode not in get_args(Mode):
        raise ValueError(f"mode: found '{mode}', expected one of {', '.join(get_args(Mode))}")
    if not 32 <= size <= 2048:
        raise ValueError(f"size: found {size}, expected a side from 32 to 2048 pixels")
    if name == "hog":
        from helpers.metrics.hog import Hog

        return Hog(mode, size)
    about = {"device": device, "dtype": dtype}
    if name.startswith("open_clip:"):
        from helpers.metrics.open_clip_models import VisualTower

        return VisualTower(name.removeprefix("open_clip:"), mode, size, **about)
    from helpers.metrics.transformer_patches import TransformerPatches

    return TransformerPatches(name, mode, size, revision=revision, **about)


def in_parts(pictures: NDArray[np.uint8], most: int = MOST_PICTURES) -> list[NDArray[np.uint8]]:
    """Pictures in parts that a model takes at once."""
    return [pictures[at : at + most] for at in range(0, len(pictures), most)]
