"""The clips of a calibration: what each edit does, which clips there are, and that they are written once."""

import numpy as np
import pytest

from helpers.photographs.collection import bundled
from helpers.simulate.clips import edits
from helpers.simulate.clips.calibration import calibration_clips, calibration_places
from helpers.video.frames import sample
from helpers.video.sampling import Uniform

CLIP = np.random.default_rng(7).integers(0, 256, (4, 64, 64, 3), dtype=np.uint8)
SMALL = {"strengths": [0.5, 1.0], "frames": 4, "size": (64, 64), "seed": 0, "quiet": True}


@pytest.fixture(scope="module")
def places():
    found = calibration_places(bundled(), 3, seed=0)
    # No bundled landmark has a second photograph, so that one stands in for it.
    return found.assign(other=[found["reference"][2], None, None])


@pytest.fixture(scope="module")
def written(places, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return folder, calibration_clips(places, folder, dialled=2, **SMALL)


@pytest.mark.parametrize("name", [*edits.HARMLESS, *edits.WRONG, *edits.MOVING])
def test_every_edit_gives_a_clip_and_leaves_its_input(name):
    before = CLIP.copy()
    made = (edits.HARMLESS | edits.WRONG | edits.MOVING)[name](CLIP)
    assert made.dtype == np.uint8
    assert made.ndim == 4
    assert not np.array_equal(made, CLIP)
    np.testing.assert_array_equal(CLIP, before)


def test_scrambling_moves_every_tile_and_keeps_every_pixel():
    made = edits.scrambled(CLIP)
    np.testing.assert_array_equal(np.sort(made, axis=None), np.sort(CLIP, axis=None))
    tiles = [
        clip[:, y : y + 16, x : x + 16]
        for clip in (CLIP, made)
        for y in (0, 16, 32, 48)
        for x in (0, 16, 32, 48)
    ]
    assert not any(
        np.array_equal(before, after) for before, after in zip(tiles[:16], tiles[16:], strict=True)
    )


def test_crop_keeps_the_scale_and_zoom_the_size():
    assert edits.cropped(CLIP).shape == (4, 54, 54, 3)
    np.testing.assert_array_equal(edits.cropped(CLIP), CLIP[:, 5:59, 5:59])
    assert edits.zoomed(CLIP).shape == CLIP.shape


def test_mirroring_twice_stillness_and_hurry():
    np.testing.assert_array_equal(edits.mirrored(edits.mirrored(CLIP)), CLIP)
    assert not np.ptp(edits.still(CLIP).astype(int), axis=0).any()
    np.testing.assert_array_equal(edits.hurried(CLIP), CLIP[::2])
    np.testing.assert_array_equal(edits.flickering(CLIP)[::2], CLIP[::2])
    assert edits.flickering(CLIP)[1].mean() == pytest.approx(0.9 * CLIP[1].mean(), rel=0.01)


def test_places_with_a_second_photograph_come_first_and_no_place_twice():
    collection = bundled()
    found = calibration_places(collection, 100, seed=1)
    assert found["place"].is_unique
    assert len(found) == collection.photographs["scene"].nunique()
    assert found["other"].notna().is_monotonic_decreasing
    assert set(collection.landmarks["reference_image"]) <= set(found["reference"])
    with pytest.raises(ValueError, match="expected at least two"):
        calibration_places(collection, 1, seed=1)


def test_the_plan_holds_every_clip_once(written):
    _, clips = written
    assert clips["clip"].is_unique
    counts = clips["group"].value_counts().to_dict()
    assert counts == {"dial": 12, "harmless": 8, "wrong": 6, "moving": 6, "faithful": 2, "real": 1}
    assert set(clips.loc[clips["place"].isna(), "kind"]) == {"blank", "noise"}
    assert (
        clips.loc[clips["group"].eq("dial")].groupby("kind")["strength"].unique().map(list).tolist()
        == [[0.5, 1.0]] * 3
    )


def test_clips_of_a_place_share_a_camera_and_the_dial_ends_at_the_following_place(places, written):
    _, clips = written
    path = clips.set_index("clip")["path"]
    first, second = places["place"][:2]
    still = sample(path[f"{first}/still"], Uniform(4)).images.astype(int)
    faithful = sample(path[f"{first}/faithful"], Uniform(4)).images.astype(int)
    assert abs(still[0] - faithful[0]).mean() < 4
    replaced = sample(path[f"{first}/other-landmark-1"], Uniform(1)).images[0].astype(int)
    following = sample(path[f"{second}/faithful"], Uniform(1)).images[0].astype(int)
    own = faithful[1]
    assert abs(replaced.mean(axis=(0, 1)) - following.mean(axis=(0, 1))).sum() < (
        abs(replaced.mean(axis=(0, 1)) - own.mean(axis=(0, 1))).sum()
    )


def test_a_second_call_writes_nothing_and_other_settings_lie_elsewhere(places, written):
    folder, clips = written
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.mp4")}
    assert calibration_clips(places, folder, dialled=2, **SMALL).equals(clips)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.mp4")} == before
    other = calibration_clips(places, folder, dialled=1, **SMALL | {"seed": 1})
    assert not set(other["path"]) & set(clips["path"])
