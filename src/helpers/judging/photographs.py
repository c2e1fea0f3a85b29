"""Reference photographs, known by what was in them even after a file is gone.

A request's key is made from its photograph's hash. So that answers on record are found again without the
file, the hashes of the photographs that were asked about are kept in the study's `logs/judging`.
"""

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from helpers.chat.pictures import FilePicture
from helpers.checking import DataError
from helpers.paths import shown


class Photographs:
    """A study's reference photographs.

    Args:
        folder: the study's, where relative paths start.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "logs" / "judging" / "photographs.json"
        self._kept = self._read()

    def picture(self, name: str) -> FilePicture:
        """A photograph as it is now or, where its file is gone, as it was when it was last asked about.

        Args:
            name: its path in the table landmarks.

        Raises:
            OSError: its file is gone, and nothing was ever asked about it; or it cannot be read.
            DataError: the kept hashes cannot be read.
        """
        path = self._folder / name
        try:
            return _photograph(path, path.stat().st_mtime)
        except FileNotFoundError:
            sha256 = self._kept.get(self._name(path))
            if sha256 is None:
                raise
            return FilePicture(path, sha256)

    def keep(self, pictures: Iterable[FilePicture]) -> None:
        """Keep the hashes of photographs that are asked about."""
        found = {self._name(picture.path): picture.sha256 for picture in pictures}
        if found.items() <= self._kept.items():
            return
        self._kept = self._read() | found  # another judge may have kept some meanwhile
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_name(f".{self._path.stem}.{os.getpid()}.tmp")
        unfinished.write_text(json.dumps(self._kept, indent=1, sort_keys=True), encoding="utf-8")
        unfinished.replace(self._path)

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._folder) if path.is_relative_to(self._folder) else path)

    def _read(self) -> dict[str, str]:
        try:
            return json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
        except ValueError:
            raise DataError(
                f"{shown(self._path)}: found no JSON, expected the photographs' hashes; delete the file to "
                "have it made anew"
            ) from None


@cache
def _photograph(path: Path, changed: float) -> FilePicture:
    """A photograph by its file; the hash is computed once for as long as the file does not change."""
    return FilePicture.of(path)
