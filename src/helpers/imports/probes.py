"""Look into many files at once, and remember what was found so that the next time is quick."""

import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tqdm import tqdm

from helpers.checking import DataError
from helpers.paths import file_hash
from helpers.video.opening import regular_file
from helpers.video.probe import Probe, probe


@dataclass(frozen=True)
class Probed:
    """What a file holds.

    Attributes:
        probe: what `video.probe` found; its status is "ok" or names the problem.
        sha256: the hash of the file's bytes, or None where it cannot be read.
    """

    probe: Probe
    sha256: str | None


def probe_all(
    paths: Iterable[Path], *, cache: Path | None = None, workers: int | None = None
) -> dict[Path, Probed]:
    """Probe and hash files in parallel, with a progress bar in a terminal.

    Args:
        paths: the files.
        cache: a JSONL file of earlier findings; a file whose size and time of change are the same as then is
            not read again. Every new finding is added at once, so that a stopped run loses nothing.
        workers: files read at once; by default twice the number of processors, up to 16.

    Returns:
        What each file holds, in the order given.
    """
    paths = list(dict.fromkeys(paths))
    known = _read_cache(cache) if cache else {}
    found = {path: known[key] for path in paths if (key := _key(path)) in known}
    new = [path for path in paths if path not in found]
    workers = workers or min(2 * (os.cpu_count() or 1), 16)
    with _writing(cache if new else None) as write, ThreadPoolExecutor(workers) as pool:
        results = zip(new, pool.map(_probe, new), strict=True)
        for path, probed in tqdm(results, total=len(new), unit="clip", desc="probing", disable=None):
            found[path] = probed
            write(_key(path), probed)
    return {path: found[path] for path in paths}


def _probe(path: Path) -> Probed:
    try:
        # Opening a pipe would wait for its other end.
        digest = file_hash(regular_file(path))
        return Probed(probe(path), digest)
    except (OSError, DataError) as error:
        return Probed(Probe(path=path, status="unreadable", problem=str(error)), None)


def _key(path: Path) -> str | None:
    """What tells a file's version; None for one that is not there."""
    try:
        about = path.stat()
    except OSError:
        return None
    return json.dumps([str(path.absolute()), about.st_size, about.st_mtime_ns])


def _read_cache(cache: Path) -> dict[str, Probed]:
    """Findings by their file's version. Lines of an older form, or cut short by a crash, are left out."""
    names = {field.name for field in fields(Probe)}
    known = {}
    try:
        lines = cache.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    for line in lines:
        try:
            record = json.loads(line)
            values: dict[str, Any] = record["probe"]
            if set(values) == names:
                values |= {"path": Path(values["path"]), "notes": tuple(values["notes"])}
                known[record["file"]] = Probed(Probe(**values), record["sha256"])
        except (ValueError, KeyError, TypeError):
            continue
    return known


@contextmanager
def _writing(cache: Path | None) -> Iterator[Any]:
    if cache is None:
        yield lambda key, probed: None
        return
    cache.parent.mkdir(parents=True, exist_ok=True)
    with cache.open("a+b") as file:
        file.seek(0, os.SEEK_END)
        if file.tell() and _last_byte(cache) != b"\n":
            file.write(b"\n")

        def write(key: str | None, probed: Probed) -> None:
            if key is not None:
                record = {"file": key, "sha256": probed.sha256, "probe": asdict(probed.probe)}
                file.write(json.dumps(record, default=str).encode() + b"\n")
                file.flush()

        yield write


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)
