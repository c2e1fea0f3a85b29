"""Clips at a glance: a few frames as one small picture inside the page."""

import base64
import io
from dataclasses import dataclass
from pathlib import Path

from helpers.checking import DataError
from helpers.reports.words import harmless
from helpers.video.frames import sample
from helpers.video.sampling import Uniform
from helpers.video.sheets import contact_sheet

FRAMES, HEIGHT, QUALITY = 4, 96, 62


@dataclass(frozen=True)
class Thumbnail:
    """A clip's contact sheet.

    Attributes:
        source: a JPEG as a data address; empty where there is no picture.
        width: pixels.
        height: pixels.
        words: what it shows (frames and times), or why there is none.
    """

    source: str
    width: int
    height: int
    words: str


def thumbnail(study: Path, path: object, *, frames: int = FRAMES, height: int = HEIGHT) -> Thumbnail:
    """The contact sheet of a clip, small enough that a page holds many: about 10 kB.

    Args:
        study: the study's folder.
        path: the clip's in the table videos, below that folder; missing where there is none.
        frames: how many.
        height: of each, pixels.

    Returns:
        Without a file, or where it does not decode, a thumbnail without picture that says so.
    """
    if not isinstance(path, str) or not path:
        return Thumbnail("", 0, 0, "no clip file in the study's table")
    if not (study / path).is_file():
        return Thumbnail("", 0, 0, "the clip's file is not in the study's folder")
    try:
        found = sample(study / path, Uniform(frames))
    except DataError as error:
        return Thumbnail("", 0, 0, harmless(f"the clip cannot be shown: {error}"))
    sheet = contact_sheet(found, columns=len(found), height=height)
    file = io.BytesIO()
    sheet.save(file, "JPEG", quality=QUALITY, optimize=True)
    times = f"{found.times[0]:.1f} to {found.times[-1]:.1f} s"
    source = f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"
    return Thumbnail(source, sheet.width, sheet.height, f"{len(found)} frames, {times}")
