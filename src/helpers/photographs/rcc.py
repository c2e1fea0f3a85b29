"""Reading Qt's binary resource archives (.rcc), in which GCompris ships its pictures.

The format is that of Qt's resource compiler and `QResource` (Qt 6, `qtbase/src/tools/rcc/rcc.cpp` and
`qresource.cpp`): a header of big-endian numbers, then entries in a tree, their names, and their content.
Versions 1 to 3 differ in the header's flags (3) and in a date for each entry (2 and 3).
"""

import struct
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from helpers.checking import DataError
from helpers.paths import shown
from helpers.photographs.compressed import MOST, DamagedError, inflate, unzstd

MAGIC = b"qres"
VERSIONS = (1, 2, 3)
COMPRESSED, DIRECTORY, COMPRESSED_ZSTD = 1, 2, 4
# QLocale's numbers for an entry that belongs to no language, of Qt 5 and Qt 6.
_ANY_LANGUAGE = (0, 1)


def read_rcc(archive: Path | str | bytes, *, name: str = "archive") -> dict[str, bytes]:
    """All entries of an archive, unpacked.

    Args:
        archive: the .rcc file, or its content.
        name: what messages call content that does not come from a file.

    Returns:
        Content by path inside the archive ("gcompris/src/activities/…"), in the archive's order. Where an
        entry is there in several languages, those bear "@language-territory" in Qt's numbers.

    Raises:
        DataError: no such file, not an archive, a version other than 1 to 3, or damage: entries, names or
            content outside the file, a tree that is none, content that cannot be unpacked; the message names
            the file and the place.
    """
    if isinstance(archive, bytes):
        return _Archive(archive, name).entries()
    try:
        content = Path(archive).read_bytes()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{shown(archive)}: {reason}; expected a Qt resource archive") from None
    return _Archive(content, shown(archive)).entries()


@dataclass(frozen=True)
class _Archive:
    """The bytes of an archive, and what messages call it."""

    content: bytes
    name: str

    def entries(self) -> dict[str, bytes]:
        if self.content[:4] != MAGIC:
            raise DataError(
                f"{self.name}: begins with {self.content[:4]!r}, expected {MAGIC!r} (a Qt resource archive)"
            )
        version, tree, data, names = self._numbers(">IIII", 4, "the header")
        if version not in VERSIONS:
            raise DataError(
                f"{self.name}: found format version {version}, expected {', '.join(map(str, VERSIONS))}"
            )
        width = 14 if version == 1 else 22
        found: dict[str, bytes] = {}
        seen = {0}
        waiting = deque([(0, "")])
        unpacked = 0
        while waiting:
            number, folder = waiting.popleft()
            place = tree + number * width
            where = f"entry {number}"
            self._piece(place, width, where)
            name_at, flags = self._numbers(">IH", place, where)
            path = folder + self._entry_name(names + name_at, where) if number else ""
            if flags & DIRECTORY:
                count, first = self._numbers(">II", place + 6, where)
                children = range(first, first + count)
                # Each entry takes room in the file, so that a damaged count cannot make the loop endless.
                if count > len(self.content) // width or not seen.isdisjoint(children):
                    raise self._damage(
                        place, f"{where} has the entries {first} to {first + count - 1} inside"
                    )
                seen.update(children)
                waiting.extend((child, f"{path}/" if path else "") for child in children)
                continue
            territory, language, offset = self._numbers(">HHI", place + 6, where)
            if language not in _ANY_LANGUAGE or territory or path in found:
                path = f"{path}@{language}-{territory}"
            found[path] = self._entry(data + offset, flags, path)
            unpacked += len(found[path])
            if unpacked > MOST:
                raise self._damage(data + offset, f"the entries hold more than {MOST:,} bytes")
        return found

    def _entry_name(self, place: int, where: str) -> str:
        (letters,) = self._numbers(">H", place, f"the name of {where}")
        # Four bytes between length and letters are a hash of the name.
        raw = self._piece(place + 6, 2 * letters, f"the name of {where}")
        try:
            name = raw.decode("utf-16-be")
        except UnicodeDecodeError:
            raise self._damage(place, f"the name of {where} is no UTF-16") from None
        # The archive's paths may become file names.
        if name in ("", ".", "..") or any(letter in name for letter in "/\\\0"):
            raise self._damage(place, f"the name of {where} is {name!r}")
        return name

    def _entry(self, place: int, flags: int, path: str) -> bytes:
        (size,) = self._numbers(">I", place, path)
        raw = self._piece(place + 4, size, path)
        try:
            if flags & COMPRESSED_ZSTD:
                return unzstd(raw)
            if flags & COMPRESSED:
                (full,) = self._numbers(">I", place + 4, path)
                return inflate(raw[4:], full)
        except DamagedError as error:
            raise self._damage(place, f"{path}: {error}") from None
        return raw

    def _numbers(self, shape: str, place: int, where: str) -> tuple[int, ...]:
        return struct.unpack(shape, self._piece(place, struct.calcsize(shape), where))

    def _piece(self, place: int, size: int, where: str) -> bytes:
        if place + size > len(self.content):
            raise self._damage(
                place, f"{where} needs {size} bytes, the file ends at {len(self.content)} (is it cut off?)"
            )
        return self.content[place : place + size]

    def _damage(self, place: int, what: str) -> DataError:
        return DataError(f"{self.name}: byte {place}: {what}; expected a whole Qt resource archive")
