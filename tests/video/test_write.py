import hashlib
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from helpers.checking import DataError
from helpers.video.audio import read_audio
from helpers.video.copies import web_copy
from helpers.video.frames import sample
from helpers.video.probe import probe
from helpers.video.sampling import PerSecond, Uniform
from helpers.video.write import write_clip
from video.making import encode, pictures, tone

SILENCE = np.zeros((1, 100), np.float32)


def test_a_clip_comes_back_nearly_as_it_was(tmp_path: Path):
    clip = pictures(20, 128, 192)
    written = write_clip(tmp_path / "a.mp4", clip, 16)
    assert (written.width, written.height, written.frames, written.padded) == (192, 128, 20, False)
    found = probe(tmp_path / "a.mp4", thorough=True)
    assert (found.status, found.width, found.height, found.frames, found.fps) == ("ok", 192, 128, 20, 16)
    back = sample(tmp_path / "a.mp4", Uniform(20)).images
    error = np.abs(back.astype(int) - clip)
    assert error.mean() < 4  # most of it in red, whose resolution 4:2:0 halves
    assert error[..., 1].mean() < 2


@pytest.mark.parametrize(
    ("fps", "exact"),
    [
        (16, Fraction(16)),
        (24, Fraction(24)),
        (24.0, Fraction(24)),
        (9.8, Fraction(49, 5)),
        (23.976, Fraction(2997, 125)),
        (Fraction(24000, 1001), Fraction(24000, 1001)),
        (24000 / 1001, Fraction(24000, 1001)),
        (0.5, Fraction(1, 2)),
        (120, Fraction(120)),
    ],
)
def test_the_frame_rate_is_kept_exactly(tmp_path: Path, fps, exact: Fraction):
    assert write_clip(tmp_path / "a.mp4", pictures(5), fps).fps == exact
    with av.open(str(tmp_path / "a.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.average_rate == exact
        times = sorted(packet.pts * stream.time_base for packet in container.demux(stream) if packet.size)
    assert [time - times[0] for time in times] == [number / exact for number in range(5)]
    assert probe(tmp_path / "a.mp4").fps == float(exact)


def test_players_are_told_the_colours_and_find_the_index_first(tmp_path: Path):
    write_clip(tmp_path / "a.mp4", pictures(5), 16, title="A wedding, नेपाल")
    with av.open(str(tmp_path / "a.mp4")) as container:
        context = container.streams.video[0].codec_context
        assert (context.color_primaries, context.color_trc, context.colorspace) == (1, 1, 1)  # H.273: BT.709
        assert context.color_range == 1  # limited
        assert (context.name, context.pix_fmt) == ("h264", "yuv420p")
        assert container.metadata["title"] == "A wedding, नेपाल"
    content = (tmp_path / "a.mp4").read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


@pytest.mark.parametrize(
    "colour", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 40, 90)]
)
def test_plain_colours_are_kept(tmp_path: Path, colour):
    write_clip(tmp_path / "a.mp4", np.full((3, 64, 64, 3), colour, np.uint8), 16)
    assert np.abs(sample(tmp_path / "a.mp4", Uniform(3)).images.astype(int) - colour).max() <= 3


def test_lossless_keeps_every_value_even_of_odd_sizes(tmp_path: Path):
    clip = np.random.default_rng(0).integers(0, 256, (6, 33, 47, 3), np.uint8)
    assert not write_clip(tmp_path / "a.mp4", clip, 9.8, lossless=True).padded
    assert_array_equal(sample(tmp_path / "a.mp4", Uniform(6)).images, clip)


@pytest.mark.parametrize(
    ("height", "width", "stored"), [(65, 96, (66, 96)), (64, 97, (64, 98)), (65, 97, (66, 98))]
)
def test_odd_sizes_are_padded_by_their_edge(tmp_path: Path, height: int, width: int, stored: tuple[int, int]):
    clip = pictures(3, height, width)
    written = write_clip(tmp_path / "a.mp4", clip, 8)
    assert written.padded
    assert (written.height, written.width) == stored
    back = sample(tmp_path / "a.mp4", Uniform(3)).images.astype(int)
    assert back.shape[1:3] == stored
    assert np.abs(back[:, :height, :width] - clip).mean() < 4
    assert np.abs(back[:, -1, :width] - clip[:, -1]).mean() < 6


def test_equal_input_gives_equal_bytes(tmp_path: Path):
    def digest(name: str) -> str:
        write_clip(tmp_path / name, pictures(30, 240, 424), 16, audio=tone(2), sample_rate=24_000)
        return hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()

    # With x264's macroblock tree, 16 files of this size came out in 14 ways.
    assert len({digest(f"{number}.mp4") for number in range(4)}) == 1


def test_an_iterator_is_read_one_frame_at_a_time(tmp_path: Path):
    clip = pictures(12)
    write_clip(tmp_path / "a.mp4", clip, 8)
    write_clip(tmp_path / "b.mp4", (frame for frame in clip), 8)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


@pytest.mark.parametrize(("rate", "channels"), [(16_000, 1), (24_000, 2), (44_100, 1), (48_000, 2)])
def test_sound_comes_back_in_time(tmp_path: Path, rate: int, channels: int):
    sound = tone(1.5, rate, channels)
    write_clip(tmp_path / "a.mp4", pictures(12), 8, audio=sound, sample_rate=rate)
    back = read_audio(tmp_path / "a.mp4")
    assert (back.rate, back.samples.dtype, len(back.samples), back.damaged) == (rate, np.float32, channels, 0)
    assert back.seconds == pytest.approx(1.5, abs=2048 / rate)
    middle = slice(rate // 4, rate)
    assert np.abs(back.samples[:, middle] - sound[:, middle]).max() < 0.02  # no delay: a shift would show
    assert probe(tmp_path / "a.mp4").duration == 1.5


def test_sound_beyond_full_scale_is_cut_and_counted(tmp_path: Path):
    sound = np.zeros((2, 24_000), np.float64)
    sound[0, 1000:1007], sound[1, 5] = 1.5, -3
    written = write_clip(tmp_path / "a.mp4", pictures(8), 8, audio=sound, sample_rate=24_000)
    assert written.clipped == 8
    assert write_clip(tmp_path / "a.mp4", pictures(8), 8, audio=sound * 0, sample_rate=24_000).clipped == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frames": pictures(0)}, "no frames; expected at least one"),
        (
            {"frames": pictures(2).astype(float)},
            r"frame 0 has the shape \(64, 96, 3\) and type float64; expected",
        ),
        ({"frames": pictures(2)[..., :1]}, r"frame 0 has the shape \(64, 96, 1\)"),
        (
            {"frames": [pictures(1)[0], pictures(1, 32, 32)[0]]},
            r"frame 1 .* expected \(64, 96, 3\) as the first",
        ),
        ({"fps": 0}, "fps is 0; expected frames per second above 0 and at most 1000"),
        ({"fps": float("nan")}, "fps is nan"),
        ({"fps": 1e-9}, "fps is 1e-09"),
        ({"fps": float("inf")}, "fps is inf"),
        ({"audio": SILENCE}, "sample_rate is None; expected one of 96000"),
        ({"audio": SILENCE, "sample_rate": 24_001}, "sample_rate is 24001; expected one of"),
        (
            {"audio": SILENCE[0], "sample_rate": 24_000},
            r"audio has the shape \(100,\) and type float32; expected floats",
        ),
        ({"audio": np.zeros((6, 9)), "sample_rate": 24_000}, r"audio has the shape \(6, 9\)"),
        ({"audio": np.zeros((1, 9), np.int16), "sample_rate": 24_000}, "type int16; expected floats"),
        ({"audio": SILENCE * np.nan, "sample_rate": 24_000}, "values that are not finite"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_no_file(tmp_path: Path, changes: dict, message: str):
    given = {"frames": pictures(3), "fps": 8} | changes
    with pytest.raises(ValueError, match=message):
        write_clip(tmp_path / "a.mp4", **given)
    assert not (tmp_path / "a.mp4").exists()


def test_a_source_of_frames_that_fails_leaves_no_file(tmp_path: Path):
    def failing():
        yield from pictures(3)
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        write_clip(tmp_path / "a.mp4", failing(), 8)
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_full_disk_is_an_oserror_and_leaves_no_half_file(tmp_path: Path):
    # A process that may write 20 kB a file meets the limit as it would meet the end of the disk.
    code = f"""
import resource, signal
import numpy as np
from helpers.video.write import write_clip
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
noise = np.random.default_rng(0).integers(0, 256, (12, 64, 96, 3), np.uint8)
try:
    write_clip({str(tmp_path / "a.mp4")!r}, noise, 8)
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "File too large"
    assert not (tmp_path / "a.mp4").exists()


def test_a_device_is_never_removed(monkeypatch: pytest.MonkeyPatch):
    removed = []
    monkeypatch.setattr(Path, "unlink", lambda path, **_: removed.append(path))
    with pytest.raises(OSError, match="No space left on device"):
        write_clip("/dev/full", pictures(20), 8)
    assert removed == []


def test_a_folder_that_is_not_there_is_an_oserror(tmp_path: Path):
    with pytest.raises(OSError, match="No such file"):
        write_clip(tmp_path / "absent" / "a.mp4", pictures(3), 8)


def test_a_web_copy_of_a_real_clip_is_small_and_shows_the_same(real_clip: Path, tmp_path: Path):
    copy = web_copy(real_clip, tmp_path / "copy.mp4")
    found = probe(copy, thorough=True)
    assert (found.status, found.height, found.width, found.frames, found.fps) == ("ok", 240, 424, 81, 16)
    assert copy.stat().st_size < 200_000
    content = copy.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")
    large = Image.fromarray(sample(real_clip, Uniform(1)).images[0])
    small = sample(copy, Uniform(1)).images[0].astype(int)
    assert np.abs(small - np.asarray(large.resize((424, 240)))).mean() < 5


def test_a_web_copy_is_upright_keeps_times_and_sound(tmp_path: Path):
    path = encode(
        tmp_path / "a.mp4", pictures(6, 192, 320), pts=[0, 100, 200, 900, 1500, 3200],
        matrix=[0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30],
    )  # fmt: skip
    found = probe(web_copy(path, tmp_path / "copy.mp4", height=160))
    assert (found.status, found.height, found.width, found.rotation) == ("ok", 160, 96, 0)
    assert found.variable_rate
    # The last frame's own length is not kept by every writer.
    assert sample(tmp_path / "copy.mp4", Uniform(6)).times.tolist() == pytest.approx(
        [0, 0.1, 0.2, 0.9, 1.5, 3.2]
    )
    write_clip(path, pictures(12), 8, audio=tone(1.5, 16_000), sample_rate=16_000)
    back = read_audio(web_copy(path, tmp_path / "copy.mp4"))
    assert (back.rate, len(back.samples)) == (48_000, 1)
    assert back.seconds == pytest.approx(1.5, abs=0.1)
    assert np.sqrt((back.samples**2).mean()) == pytest.approx(0.25 / np.sqrt(2), rel=0.05)


def test_a_web_copy_does_not_enlarge(tmp_path: Path):
    path = encode(tmp_path / "a.webm", pictures(3, 65, 97), "vp9.webm")
    found = probe(web_copy(path, tmp_path / "copy.mp4"))
    assert (found.height, found.width) == (64, 96)
    with pytest.raises(ValueError, match="height is 1; expected at least 2 pixels"):
        web_copy(path, tmp_path / "copy.mp4", height=1)


def test_a_web_copy_of_what_is_no_clip_is_refused(tmp_path: Path):
    (tmp_path / "a.mp4").write_text("no clip")
    with pytest.raises(DataError, match="expected a"):
        web_copy(tmp_path / "a.mp4", tmp_path / "copy.mp4")
    assert not (tmp_path / "copy.mp4").exists()


def test_per_second_finds_whole_seconds_of_what_was_written(tmp_path: Path):
    write_clip(tmp_path / "a.mp4", pictures(49), 9.8)
    found = sample(tmp_path / "a.mp4", PerSecond(1))
    assert found.indices.tolist() == [0, 9, 19, 29, 39]
    assert found.times.tolist() == pytest.approx((np.array([0, 9, 19, 29, 39]) / 9.8).tolist())


@pytest.mark.parametrize("name", ["a.mp4", "linked.mp4"])
def test_a_copy_never_takes_the_clips_place(tmp_path: Path, name: str):
    path = encode(tmp_path / "a.mp4", pictures(4))
    (tmp_path / "linked.mp4").symlink_to(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="is the clip itself"):
        web_copy(path, tmp_path / name)
    assert path.read_bytes() == before


def test_a_copy_that_fails_leaves_the_earlier_one(tmp_path: Path):
    out = web_copy(encode(tmp_path / "a.mp4", pictures(4)), tmp_path / "copy.mp4")
    before = out.read_bytes()
    (tmp_path / "a.mp4").write_text("no clip")
    with pytest.raises(DataError, match="expected a"):
        web_copy(tmp_path / "a.mp4", out)
    with pytest.raises(ValueError, match="expected"):
        write_clip(out, iter([pictures(1)[0], np.zeros((2, 2, 3), np.uint8)]), 8)
    assert out.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.mp4", "copy.mp4"]


# Times in thousandths of a second: a gap that no MP4 file can hold, and two pictures at time 0.
def test_times_that_no_copy_can_hold_are_said(tmp_path: Path):
    path = encode(tmp_path / "a.mkv", pictures(3), "ffv1.mkv", pts=[0, 100, 10**10])
    with pytest.raises(DataError, match=r"a\.mkv: cannot be copied .*; expected a video"):
        web_copy(path, tmp_path / "copy.mp4")
    assert not (tmp_path / "copy.mp4").exists()
