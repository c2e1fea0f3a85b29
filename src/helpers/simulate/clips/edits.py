"""What may happen to a finished clip: harmless edits, and what is no picture of the place any more."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Clip = NDArray[np.uint8]

CROP, ZOOM, LIGHT, JPEG = 0.85, 0.75, 0.6, 10
TILES = 4
FLICKER = 0.1


def cropped(clip: Clip) -> Clip:
    """The middle `CROP` of each side, at the same scale: smaller frames, with even sides."""
    return _middle(clip, CROP)


def zoomed(clip: Clip) -> Clip:
    """The middle `ZOOM` of each side, enlarged to the size of the frame."""
    size = clip.shape[2], clip.shape[1]
    return np.stack(
        [np.asarray(Image.fromarray(f).resize(size, Image.Resampling.BICUBIC)) for f in _middle(clip, ZOOM)]
    )


def darkened(clip: Clip) -> Clip:
    """Every stored value times `LIGHT`."""
    return np.rint(clip * LIGHT).astype(np.uint8)


def compressed(clip: Clip) -> Clip:
    """Each frame saved as a JPEG of quality `JPEG` and read again."""
    return np.stack([_jpeg(frame) for frame in clip])


def mirrored(clip: Clip) -> Clip:
    """Left and right exchanged."""
    return clip[:, :, ::-1]


def scrambled(clip: Clip) -> Clip:
    """Each frame cut into `TILES` x `TILES` tiles that change places, the same way in every frame."""
    count, height, width = clip.shape[0], clip.shape[1] // TILES, clip.shape[2] // TILES
    whole = clip[:, : height * TILES, : width * TILES]
    tiles = whole.reshape(count, TILES, height, TILES, width, 3).transpose(1, 3, 0, 2, 4, 5)
    tiles = tiles.reshape(TILES**2, count, height, width, 3)
    # Seven is prime to sixteen, so that every tile has another place and no two neighbours stay together.
    tiles = tiles[(7 * np.arange(TILES**2) + 3) % TILES**2].reshape(TILES, TILES, count, height, width, 3)
    return tiles.transpose(2, 0, 3, 1, 4, 5).reshape(whole.shape)


def still(clip: Clip) -> Clip:
    """The first frame throughout."""
    return np.repeat(clip[:1], len(clip), axis=0)


def hurried(clip: Clip) -> Clip:
    """Every second frame: the same movement in half the time."""
    return clip[::2]


def flickering(clip: Clip) -> Clip:
    """Every second frame darker by `FLICKER`."""
    gain = np.where(np.arange(len(clip)) % 2, 1 - FLICKER, 1.0)[:, None, None, None]
    return np.rint(clip * gain).astype(np.uint8)


def blank(clip: Clip) -> Clip:
    """Grey, as many frames of the same size."""
    return np.full_like(clip, 128)


def noise(clip: Clip) -> Clip:
    """Every value of every frame drawn anew from all 256, the same in every call."""
    return np.random.default_rng(0).integers(0, 256, clip.shape, dtype=np.uint8)


HARMLESS: dict[str, Callable[[Clip], Clip]] = {
    "crop": cropped,
    "zoom": zoomed,
    "darker": darkened,
    "compressed": compressed,
}
"""What leaves the place as it is; a metric of faithfulness should hardly move."""
WRONG: dict[str, Callable[[Clip], Clip]] = {
    "mirrored": mirrored,
    "scrambled": scrambled,
    "blank": blank,
    "noise": noise,
}
"""What no longer shows the place as it is: faithfulness should fall, furthest for the last two."""
MOVING: dict[str, Callable[[Clip], Clip]] = {
    "still": still,
    "twice as fast": hurried,
    "flickering": flickering,
}
"""What metrics of motion and flicker should notice."""


def _middle(clip: Clip, share: float) -> Clip:
    height, width = (max(2, round(side * share / 2) * 2) for side in clip.shape[1:3])
    top, left = (clip.shape[1] - height) // 2, (clip.shape[2] - width) // 2
    return clip[:, top : top + height, left : left + width]


def _jpeg(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    file = BytesIO()
    Image.fromarray(frame).save(file, "JPEG", quality=JPEG)
    return np.asarray(Image.open(file))
