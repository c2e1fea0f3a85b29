"""The clips in a folder or in a manifest, and what of their names can be told about them."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.checking import DataError, Table, csv_rows, text, whole
from helpers.paths import shown

VIDEO_EXTENSIONS = (".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".mpg", ".mpeg", ".ts", ".gif")
# What file managers leave behind, beside names that start with a dot.
_LEFTOVERS = ("thumbs.db", "desktop.ini", "__macosx")

MANIFEST = Table(
    columns={
        "path": text(),
        "model": text(),
        "prompt_id": text(),
        "seed": whole(0, 2**63 - 1, nullable=True),
    },
    key=("path",),
)


@dataclass(frozen=True)
class Listing:
    """The files below a folder.

    Attributes:
        videos: those with a video's extension, in the order of their paths.
        ignored: how many others there are, by what they are ("hidden", or their extension).
    """

    videos: tuple[Path, ...]
    ignored: Counter


def list_videos(folder: Path) -> Listing:
    """Look through a folder and all folders in it. Links are followed, but no folder is entered twice.

    Raises:
        DataError: there is no such folder, or it (or one inside) cannot be read.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise DataError(f"{shown(folder)}: {found}; expected a folder of clips")
    videos, ignored = [], Counter()
    for path in _files(folder):
        if _is_hidden(path.name):
            ignored["hidden"] += 1
        elif path.suffix.lower() in VIDEO_EXTENSIONS:
            videos.append(path)
        else:
            ignored[path.suffix.lower() or "no extension"] += 1
    return Listing(tuple(sorted(videos)), ignored)


def _files(folder: Path) -> Iterator[Path]:
    entered = set()

    def refuse(error: OSError) -> None:
        raise DataError(f"{shown(error.filename)}: {error.strerror}; expected a folder of clips")

    for parent, folders, files in os.walk(folder, followlinks=True, onerror=refuse):
        about = Path(parent).stat()
        if (about.st_dev, about.st_ino) in entered:
            folders.clear()
            continue
        entered.add((about.st_dev, about.st_ino))
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        yield from (Path(parent, name) for name in files)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.lower() in _LEFTOVERS


def read_manifest(path: Path) -> pd.DataFrame:
    """A CSV file with the columns path, model, prompt_id and, if wanted, seed.

    Returns:
        Its rows; a relative path starts at the manifest's own folder.

    Raises:
        DataError: as `checking.Table.read_csv`.
    """
    header, *rows = csv_rows(path)
    frame = pd.DataFrame(rows, columns=header, dtype=str).replace("", None)
    if "seed" not in frame.columns:
        frame["seed"] = None
    frame = MANIFEST.check(frame, path)
    return frame.assign(path=[path.parent / name for name in frame["path"]])
