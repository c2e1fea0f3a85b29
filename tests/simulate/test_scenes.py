import numpy as np
import pytest

from helpers.simulate.clips.scenes import FPS, FRAMES, SIZE, SOUND_RATE, drawn_scene, tone

LINES = ("simulated", "Japan: food")


def sharpness(frames: np.ndarray) -> float:
    """The mean squared Laplacian, a usual measure of focus (Pech-Pacheco et al. 2000), below the text."""
    grey = frames[:, 30:].mean(axis=(0, 3))
    laplacian = sum(np.roll(grey, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * grey
    return float((laplacian[1:-1, 1:-1] ** 2).mean())


def test_equal_seeds_give_equal_scenes_and_each_seed_changes_what_it_is_for():
    one = drawn_scene(1, 2, 0.3, LINES)
    assert one.shape == (FRAMES, SIZE[1], SIZE[0], 3)
    assert one.dtype == np.uint8
    np.testing.assert_array_equal(one, drawn_scene(1, 2, 0.3, LINES))
    assert (one != drawn_scene(2, 2, 0.3, LINES)).mean() > 0.5, "another prompt has other colours"
    assert 0 < (one != drawn_scene(1, 3, 0.3, LINES)).mean() < 0.9, "another clip has other figures"


@pytest.mark.parametrize("look", range(5))
def test_the_less_faithful_the_more_blurred_and_the_more_it_flickers(look):
    clips = [drawn_scene(look, 7, fault, LINES) for fault in (0.0, 0.5, 1.0)]
    # Figures stay sharp; what is behind them does not.
    assert sharpness(clips[0]) > sharpness(clips[1]) > sharpness(clips[2])
    flicker = [np.diff(np.median(clip[:, 30:], axis=(1, 2, 3))).std() for clip in clips]
    assert flicker[0] < flicker[1] < flicker[2]


def test_the_words_stand_in_every_frame():
    plain, said = drawn_scene(1, 2, 1.0, ("",)), drawn_scene(1, 2, 1.0, LINES)
    white = (said == 255).all(axis=(0, 3))
    assert white[:24].sum() > 100
    assert not (plain[:, :14] == 255).all(axis=(0, 3)).any()


def test_a_tone_lasts_as_long_as_the_clip_and_is_quiet():
    sound = tone(3)
    assert sound.shape == (1, int(SOUND_RATE * FRAMES / FPS))
    assert 0.05 < np.abs(sound).max() <= 0.1
    assert not np.array_equal(sound, tone(4))
