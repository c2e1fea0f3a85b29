"""Simulated clips: their dials against the truth that they state, and their camera against a test picture."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from helpers.checking import DataError
from helpers.photographs.pictures import read_picture
from helpers.simulate.clips import simulate_clip, simulate_clips
from helpers.simulate.clips.camera import Motion, draw_motion, fill, film
from helpers.simulate.clips.faithfulness import KINDS, REPLACING, altered
from helpers.simulate.clips.study import _other

SMALL = {"frames": 4, "fps": 4.0, "size": (48, 32)}


def scene(seed: int, size: tuple[int, int] = (160, 120)) -> np.ndarray:
    rough = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), np.uint8)
    return np.asarray(Image.fromarray(rough).resize(size, Image.Resampling.BICUBIC))


PHOTOGRAPH, OTHER = scene(1), scene(2)


def other_for(kind: str) -> np.ndarray | None:
    return OTHER if kind in REPLACING else None


@pytest.mark.parametrize("kind", KINDS)
def test_strength_zero_of_every_kind_equals_identity(kind):
    faithful = simulate_clip(PHOTOGRAPH, "identity", 1.0, seed=5, **SMALL)
    assert faithful.shape == (4, 32, 48, 3)
    assert faithful.dtype == np.uint8
    clip = simulate_clip(PHOTOGRAPH, kind, 0, other=other_for(kind), seed=5, **SMALL)
    assert np.array_equal(clip, faithful)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "identity"])
def test_the_further_the_dial_the_further_from_the_photograph(kind):
    strengths = (0, 0.25, 0.5, 0.75, 1)
    for seed in range(3):
        away = [
            np.abs(
                altered(PHOTOGRAPH, kind, s, other=other_for(kind), seed=seed) - PHOTOGRAPH.astype(float)
            ).mean()
            for s in strengths
        ]
        assert all(np.diff(away) > 0)


@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(KINDS), strength=st.floats(0, 1))
def test_a_seed_gives_one_clip(seed, kind, strength):
    one, two = (
        simulate_clip(PHOTOGRAPH, kind, strength, other=other_for(kind), seed=seed, **SMALL) for _ in range(2)
    )
    assert np.array_equal(one, two)


def test_another_seed_gives_another_path_and_another_warp():
    assert draw_motion(1, 4) != draw_motion(2, 4)
    assert not np.array_equal(*(altered(PHOTOGRAPH, "warped_structure", 0.5, seed=seed) for seed in (1, 2)))


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9, 1.0])
def test_the_strength_of_a_replacing_kind_is_the_share_replaced(share):
    black, white = np.zeros_like(PHOTOGRAPH), np.full_like(PHOTOGRAPH, 255)
    mixed = altered(black, "other_landmark", share, other=white, seed=3)
    assert mixed.mean() / 255 == pytest.approx(share, abs=0.01)


def test_parts_replaced_at_a_lower_strength_stay_replaced_at_a_higher_one():
    black, white = np.zeros_like(PHOTOGRAPH), np.full_like(PHOTOGRAPH, 255)
    less, more = (altered(black, "other_country", share, other=white, seed=3) for share in (0.3, 0.6))
    assert (less <= more).all()


# SciPy's own filter of one channel.
def test_detail_is_lost_to_a_gaussian_blur():
    blurred = altered(PHOTOGRAPH, "detail_loss", 1.0, seed=0)
    for channel in range(3):
        expected = ndimage.gaussian_filter(PHOTOGRAPH[..., channel].astype(float), 120 / 24, mode="nearest")
        assert np.abs(blurred[..., channel] - expected).max() <= 0.51


def test_a_warp_moves_points_by_the_stated_distance():
    rows = np.tile(np.arange(120, dtype=np.uint8)[:, None], (1, 160))
    warped = altered(np.dstack([rows] * 3), "warped_structure", 0.5, seed=4)[..., 0].astype(float)
    inner = (slice(25, 95), slice(25, 135))
    moved = (warped - rows)[inner]
    # Root mean square over the whole picture; its inner part, away from mirrored edges, is near it.
    assert np.sqrt((moved**2).mean()) == pytest.approx(0.5 * 120 / 16, rel=0.35)


@given(seed=st.integers(0, 10**6), duration=st.floats(0, 60))
def test_the_camera_never_leaves_the_photograph(seed, duration):
    motion = draw_motion(seed, duration)
    for x, y, side in (motion.start, motion.end):
        assert 0.7 < side < 1
        assert x - side / 2 >= -1e-9
        assert x + side / 2 <= 1 + 1e-9
        assert y - side / 2 >= -1e-9
        assert y + side / 2 <= 1 + 1e-9
    pan = np.hypot(motion.end[0] - motion.start[0], motion.end[1] - motion.start[1])
    assert pan <= 0.03 * duration + abs(motion.end[2] - motion.start[2]) + 1e-9


# A ramp of brightness measures where the camera looks.
def test_frames_follow_the_stated_path():
    ramp = np.tile(np.linspace(0, 255, 400), (400, 1)).round().astype(np.uint8)
    motion = Motion((0.4, 0.5, 0.5), (0.6, 0.5, 0.5))
    clip = film(np.dstack([ramp] * 3), motion, 5, (100, 100))
    centres = clip[:, 50, 49:51, 0].mean(axis=1) / 255
    assert centres == pytest.approx([0.4, 0.45, 0.5, 0.55, 0.6], abs=0.01)
    edges = clip[0, 50, [0, -1], 0] / 255
    assert edges == pytest.approx([0.15, 0.65], abs=0.01)


@pytest.mark.parametrize("size", [(90, 160), (160, 90), (128, 128), (101, 63)])
@pytest.mark.parametrize("shape", [(160, 120), (120, 160), (20, 300)])
def test_any_photograph_fills_any_size_without_stretching(size, shape):
    photograph = scene(3, shape)
    clip = simulate_clip(photograph, "identity", 0, seed=1, frames=2, fps=8, size=size)
    assert clip.shape == (2, size[1], size[0], 3)
    filled = fill(photograph, size)
    assert filled.shape == (size[1], size[0], 3)


@pytest.mark.parametrize("side", [225, 232, 239])
def test_a_width_that_does_not_divide_evenly_fills_the_whole_width(side):
    """`side / 224 * 224` is a hair above `side` in floating point."""
    assert fill(scene(4, (side, 2 * side)), (224, 224)).shape == (224, 224, 3)


def test_filling_keeps_proportions_and_the_middle():
    wide = np.zeros((100, 300, 3), np.uint8)
    wide[:, 100:200] = 255
    # The resampling filter reaches a few pixels beyond the middle.
    assert (fill(wide, (50, 50))[:, 3:-3] >= 254).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "blur", "strength": 0.5}, "kind: found 'blur', expected one of identity"),
        ({"kind": "detail_loss", "strength": 1.5}, "strength: found 1.5, expected a number from 0 to 1"),
        ({"kind": "detail_loss", "strength": float("nan")}, "strength: found nan"),
        (
            {"kind": "other_country", "strength": 0.5},
            "other_country: other was not given; it is expected for",
        ),
        ({"kind": "identity", "strength": 0, "other": OTHER}, "identity: other was given; it is expected"),
        ({"kind": "identity", "strength": 0, "frames": 0}, "found 0 frames at 4.0 fps"),
        ({"kind": "identity", "strength": 0, "fps": 0.0}, "found 4 frames at 0.0 fps"),
        ({"kind": "identity", "strength": 0, "size": (0, 10)}, "expected all of them above 0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate_clip(PHOTOGRAPH, seed=0, **(SMALL | arguments))


class TestClips:
    @pytest.fixture
    def landmarks(self, tmp_path):
        rows = []
        for number, (name, country) in enumerate(
            [("tower", "France"), ("bridge", "France"), ("temple", "Japan")]
        ):
            path = tmp_path / f"{name}.png"
            Image.fromarray(scene(number)).save(path)
            rows.append({"landmark_id": name, "name": name, "country": country, "reference_image": str(path)})
        return pd.DataFrame(rows)

    @pytest.fixture
    def others(self, tmp_path):
        Image.fromarray(scene(9)).save(tmp_path / "again.png")
        return {"tower": tmp_path / "again.png"}

    def make(self, landmarks, tmp_path, **more):
        return simulate_clips(landmarks, tmp_path / "videos", strengths=(0.5, 1.0), seed=2, **(SMALL | more))

    def test_every_landmark_has_every_kind_that_it_can_have(self, landmarks, others, tmp_path):
        made = self.make(landmarks, tmp_path, others=others)
        truth = made.truth["clips"]
        counts = pd.crosstab(truth["landmark_id"], truth["kind"])
        # Identity once, the other kinds at two strengths.
        assert counts.loc["tower"].to_dict() == dict.fromkeys(KINDS, 2) | {"identity": 1}
        assert counts.loc["bridge", "other_photograph"] == 0
        assert counts.loc["temple", "other_landmark"] == 0
        assert set(made.truth["left_out"].itertuples(index=False, name=None)) == {
            ("bridge", "other_photograph", "no other photograph of the place"),
            ("temple", "other_photograph", "no other photograph of the place"),
            ("temple", "other_landmark", "no other landmark of the country"),
        }

    def test_what_replaces_a_landmark_is_where_its_kind_says(self, landmarks, others, tmp_path):
        truth = self.make(landmarks, tmp_path, others=others).truth["clips"]
        country = landmarks.set_index("landmark_id")["country"]
        rows = truth[truth["kind"].isin(REPLACING)]
        same_place = rows["other"].eq(rows["landmark_id"])
        same_country = rows["other"].map(country).eq(rows["landmark_id"].map(country))
        assert same_place.eq(rows["kind"].eq("other_photograph")).all()
        assert same_country.ne(rows["kind"].eq("other_country")).all()
        assert truth.loc[~truth["kind"].isin(REPLACING), "other"].isna().all()

    def test_the_videos_table_says_simulated_and_tells_all(self, landmarks, others, tmp_path):
        made = self.make(landmarks, tmp_path, others=others)
        videos = made.tables["videos"].set_index("video_id")
        assert videos["model"].str.startswith("simulated ").all()
        assert set(videos["prompt_id"]) == {"tower-detailed", "bridge-detailed", "temple-detailed"}
        assert (videos[["width", "height", "frames", "fps"]] == [48, 32, 4, 4.0]).all(axis=None)
        assert videos["sha256"].is_unique
        for clip in made.truth["clips"].itertuples():
            settings = json.loads(videos.loc[clip.video_id, "settings"])
            assert (settings["kind"], settings["strength"]) == (clip.kind, clip.strength)
            assert (settings["motion"], settings["seed"]) == (clip.motion, clip.seed)

    # PyAV decodes what was written.
    def test_the_written_clip_is_the_simulated_one_and_its_title_says_simulated(self, landmarks, tmp_path):
        import av

        made = self.make(landmarks, tmp_path, kinds=["identity"])
        video = made.tables["videos"].iloc[0]
        with av.open(video["path"]) as container:
            assert container.metadata["title"] == "simulated identity: tower"
            decoded = np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])
        picture = read_picture(landmarks["reference_image"][0])
        expected = simulate_clip(picture, "identity", 0, seed=int(video["seed"]), **SMALL)
        # Brightness, since the file keeps colours at half the resolution.
        brightness = [clip @ [0.2126, 0.7152, 0.0722] for clip in (decoded, expected)]
        assert np.abs(brightness[0] - brightness[1]).mean() < 4

    def test_clips_are_equal_whatever_else_is_asked_for(self, landmarks, others, tmp_path):
        whole = self.make(landmarks, tmp_path, others=others).tables["videos"].set_index("video_id")["sha256"]
        part = self.make(landmarks.iloc[:1], tmp_path, kinds=["warped_structure"]).tables["videos"]
        assert whole[part["video_id"]].tolist() == part["sha256"].tolist()

    def test_a_landmark_without_a_photograph_is_named(self, landmarks, tmp_path):
        landmarks.loc[1, "reference_image"] = None
        with pytest.raises(
            DataError, match="bridge: found no reference image, expected a photograph to film"
        ):
            self.make(landmarks, tmp_path, kinds=["identity"])
        landmarks.loc[1, "reference_image"] = str(tmp_path / "none.png")
        with pytest.raises(DataError, match=r"none\.png: no such file"):
            self.make(landmarks, tmp_path, kinds=["identity"])

    def test_no_landmarks_give_empty_tables(self, landmarks, tmp_path):
        made = self.make(landmarks.iloc[:0], tmp_path)
        assert made.tables["videos"].empty
        assert made.truth["clips"].empty


def test_a_single_pixel_cannot_be_warped():
    clip = simulate_clip(PHOTOGRAPH, "warped_structure", 1.0, frames=2, size=(1, 1), seed=1)
    assert clip.shape == (2, 1, 1, 3)


@pytest.fixture
def make_places(tmp_path):
    def make(*names, without=()):
        Image.fromarray(PHOTOGRAPH).save(tmp_path / "a.png")
        pictures = [None if name in without else str(tmp_path / "a.png") for name in names]
        rows = {"landmark_id": names, "name": names, "reference_image": pictures}
        return pd.DataFrame(rows).assign(country="Peru")

    return make


def test_a_landmark_id_that_leads_elsewhere_is_refused(make_places, tmp_path):
    with pytest.raises(ValueError, match=r"found the name '\.\./escaped'"):
        simulate_clips(make_places("../escaped"), tmp_path / "a" / "b", seed=1, **SMALL)
    assert not (tmp_path / "a").exists()


def test_strengths_that_nearly_agree_have_files_of_their_own(make_places, tmp_path):
    kinds = ["detail_loss"]
    made = simulate_clips(
        make_places("a"), tmp_path, kinds=kinds, strengths=(0.5, 0.501, 0.504), seed=1, **SMALL
    )
    models = made.tables["videos"]["model"].tolist()
    assert models == [f"simulated detail loss {told}" for told in ("0.50", "0.501", "0.504")]


def test_a_landmark_without_a_photograph_replaces_none():
    places = pd.DataFrame({"landmark_id": ["a", "b"], "country": "Peru", "reference_image": ["a.png", None]})
    place = next(places.itertuples())
    assert _other("other_landmark", place, places, {}, 1) == (None, None)
