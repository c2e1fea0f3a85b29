"""Frames kept on the disk, so that nobody decodes a clip a second time: bounded in size, shared by processes.

An entry is the pictures as a NumPy array, which is mapped and not read, and a small JSON file with the rest.
The JSON file is written last and makes the entry valid. Both appear by renaming, so that no one sees half of
one. Two processes that make the same entry at once write the same bytes, and either's may stay. Nothing is
locked.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from helpers.video.frames import Frames
from helpers.video.sampling import Rule

_OURS = re.compile(r"[0-9a-f]{32}-.+\.(npy|json|part)")
VERSION = 1
"""Raised whenever decoding changes what is taken from a file, which outdates every entry."""


class Cache:
    """A folder of frames, the least recently used of which go when it is full.

    The key is the clip's content (SHA-256) and the rule, so that copies of a clip share an entry and a
    changed clip finds none. An entry whose parts do not fit each other, as after a full disk, counts as
    absent and is made again.
    """

    def __init__(self, folder: Path | str, most_bytes: int = 4 * 2**30) -> None:
        """Use a folder, which is made when first needed.

        Args:
            folder: where entries lie.
            most_bytes: what all entries together may take; 16 frames at 1360x768 take 50 MB.

        Raises:
            ValueError: `most_bytes` is not positive.
        """
        if most_bytes <= 0:
            raise ValueError(f"most_bytes is {most_bytes}; expected a positive number of bytes")
        self.folder = Path(folder)
        self.most_bytes = most_bytes

    def get(self, sha256: str, rule: Rule) -> Frames | None:
        """The frames of a clip by a rule, or None where there are none or their entry is damaged."""
        about, pictures = self._paths(sha256, rule)
        try:
            content = json.loads(about.read_text(encoding="utf-8"))
            # Copy-on-write: consumers may write, as torch demands, and the file stays as it is.
            images = np.load(pictures, mmap_mode="c")
            if (
                content["version"] != VERSION
                or [*images.shape] != content["shape"]
                or images.dtype != np.uint8
            ):
                return None
            os.utime(about)
            return Frames(
                images=images,
                indices=np.array(content["indices"], np.int64),
                times=np.array(content["times"], np.float64),
                rule=rule,
                total=content["total"],
                fps=content["fps"],
                sha256=sha256,
                notes=tuple(content["notes"]),
            )
        except (OSError, ValueError, KeyError, TypeError, EOFError):
            return None

    def put(self, frames: Frames) -> Frames:
        """Keep frames, let the least recently used go, and return the frames as they lie on the disk.

        Where they do not fit into the cache, or the disk is full, they are returned as they came.
        """
        if frames.images.nbytes > self.most_bytes:
            return frames
        about, pictures = self._paths(frames.sha256, frames.rule)
        content = {
            "version": VERSION,
            "shape": frames.images.shape,
            "indices": frames.indices.tolist(),
            "times": frames.times.tolist(),
            "total": frames.total,
            "fps": frames.fps,
            "notes": frames.notes,
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(pictures, lambda file: np.save(file, frames.images))
            _write(about, lambda file: file.write(json.dumps(content).encode()))
            self._evict(keep=about)
        except OSError:
            return frames
        return self.get(frames.sha256, frames.rule) or frames

    def size(self) -> int:
        """Bytes of all entries."""
        return sum(bytes_ for _, bytes_ in self._listed().values())

    def _paths(self, sha256: str, rule: Rule) -> tuple[Path, Path]:
        stem = f"{sha256[:32]}-{rule.name}"
        return self.folder / f"{stem}.json", self.folder / f"{stem}.npy"

    def _listed(self) -> dict[Path, tuple[float, int]]:
        """When each file of ours was last used, and its bytes."""
        found = {}
        if not self.folder.exists():
            return found
        for path in self.folder.iterdir():
            if not _OURS.fullmatch(path.name):
                continue
            try:
                status = path.stat()
            except FileNotFoundError:  # another process let it go
                continue
            found[path] = status.st_mtime, status.st_size
        return found

    def _evict(self, keep: Path) -> None:
        """Let entries go, the least recently used first, until the rest fits."""
        files = self._listed()
        total = sum(bytes_ for _, bytes_ in files.values())
        stems: dict[str, list[Path]] = {}
        for path in sorted(files):  # .json before .npy
            stems.setdefault(path.stem, []).append(path)
        for stem in sorted(stems, key=lambda stem: files[stems[stem][0]][0]):
            if total <= self.most_bytes:
                return
            if stem != keep.stem:
                for path in stems[stem]:
                    path.unlink(missing_ok=True)
                    total -= files[path][1]


def _write(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file that appears whole or not at all."""
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f"{path.stem}-", suffix=".part", delete=False
    ) as file:
        temporary = Path(file.name)
        try:
            write(file)
            file.flush()
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
