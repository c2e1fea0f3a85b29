"""What is computed from a reference photograph alone, kept so that no other clip of the place repeats it."""

import hashlib
import json
import tempfile
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray]


class Kept:
    """Named arrays by a key: the latest in memory, all of them in a folder where one is given.

    An entry on the disk that is damaged counts as absent and is made again.
    """

    def __init__(self, folder: Path | None = None, most: int = 8) -> None:
        """Use a folder, which is made when first needed.

        Args:
            folder: where entries lie, `<key>.npz`; without one, later runs compute them again.
            most: entries in memory. Clips come ordered by photograph, so that few are enough.
        """
        self._folder, self._most = folder, most
        self._latest: OrderedDict[str, Arrays] = OrderedDict()

    def get(self, about: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """What was made under this description, or else what is made now.

        Args:
            about: everything that the arrays depend on, as JSON: the photograph's SHA-256, the model, sizes.
            make: computes them; whatever it raises is passed on, and nothing is kept.
        """
        key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]
        if key not in self._latest:
            found = self._read(key)
            if found is None:
                found = dict(make())
                self._write(key, found)
            self._latest[key] = found
        self._latest.move_to_end(key)
        while len(self._latest) > self._most:
            self._latest.popitem(last=False)
        return self._latest[key]

    def _read(self, key: str) -> Arrays | None:
        if self._folder is None:
            return None
        try:
            # Opened here: of a damaged file, NumPy would leave its own open.
            with (
                (self._folder / f"{key}.npz").open("rb") as file,
                np.load(file, allow_pickle=False) as arrays,
            ):
                return dict(arrays)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def _write(self, key: str, arrays: Arrays) -> None:
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            try:
                np.savez(file, **arrays)
                file.flush()
                temporary.replace(self._folder / f"{key}.npz")
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
