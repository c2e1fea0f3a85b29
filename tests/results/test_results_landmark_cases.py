import numpy as np
import pytest
from PIL import Image

from helpers import study as studies
from helpers import tables
from helpers.metrics.keypoint_score import FrameScore, RegionScore
from helpers.metrics.keypoints import KeypointAlignment
from helpers.metrics.matchers import Matches
from helpers.metrics.regions import Grid
from helpers.results import landmarks
from helpers.results.landmark_cases import cases_figure, chosen, looked_at, missed
from helpers.results.page import LackingError, open_page
from helpers.simulate.landmarks import landmarks_study
from helpers.video.write import write_clip


class Corners:
    """A matcher that takes every fifth pixel for itself, but nothing from the right half of a frame."""

    keeps = False

    def __init__(self):
        self.settings = {"matcher": "corners"}

    def load(self):
        return {}

    def features(self, pictures):
        return [{"picture": picture} for picture in pictures]

    def match(self, reference, frame):
        height, width = reference["picture"].shape[:2]
        points = np.stack(np.meshgrid(np.arange(2, width, 5), np.arange(2, height, 5)), axis=-1).reshape(
            -1, 2
        )
        if not np.array_equal(reference["picture"], frame["picture"]):
            points = points[points[:, 0] < width / 2]
        return Matches(points.astype(float), points.astype(float))


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    folder = tmp_path / "small"
    made = landmarks_study(seed=0, landmarks={"Europe": 4}, pairs=0).tables
    rng = np.random.default_rng(0)
    folder.mkdir()
    for number in range(3):
        picture = rng.integers(0, 255, (96, 128, 3), dtype=np.uint8)
        Image.fromarray(picture).save(folder / f"{number}.png")
        write_clip(folder / f"{number}.mp4", [picture[::-1]] * 6, 6)
    made["videos"] = made["videos"].assign(path=["0.mp4", "1.mp4", "2.mp4", "gone.mp4"])
    order = made["videos"].merge(made["prompts"], on="prompt_id")["landmark_id"]
    images = dict(zip(order, ["0.png", "1.png", "2.png", "0.png"], strict=True))
    views = dict(zip(order, [10, 1000, 100, 10_000], strict=True))
    own = made["landmarks"]["landmark_id"]
    made["landmarks"] = made["landmarks"].assign(
        reference_image=own.map(images), pageviews=own.map(views), licence="public domain"
    )
    for name, rows in made.items():
        tables.write(folder, name, rows)
    return open_page(studies.Study(name="small", seed=0), "landmarks")


def test_the_most_and_the_least_viewed_with_files_are_chosen(page):
    picks = chosen(page, landmarks.clips(page, "Sora 2"), "judge")
    assert {why: row["path"] for why, row in picks.items()} == {
        "highest page views": "1.mp4",
        "lowest page views": "0.mp4",
    }


def test_without_page_views_the_scores_choose(page):
    rows = landmarks.clips(page, "Sora 2").assign(pageviews=np.nan, judge=[1.0, 2.0, 3.0, 4.0])
    picks = chosen(page, rows, "judge")
    assert {why: row["path"] for why, row in picks.items()} == {
        "highest score by judge": "2.mp4",
        "lowest score by judge": "0.mp4",
    }


def test_without_two_files_there_is_nothing_to_look_at(page):
    with pytest.raises(LackingError, match="there is one"):
        chosen(page, landmarks.clips(page, "Sora 2").head(1), "judge")
    with pytest.raises(LackingError, match="there is none"):
        chosen(page, landmarks.clips(page, "Sora 2").head(0), "judge")


def test_the_half_that_a_frame_does_not_show_is_outlined(page):
    picks = chosen(page, landmarks.clips(page, "Sora 2"), "judge")
    cases = looked_at(page, picks, KeypointAlignment(Corners(), Grid(1, 2)))
    assert [case.missed for case in cases] == [(False, True), (False, True)]
    drawn = cases_figure(cases)
    assert len(drawn.figure.axes) == 6
    assert "1 of 2 regions not recovered" in drawn.caption
    assert "public domain" in drawn.caption


def test_a_region_that_cannot_be_scored_is_not_missed():
    about = {"label": "a", "baseline": 1.0, "matches": 9, "ratio": 0.0}
    perfect = RegionScore(**about, weight=0.5, detail=1.0, density=1 - np.exp(-1 / 1.5), geometry=1.0)
    sparse = RegionScore(**about, weight=0.5, detail=1.0, density=0.2, geometry=1.0)
    shuffled = RegionScore(**about, weight=0.5, detail=1.0, density=0.49, geometry=0.4)
    flat = RegionScore(**about, weight=0.0, detail=0.0, density=0.0, geometry=0.0)
    found = missed(FrameScore((perfect, sparse, shuffled, flat), 9), beta=1.5)
    assert found == (False, True, True, False)
