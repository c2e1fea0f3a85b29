"""Clips as they are sent: lazily, encoded once, and changed for controls."""

import gc
import io
import threading
import time

import av
import numpy as np
import pytest
from PIL import Image

from helpers import tables
from helpers.chat.clips import ClipFrames
from helpers.chat.messages import user
from helpers.chat.pictures import FilePicture
from helpers.chat.request import Request
from helpers.checking import DataError
from helpers.judging import altered, stored
from helpers.judging.clips import Clips
from helpers.judging.stored import Held
from helpers.video.cache import Cache
from helpers.video.sampling import Uniform

SIXTEEN = Uniform(16)


def opened(data: bytes):
    return av.open(io.BytesIO(data))


def grey_levels(data: bytes) -> np.ndarray:
    with opened(data) as container:
        return np.array(
            [frame.to_ndarray(format="gray").astype(float) for frame in container.decode(video=0)]
        )


def sound(data: bytes) -> np.ndarray | None:
    with opened(data) as container:
        if not container.streams.audio:
            return None
        return np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)[0]


class TestFrames:
    def test_a_request_is_planned_without_its_clip(self, clips, study):
        part = clips.frames("cs-0-clip", SIXTEEN)
        (study / "videos/cs-0-clip.mp4").unlink()
        request = Request(model="m", messages=(user(part, "Is it so?"),))
        assert len(request.key) == 64
        # 64 x 48 pixels are three tokens each, at 32 x 32 pixels a token.
        assert part.tokens == 16 * 3
        assert part.indices[-1] == 23
        assert isinstance(part, ClipFrames)
        with pytest.raises(DataError, match="no such file"):
            part.pictures  # noqa: B018

    def test_the_key_is_of_the_content_wherever_the_file_lies(self, finished_study, study):
        keys = [
            Request(
                model="m", messages=(user(Clips(tables.read(at, "videos"), at).frames("cs-0-clip", SIXTEEN)),)
            ).key
            for at in (finished_study, study)
        ]
        assert keys[0] == keys[1]

    @pytest.mark.parametrize("other", [{"longest": 32}, {"quality": 50}])
    def test_the_key_tells_how_frames_are_sent(self, study, other):
        videos = tables.read(study, "videos")
        parts = [Clips(videos, study, **about).frames("cs-0-clip", SIXTEEN) for about in ({}, other)]
        assert parts[0].content() != parts[1].content()
        assert parts[0] != parts[1]

    def test_frames_are_scaled_to_the_longer_side(self, study):
        clips = Clips(tables.read(study, "videos"), study, longest=32)
        assert {(p.width, p.height) for p in clips.frames("cs-0-clip", SIXTEEN).pictures} == {(32, 24)}

    def test_times_are_the_clips(self, clips):
        assert clips.frames("cs-0-clip", Uniform(4)).times == pytest.approx([0, 8 / 8, 15 / 8, 23 / 8])

    def test_reversed_frames_run_backwards_at_the_same_times(self, clips):
        plain = clips.frames("cs-0-clip", SIXTEEN)
        backwards = clips.frames("cs-0-clip", SIXTEEN, "reversed")
        assert backwards.pictures == plain.pictures[::-1]
        assert backwards.times == plain.times

    def test_blank_frames_show_nothing(self, clips):
        pictures = clips.frames("cs-0-clip", SIXTEEN, "blank").pictures
        assert len(pictures) == 16
        assert all(np.ptp(np.asarray(picture.pixels())) == 0 for picture in pictures)

    def test_frames_come_from_the_shared_cache(self, study, tmp_path):
        cache = Cache(tmp_path / "frames")
        videos = tables.read(study, "videos")
        first = Clips(videos, study, cache=cache).frames("cs-0-clip", SIXTEEN)
        pictures = first.pictures
        assert cache.get(first.sha256, SIXTEEN) is not None
        assert Clips(videos, study, cache=cache).frames("cs-0-clip", SIXTEEN).pictures == pictures


def test_the_next_two_clips_are_read_while_one_is_sent_and_no_more(clips, monkeypatch):
    names = ["cs-0-clip", "cs-1-clip", "cv-0-clip", "cv-1-clip"]
    parts = [clips.frames(name, SIXTEEN) for name in names]
    read, real = [], stored.sample

    def noting(path, rule, cache=None):
        read.append(path.stem)
        return real(path, rule, cache)

    monkeypatch.setattr(stored, "sample", noting)
    with clips.read_ahead(["a text", *parts, parts[0]]):
        assert len(parts[0].pictures) == 16
    assert set(read) <= set(names[:3])
    with clips.read_ahead(parts):
        for part in parts:
            assert len(part.pictures) == 16
    assert sorted(read) == sorted(names)  # each once


def test_threads_that_read_the_cache_at_once_do_not_disturb_each_other(study, tmp_path):
    """Python 3.11 may fail where memory is cleaned up while it parses, as numpy does for a file's header."""
    videos, cache = tables.read(study, "videos"), Cache(tmp_path / "frames")
    failed, before = [], gc.get_threshold()

    def read() -> None:
        try:
            for _ in range(20):
                for name in ("cs-0-clip", "cs-1-clip"):
                    assert Clips(videos, study, cache=cache).frames(name, Uniform(2)).pictures
        except BaseException as error:
            failed.append(error)

    def give_way(*_) -> None:
        time.sleep(0)

    gc.set_threshold(20)
    gc.callbacks.append(give_way)
    try:
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.callbacks.remove(give_way)
        gc.set_threshold(*before)
    assert not failed


class TestHeld:
    def test_what_many_threads_ask_for_at_once_is_made_once(self):
        held, made, got = Held(), [], []

        def make() -> object:
            time.sleep(0.05)
            made.append(object())
            return made[-1]

        threads = [threading.Thread(target=lambda: got.append(held.get("key", make))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 1
        assert got == made * 8

    def test_only_the_latest_are_kept(self):
        held, made = Held(most=2), []
        for key in (1, 2, 1, 3, 1, 2):
            held.get(key, lambda key=key: made.append(key))
        assert made == [1, 2, 3, 2]

    def test_a_failure_is_told_to_all_and_not_kept(self):
        held = Held()
        with pytest.raises(ZeroDivisionError):
            held.get("key", lambda: 1 / 0)
        assert held.get("key", lambda: 7) == 7


class TestWhole:
    def test_sixteen_frames_are_looked_at(self, clips):
        part = clips.whole("cv-0-clip", 16, sound=True)
        # 24 frames at 8 a second last 3 s.
        assert part.fps == pytest.approx(16 / 3, abs=1e-3)
        assert (part.media, part.sound, part.frames) == ("video/mp4", True, 16)

    def test_no_more_than_gemini_takes(self, clips):
        assert clips.whole("cv-0-clip", 1000, sound=True).fps == 24

    def test_it_is_sent_as_it_lies_there(self, clips, study):
        part = clips.whole("cv-0-clip", 16, sound=True)
        assert part.load() == (study / "videos/cv-0-clip.mp4").read_bytes()

    def test_without_sound_it_is_a_copy_with_the_same_pictures(self, clips, study):
        data = clips.whole("cv-0-clip", 16, sound=False).load()
        assert sound(data) is None
        whole = (study / "videos/cv-0-clip.mp4").read_bytes()
        assert sound(whole) is not None
        np.testing.assert_array_equal(grey_levels(data), grey_levels(whole))

    def test_a_clip_without_sound_is_never_said_to_have_one(self, clips):
        assert not clips.whole("cs-0-clip", 16, sound=True).sound

    def test_another_clips_sound_comes_with_the_same_pictures(self, clips, study):
        data = clips.whole("cv-0-clip", 16, sound=True, change="swapped sound", sound_of="cv-1-clip").load()
        own, other = ((study / f"videos/cv-{at}-clip.mp4").read_bytes() for at in (0, 1))
        np.testing.assert_array_equal(grey_levels(data), grey_levels(own))
        heard, wanted = sound(data), sound(other)
        length = min(len(heard), len(wanted))
        np.testing.assert_allclose(heard[:length], wanted[:length], atol=1e-4)

    def test_backwards_keeps_the_sound(self, clips, study):
        data = clips.whole("cv-0-clip", 16, sound=True, change="reversed").load()
        own = (study / "videos/cv-0-clip.mp4").read_bytes()
        assert sound(data) is not None
        levels, before = grey_levels(data), grey_levels(own)
        assert levels.shape == before.shape
        assert np.abs(levels[::-1] - before).mean() < np.abs(levels - before).mean() / 2

    def test_blank_shows_nothing(self, clips):
        assert np.ptp(grey_levels(clips.whole("cv-0-clip", 16, sound=True, change="blank").load())) <= 2

    def test_a_changed_file_is_not_sent(self, clips, study):
        part = clips.whole("cv-0-clip", 16, sound=True)
        (study / "videos/cv-0-clip.mp4").write_bytes(b"other")
        with pytest.raises(DataError, match="found another file"):
            part.load()

    def test_a_clip_without_sound_has_none_to_give(self, study):
        with pytest.raises(DataError, match="no sound to give"):
            altered.with_sound_of(study / "videos/cv-0-clip.mp4", study / "videos/cs-0-clip.mp4")


class TestFilePicture:
    def test_it_is_read_when_sent_upright_and_scaled(self, tmp_path):
        path = tmp_path / "photograph.jpg"
        image = Image.new("RGB", (200, 100))
        exif = image.getexif()
        exif[0x0112] = 6  # turned by a quarter: EXIF 2.3, 4.6.4
        image.save(path, exif=exif)
        picture = FilePicture.of(path, longest=100).read()
        assert (picture.width, picture.height, picture.media) == (50, 100, "image/jpeg")

    def test_another_picture_in_its_place_is_refused(self, study):
        path = study / "place-0.jpg"
        picture = FilePicture.of(path, longest=98)  # else it may be in memory
        path.write_bytes((study / "place-1.jpg").read_bytes())
        with pytest.raises(ValueError, match="another picture"):
            picture.read()

    def test_one_that_vanished_is_named(self, study):
        picture = FilePicture.of(study / "place-0.jpg", longest=99)
        (study / "place-0.jpg").unlink()
        with pytest.raises(ValueError, match=r"place-0\.jpg: found no picture"):
            picture.read()
