"""The clips in a folder or in a manifest, and what of their names can be told about them."""

import os
from collections import Counter, deque
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
        ignored: how many others there are, by what they are ("hidden", or their extension); files below
            hidden folders count as hidden.
        skipped: links to folders that are looked through already, and where they lead.
    """

    videos: tuple[Path, ...]
    ignored: Counter
    skipped: tuple[tuple[Path, Path], ...] = ()


def list_videos(folder: Path) -> Listing:
    """Look through a folder and all folders in it. Links are followed, but no folder is entered twice.

    Clips belong to the folder where they really lie: links come after all real folders.

    Raises:
        DataError: there is no such folder, or it (or one inside) cannot be read.
    """
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise DataError(f"{shown(folder)}: {found}; expected a folder of clips")
    videos, ignored, skipped = [], Counter(), []
    for path in _files(folder, skipped):
        if any(_is_hidden(part) for part in path.relative_to(folder).parts):
            ignored["hidden"] += 1
        elif path.suffix.lower() in VIDEO_EXTENSIONS:
            videos.append(path)
        else:
            ignored[path.suffix.lower() or "no extension"] += 1
    return Listing(tuple(sorted(videos)), ignored, tuple(skipped))


def _files(folder: Path, skipped: list[tuple[Path, Path]]) -> Iterator[Path]:
    """All files; links to folders come last, and those that lead nowhere new are added to `skipped`."""
    entered = set()
    waiting = deque([folder])

    def refuse(error: OSError) -> None:
        raise DataError(f"{shown(error.filename)}: {error.strerror}; expected a folder of clips")

    while waiting:
        start = waiting.popleft()
        for parent, folders, files in os.walk(start, onerror=refuse):
            about = Path(parent).stat()
            if (about.st_dev, about.st_ino) in entered:
                skipped.append((Path(parent), Path(parent).resolve()))
                folders.clear()
                continue
            entered.add((about.st_dev, about.st_ino))
            folders.sort()
            links = (Path(parent, name) for name in folders if not _is_hidden(name))
            waiting.extend(link for link in links if link.is_symlink())
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
