"""Reading chosen files out of a Debian package (.deb) on any system, without Debian's tools.

A package is an `ar` archive whose member `data.tar.xz` or `data.tar.zst` holds the files (deb(5)).
"""

import tarfile
from collections.abc import Collection
from io import BytesIO
from pathlib import Path

from helpers.checking import DataError
from helpers.paths import shown
from helpers.photographs.compressed import DamagedError, unxz, unzstd

_MAGIC = b"!<arch>\n"
_HEADER = 60
_UNPACK = {"data.tar.xz": unxz, "data.tar.zst": unzstd, "data.tar": bytes}


def read_deb(path: Path | str, wanted: Collection[str]) -> dict[str, bytes]:
    """The content of some of a package's files.

    Args:
        path: the .deb file.
        wanted: names, relative to the root ("usr/share/doc/…").

    Returns:
        Content by name, of those of the wanted files that the package has.

    Raises:
        DataError: no such file, not a Debian package, or a damaged one.
    """
    name = shown(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{name}: {reason}; expected a Debian package") from None
    member, packed = _data_member(content, name)
    try:
        with tarfile.open(fileobj=BytesIO(_UNPACK[member](packed)), mode="r:") as archive:
            return {
                entry.name.removeprefix("./"): archive.extractfile(entry).read()
                for entry in archive
                if entry.isfile() and entry.name.removeprefix("./") in wanted
            }
    except (DamagedError, tarfile.TarError) as error:
        raise DataError(f"{name}: {member}: {error}; expected a whole Debian package") from None


def _data_member(content: bytes, name: str) -> tuple[str, bytes]:
    """The member of the `ar` archive that holds the files: its name and its content."""
    if not content.startswith(_MAGIC):
        raise DataError(f"{name}: begins with {content[:8]!r}, expected {_MAGIC!r} (a Debian package)")
    place = len(_MAGIC)
    members = []
    while place + _HEADER <= len(content):
        header = content[place : place + _HEADER]
        member, size = header[:16].decode("latin-1").rstrip(" /"), header[48:58].strip()
        if header[58:] != b"`\n" or not size.isdigit():
            raise DataError(f"{name}: byte {place}: a damaged header; expected a whole Debian package")
        start, end = place + _HEADER, place + _HEADER + int(size)
        if end > len(content):
            raise DataError(
                f"{name}: byte {start}: {member} needs {int(size)} bytes, the file ends at {len(content)} "
                "(is it cut off?)"
            )
        if member in _UNPACK:
            return member, content[start:end]
        members.append(member)
        place = end + end % 2
    raise DataError(f"{name}: found {', '.join(members)}; expected one of {', '.join(_UNPACK)} among them")
