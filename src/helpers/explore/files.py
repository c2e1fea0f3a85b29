"""A clip's file, which must be there and be the one that the study's table knows."""

import hashlib
from pathlib import Path

import pandas as pd

from helpers.checking import DataError
from helpers.judging.stored import check_same


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
        with path.open("rb") as file:
            check_same(path, hashlib.file_digest(file, "sha256").hexdigest(), video["sha256"])
    return path
