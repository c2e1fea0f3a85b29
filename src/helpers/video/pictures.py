"""One decoded picture as a player shows it: RGB in 8 bits, upright, on black, in ordinary dynamic range.

Where a file does not say by which matrix its colours were made, BT.601 is taken, as FFmpeg and what builds on
it do whatever the size. That also undoes exactly what FFmpeg does to clips that it writes without a tag, such
as those of diffusers' `export_to_video`; many players take BT.709 for such clips when they are large.
"""

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import ColorPrimaries, ColorTrc, VideoReformatter
from numpy.typing import NDArray

_QUARTERS = ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0))
HDR_CURVES = (ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67)


def has_alpha(frame: VideoFrame) -> bool:
    """Whether the picture's format has room for transparency."""
    return any(component.is_alpha for component in frame.format.components)


def is_hdr(frame: VideoFrame) -> bool:
    """Whether its brightness follows the PQ (SMPTE ST 2084) or HLG (ARIB STD-B67) curve."""
    return frame.color_trc in HDR_CURVES


def bit_depth(frame: VideoFrame) -> int:
    """Bits of each colour component."""
    return max((component.bits for component in frame.format.components), default=8)


def display_matrix(frame: VideoFrame) -> tuple[int, int, int, int]:
    """How the player turns and mirrors the stored picture: a, b, c, d.

    A point (x, y), y downwards, moves to (ax + cy, bx + dy). A picture that stays as it is has (1, 0, 0, 1).
    """
    try:
        data = frame.side_data.get("DISPLAYMATRIX")
    except ValueError:
        # PyAV 18 cannot list side data of kinds newer than itself, such as the EXIF block of a photograph.
        return _QUARTERS[round(frame.rotation / 90) % 4]
    if data is None:
        return _QUARTERS[0]
    a, b, _, c, d, *_ = np.frombuffer(bytes(data), np.int32).tolist()
    return a, b, c, d


def lies_on_its_side(matrix: tuple[int, int, int, int]) -> bool:
    """Whether height and width are exchanged; odd angles go to the nearest quarter turn."""
    a, b, c, d = matrix
    return abs(a) + abs(d) < abs(b) + abs(c)


def rotation(matrix: tuple[int, int, int, int]) -> int:
    """Degrees counter-clockwise by which the player turns the picture: 0, 90, 180 or 270.

    A mirrored picture counts as one that is mirrored left to right after turning.
    """
    _, b, _, d = matrix
    if lies_on_its_side(matrix):
        return 270 if b > 0 else 90
    return 180 if d < 0 else 0


def is_mirrored(matrix: tuple[int, int, int, int]) -> bool:
    """Whether left and right are exchanged."""
    a, b, c, d = matrix
    return a * d - b * c < 0


def as_shown(
    frame: VideoFrame, reformatter: VideoReformatter, size: tuple[int, int] | None = None
) -> NDArray[np.uint8]:
    """The picture as RGB.

    High dynamic range is mapped to the BT.709 colours and sRGB curve of ordinary screens by FFmpeg's swscale,
    with diffuse white (203 cd/m², ITU-R BT.2408) near full white; setting that up takes some seconds a clip.
    Transparent parts stand on black.

    Args:
        frame: the decoded picture.
        reformatter: kept from picture to picture, which saves setting it up again.
        size: width and height before turning upright, pixels; the picture's own where None.

    Returns:
        (height, width, 3), after turning.
    """
    width, height = size or (frame.width, frame.height)
    alpha = has_alpha(frame)
    target = {"format": "rgba" if alpha else "rgb24", "width": width, "height": height}
    if is_hdr(frame):
        if frame.color_primaries == ColorPrimaries.UNSPECIFIED:
            frame.color_primaries = ColorPrimaries.BT2020
        target |= {"dst_color_trc": ColorTrc.IEC61966_2_1, "dst_color_primaries": ColorPrimaries.BT709}
    picture = reformatter.reformat(frame, **target).to_ndarray()
    if alpha:
        weight = picture[..., 3:].astype(np.uint16)
        picture = ((picture[..., :3] * weight + 127) // 255).astype(np.uint8)
    matrix = a, b, c, d = display_matrix(frame)
    if lies_on_its_side(matrix):
        picture, a, d = picture.swapaxes(0, 1), c, b
    return picture[:: -1 if d < 0 else 1, :: -1 if a < 0 else 1]
