"""Archives, packages and pictures of the kinds that the photographs come in, written by the tests."""

import lzma
import struct
import tarfile
import zlib
from io import BytesIO

import numpy as np
import pyarrow
from PIL import Image

COMPRESSED, DIRECTORY, ZSTD = 1, 2, 4


def qt_hash(name: str) -> int:
    """`qt_hash` of Qt's rcc, by which QResource searches a folder."""
    found = 0
    for unit in struct.unpack(f">{len(name)}H", name.encode("utf-16-be")):
        found = (found << 4) + unit
        found ^= (found & 0xF0000000) >> 23
        found &= 0x0FFFFFFF
    return found


def rcc_bytes(entries: dict[str, bytes], *, version: int = 3, packing: str = "none") -> bytes:
    """An archive as Qt's rcc lays it out: header, content, names, tree breadth first."""
    root: dict = {}
    for path, content in entries.items():
        *folders, name = path.split("/")
        place = root
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = content
    data, names, nodes = bytearray(), bytearray(), bytearray()
    waiting, number = [("", root)], 1
    while waiting:
        name, node = waiting.pop(0)
        name_at = len(names)
        names += struct.pack(">HI", len(name), qt_hash(name)) + name.encode("utf-16-be")
        if isinstance(node, dict):
            nodes += struct.pack(">IHII", name_at, DIRECTORY, len(node), number)
            number += len(node)
            waiting += sorted(node.items(), key=lambda item: qt_hash(item[0]))
        else:
            flags, packed = 0, node
            if packing == "zlib":
                flags, packed = COMPRESSED, struct.pack(">I", len(node)) + zlib.compress(node)
            elif packing == "zstd":
                flags, packed = ZSTD, pyarrow.compress(node, "zstd", asbytes=True)
            nodes += struct.pack(">IHHHI", name_at, flags, 0, 1, len(data))
            data += struct.pack(">I", len(packed)) + packed
        if version >= 2:
            nodes += struct.pack(">Q", 1_500_000_000_000)
    start = 24 if version >= 3 else 20
    places = (start + len(data) + len(names), start, start + len(data))
    header = b"qres" + struct.pack(">IIII", version, *places) + (b"\0" * 4 if version >= 3 else b"")
    return header + bytes(data) + bytes(names) + bytes(nodes)


def deb_bytes(files: dict[str, bytes], member: str = "data.tar.xz") -> bytes:
    """A package as dpkg-deb writes it."""
    tar = BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
    pack = {"data.tar.xz": lzma.compress, "data.tar": bytes}
    pack["data.tar.zst"] = lambda content: pyarrow.compress(content, "zstd", asbytes=True)
    package = b"!<arch>\n"
    for name, content in (("debian-binary", b"2.0\n"), ("x", b"odd"), (member, pack[member](tar.getvalue()))):
        package += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        package += content + b"\n" * (len(content) % 2)
    return package


def scene(seed: int, size: tuple[int, int] = (160, 120)) -> np.ndarray:
    """A random smooth picture of a (width, height), with as much structure as a photograph has."""
    rough = np.random.default_rng(seed).integers(0, 256, (9, 12, 3), np.uint8)
    return np.asarray(Image.fromarray(rough).resize(size, Image.Resampling.BICUBIC))


def encoded(picture: np.ndarray, kind: str = "webp") -> bytes:
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, kind, quality=90)
    return buffer.getvalue()


INSIDE = "gcompris/src/activities"
README = """Copyright: Tognopop
License: Public Domain
Source: https://commons.wikimedia.org/wiki/File:Eiffel_Tower_20051010.jpg
Files:
france/eiffelTower.webp

Copyright: Berthold Werner
License: Public Domain
Source: https://example.org/palatina
Files:
germany/audaPalatina.webp

Copyright: Daniel Schwen
License: CC-BY-SA 4.0
Source: https://example.org/chichen
Files:
wonders/chichenItza.webp
"""
DETAILS = """Copyright: 2000, 2008 Bruno Coudoin and others
License: CC-BY-SA 4.0
TourEiffel_0.webp
TourEiffel_background.webp
Comment: based on a photo by A. Nother, license CC-BY-SA 3.0, source at https://example.org/tour.jpg
"""
