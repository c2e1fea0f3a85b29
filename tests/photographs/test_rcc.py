"""Qt's archives, written here after qtbase/src/tools/rcc/rcc.cpp and read by the helper."""

import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.checking import DataError
from helpers.photographs.rcc import read_rcc
from photographs.written import rcc_bytes

ENTRIES = {
    "gcompris/src/README": "Ünicode".encode(),
    "gcompris/src/empty": b"",
    "gcompris/picture.webp": bytes(range(256)) * 9,
    "Straße/図.svg": b"<svg/>",
}


@pytest.mark.parametrize("packing", ["none", "zlib", "zstd"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_and_packing_gives_back_what_was_written(version, packing):
    assert read_rcc(rcc_bytes(ENTRIES, version=version, packing=packing)) == ENTRIES


def test_a_file_is_read_like_its_content(tmp_path):
    path = tmp_path / "small.rcc"
    path.write_bytes(rcc_bytes(ENTRIES))
    assert read_rcc(path) == ENTRIES
    with pytest.raises(DataError, match=r"none\.rcc: no such file; expected a Qt resource archive"):
        read_rcc(tmp_path / "none.rcc")


# Layout and numbers by hand after rcc.cpp: one empty-named root with one entry "a" that holds "hi".
def test_an_archive_written_byte_by_byte_is_read():
    data = struct.pack(">I", 2) + b"hi"
    names = struct.pack(">HI", 0, 0) + struct.pack(">HI", 1, 0x61) + b"\0a"
    tree = struct.pack(">IHII", 0, 2, 1, 1) + struct.pack(">IHHHI", 6, 0, 0, 1, 0)
    header = b"qres" + struct.pack(">IIII", 1, 20 + len(data) + len(names), 20, 20 + len(data))
    assert read_rcc(header + data + names + tree) == {"a": b"hi"}


def test_versions_of_an_entry_in_several_languages_are_kept_apart():
    content = rcc_bytes({"a": b"one", "b": b"two"}, version=1)
    # German in Germany, in Qt 6's numbers, is 42 and 57; both entries share the name "a".
    tree = struct.unpack(">I", content[8:12])[0]
    changed = bytearray(content)
    changed[tree + 28 : tree + 32] = changed[tree + 14 : tree + 18]
    changed[tree + 34 : tree + 38] = struct.pack(">HH", 57, 42)
    assert read_rcc(bytes(changed)) == {"a": b"one", "a@42-57": b"two"}


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (0, b"PK\3\4", r"begins with b'PK\\x03\\x04', expected b'qres'"),
        (4, struct.pack(">I", 4), "found format version 4, expected 1, 2, 3"),
        (8, struct.pack(">I", 10**6), "byte 1000000: entry 0 needs 22 bytes, the file ends at"),
        (12, struct.pack(">I", 10**6), r"byte 10000\d\d: \S+ needs 4 bytes"),
        (16, struct.pack(">I", 10**6), "the name of entry 1 needs 2 bytes"),
    ],
)
def test_a_damaged_header_is_named(place, new, message):
    content = bytearray(rcc_bytes(ENTRIES))
    content[place : place + 4] = new
    with pytest.raises(DataError, match=message) as error:
        read_rcc(bytes(content), name="small.rcc")
    assert str(error.value).startswith("small.rcc: ")


def test_a_folder_that_holds_itself_or_too_much_is_refused():
    content = rcc_bytes({"a": b"one"}, version=1)
    tree = struct.unpack(">I", content[8:12])[0]
    for count, first in ((1, 0), (2**31, 1)):
        damaged = bytearray(content)
        damaged[tree + 6 : tree + 14] = struct.pack(">II", count, first)
        with pytest.raises(DataError, match=f"entry 0 has the entries {first} to {first + count - 1} inside"):
            read_rcc(bytes(damaged))


@pytest.mark.parametrize("name", ["..", "a/b", "a\\b"])
def test_names_that_could_leave_a_folder_are_refused(name):
    content = rcc_bytes({"n" * len(name): b"x"})
    damaged = content.replace(("n" * len(name)).encode("utf-16-be"), name.encode("utf-16-be"))
    with pytest.raises(DataError, match=re.escape(f"the name of entry 1 is {name!r}")):
        read_rcc(damaged)


@pytest.mark.parametrize("size", [0, 10, 2**31])
def test_content_of_another_size_than_stated_is_refused(size):
    content = bytearray(rcc_bytes({"a": b"y" * 1000}, packing="zlib"))
    content[28:32] = struct.pack(">I", size)
    with pytest.raises(DataError, match=f"byte 24: a: .*, expected {size}"):
        read_rcc(bytes(content))


@pytest.mark.parametrize("packing", ["none", "zlib", "zstd"])
def test_an_archive_that_is_cut_off_anywhere_is_refused(packing):
    content = rcc_bytes(ENTRIES, packing=packing)
    for end in range(0, len(content), 7):
        with pytest.raises(DataError, match="archive"):
            read_rcc(content[:end])


@given(place=st.integers(0, 2**16), value=st.integers(0, 255), packing=st.sampled_from(["zlib", "zstd"]))
def test_any_changed_byte_gives_entries_or_a_clear_refusal(place, value, packing):
    content = bytearray(rcc_bytes(ENTRIES, packing=packing))
    content[place % len(content)] = value
    try:
        problem = f"archive: {len(read_rcc(bytes(content)))} entries"
    except DataError as error:
        problem = str(error)
    assert problem.startswith("archive: ")
