"""Clips of a few photographs, unfaithful in each way and to each degree: for showing what a metric sees."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from helpers.simulate.clips.study import simulate_clip

KINDS = ("detail_loss", "warped_structure", "other_landmark")


def dial_clips(
    photographs: Mapping[str, NDArray[np.uint8]], strengths: Sequence[float], *, frames: int, seed: int
) -> Iterator[tuple[str, str, float, NDArray[np.uint8]]]:
    """Clips one after another: place, kind, strength, and frames (frames, height, width, 3).

    The clips of one place share a camera path. First stands the faithful one: kind "identity", strength 0.
    What replaces a place in `other_landmark` is the photograph that follows it.

    Args:
        photographs: RGB (height, width, 3) by place, of at least two different places.
        strengths: above 0, at most 1.
        frames: of each clip.
        seed: the same seed gives the same clips.

    Raises:
        ValueError: fewer than two photographs, or as `simulate_clip`.
    """
    if len(photographs) < 2:
        raise ValueError(f"found {len(photographs)} photographs, expected at least two places")
    names = list(photographs)
    for number, (name, following) in enumerate(zip(names, names[1:] + names[:1], strict=True)):
        dial = [("identity", 0.0), *((kind, strength) for kind in KINDS for strength in strengths)]
        for kind, strength in dial:
            other = photographs[following] if kind == "other_landmark" else None
            clip = simulate_clip(
                photographs[name], kind, strength, other=other, frames=frames, seed=seed + number
            )
            yield name, kind, strength, clip
