"""The metric as a whole: references kept, clips measured through the run, odd pictures."""

import numpy as np
import pytest
from PIL import Image
from skimage import data

from helpers.metrics.cases import Case, reference_at
from helpers.metrics.efficient_loftr import EfficientLoFTRMatcher
from helpers.metrics.grounded_sam import GroundedSam
from helpers.metrics.inliers import SAMPLE, inliers
from helpers.metrics.keypoints import METRICS, PAPER, XFEAT, KeypointAlignment
from helpers.metrics.matchers import XFeatMatcher
from helpers.metrics.regions import Grid, Superpixels
from helpers.metrics.run import measure
from helpers.simulate.checkpoints.efficient_loftr import build_efficient_loftr
from helpers.simulate.checkpoints.grounding_dino import build_grounding_dino
from helpers.simulate.checkpoints.sam import build_sam
from helpers.video.frames import sample
from helpers.video.sampling import Uniform
from helpers.video.write import write_clip

SHOWN = data.astronaut()[:320, 96:416]


class CountingSource(Grid):
    """A grid that counts how often it was asked, and for what."""

    def __init__(self):
        super().__init__(2, 2)
        self.asked = []

    def find(self, picture, category=None):
        self.asked.append(category)
        return super().find(picture, category)


class CountingMatcher(XFeatMatcher):
    """XFeat that counts pictures and pairs."""

    def __init__(self):
        super().__init__(keypoints=1024)
        self.pictures = self.pairs = 0

    def features(self, pictures):
        self.pictures += len(pictures)
        return super().features(pictures)

    def match(self, reference, frame):
        self.pairs += 1
        return super().match(reference, frame)


@pytest.fixture(scope="module")
def metric():
    return KeypointAlignment(XFeatMatcher(keypoints=1024), Grid(2, 2))


@pytest.fixture
def photograph(tmp_path):
    path = tmp_path / "photograph.png"
    Image.fromarray(SHOWN).save(path)
    return path


def clip(path, *frames):
    write_clip(path, np.stack(frames), 4.0)
    return path


def measured(metric, tmp_path, paths, photograph):
    cases = [Case(video_id=path.stem, path=path, reference=reference_at(photograph)) for path in paths]
    found = measure([metric], cases, tmp_path / "logs", quiet=True)
    return found.table.pivot_table(index="video_id", columns="metric", values="value"), found


def test_an_identical_frame_has_geometry_1_in_every_region(metric, photograph):
    frame = metric.align(reference_at(photograph), SHOWN[None]).frames[0]
    assert [region.geometry for region in frame.regions] == pytest.approx([1] * 4)
    assert frame.geometry == pytest.approx(1)


def test_the_same_picture_scores_above_the_same_place_blurred_and_another_scene(metric, photograph):
    blurred = np.asarray(Image.fromarray(SHOWN).reduce(4).resize((320, 320)))
    other = data.coffee()[:320, :320]
    scores = [metric.align(reference_at(photograph), one[None]).score for one in (SHOWN, blurred, other)]
    assert scores[0] > scores[1] > scores[2]


def test_a_batch_equals_single_frames(metric, photograph):
    frames = np.stack([SHOWN, np.roll(SHOWN, 40, axis=1), data.coffee()[:320, :320]])
    together = metric.align(reference_at(photograph), frames)
    alone = [metric.align(reference_at(photograph), one[None]).frames[0] for one in frames]
    for one, other in zip(together.frames, alone, strict=True):
        # Rounding differs between batches, so that a match at the threshold may come or go.
        assert one.matches == pytest.approx(other.matches, abs=2)
        assert one.score == pytest.approx(other.score, abs=0.02)


def test_what_is_known_of_a_reference_is_computed_once_and_kept(tmp_path, photograph):
    reference, folder = reference_at(photograph), tmp_path / "kept"
    first = KeypointAlignment(CountingMatcher(), CountingSource(), folder=folder)
    score = first.align(reference, SHOWN[None])
    assert (first.matcher.pictures, first.matcher.pairs, len(first.source.asked)) == (2, 2, 1)
    second = KeypointAlignment(CountingMatcher(), CountingSource(), folder=folder)
    assert second.align(reference, SHOWN[None]) == score
    assert (second.matcher.pictures, second.matcher.pairs, second.source.asked) == (1, 1, [])
    for entry in folder.iterdir():
        entry.write_bytes(b"damaged")
    third = KeypointAlignment(CountingMatcher(), CountingSource(), folder=folder)
    assert third.align(reference, SHOWN[None]) == score
    assert len(third.source.asked) == 1


def test_a_photograph_with_another_content_is_not_taken_for_the_one_before(tmp_path, photograph):
    metric = KeypointAlignment(CountingMatcher(), CountingSource(), folder=tmp_path / "kept")
    metric.align(reference_at(photograph), SHOWN[None])
    Image.fromarray(SHOWN[::-1]).save(photograph)
    metric.align(reference_at(photograph), SHOWN[None])
    assert len(metric.source.asked) == 2


def test_other_weights_in_the_same_folder_are_not_taken_for_the_ones_before(tmp_path, photograph):
    source, reference = CountingSource(), reference_at(photograph)
    for seed, asked in ((0, 1), (0, 1), (1, 2)):
        matcher = EfficientLoFTRMatcher(build_efficient_loftr(tmp_path / "model", seed))
        KeypointAlignment(matcher, source, folder=tmp_path / "kept").known(reference)
        assert len(source.asked) == asked


def test_regions_are_looked_for_by_the_landmarks_category(photograph):
    metric = KeypointAlignment(CountingMatcher(), CountingSource())
    for category in ("church", "church", "tower"):
        metric.known(reference_at(photograph, category))
    assert metric.source.asked == ["church", "tower"]


def test_clips_are_measured_through_the_run(metric, tmp_path, photograph):
    same = clip(tmp_path / "same.mp4", *[SHOWN] * 6)
    late = clip(tmp_path / "late.mp4", *[data.coffee()[:320, :320]] * 3, *[SHOWN] * 3)
    other = clip(tmp_path / "other.mp4", *[data.coffee()[:320, :320]] * 6)
    values, found = measured(metric, tmp_path, [same, late, other], photograph)
    for one in XFEAT:
        assert values[one.name].between(one.low, one.high).all()
    score = values["keypoint_alignment_xfeat"]
    assert np.allclose(score, values["keypoint_density_xfeat"] + values["keypoint_geometry_xfeat"])
    # The best frame counts, so that half a clip of something else costs nothing.
    assert score["late"] == pytest.approx(score["same"], abs=0.1)
    assert score["same"] > score["other"] + 0.3
    for name in ("homography_inliers_xfeat", "fundamental_inliers_xfeat"):
        assert values.loc["same", name] > 0.5 > 0.05 > values.loc["other", name]
    details = found.about.set_index("video_id").loc["late", "details"].iloc[0]
    assert details["best_frame"] in (3, 4, 5)
    assert len(details["matches"]) == len(details["inliers"]) == len(details["fundamental_inliers"]) == 5


@pytest.mark.parametrize(
    "frame",
    [
        np.full((64, 64, 3), 127, np.uint8),
        np.random.default_rng(0).integers(0, 255, (96, 96, 3), np.uint8),
        np.zeros((16, 16, 3), np.uint8),
        SHOWN[:, :48],
    ],
    ids=["one colour", "noise", "tiny", "narrow"],
)
def test_odd_frames_have_a_low_score_and_no_error(metric, tmp_path, photograph, frame):
    values, _ = measured(metric, tmp_path, [clip(tmp_path / "odd.mp4", *[frame] * 2)], photograph)
    assert 0 <= values.loc["odd", "keypoint_alignment_xfeat"] < 1.2
    assert values.loc["odd", "homography_inliers_xfeat"] < 0.2
    assert values.loc["odd", "fundamental_inliers_xfeat"] < 0.2


def test_a_reference_of_one_colour_fails_with_its_reason(metric, tmp_path, photograph):
    Image.new("L", (80, 60), 90).save(photograph)
    _, found = measured(metric, tmp_path, [clip(tmp_path / "clip.mp4", SHOWN, SHOWN)], photograph)
    assert found.table["status"].eq("failed").all()
    assert found.about["reason"].str.contains("no region with detail").all()


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_a_reference_in_grey_or_cmyk_is_measured(metric, tmp_path, photograph, mode):
    path = tmp_path / "photograph.tif"
    Image.fromarray(SHOWN).convert(mode).save(path)
    values, _ = measured(metric, tmp_path, [clip(tmp_path / "same.mp4", SHOWN, SHOWN)], path)
    assert values.loc["same", "keypoint_geometry_xfeat"] > 0.9


def test_with_the_papers_kind_of_regions_from_random_weights(tmp_path, photograph):
    models = build_grounding_dino(tmp_path / "detector"), build_sam(tmp_path / "segmenter")
    metric = KeypointAlignment(XFeatMatcher(keypoints=1024), GroundedSam(*models), metrics=PAPER)
    values, found = measured(metric, tmp_path, [clip(tmp_path / "same.mp4", SHOWN, SHOWN)], photograph)
    assert values.loc["same", "keypoint_geometry"] > 0.8
    assert found.about["details"].iloc[0]["regions"] >= 1
    assert found.about["settings"].iloc[0]["phrases"].startswith("version 1")


def test_without_a_choice_it_takes_what_needs_no_download():
    metric = KeypointAlignment()
    assert isinstance(metric.matcher, XFeatMatcher)
    assert isinstance(metric.source, Superpixels)
    assert metric.settings["tau"] == 3000


def test_inliers_are_those_of_the_frame_with_most(metric, tmp_path, photograph):
    path = clip(tmp_path / "clip.mp4", SHOWN, SHOWN[::-1], data.coffee()[:320, :320])
    values, _ = measured(metric, tmp_path, [path], photograph)
    matches = metric.matches(reference_at(photograph), sample(path, Uniform(5)).images)
    most = len(metric.known(reference_at(photograph)).points)
    shares = {model: max(inliers(one, model).share_of(most) for one in matches) for model in SAMPLE}
    assert shares["fundamental"] != shares["homography"]
    for model, share in shares.items():
        assert values.loc["clip", f"{model}_inliers_xfeat"] == pytest.approx(share)


def test_every_variant_declares_five_metrics_of_its_own():
    assert len({one.name for one in METRICS}) == len(METRICS) == 10
    assert {one.high for one in METRICS} == {1, 2}
