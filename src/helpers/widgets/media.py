"""Clips, frames and photographs as pieces of a page: all inside it, nothing fetched, all words escaped."""

import base64
import html
import io
import re
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from helpers.benchmarks.landmark_pictures import photograph
from helpers.video.copies import web_copy
from helpers.video.frames import sample
from helpers.video.sampling import Rule
from helpers.video.sheets import contact_sheet

# Pixels: a clip's height, a photograph's longer side, the height of each frame on a strip.
CLIP, PHOTOGRAPH, FRAME = 270, 360, 160


def clip_player(path: Path, label: str, *, muted: bool) -> str:
    """A clip to be played, as a small copy.

    Args:
        path: the clip.
        label: what it is called on the page.
        muted: whether it starts without sound.

    Raises:
        DataError: as `copies.web_copy`.
    """
    source = f"data:video/mp4;base64,{_copied(path, path.stat().st_mtime_ns if path.exists() else 0)}"
    silent = " muted" if muted else ""
    video = (
        f'<video src="{source}" controls loop playsinline preload="auto"{silent} '
        f'aria-label="{html.escape(label)}" style="max-width: 100%"></video>'
    )
    return _figure(video, label)


def frame_strip(path: Path, rule: Rule, label: str, columns: int | None = None) -> str:
    """Frames of a clip beside each other, with their times.

    Args:
        path: the clip.
        rule: which frames.
        label: what they are called on the page.
        columns: frames a row; all of them in one row where left out.

    Raises:
        DataError: as `frames.sample`.
    """
    frames = sample(path, rule)
    sheet = contact_sheet(frames, columns=min(columns or len(frames), len(frames)), height=FRAME)
    return _figure(_picture(sheet, label), label)


def photograph_figure(path: Path, label: str) -> str:
    """A photograph, upright and small.

    Raises:
        DataError: as `landmark_pictures.photograph`.
    """
    return _figure(_picture(photograph(path, PHOTOGRAPH), label), label)


def paragraphs(text: str) -> str:
    """A text as escaped paragraphs; wrapped lines are joined, items of lists keep their lines."""
    parts = [re.sub(r"\n(?!\d+[:.] |- )", " ", part.strip()) for part in text.split("\n\n")]
    lines = [html.escape(part).replace("\n", "<br>") for part in parts if part]
    return "".join(f"<p>{line}</p>" for line in lines)


def _picture(image: Image.Image, label: str) -> str:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=88)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img src="data:image/jpeg;base64,{data}" alt="{html.escape(label)}" style="max-width: 100%">'


def _figure(inside: str, label: str) -> str:
    caption = f"<figcaption>{html.escape(label)}</figcaption>"
    return f'<figure style="margin: 4px">{inside}{caption}</figure>'


# The pages of one notebook show the same clips again and again: to other raters, after Back, after a restart.
@lru_cache(maxsize=128)
def _copied(path: Path, changed: int) -> str:
    """The small copy, base64; `changed` (ns) makes a file that was replaced be copied anew."""
    with TemporaryDirectory() as folder:
        return base64.b64encode(web_copy(path, Path(folder) / "copy.mp4", CLIP).read_bytes()).decode()
