"""Copies of clips, whole or not there at all."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

from helpers.imports.review import Clip
from helpers.paths import file_hash


def copy_clips(clips: Mapping[str, Clip], folder: Path) -> dict[str, Path]:
    """Copy readable clips into a folder; a copy that is there already is not made again.

    Args:
        clips: the clips by their video_id.
        folder: where they go: `<folder>/<video_id>` with the clip's extension in lower case.

    Returns:
        The copies by their video_id.

    Raises:
        ValueError: an id leads out of the folder.
        OSError: a clip cannot be copied, or changed since it was looked into.
    """
    places = {}
    readable = {name: clip for name, clip in clips.items() if clip.status == "ok"}
    for name, clip in tqdm(readable.items(), unit="clip", desc="copying", disable=None):
        # The extension is appended, not replaced: ids hold points ("veo-3.1-fast/a").
        place = folder / f"{name}{clip.path.suffix.lower()}"
        if not place.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"video_id '{name}': expected one that stays inside {folder} as a path")
        if not (place.exists() and file_hash(place) == clip.sha256):
            _copy(clip, place)
        places[name] = place
    return places


def _copy(clip: Clip, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        shutil.copyfile(clip.path, unfinished)
        if file_hash(unfinished) != clip.sha256:
            raise OSError(f"{clip.file}: changed while it was copied")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
