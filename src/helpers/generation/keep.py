"""Bringing a clip onto the disk, so that under its name there is either nothing or the whole clip."""

import contextlib
import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

from helpers.generation.outcomes import Clip
from helpers.video.encoding import unfinished
from helpers.video.probe import probe
from helpers.video.write import write_clip

# A clip is not begun with less room than this: hours of computing would end in a write that fails.
LEAST_ROOM = 64 * 2**20


def check_room(path: Path) -> None:
    """Make a clip's folder, and refuse early what writing it would refuse late.

    Raises:
        OSError: the folder cannot be made or written to, or its disk is almost full.
    """
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written to", str(folder))
    if shutil.disk_usage(folder).free < LEAST_ROOM:
        raise OSError(errno.ENOSPC, f"less than {LEAST_ROOM // 2**20} MiB are free", str(folder))


def temporary(path: Path, process: int | None = None) -> Path:
    """The name of a clip that is not whole yet, of one process alone; `journal.clip_path` leaves room."""
    return path.with_name(f".{path.stem}.{process or os.getpid()}.part.mp4")


def _clear(path: Path) -> None:
    """Remove what killed processes left of a clip that is now there."""
    for left in path.parent.glob(".*.part*"):
        number = left.name.partition(".part")[0].rpartition(".")[2]
        if not number.isdecimal() or _runs(int(number)):
            continue
        part = temporary(path, int(number))
        if left in (part, unfinished(part, int(number))):
            left.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def keep(clip: Clip, path: Path, fps: float) -> dict[str, Any]:
    """Write a clip under a temporary name, and `adopt` it.

    Args:
        clip: pictures and sound.
        path: its name, ending in .mp4.
        fps: frames a second.

    Returns:
        As `adopt`.

    Raises:
        OSError: it cannot be written.
        ValueError: what was written does not read back as the clip.
    """
    part = temporary(path)
    try:
        write_clip(part, clip.frames, fps, audio=clip.audio, sample_rate=clip.sample_rate, title=clip.title)
        found = adopt(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    if found["frames"] != len(clip.frames):
        raise ValueError(f"the clip reads back with {found['frames']} of {len(clip.frames)} frames")
    return found


def adopt(part: Path, path: Path) -> dict[str, Any]:
    """Check a finished file, hash it, and give it its name.

    Args:
        part: the clip under its temporary name, in the same folder.
        path: its name; what lies there is replaced.

    Returns:
        What a clip's row says of its file: width, height, frames, fps, audio, sha256, bytes.

    Raises:
        OSError: it cannot be read or renamed.
        ValueError: it is no whole clip.
    """
    found = probe(part)
    if found.status != "ok":
        raise ValueError(f"{found.status}: {found.problem}")
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    size = part.stat().st_size
    part.replace(path)
    _clear(path)
    return {
        "width": found.width,
        "height": found.height,
        "frames": found.frames,
        "fps": found.fps,
        "audio": found.audio,
        "sha256": digest,
        "bytes": size,
    }
