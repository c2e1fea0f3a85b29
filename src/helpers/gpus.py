"""Work that shares this machine's GPUs: each takes one that no other has."""

import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ASKING_AGAIN = 5.0


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them; none without a driver."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return [name.strip() for name in given.split(",") if name.strip()]
    command = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
    with suppress(OSError, subprocess.SubprocessError):
        found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return found.stdout.split()
    return []


@contextmanager
def one_gpu(locks: Path | None = None, *, pause: float = ASKING_AGAIN) -> Iterator[str | None]:
    """Wait for a free GPU and let this process, and what it starts, see only that one.

    To be called before CUDA is used. Where a scheduler has given the process its GPUs (SLURM_JOB_ID is set),
    or there is none, nothing is done. A process that ends, however it ends, gives its GPU back.

    Args:
        locks: the folder of the locks; by default one for all of this user's studies.
        pause: seconds between two attempts.

    Yields:
        The GPU's name, or None.
    """
    names = [] if "SLURM_JOB_ID" in os.environ else visible_gpus()
    if not names:
        yield None
        return
    locks = locks or Path(tempfile.gettempdir()) / f"world-on-screen-gpus-{os.getuid()}"
    locks.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("CUDA_VISIBLE_DEVICES")
    name, file = _first_free(names, locks, pause)
    os.environ["CUDA_VISIBLE_DEVICES"] = name
    try:
        yield name
    finally:
        os.close(file)
        os.environ.pop("CUDA_VISIBLE_DEVICES")
        if before is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = before


def _first_free(names: list[str], locks: Path, pause: float) -> tuple[str, int]:
    while True:
        for name in names:
            file = os.open(locks / name.replace("/", "-"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            else:
                return name, file
        time.sleep(pause)
