"""Whether the clips of a folder or manifest are still those that were taken in; no clip is opened."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from helpers.imports.files import list_videos, read_manifest
from helpers.imports.named import ClipFolder


def fingerprint(source: ClipFolder) -> str:
    """A hash of the clips' paths, sizes and times of change, which is another one where any of them is.

    Names may hold any bytes.

    Args:
        source: a folder or manifest; it need not be there.

    Returns:
        Hexadecimal digits; empty where the source cannot be read, which is the import's to say.
    """
    digest = hashlib.sha256()
    try:
        for path in _clips(source):
            # No file's name holds a zero byte, so that no two listings read alike.
            digest.update(os.fsencode(path) + b"\0" + _version(path) + b"\0")
    except (ValueError, OSError):
        return ""
    return digest.hexdigest()


def _clips(source: ClipFolder) -> Iterator[Path]:
    if source.is_manifest:
        return iter(read_manifest(source.path)["path"])
    return iter(list_videos(source.path).videos)


def _version(path: Path) -> bytes:
    try:
        about = path.stat()
    except OSError:
        return b"gone"
    return f"{about.st_size} {about.st_mtime_ns}".encode()
