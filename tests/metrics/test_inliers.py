"""MAGSAC on matches of known movements."""

import numpy as np
import pytest

from helpers.metrics.inliers import SAMPLE, inliers
from helpers.metrics.matchers import Matches


def plane(count: int, wrong: int, seed: int = 0) -> tuple[Matches, np.ndarray]:
    """Points of a plane seen from two spots, of which the first `wrong` are anywhere; and the homography."""
    rng = np.random.default_rng(seed)
    matrix = np.array([[0.9, 0.1, 20], [-0.05, 1.1, 5], [1e-4, -2e-4, 1]])
    places = rng.uniform(0, 600, (count, 2))
    seen = np.column_stack([places, np.ones(count)]) @ matrix.T
    seen = seen[:, :2] / seen[:, 2:]
    seen[:wrong] = rng.uniform(0, 600, (wrong, 2))
    return Matches(places, seen), matrix


def scene(count: int, wrong: int, seed: int = 0) -> Matches:
    """Points in space seen by two pinhole cameras, of which the first `wrong` are anywhere."""
    rng = np.random.default_rng(seed)
    space = rng.uniform([-3, -2, 4], [3, 2, 12], (count, 3))
    turn = np.array([[np.cos(0.2), 0, np.sin(0.2)], [0, 1, 0], [-np.sin(0.2), 0, np.cos(0.2)]])
    views = [500 * side[:, :2] / side[:, 2:] + 320 for side in (space, space @ turn.T + [1.5, 0.2, 0])]
    views[1][:wrong] = rng.uniform(0, 640, (wrong, 2))
    return Matches(*views)


def test_a_planes_movement_is_found_among_wrong_matches():
    matches, matrix = plane(200, 80)
    found = inliers(matches)
    assert found.kept[80:].all()
    assert found.kept[:80].sum() <= 4
    assert np.allclose(found.matrix / found.matrix[2, 2], matrix, atol=1e-2)


def test_a_scene_in_depth_has_a_fundamental_matrix_and_no_homography():
    matches = scene(200, 60)
    deep = inliers(matches, "fundamental")
    assert deep.kept[60:].mean() > 0.97
    assert len(inliers(matches)) < 0.6 * len(deep)
    # x'F x = 0 for those that are kept.
    first, second = (
        np.column_stack([side, np.ones(len(side))])[60:] for side in (matches.reference, matches.frame)
    )
    residual = np.einsum("ni,ij,nj->n", second, deep.matrix / np.linalg.norm(deep.matrix), first)
    assert np.median(abs(residual)) < 1


def test_the_same_matches_give_the_same_inliers():
    matches, _ = plane(120, 70)
    assert np.array_equal(inliers(matches).kept, inliers(matches).kept)


@pytest.mark.parametrize("model", SAMPLE)
def test_what_always_fits_does_not_count(model):
    matches, _ = plane(SAMPLE[model], 0)
    found = inliers(matches, model)
    assert (len(found), found.matrix, found.share_of(100)) == (0, None, 0)


@pytest.mark.parametrize("model", SAMPLE)
def test_no_matches_and_points_on_one_spot_have_no_inliers(model):
    same = np.full((20, 2), 5.0)
    for matches in (Matches(np.empty((0, 2)), np.empty((0, 2))), Matches(same, same)):
        assert inliers(matches, model).share_of(50) == 0


def test_a_plane_has_a_fundamental_matrix_too_which_keeps_few_wrong_matches_more():
    matches, _ = plane(200, 80)
    found = inliers(matches, "fundamental")
    assert found.kept[80:].all()
    assert inliers(matches).kept[:80].sum() < found.kept[:80].sum() <= 12


@pytest.mark.parametrize("model", SAMPLE)
def test_a_perfect_copy_has_share_1(model):
    places = np.random.default_rng(0).uniform(0, 600, (150, 2))
    copy = inliers(Matches(places, places), model)
    assert copy.share_of(150) == 1
    assert copy.share_of(300 - SAMPLE[model]) == pytest.approx(0.5)


def test_an_unknown_model_is_refused():
    with pytest.raises(ValueError, match="affine"):
        inliers(plane(10, 0)[0], "affine")
