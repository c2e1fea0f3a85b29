"""Sources of regions: those without weights, and Grounded SAM with random ones, loaded for real."""

import numpy as np
import pytest
from skimage import data

from helpers.checking import DataError
from helpers.metrics.grounded_sam import UNNAMED, GroundedSam, nearest_phrase
from helpers.metrics.measurer import ModelError
from helpers.metrics.phrases import Phrases, landmark_phrases
from helpers.metrics.regions import WHOLE, Grid, Regions, Superpixels, WholeImage
from helpers.metrics.working import working_copy
from helpers.simulate.checkpoints.grounding_dino import build_grounding_dino
from helpers.simulate.checkpoints.sam import build_sam


@pytest.fixture(scope="module")
def photograph():
    return working_copy(data.astronaut(), long_side=160)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return build_grounding_dino(folder / "detector"), build_sam(folder / "segmenter")


@pytest.mark.parametrize("source", [WholeImage(), Grid(2, 3), Grid(1, 1), Superpixels(5), Superpixels(1)])
def test_regions_without_weights_cover_each_pixel_once(source, photograph):
    found = source.find(photograph)
    assert (found.masks.sum(axis=0) == 1).all()
    assert found.masks.any(axis=(1, 2)).all()


def test_a_grid_has_equal_cells(photograph):
    found = Grid(2, 2).find(photograph)
    assert len(set(found.masks.sum(axis=(1, 2)))) == 1
    assert found.labels[2] == "row 2, column 1"
    assert found.masks[2, -1, 0]
    with pytest.raises(ValueError, match="at least 1"):
        Grid(0, 3)


class TestSuperpixels:
    def test_separate_what_differs_in_colour(self):
        picture = np.zeros((96, 160, 3), np.uint8)
        picture[:, :100] = (200, 30, 30)
        picture[:, 100:] = (20, 60, 200)
        left = Superpixels(2).find(picture).masks[0]
        assert left[:, :96].mean() > 0.97
        assert left[:, 104:].mean() < 0.03

    def test_are_the_same_every_time_and_the_largest_first(self, photograph):
        once, again = (Superpixels(5).find(photograph) for _ in range(2))
        assert np.array_equal(once.masks, again.masks)
        areas = once.masks.sum(axis=(1, 2))
        assert (np.diff(areas) <= 0).all()
        assert len(once) == 5

    def test_of_one_colour_cover_it(self):
        found = Superpixels(4).find(np.full((64, 64, 3), 7, np.uint8))
        assert (found.masks.sum(axis=0) == 1).all()

    def test_ask_for_a_working_copy_and_a_count(self):
        with pytest.raises(ValueError, match="working copy"):
            Superpixels().find(np.zeros((33, 32, 3), np.uint8))
        with pytest.raises(ValueError, match="at least 1"):
            Superpixels(0)


def test_masks_without_their_labels_are_refused():
    with pytest.raises(ValueError, match="a label each"):
        Regions(np.ones((2, 4, 4), bool), ("one",))


class TestPhrases:
    @pytest.mark.parametrize(
        ("category", "first"),
        [
            ("church", "church"),
            ("Opera house", "opera house"),
            ("cave temple", "cave entrance"),
            ("Temples", "temple"),
            ("something unheard of", "building"),
            ("", "building"),
            (None, "building"),
        ],
    )
    def test_go_by_the_first_listed_word(self, category, first):
        assert landmark_phrases().of(category)[0] == first

    def test_have_no_dots_which_the_detector_takes_for_the_end(self):
        listed = landmark_phrases()
        assert listed.version == 1
        for phrases in (listed.default, *listed.categories.values()):
            assert all(phrase == phrase.casefold().strip() and "." not in phrase for phrase in phrases)
            assert len(set(phrases)) == len(phrases) > 1

    def test_that_differ_have_another_digest(self):
        first = Phrases(version=1, default=("tower",), categories={})
        assert first.digest != Phrases(version=1, default=("gate",), categories={}).digest

    def test_from_a_file_that_does_not_fit_are_refused(self, tmp_path):
        path = tmp_path / "phrases.yaml"
        path.write_text("version: 1\ndefault: []\ncategories: {}\n")
        with pytest.raises(DataError, match="default"):
            landmark_phrases(path)


class TestGroundedSam:
    def test_with_random_weights_finds_masks_with_names(self, models, photograph):
        found = GroundedSam(*models).find(photograph, "church")
        assert found.masks.shape == (len(found), *photograph.shape[:2])
        assert found.masks.any(axis=(1, 2)).all()
        assert set(found.labels) <= {*landmark_phrases().of("church"), UNNAMED}
        # Random boxes overlap: areas are counted apart.
        assert found.masks.sum() > found.masks.any(axis=0).sum()

    def test_finds_the_same_twice(self, models, photograph):
        once, again = (GroundedSam(*models).find(photograph, "church") for _ in range(2))
        assert np.array_equal(once.masks, again.masks)

    @pytest.mark.parametrize(("which", "key"), [(0, "detector"), (1, "segmenter")])
    def test_knows_folders_by_their_content(self, models, tmp_path, which, key):
        build = (build_grounding_dino, build_sam)[which]
        found = []
        for seed in (0, 0, 1):
            folders = list(models)
            folders[which] = build(tmp_path / "other", seed)
            found.append(GroundedSam(*folders).settings[key])
        assert found[0] == found[1] != found[2]
        assert GroundedSam("some/model", "other/model").settings["segmenter"] == "other/model"

    def test_without_a_certain_box_takes_the_whole_image_and_says_so(self, models, photograph):
        found = GroundedSam(*models, threshold=1.0).find(photograph, "bridge")
        assert found.labels == (WHOLE,)
        assert found.masks.all()
        assert "bridge tower" in found.notes[0]

    def test_with_only_empty_masks_takes_the_whole_image(self, models, photograph, monkeypatch):
        source = GroundedSam(*models)
        nothing = lambda picture, boxes: np.zeros((len(boxes), *picture.shape[:2]), bool)  # noqa: E731
        monkeypatch.setattr(source, "_masks", nothing)
        found = source.find(photograph)
        assert found.labels == (WHOLE,)
        assert "empty" in found.notes[0]

    def test_leaves_out_empty_masks_and_counts_them(self, models, photograph, monkeypatch):
        source = GroundedSam(*models)
        whole = source._masks

        def first_is_empty(picture, boxes):
            masks = whole(picture, boxes)
            masks[0] = False
            return masks

        monkeypatch.setattr(source, "_masks", first_is_empty)
        assert source.find(photograph).notes[0].startswith("1 of ")

    def test_names_a_model_that_is_not_there(self, tmp_path, photograph):
        with pytest.raises(ModelError, match="nothing"):
            GroundedSam(tmp_path / "nothing", tmp_path / "neither").find(photograph)


@pytest.mark.parametrize(
    ("found", "expected"),
    [("church tower", "church tower"), ("tower", "church tower"), ("church", "church"), ("", UNNAMED)],
)
def test_a_detectors_label_is_mapped_back_to_a_phrase(found, expected):
    assert nearest_phrase(found, ("church", "church tower", "dome")) == expected
