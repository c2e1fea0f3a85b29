"""Unpacking compressed data to a stated size, so that a damaged or malicious file cannot fill the memory."""

import lzma
import zlib

# Larger than any photograph or package that this project reads.
MOST = 1 << 30


class DamagedError(ValueError):
    """Compressed data that is damaged, cut off, or larger than it says."""


def inflate(data: bytes, size: int) -> bytes:
    """Unpack a zlib stream of a known size.

    Raises:
        DamagedError: it is damaged, or holds more or less than `size` bytes.
    """
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, min(size, MOST) + 1)
    except zlib.error as error:
        raise DamagedError(f"a damaged zlib stream ({error})") from None
    if len(unpacked) != size:
        found = f"{len(unpacked)} bytes" if len(unpacked) < size else f"more than {size} bytes"
        raise DamagedError(f"{found}, expected {size}")
    return unpacked


def unzstd(data: bytes) -> bytes:
    """Unpack one zstd frame.

    Raises:
        DamagedError: it is damaged, cut off, or holds more than 1 GiB.
    """
    # pyarrow brings zstd, which Python has from 3.14; importing it costs a second.
    import pyarrow

    try:
        with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd") as stream:
            unpacked = stream.read(MOST + 1)
    except OSError as error:
        raise DamagedError(f"a damaged zstd stream ({error})") from None
    return _not_too_large(unpacked)


def unxz(data: bytes) -> bytes:
    """Unpack an xz stream.

    Raises:
        DamagedError: it is damaged, cut off, or holds more than 1 GiB.
    """
    unpacker = lzma.LZMADecompressor()
    try:
        unpacked = unpacker.decompress(data, MOST + 1)
    except lzma.LZMAError as error:
        raise DamagedError(f"a damaged xz stream ({error})") from None
    if not unpacker.eof and len(unpacked) <= MOST:
        raise DamagedError("an xz stream that is cut off")
    return _not_too_large(unpacked)


def _not_too_large(unpacked: bytes) -> bytes:
    if len(unpacked) > MOST:
        raise DamagedError(f"more than {MOST:,} bytes")
    return unpacked
