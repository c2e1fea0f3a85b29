"""A clip's frames and its landmark's photograph as pieces of a page, or why there are none."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from helpers.checking import DataError
from helpers.explore.clips import Clips
from helpers.judging.stored import check_same
from helpers.paths import file_hash
from helpers.reports.elements import tag, together
from helpers.reports.words import harmless
from helpers.video.sampling import Uniform
from helpers.widgets.media import frame_strip, photograph_figure

FRAMES, COLUMNS = Uniform(8), 4


def frames(clips: Clips, video_id: str) -> Markup:
    """A clip's contact sheet and, of a landmark, its photograph; or why there is none.

    Args:
        clips: the benchmark's.
        video_id: one of them.
    """
    video = clips.video(video_id)
    label = harmless(f"Frames of the clip by {clips.judged.label(video['model'])}, with their times")
    folder = clips.judged.page.folder
    sheet = _tried("picture", lambda: _sheet(*_seen(clip_file(folder, video)), label))
    return together([sheet, _photograph(clips, video["prompt_id"])])


def clip_file(folder: Path, video: pd.Series) -> Path:
    """Where a clip lies.

    Args:
        folder: the study's, where relative paths start.
        video: a row of the table videos.

    Raises:
        DataError: the table has no clip, its file is missing, or it is another one than the table knows.
        OSError: the file cannot be read.
    """
    if video["status"] != "ok" or pd.isna(video["path"]):
        raise DataError(f"the table says that this clip is {video['status']}, and names no file to show")
    path = folder / video["path"]
    if not path.is_file():
        raise DataError(f"the clip's file {video['path']} is not in the study's folder")
    if pd.notna(video["sha256"]):
        check_same(path, file_hash(path), video["sha256"])
    return path


def _photograph(clips: Clips, prompt_id: str) -> Markup:
    """What a landmark looks like, with whose picture it is; nothing for prompts of no landmark."""
    tables = clips.judged.page.tables
    landmark = tables["prompts"].loc[tables["prompts"]["prompt_id"].eq(prompt_id), "landmark_id"].iloc[0]
    found = tables["landmarks"].loc[tables["landmarks"]["landmark_id"].eq(landmark)]
    if found.empty:
        return Markup("")
    place = found.iloc[0]
    if pd.isna(place["reference_image"]):
        return tag("p", "No photograph: the table landmarks has none.", class_="clip-missing")
    credit = [place[name] for name in ("name", "author", "licence") if pd.notna(place[name])]
    label = harmless(f"Photograph: {', '.join(credit)}")
    path = clips.judged.page.folder / place["reference_image"]
    return _tried("photograph", lambda: _picture(*_seen(path), label))


def _tried(what: str, make: Callable[[], str]) -> Markup:
    """A piece of HTML from `helpers.widgets.media`, which escapes; or why there is none."""
    try:
        return Markup(make())
    except (DataError, OSError) as error:
        return tag("p", f"No {what}: {harmless(str(error))}", class_="clip-missing")


def _seen(path: Path) -> tuple[Path, int]:
    """A file and when it was changed (ns): a file that was replaced is read anew."""
    return path, path.stat().st_mtime_ns


# Whoever explores goes back and forth between the same clips.
@lru_cache(maxsize=128)
def _sheet(path: Path, changed: int, label: str) -> str:
    """The contact sheet as HTML."""
    return frame_strip(path, FRAMES, label, columns=COLUMNS)


@lru_cache(maxsize=128)
def _picture(path: Path, changed: int, label: str) -> str:
    """The photograph as HTML."""
    return photograph_figure(path, label)
