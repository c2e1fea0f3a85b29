"""How a picture is brought to size before it is cut into patches: whole, or its middle."""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torchvision.transforms.v2 import InterpolationMode
from torchvision.transforms.v2.functional import center_crop, resize


def whole_size(height: int, width: int, size: int, patch: int) -> tuple[int, int]:
    """Height and width, multiples of the patch, with the picture's proportions and the area size × size.

    The number of patches is then about the same for every picture, and nothing of it is cut away; its
    proportions change by less than a patch on either side.

    Args:
        height: of the picture, pixels.
        width: of the picture.
        size: side of the square of the same area.
        patch: side of a patch.
    """
    scale = size / math.sqrt(height * width)
    return tuple(max(patch, round(side * scale / patch) * patch) for side in (height, width))


def as_tensor(pictures: NDArray[np.uint8]) -> torch.Tensor:
    """Pictures (n, height, width, 3) as a uint8 tensor (n, 3, height, width)."""
    # Pictures that others hold too are read-only, which torch does not know.
    own = np.require(pictures, requirements=["C", "W"])
    return torch.from_numpy(own).permute(0, 3, 1, 2)


def resized(pictures: NDArray[np.uint8], size: tuple[int, int]) -> torch.Tensor:
    """Pictures (n, height, width, 3) as a uint8 tensor (n, 3, height, width) of a size, bicubic, smoothed."""
    return resize(as_tensor(pictures), list(size), InterpolationMode.BICUBIC, antialias=True)


def middle(pictures: NDArray[np.uint8], shortest: int, cut: int) -> torch.Tensor:
    """The middle square of pictures (n, height, width, 3), as uint8 (n, 3, cut, cut).

    Args:
        pictures: of one size.
        shortest: what the shorter side is scaled to, pixels; at least `cut`.
        cut: side of the square that is cut out.
    """
    height, width = pictures.shape[1:3]
    scale = shortest / min(height, width)
    return center_crop(resized(pictures, (round(height * scale), round(width * scale))), [cut, cut])


def middle_region(
    height: int, width: int, shortest: int, cut: tuple[int, int]
) -> tuple[float, float, float, float]:
    """What of a picture lies within a centre crop: top, left, bottom, right as shares of its sides.

    Args:
        height: of the picture, pixels.
        width: of the picture.
        shortest: what its shorter side is scaled to.
        cut: height and width of the crop.
    """
    scale = shortest / min(height, width)
    down, across = (
        min(1.0, pixels / (side * scale)) for pixels, side in zip(cut, (height, width), strict=True)
    )
    return (1 - down) / 2, (1 - across) / 2, (1 + down) / 2, (1 + across) / 2
