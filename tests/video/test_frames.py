import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from helpers.checking import DataError
from helpers.video import frames as module
from helpers.video.frames import sample, sample_all
from helpers.video.sampling import PerSecond, Uniform
from video.making import FORMATS, decoded, encode, pictures

OPAQUE = [kind for kind in FORMATS if "alpha" not in kind and kind not in ("moving.gif", "moving.apng")]
RULES = [Uniform(1), Uniform(5), Uniform(16), PerSecond(1), PerSecond(2)]


def half_transparent(frames: int) -> NDArray[np.uint8]:
    """Full red; the right half transparent by half, the lower right quarter wholly."""
    image = np.zeros((64, 96, 4), np.uint8)
    image[..., 0], image[..., 3] = 255, 255
    image[:, 48:, 3] = 128
    image[32:, 48:, 3] = 0
    return np.tile(image, (frames, 1, 1, 1))


@pytest.mark.parametrize("kind", OPAQUE)
def test_frames_are_those_of_pyavs_plain_decoding(shelf: Callable[[str], Path], kind: str):
    everything = decoded(shelf(kind))
    for rule in RULES:
        found = sample(shelf(kind), rule)
        assert_array_equal(found.images, everything[found.indices])
        assert found.times.tolist() == pytest.approx((found.indices / 8).tolist(), abs=1e-3)
        assert found.total == 12


def test_frames_of_real_clips_are_those_of_pyavs_plain_decoding(real_clip: Path):
    everything = decoded(real_clip)
    for found in sample_all(real_clip, [Uniform(16), PerSecond(1)]):
        assert_array_equal(found.images, everything[found.indices])
        assert_array_equal(found.times, found.indices / 16)
        assert found.notes == ()


def test_rules_asked_for_together_take_what_they_take_alone(shelf: Callable[[str], Path]):
    together = sample_all(shelf("h264.mp4"), RULES)
    for rule, found in zip(RULES, together, strict=True):
        alone = sample(shelf("h264.mp4"), rule)
        assert found.rule == rule
        assert found.notes == alone.notes
        assert_array_equal(found.indices, alone.indices)
        assert_array_equal(found.images, alone.images)


def test_rules_asked_for_together_cost_one_decode(
    shelf: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
):
    calls = []
    take = module._take
    monkeypatch.setattr(module, "_take", lambda *given: calls.append(1) or take(*given))
    sample_all(shelf("h264.mp4"), [*RULES, *RULES])
    assert len(calls) == 1


def test_a_variable_frame_rate_is_sampled_by_time(tmp_path: Path):
    path = encode(tmp_path / "a.mp4", pictures(6), pts=[0, 100, 200, 900, 1500, 3200])
    found = sample(path, PerSecond(1))
    assert found.indices.tolist() == [0, 3, 4]
    assert found.times.tolist() == pytest.approx([0, 0.9, 1.5])
    assert_array_equal(found.images, decoded(path)[[0, 3, 4]])


@pytest.mark.parametrize(
    ("matrix", "upright"),
    [
        ([0, 1, 0, -1, 0, 0, 0, 0, 16384], lambda image: np.rot90(image, -1)),  # clockwise
        ([0, -1, 0, 1, 0, 0, 0, 0, 16384], lambda image: np.rot90(image)),
        ([-1, 0, 0, 0, -1, 0, 0, 0, 16384], lambda image: image[::-1, ::-1]),
        ([-1, 0, 0, 0, 1, 0, 0, 0, 16384], lambda image: image[:, ::-1]),  # mirrored
        ([1, 0, 0, 0, -1, 0, 0, 0, 16384], lambda image: image[::-1]),
        ([0, 1, 0, 1, 0, 0, 0, 0, 16384], lambda image: image.swapaxes(0, 1)),
    ],
)
def test_frames_are_upright(tmp_path: Path, matrix: list[int], upright):
    path = encode(tmp_path / "a.mp4", pictures(3), matrix=[65536 * value for value in matrix])
    found = sample(path, Uniform(3))
    assert_array_equal(found.images, [upright(image) for image in decoded(path)])
    assert found.notes


@pytest.mark.parametrize("kind", ["vp9-alpha.webm", "prores-alpha.mov", "png-alpha.mov", "moving.apng"])
def test_transparent_parts_stand_on_black(tmp_path: Path, kind: str):
    path = encode(tmp_path / kind, half_transparent(3), kind)
    found = sample(path, Uniform(1))
    red = found.images[0, ..., 0].astype(int)
    assert abs(red[4:28, 4:44].mean() - 255) < 6
    assert abs(red[4:28, 52:92].mean() - 128) < 6
    assert red[36:60, 52:92].mean() < 4
    assert "transparent parts stand on black" in found.notes


def greys(path: Path, codes: list[int], curve: int) -> list[float]:
    """What even greys of these luma codes of 10 bits come to, one frame each."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream("ffv1", 8)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p10le"
        context = stream.codec_context
        context.color_primaries, context.color_trc, context.colorspace, context.color_range = 9, curve, 9, 1
        for number, code in enumerate(codes):
            frame = av.VideoFrame(96, 64, "yuv420p10le")
            for position, plane in enumerate(frame.planes):
                np.frombuffer(plane, np.uint16)[:] = 512 if position else code
            frame.pts, frame.time_base = number, Fraction(1, 8)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    found = sample(path, Uniform(len(codes)))
    assert "brought down from high dynamic range" in found.notes
    assert max(np.ptp(image) for image in found.images) <= 2
    return [float(image.mean()) for image in found.images]


def narrow(signal: float) -> int:
    """The 10-bit code of a signal in narrow range (ITU-R BT.2100, table 9)."""
    return round(64 + 876 * signal)


def test_pq_follows_bt_2408(tmp_path: Path):
    # ITU-R BT.2408, table 1: diffuse white, 203 cd/m², is the PQ signal 58 %, a grey card of 26 cd/m² 38 %.
    black, card, white, peak = greys(tmp_path / "a.mkv", [narrow(v) for v in (0, 0.38, 0.58, 1)], curve=16)
    assert black < 3
    # 26/203 of white in sRGB (IEC 61966-2-1): 255 × (1.055 × (26/203)^(1/2.4) − 0.055) = 100.
    assert card == pytest.approx(100, abs=4)
    assert 240 < white <= peak


@pytest.mark.slow
def test_hlg_follows_bt_2408(tmp_path: Path):
    # ITU-R BT.2408, table 1: diffuse white is the HLG signal 75 %, the grey card 38 %.
    black, card, white, peak = greys(tmp_path / "a.mkv", [narrow(v) for v in (0, 0.38, 0.75, 1)], curve=18)
    assert black < 3
    assert card == pytest.approx(100, abs=12)
    assert 220 < white <= peak


def test_a_clip_shorter_than_the_rule_gives_each_frame_once(tmp_path: Path):
    path = encode(tmp_path / "a.mp4", pictures(3))
    found = sample(path, Uniform(5))
    assert found.indices.tolist() == [0, 1, 2]
    assert found.notes == ("fewer frames than asked for: 3",)


def test_frames_that_would_fill_the_memory_are_refused(
    shelf: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "MOST_BYTES", 96 * 64 * 3 * 5)
    assert len(sample(shelf("h264.mp4"), Uniform(5))) == 5
    with pytest.raises(
        DataError, match=r"6 frames of 96x64 take more than .* GiB; expected a rule that takes fewer"
    ):
        sample(shelf("h264.mp4"), Uniform(6))


def test_the_file_is_named_by_its_content(shelf: Callable[[str], Path]):
    done = subprocess.run(["sha256sum", shelf("h264.mp4")], check=True, capture_output=True, text=True)
    assert sample(shelf("h264.mp4"), Uniform(1)).sha256 == done.stdout.split()[0]


@pytest.mark.slow
def test_memory_holds_only_the_frames_taken(tmp_path: Path):
    def peak(frames: int) -> int:
        path = tmp_path / f"{frames}.mp4"
        if not path.exists():
            encode(path, np.zeros((1, 720, 1280, 3), np.uint8).repeat(frames, axis=0))
        code = (
            "from helpers.video.frames import sample\nfrom helpers.video.sampling import Uniform\n"
            f"sample({str(path)!r}, Uniform(5))\n"
            "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
        )
        return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)

    # 200 more frames of 2.8 MB would be 553 MB.
    assert peak(260) - peak(60) < 20_000
