"""Ways in which a generated picture of a place can be unfaithful, each with a dial from 0 (faithful) to 1."""

import numpy as np
from scipy import ndimage

KINDS = (
    "identity",
    "detail_loss",
    "warped_structure",
    "other_photograph",
    "other_landmark",
    "other_country",
)
# The kinds that show something else, which then has to be given.
REPLACING = ("other_photograph", "other_landmark", "other_country")

# As shares of the picture's shorter side: the blur's standard deviation and the root mean square shift,
# both at strength 1, and the standard deviation of the filter that makes random fields smooth.
_BLUR, _SHIFT, _REACH = 1 / 24, 1 / 16, 1 / 10
# The soft edge of a replaced part.
_EDGE = 1 / 64


def altered(
    still: np.ndarray, kind: str, strength: float, *, other: np.ndarray | None = None, seed: int
) -> np.ndarray:
    """A picture that is unfaithful in one way.

    - identity: unchanged at any strength.
    - detail_loss: a Gaussian blur whose standard deviation grows with the strength to the
      power of 1.5, since the eye and metrics notice the first loss most.
    - warped_structure: every point displaced by a smooth random field whose root mean square grows with it.
    - other_photograph, other_landmark, other_country: parts with soft, random borders show `other`; the
      strength is their share of the picture.

    Args:
        still: uint8 RGB (height, width, 3).
        kind: one of `KINDS`.
        strength: 0 to 1; 0 leaves every kind unchanged.
        other: what replaces it, for the kinds of `REPLACING` only; of the same shape.
        seed: the same seed displaces the same way, and replaces nested parts, at every strength.

    Returns:
        uint8 RGB of the same shape.

    Raises:
        ValueError: an unknown kind, a strength outside 0 to 1, `other` missing, superfluous or of another
            shape.
    """
    if kind not in KINDS:
        raise ValueError(f"kind: found '{kind}', expected one of {', '.join(KINDS)}")
    if not 0 <= strength <= 1:
        raise ValueError(f"strength: found {strength}, expected a number from 0 to 1")
    if (other is not None) != (kind in REPLACING):
        raise ValueError(
            f"{kind}: other was {'not ' if other is None else ''}given; it is expected for "
            f"{', '.join(REPLACING)}, and for no other kind"
        )
    if other is not None and other.shape != still.shape:
        raise ValueError(f"other: found the shape {other.shape}, expected that of the picture, {still.shape}")
    if kind == "identity" or strength == 0:
        return still.copy()
    side = min(still.shape[:2])
    if kind == "detail_loss":
        blurred = ndimage.gaussian_filter(
            still.astype(np.float32), strength**1.5 * _BLUR * side, axes=(0, 1), mode="nearest"
        )
        return np.rint(blurred).astype(np.uint8)
    if kind == "warped_structure":
        return _warped(still, strength * _SHIFT * side, seed)
    return _replaced(still, other, strength, seed)


def _warped(still: np.ndarray, shift: float, seed: int) -> np.ndarray:
    rows, columns = np.indices(still.shape[:2], np.float32)
    down, right = (shift * _smooth_noise(still.shape[:2], seed, part) for part in (1, 2))
    places = [rows + down, columns + right]
    return np.stack(
        [ndimage.map_coordinates(still[..., c], places, order=1, mode="reflect") for c in range(3)], axis=-1
    )


def _replaced(still: np.ndarray, other: np.ndarray, share: float, seed: int) -> np.ndarray:
    noise = _smooth_noise(still.shape[:2], seed, 3)
    # Ranks instead of values make the share exact; the borders' softness keeps its mean.
    inside = (np.argsort(np.argsort(noise, axis=None)).reshape(noise.shape) < share * noise.size) * 1.0
    weight = ndimage.gaussian_filter(inside, _EDGE * min(still.shape[:2]), mode="reflect")[..., None]
    return np.rint(weight * other + (1 - weight) * still).astype(np.uint8)


def _smooth_noise(shape: tuple[int, int], seed: int, part: int) -> np.ndarray:
    """A smooth random field with mean 0 and root mean square 1; 0 where a single pixel leaves no choice."""
    rng = np.random.default_rng([seed, part])
    rough = rng.standard_normal(shape, dtype=np.float32)
    smooth = ndimage.gaussian_filter(rough, _REACH * min(shape), mode="reflect")
    smooth -= smooth.mean()
    return smooth / (smooth.std() or 1)
