"""Where things lie: the project's root and the folders that it ships; and by what a file is known."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
STUDIES = ROOT / "studies"


def shown(path: Path | str) -> str:
    """A path as messages and books show it: relative to the project's root where it lies inside it."""
    path = Path(path).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def without_folder(text: str, folder: Path) -> str:
    """A message in which paths below a folder start there, as those in a study's tables do."""
    for name in sorted({str(folder), str(folder.resolve())}, key=len, reverse=True):
        text = text.replace(f"{name}/", "")
    return text


def found_at(path: Path | str) -> Path:
    """A path that a study file names: a relative one starts at the current folder or else at the root."""
    path = Path(path).expanduser()
    return path if path.exists() else ROOT / path


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal digits.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
