"""Pictures of every kind against Pillow's own conversions."""

import os
import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from helpers.checking import DataError
from helpers.photographs.pictures import read_picture
from photographs.written import encoded, scene

PICTURE = scene(0, (60, 40))


def saved(image: Image.Image, kind: str, **options) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["L", "RGB", "P", "1", "LA", "RGBA"])
def test_every_mode_becomes_rgb(mode):
    image = Image.fromarray(PICTURE).convert(mode)
    read = read_picture(saved(image, "PNG"))
    assert read.dtype == np.uint8
    assert np.array_equal(read, np.asarray(image.convert("RGB")))


# Pillow's plain formula: the inks' complements multiply.
def test_cmyk_becomes_rgb():
    inks = Image.new("CMYK", (32, 32), (0, 255, 255, 0))
    assert read_picture(saved(inks, "TIFF"))[0, 0].tolist() == [255, 0, 0]


def test_transparent_parts_are_laid_on_white():
    alpha = np.zeros((40, 60), np.uint8)
    alpha[:, 30:] = 255
    image = Image.fromarray(np.dstack([PICTURE, alpha]))
    read = read_picture(saved(image, "PNG"))
    assert (read[:, :30] == 255).all()
    assert np.array_equal(read[:, 30:], PICTURE[:, 30:])


def test_sixteen_bits_are_scaled_and_not_clipped():
    wide = Image.fromarray(np.full((20, 20), 32896, np.uint16))
    assert (read_picture(saved(wide, "PNG")) == 128).all()


# EXIF 2.3, tag 274: 6 is "rotate by 90 degrees clockwise to show".
def test_the_camera_turned_on_its_side_is_turned_back():
    exif = Image.Exif()
    exif[274] = 6
    read = read_picture(saved(Image.fromarray(PICTURE), "PNG", exif=exif))
    assert np.array_equal(read, np.rot90(PICTURE, -1))


def test_an_animation_gives_its_first_frame():
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    read = read_picture(saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True))
    assert read[0, 0].tolist() == [255, 0, 0]


def test_a_file_is_read_like_its_content(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(encoded(PICTURE, "png"))
    assert np.array_equal(read_picture(path), PICTURE)


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "tiff", "gif", "bmp"])
def test_a_picture_that_is_cut_off_is_refused_by_name(tmp_path, kind):
    content = encoded(scene(0), kind)
    path = tmp_path / f"a.{kind}"
    for end in (0, 10, len(content) // 2, len(content) * 9 // 10):
        path.write_bytes(content[:end])
        with pytest.raises(DataError, match=rf"a\.{kind}: "):
            read_picture(path)


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (15, 40)])
def test_tiny_pictures_are_refused(size):
    with pytest.raises(
        DataError, match=rf"picture: found {size[0]} x {size[1]} pixels, expected sides of at"
    ):
        read_picture(saved(Image.new("RGB", size), "PNG"))


def test_a_decompression_bomb_is_refused_before_it_is_unpacked():
    chunks = b""
    for kind, content in (
        (b"IHDR", struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ):
        chunks += struct.pack(">I", len(content)) + kind + content
        chunks += struct.pack(">I", zlib.crc32(kind + content))
    with pytest.raises(DataError, match="picture: found more than 89,478,485 pixels"):
        read_picture(b"\x89PNG\r\n\x1a\n" + chunks)


def test_what_is_no_picture_or_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="notes: no picture of a known format"):
        read_picture(b"not a picture", name="notes")
    with pytest.raises(DataError, match=r"none\.png: no such file; expected a picture"):
        read_picture(tmp_path / "none.png")
    with pytest.raises(DataError, match="not a regular file"):
        read_picture(tmp_path)


# Adobe, "Encapsulated PostScript File Format Specification" 3.0, section 3: the least header.
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 60 40\n%%EndComments\nshowpage\n%%EOF\n"


def test_formats_for_which_other_programs_would_start_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.check_call", lambda *_, **__: pytest.fail("a program was started"))
    path = tmp_path / "a.jpg"
    path.write_bytes(EPS)
    with pytest.raises(DataError, match=r"a\.jpg: no picture of a known format \(JPEG, PNG"):
        read_picture(path)


@pytest.mark.parametrize("error", [RuntimeError, NotImplementedError, ValueError])
def test_whatever_pillow_raises_is_said(monkeypatch, error):
    def fail(self):
        raise error("odd")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", fail)
    with pytest.raises(DataError, match=r"cannot be decoded \(odd\)"):
        read_picture(saved(Image.fromarray(PICTURE), "BMP"), name="x")


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jpg")
    with pytest.raises(DataError, match=r"a\.jpg: not a regular file; expected a picture"):
        read_picture(tmp_path / "a.jpg")
