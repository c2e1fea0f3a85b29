import io
import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from skimage import data

from helpers.chat.clips import HeldFrames
from helpers.chat.messages import Message, Text, spelt_out, user
from helpers.chat.pictures import FilePicture, Picture
from helpers.chat.request import Request

GREY = np.full((48, 64, 3), 127, np.uint8)


def encoded(kind: str, **about) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(GREY).save(buffer, kind, **about)
    return buffer.getvalue()


PNG = Picture(encoded("PNG"), "image/png")


class TestPicture:
    def test_its_hash_is_that_of_coreutils_sha256sum(self):
        if shutil.which("sha256sum") is None:
            pytest.skip("sha256sum is not here")
        said = subprocess.run(["sha256sum"], input=PNG.data, capture_output=True, check=True).stdout.decode()
        assert PNG.content()["sha256"] == said.split()[0]

    def test_what_is_shown_of_it_is_short(self):
        assert len(repr(PNG)) < 100
        assert len(json.dumps(PNG.content())) < 150

    @pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
    def test_a_file_is_sent_as_it_is_whatever_its_name_ends_in(self, tmp_path, kind):
        path = tmp_path / "picture.bin"
        path.write_bytes(encoded(kind))
        picture = Picture.read(path)
        assert picture.data == path.read_bytes()
        assert picture.media == f"image/{kind.lower()}"
        assert (picture.width, picture.height) == (64, 48)

    @pytest.mark.parametrize(
        "content", [b"", b"no picture", encoded("GIF"), encoded("JPEG")[:400], encoded("PNG")[:-30]]
    )
    def test_a_file_that_is_none_or_damaged_is_named(self, tmp_path, content):
        path = tmp_path / "broken.jpg"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"broken\.jpg: found no picture .* JPEG, PNG, WEBP"):
            Picture.read(path)

    def test_bytes_that_are_none_are_refused(self):
        with pytest.raises(ValueError, match="found 3 bytes that are no picture"):
            Picture(b"abc")

    def test_another_media_type_is_refused(self):
        with pytest.raises(ValueError, match="found 'image/jpeg' for a picture that is image/png"):
            Picture(PNG.data)

    def test_pixels_survive_being_encoded(self):
        photograph = data.astronaut()[:256, :256]
        back = np.asarray(Picture.encode(photograph, quality=95).pixels())
        assert back.shape == photograph.shape
        assert np.abs(back.astype(int) - photograph).mean() < 2

    @pytest.mark.parametrize(
        "bad", [GREY / 255, GREY[..., 0], GREY[..., :2], GREY[:0], GREY.astype(np.int64)], ids=str
    )
    def test_an_array_of_another_kind_is_refused(self, bad):
        with pytest.raises(ValueError, match=r"expected uint8 \(height, width, 3\)"):
            Picture.encode(bad)

    def test_a_quality_that_jpeg_lacks_is_refused(self):
        with pytest.raises(ValueError, match="found 0, expected a number from 1 to 95"):
            Picture.encode(GREY, quality=0)


class TestRequest:
    def test_a_picture_counts_in_the_key_by_its_bytes_and_not_by_its_object(self):
        def key(picture):
            return Request(model="m", messages=(user(picture, "What is it?"),)).key

        assert key(PNG) == key(Picture(bytes(PNG.data), "image/png"))
        assert key(PNG) != key(Picture(encoded("PNG", compress_level=0), "image/png"))

    def test_order_counts(self):
        first, last = user(PNG, "x"), user("x", PNG)
        assert Request(model="m", messages=(first,)).key != Request(model="m", messages=(last,)).key

    def test_tokens_of_pictures_are_estimated_by_their_size(self):
        # 640 x 480 at 32 x 32 pixels a token, as in Qwen3-VL (patches of 16, merged two by two).
        picture = Picture.encode(np.zeros((480, 640, 3), np.uint8))
        assert Request(model="m", messages=(user(picture, "four"),)).sent_tokens == 20 * 15 + 1

    def test_a_repair_shows_the_pictures_again(self):
        request = Request(model="m", messages=(user(PNG, "What is it?"),))
        assert PNG in request.repaired("?", "it is empty").messages[-1].parts

    @pytest.mark.parametrize("role", ["system", "assistant"])
    def test_pictures_are_the_users(self, role):
        with pytest.raises(ValueError, match=f"found a picture in a message of role {role}"):
            Message(role, (PNG,))

    def test_a_message_says_something(self):
        with pytest.raises(ValueError, match="without parts"):
            user()


class TestFrames:
    def test_servers_read_times_and_pictures_in_turn(self):
        clip = HeldFrames((PNG, PNG), (0.0, 1.2), fps=10, total=20)
        assert spelt_out(user("A clip:", clip, "Is it so?", "Why?").parts) == [
            Text("A clip:\n\nt = 0.00 s"),
            PNG,
            Text("t = 1.20 s"),
            PNG,
            Text("Is it so?\n\nWhy?"),
        ]

    @given(st.integers(1, 40), st.integers(1, 60))
    def test_indices_come_back_from_times(self, number, fps):
        times = tuple(at / fps for at in range(number))
        assert HeldFrames((PNG,) * number, times, fps=fps, total=number).indices == list(range(number))

    @pytest.mark.parametrize(
        "change",
        [{"times": (0.0, 1.0, 1.5)}, {"times": (0.0, 1.5)}, {"fps": 20}, {"total": 21}],
    )
    def test_whatever_the_model_is_told_counts_in_the_key(self, change):
        clip = {"pictures": (PNG, PNG, PNG), "times": (0.0, 0.5, 1.0), "fps": 10, "total": 20}
        changed = clip | change
        changed["pictures"] = (PNG,) * len(changed["times"])
        first, second = (
            Request(model="m", messages=(user(HeldFrames(**about)),)).key for about in (clip, changed)
        )
        assert first != second

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"pictures": ()}, "found sizes none"),
            ({"pictures": (PNG, Picture.encode(GREY[:40]))}, "found sizes 64 × 40, 64 × 48"),
            ({"times": (0.0,)}, "found 1, expected 2, one a picture"),
            ({"times": (1.0, 0.5)}, "expected rising seconds"),
            ({"times": (-0.1, 0.5)}, "expected rising seconds from 0"),
            ({"times": (0.5, 0.5)}, "expected rising seconds"),
            ({"times": (0.0, float("inf"))}, "expected rising seconds"),
            ({"times": (0.0, float("nan"))}, "expected rising seconds"),
            ({"fps": 0}, "expected positive numbers"),
            ({"total": 0}, "expected positive numbers"),
        ],
    )
    def test_what_is_no_clip_is_refused(self, change, reason):
        clip = {"pictures": (PNG, PNG), "times": (0.0, 1.0), "fps": 10, "total": 20}
        with pytest.raises(ValueError, match=reason):
            HeldFrames(**clip | change)


class TestOddFiles:
    # Adobe, "Encapsulated PostScript File Format Specification" 3.0: Pillow would start Ghostscript for it.
    EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 60 40\n%%EndComments\nshowpage\n%%EOF\n"

    def test_a_file_that_would_start_another_program_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr("subprocess.check_call", lambda *_, **__: pytest.fail("a program was started"))
        path = tmp_path / "a.jpg"
        path.write_bytes(self.EPS)
        with pytest.raises(ValueError, match=r"a\.jpg: found no picture that can be read"):
            FilePicture.of(path).read()

    @pytest.mark.parametrize("error", [RuntimeError, NotImplementedError, ValueError])
    def test_whatever_pillow_raises_names_the_file(self, tmp_path, monkeypatch, error):
        def fail(self):
            raise error("odd")

        path = tmp_path / "a.png"
        path.write_bytes(encoded("PNG"))
        monkeypatch.setattr("PIL.ImageFile.ImageFile.load", fail)
        for read in (Picture.read, lambda path: FilePicture.of(path).read()):
            with pytest.raises(ValueError, match=r"a\.png: found no picture that can be read \(odd\)"):
                read(path)

    def test_a_named_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "a.jpg")
        for read in (Picture.read, FilePicture.of):
            with pytest.raises(OSError, match="not a regular file"):
                read(tmp_path / "a.jpg")

    def test_a_phones_jpeg_with_two_pictures_is_a_jpeg(self):
        file = io.BytesIO()
        one = Image.new("RGB", (40, 30))
        one.save(file, "MPO", save_all=True, append_images=[one.copy()])
        assert Picture(file.getvalue()).media == "image/jpeg"
