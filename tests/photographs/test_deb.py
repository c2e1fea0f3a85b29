"""Debian packages: those written here after deb(5), and one that dpkg-deb writes where it is installed."""

import re
import shutil
import subprocess

import pytest

from helpers.checking import DataError
from helpers.photographs.deb import read_deb
from photographs.written import deb_bytes

FILES = {"usr/share/a.txt": b"one", "usr/share/b.txt": b"two" * 1000}


@pytest.mark.parametrize("member", ["data.tar.xz", "data.tar.zst", "data.tar"])
def test_the_wanted_files_are_read(tmp_path, member):
    path = tmp_path / "small.deb"
    path.write_bytes(deb_bytes(FILES, member))
    assert read_deb(path, ["usr/share/b.txt", "usr/share/none"]) == {
        "usr/share/b.txt": FILES["usr/share/b.txt"]
    }


@pytest.mark.parametrize("packing", ["xz", "zstd"])
def test_a_package_of_dpkg_deb_is_read(tmp_path, packing):
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not installed")
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(
        "Package: small\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
    )
    (root / "usr").mkdir()
    (root / "usr" / "a.txt").write_bytes(b"one")
    made = subprocess.run(
        ["dpkg-deb", "--root-owner-group", f"-Z{packing}", "--build", root, tmp_path / "small.deb"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"this dpkg-deb does not write {packing}")
    assert read_deb(tmp_path / "small.deb", ["usr/a.txt"]) == {"usr/a.txt": b"one"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"PK" + content, "begins with b'PK!<arch', expected b'!<arch>"),
        (lambda content: content[:-40], "is it cut off?"),
        (lambda content: content[:100], "a damaged header|found debian-binary"),
        (lambda content: content.replace(b"`\n", b"xx", 1), "byte 8: a damaged header"),
        (
            lambda content: content.replace(b"data.tar.xz", b"data.tar.gz"),
            "found debian-binary, x, data.tar.gz",
        ),
        (lambda content: content[:-60] + bytes(60), "data.tar.xz: a"),
    ],
    ids=["no package", "cut off", "cut off early", "no header", "unknown packing", "zeros"],
)
def test_damage_is_named(tmp_path, change, message):
    path = tmp_path / "small.deb"
    path.write_bytes(change(deb_bytes(FILES)))
    with pytest.raises(DataError, match=re.escape(message) if "|" not in message else message) as error:
        read_deb(path, FILES)
    assert "small.deb: " in str(error.value)


def test_a_missing_package_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.deb: no such file; expected a Debian package"):
        read_deb(tmp_path / "none.deb", FILES)
