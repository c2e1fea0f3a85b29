import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from helpers.checking import DataError
from helpers.video import timeline
from helpers.video.audio import Audio, is_silent, read_audio
from helpers.video.frames import sample
from helpers.video.probe import Probe, probe
from helpers.video.sampling import Uniform
from helpers.video.write import write_clip
from video.making import FORMATS, decoded, encode, pictures, tone

CLOCKLESS = {"bare.h264", "h264.avi"}
ALPHA = {"vp9-alpha.webm", "prores-alpha.mov", "png-alpha.mov", "moving.gif", "moving.apng"}


def test_real_clips_of_cogvideox(real_clip: Path):
    # The publisher's settings, on the data's own page: 1360x768, 81 frames, 16 frames a second, no sound.
    found = probe(real_clip, thorough=True)
    assert found == probe(real_clip)
    assert (found.status, found.codec, found.width, found.height) == ("ok", "h264", 1360, 768)
    assert (found.frames, found.fps, found.duration) == (81, 16.0, 81 / 16)
    assert not any((found.variable_rate, found.audio, found.hdr, found.alpha, found.rotation, found.notes))


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_counted_alike_from_packets_and_by_decoding(shelf: Callable[[str], Path], kind: str):
    found = probe(shelf(kind))
    assert replace(found, notes=()) == replace(probe(shelf(kind), thorough=True), notes=())
    assert (found.status, found.problem, found.width, found.height) == ("ok", "", 96, 64)
    assert found.frames == 12 == len(decoded(shelf(kind)))
    assert found.fps == pytest.approx(8, abs=0.05)  # GIF keeps hundredths of a second
    assert found.duration == pytest.approx(1.5, abs=0.011)
    assert not found.variable_rate
    assert found.alpha == (kind in ALPHA)
    assert found.bit_depth == (12 if "prores" in kind else 10 if "10bit" in kind else 8)
    assert found.notes == (("it keeps no time; 8 frames a second are taken",) if kind in CLOCKLESS else ())


def test_sound_is_described(tmp_path: Path):
    write_clip(tmp_path / "a.mp4", pictures(12), 8, audio=tone(1.5, 48_000, 2), sample_rate=48_000)
    found = probe(tmp_path / "a.mp4")
    assert (found.audio, found.sample_rate, found.channels) == (True, 48_000, 2)


def test_a_variable_frame_rate_is_told_from_the_times(tmp_path: Path):
    pts = [0, 100, 200, 900, 1500, 3200]
    for kind in ("h264.mp4", "h264.mkv"):
        found = probe(encode(tmp_path / kind, pictures(6), kind, pts=pts))
        assert found.variable_rate
        assert found.notes == ("frames stand for unequal times",)
        assert found.fps == pytest.approx(5 / 3.2)  # five steps in 3.2 s
    assert found.status == "ok"


@pytest.mark.parametrize(
    ("matrix", "degrees", "size"),
    [
        # tkhd matrices of ISO/IEC 14496-12, 6.2.2, as a telephone held upright or upside down writes them.
        ([0, 1, 0, -1, 0, 0, 0, 0, 16384], 270, (64, 96)),
        ([0, -1, 0, 1, 0, 0, 0, 0, 16384], 90, (64, 96)),
        ([-1, 0, 0, 0, -1, 0, 0, 0, 16384], 180, (96, 64)),
    ],
)
def test_rotation_is_applied_to_the_size(
    tmp_path: Path, matrix: list[int], degrees: int, size: tuple[int, int]
):
    path = encode(tmp_path / "a.mp4", pictures(3), matrix=[65536 * value for value in matrix])
    found = probe(path)
    assert (found.rotation, (found.width, found.height)) == (degrees, size)


@pytest.mark.parametrize("kind", ["h264-444.mp4", "vp9.webm", "ffv1.mkv"])
def test_odd_sizes(tmp_path: Path, kind: str):
    found = probe(encode(tmp_path / kind, pictures(3, 65, 97), kind))
    assert (found.status, found.width, found.height) == ("ok", 97, 65)


@pytest.mark.parametrize(("curve", "hdr"), [(16, True), (18, True), (1, False)])  # H.273: PQ, HLG, BT.709
def test_high_dynamic_range_is_told_from_the_curve(tmp_path: Path, curve: int, hdr: bool):
    found = probe(encode(tmp_path / "a.mp4", pictures(3), "hevc-10bit.mp4", colours=(9, curve)))
    assert (found.hdr, found.bit_depth) == (hdr, 10)


@pytest.mark.parametrize("kind", ["h264.mp4", "vp9.webm", "h264.ts"])
def test_one_frame(tmp_path: Path, kind: str):
    found = probe(encode(tmp_path / kind, pictures(1), kind))
    assert (found.status, found.frames, found.fps) == ("ok", 1, 8)
    assert found.duration == pytest.approx(1 / 8, abs=0.001)


def sound_only(path: Path, *, cover: bool) -> Path:
    with av.open(str(path), "w", format="mp4") as file:
        stream = file.add_stream("aac", 24_000, layout="mono")
        if cover:
            picture = file.add_stream("mjpeg")
            picture.width, picture.height, picture.pix_fmt = 96, 64, "yuvj420p"
            picture.disposition = av.stream.Disposition.attached_pic
            frame = av.VideoFrame.from_ndarray(pictures(1)[0], format="rgb24").reformat(format="yuvj420p")
            file.mux(picture.encode(frame) + picture.encode(None))
        frame = av.AudioFrame.from_ndarray(tone(2), format="fltp", layout="mono")
        frame.sample_rate = 24_000
        file.mux(stream.encode(frame) + stream.encode(None))
    return path


@pytest.mark.parametrize("cover", [False, True])
def test_sound_alone_even_with_a_cover(tmp_path: Path, cover: bool):
    path = sound_only(tmp_path / "a.mp4", cover=cover)
    found = probe(path)
    assert (found.status, found.problem, found.frames) == ("audio_only", "sound without pictures", 0)
    assert (found.codec, found.sample_rate, found.channels) == ("aac", 24_000, 1)
    assert found.duration == pytest.approx(2, abs=0.1)
    with pytest.raises(DataError, match="no pictures in it; expected a video"):
        sample(path, Uniform(1))


def test_content_decides_and_a_wrong_suffix_is_noted(tmp_path: Path, shelf: Callable[[str], Path]):
    for kind, suffix in (("vp9.webm", ".mp4"), ("h264.mp4", ".webm"), ("h264.mkv", ".avi")):
        path = tmp_path / f"clip{suffix}"
        path.write_bytes(shelf(kind).read_bytes())
        found = probe(path)
        assert (found.status, found.frames) == ("ok", 12)
        assert [note.partition(",")[0] for note in found.notes] == [f"named {suffix}"]
    path = tmp_path / "clip.MOV"  # one demuxer reads both
    path.write_bytes(shelf("h264.mp4").read_bytes())
    assert probe(path).notes == ()


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "bmp", "tiff"])
def test_picture_files(tmp_path: Path, suffix: str):
    path = tmp_path / f"50%d {suffix}.{suffix}"  # a pattern to FFmpeg, were it let
    Image.fromarray(pictures(1)[0]).save(path)
    found = probe(path)
    assert (found.status, found.problem, found.frames, found.fps) == ("picture", "", 1, 0)
    assert (found.width, found.height) == (96, 64)
    assert sample(path, Uniform(5)).images.shape == (1, 64, 96, 3)


def test_files_that_are_not_there_or_no_files(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.mp4")
    for name, found in (
        ("absent.mp4", "no such file"),
        ("", "not a regular file"),
        ("pipe.mp4", "not a regular file"),
    ):
        for function in (probe, read_audio, lambda path: sample(path, Uniform(1))):
            with pytest.raises(DataError, match=f"{found}; expected a media file"):
                function(tmp_path / name)


def test_too_many_frames_are_refused(shelf: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(timeline, "MOST_FRAMES", 11)
    for thorough in (False, True):
        found = probe(shelf("h264.mp4"), thorough=thorough)
        assert (found.status, found.frames) == ("too_long", 11)
    with pytest.raises(DataError, match="frames; expected a shorter clip"):
        sample(shelf("h264.mp4"), Uniform(2))


def test_enormous_pictures_are_not_decoded(shelf: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("helpers.video.opening.MOST_PIXELS", 2000)
    assert probe(shelf("h264.mp4")).status == "unreadable"
    with pytest.raises(DataError):
        sample(shelf("h264.mp4"), Uniform(2))


def test_names_that_mean_something_to_ffmpeg_are_only_names(
    shelf: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("concat:a.mp4|b.mp4", "http:a.mp4", "clip%03d.mp4", "-i.mp4", "नृत्य 舞.mp4", "a'b\"c.mp4"):
        Path(name).write_bytes(shelf("h264.mp4").read_bytes())
        assert probe(name).frames == 12


def test_silence_is_told_by_level():
    quiet = Audio(samples=np.full((2, 100), 0.0009, np.float32), rate=16_000)  # -60.9 dBFS
    loud = Audio(samples=np.full((2, 100), 0.0011, np.float32), rate=16_000)  # -59.2 dBFS
    assert is_silent(None)
    assert is_silent(quiet)
    assert not is_silent(loud)
    assert is_silent(loud, level=-50)


def test_a_probe_is_frozen(shelf: Callable[[str], Path]):
    found = probe(shelf("h264.mp4"))
    assert isinstance(found, Probe)
    with pytest.raises(AttributeError):
        found.frames = 3
