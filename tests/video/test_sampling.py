import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from helpers.video.sampling import PerSecond, Uniform

UNEVEN = st.lists(st.integers(1, 3000), min_size=1, max_size=60)  # how long each frame stands, milliseconds


def steady(frames: int, fps: float) -> tuple[np.ndarray, float]:
    return np.arange(frames) / fps, frames / fps


def uneven(milliseconds: list[int]) -> tuple[np.ndarray, float]:
    edges = np.cumsum([0, *milliseconds]) / 1000
    return edges[:-1], float(edges[-1])


@pytest.mark.parametrize(
    ("frames", "n", "expected"),
    [
        # By hand, from round(i * (frames - 1) / (n - 1)) with halves to the even number.
        (81, 5, [0, 20, 40, 60, 80]),
        (49, 5, [0, 12, 24, 36, 48]),
        (121, 16, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120]),
        (10, 3, [0, 4, 9]),
        (81, 1, [40]),
        (80, 1, [39]),
        (7, 2, [0, 6]),
        (3, 5, [0, 1, 2]),
        (1, 16, [0]),
    ],
)
def test_uniform_by_hand(frames, n, expected):
    assert Uniform(n).pick(*steady(frames, 16)).tolist() == expected


@pytest.mark.parametrize(
    ("frames", "clip_fps", "fps", "expected"),
    [
        (80, 16, 1, [0, 16, 32, 48, 64]),  # 5 s: at 0, 1, 2, 3 and 4 s
        (81, 16, 1, [0, 16, 32, 48, 64, 80]),  # 5.06 s: the frame of 5 s is there too
        (80, 16, 2, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72]),
        (49, 9.8, 1, [0, 9, 19, 29, 39]),  # 49 frames called 5 s
        (120, 24, 0.5, [0, 48, 96]),
        (3, 1, 8, [0, 1, 2]),  # each stands over 8 moments and is taken once
        (1, 16, 2, [0]),
        # At 24000/1001 frames a second frame 24 appears at 1.001 s, after the moment.
        (72, 24000 / 1001, 1, [0, 23, 47, 71]),
    ],
)
def test_per_second_by_hand(frames, clip_fps, fps, expected):
    assert PerSecond(fps).pick(*steady(frames, clip_fps)).tolist() == expected


def test_per_second_goes_by_time_where_the_rate_varies():
    times = np.array([0, 0.1, 0.2, 0.9, 1.5, 3.2])
    assert PerSecond(1).pick(times, 3.5).tolist() == [0, 3, 4]  # at 1 s and 2 s; 4 stands from 1.5 s over 3 s
    assert PerSecond(2).pick(times, 3.5).tolist() == [0, 2, 3, 4]


def test_a_frame_of_a_few_microseconds_is_taken():
    assert PerSecond(1).pick(np.array([0.0]), 2e-6).tolist() == [0]


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 5, 16, 32])
@pytest.mark.parametrize("frames", [33, 49, 81, 93, 121, 192])
def test_uniform_is_what_transformers_takes_for_qwen3_vl(frames, n):
    from transformers import Qwen3VLVideoProcessor
    from transformers.video_utils import VideoMetadata

    theirs = Qwen3VLVideoProcessor().sample_frames(
        VideoMetadata(total_num_frames=frames, fps=16), num_frames=n, fps=None
    )
    assert_array_equal(Uniform(n).pick(*steady(frames, 16)), theirs)


@given(st.integers(1, 500), st.integers(1, 80))
def test_uniform_spreads_evenly(frames, n):
    picked = Uniform(n).pick(*steady(frames, 16))
    assert len(picked) == min(n, frames)
    steps = np.diff(picked)
    assert (steps >= 1).all()
    if n > 1:
        assert (picked[0], picked[-1]) == (0, frames - 1)
        assert np.ptp(steps) <= 1 if len(steps) else True


@given(UNEVEN, st.sampled_from([0.5, 1, 2, 8, 24]))
def test_per_second_shows_what_is_on_screen(milliseconds, fps):
    times, end = uneven(milliseconds)
    # One moment at a time, with a hair of tolerance for frames due exactly then.
    moments = np.arange(np.ceil((end - 2e-4) * fps)) / fps
    on_screen = {int(np.flatnonzero(times <= moment + 1e-4)[-1]) for moment in moments}
    assert PerSecond(fps).pick(times, end).tolist() == sorted(on_screen | {0})


@pytest.mark.parametrize("n", [0, -1, 2.5, "5", None, True])
def test_uniform_refuses(n):
    with pytest.raises(ValueError, match="expected a whole number of at least 1"):
        Uniform(n)


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf"), 1001])
def test_per_second_refuses(fps):
    with pytest.raises(ValueError, match="expected above 0, at most 1000"):
        PerSecond(fps)


def test_rules_are_named_and_compared_by_what_they_take():
    assert [Uniform(5).name, PerSecond(2).name, PerSecond(0.5).name] == [
        "uniform-5",
        "per-second-2",
        "per-second-0.5",
    ]
    assert Uniform(5) == Uniform(5)
    assert len({Uniform(5), Uniform(16), PerSecond(1), PerSecond(1.0)}) == 3
