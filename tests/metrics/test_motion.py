"""Motion and flicker: known clips, the rule of sampling, the measurer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from helpers.metrics.measurer import Clip
from helpers.metrics.motion import FLICKER, MOTION, Bursts, Motion, flicker, luma, motion_amount
from helpers.video.frames import Frames
from helpers.video.frames import sample as sample_frames
from helpers.video.write import write_clip

FPS = 8.0


def measured(images: np.ndarray, fps: float = FPS) -> dict[str, float | None]:
    """The two values of a clip that has these frames, seen by the rule."""
    times = np.arange(len(images)) / fps
    taken = Bursts(5).pick(times, len(images) / fps)
    frames = Frames(
        images=images[taken], indices=taken, times=times[taken], rule=Bursts(5), total=len(images), fps=fps,
        sha256="",
    )  # fmt: skip
    (outcome,) = Motion().measure([Clip(video_id="a", frames=frames)])
    return dict(outcome.values)


def grey(levels: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(levels, np.uint8)[:, None, None, None], (len(levels), 32, 32, 3))


@pytest.mark.parametrize("frames", [3, 4, 17, 32, 81])
def test_bursts_are_three_in_a_row_from_first_to_last(frames):
    taken = Bursts(5).pick(np.arange(frames) / FPS, frames / FPS)
    assert taken[0] == 0
    assert taken[-1] == frames - 1
    assert len(taken) == min(frames, 15) if frames >= 32 or frames <= 4 else len(taken) <= 15
    assert np.all(np.diff(taken) >= 1)
    # Every frame has a neighbour, and the middle of each burst both.
    assert all({one - 1, one + 1} & set(taken.tolist()) for one in taken.tolist())


@pytest.mark.parametrize(("frames", "taken"), [(1, [0]), (2, [0, 1])])
def test_short_clips_give_what_they_have(frames, taken):
    assert Bursts(5).pick(np.arange(frames) / FPS, frames / FPS).tolist() == taken


@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_bursts_refuse_other_numbers(n):
    with pytest.raises(ValueError, match="expected a whole number"):
        Bursts(n)


def test_a_still_has_neither():
    assert measured(grey(np.full(32, 90))) == {"motion": 0.0, "flicker": 0.0}


def test_black_and_white_by_turns_flicker_whole():
    # By hand: each frame is 1 away from both neighbours, 8 times a second.
    found = measured(grey(np.tile([0, 255], 16)))
    assert found == pytest.approx({"motion": 8.0, "flicker": 1.0})


def test_a_steady_sunrise_moves_and_does_not_flicker():
    # By hand: 4 of 255 levels a frame, 8 frames a second.
    found = measured(grey(np.arange(0, 128, 4)))
    assert found == pytest.approx({"motion": 8 * 4 / 255, "flicker": 0.0}, abs=1e-6)


def test_a_travelling_edge_moves_and_does_not_flicker():
    # By hand: a band of 1/32 of the width turns from white to black, and as much from black to white.
    wide = np.zeros((32, 64), np.uint8)
    wide[:, :32] = 255
    clip = np.stack([np.roll(wide, step * 2, axis=1) for step in range(32)])
    found = measured(np.repeat(clip[..., None], 3, axis=-1))
    assert found == pytest.approx({"motion": 8 * 2 / 32, "flicker": 0.0}, abs=1e-6)


def test_motion_is_by_second_whatever_the_frame_rate():
    slow = measured(grey(np.arange(0, 128, 4)), fps=8)
    fast = measured(grey(np.arange(0, 128, 2)), fps=16)
    assert slow["motion"] == pytest.approx(fast["motion"])


@pytest.mark.parametrize("frames", [1, 2])
def test_too_few_frames_have_no_flicker(frames):
    found = measured(grey(np.zeros(frames)))
    assert found["flicker"] is None
    assert (found["motion"] is None) == (frames == 1)


@given(st.integers(0, 10**6), st.integers(3, 12))
def test_against_a_slow_reading_of_the_definitions(seed, n):
    rng = np.random.default_rng(seed)
    lumas = rng.uniform(size=(n, 3, 4))
    indices = np.sort(rng.choice(n + 3, n, replace=False))
    times = np.sort(rng.uniform(size=n)) + np.arange(n)
    pairs = [
        np.mean(np.abs(lumas[i + 1] - lumas[i])) / (times[i + 1] - times[i])
        for i in range(n - 1)
        if indices[i + 1] == indices[i] + 1
    ]
    triples = [
        abs(lumas[i].mean() - (lumas[i - 1].mean() + lumas[i + 1].mean()) / 2)
        for i in range(1, n - 1)
        if indices[i - 1] + 1 == indices[i] == indices[i + 1] - 1
    ]
    for found, expected in (
        (motion_amount(lumas, indices, times), pairs),
        (flicker(lumas, indices), triples),
    ):
        assert found == (pytest.approx(np.mean(expected)) if expected else None)


def test_luma_of_primaries_is_rec_709():
    # ITU-R BT.709, item 3.2.
    primaries = np.eye(3, dtype=np.uint8)[:, None, None, :] * 255
    found = luma(np.broadcast_to(primaries, (3, 4, 4, 3)))
    assert_allclose(found.mean(axis=(1, 2)), [0.2126, 0.7152, 0.0722], atol=1e-6)


def test_a_written_clip_is_measured_from_its_file(tmp_path):
    path = tmp_path / "clip.mp4"
    write_clip(path, grey(np.arange(0, 128, 4)), FPS)
    frames = sample_frames(path, Bursts(5))
    (outcome,) = Motion().measure([Clip(video_id="a", frames=frames)])
    assert outcome.values["motion"] == pytest.approx(8 * 4 / 255, rel=0.05)
    assert outcome.values["flicker"] < 0.01


def test_declared_as_descriptions():
    assert {MOTION.direction, FLICKER.direction} == {"neither"}
    assert (MOTION.range, FLICKER.range) == ("0 and above", "0 to 1")
