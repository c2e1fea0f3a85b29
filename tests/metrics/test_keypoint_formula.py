"""GAP, section 3.2, Eqs. 2-6, against slow readings of the paper's text, and against OpenCV."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.metrics.keypoint_formula import (
    FEWEST,
    GAP,
    Constants,
    density,
    detailness,
    geometry,
    laplacian_variances,
    saturated,
)

whole = st.integers(0, 200).map(float)


def points(least: int, most: int = 12):
    return st.integers(least, most).flatmap(lambda n: arrays(float, (n, 2), elements=whole))


def pairs(least: int, most: int = 12):
    several = st.integers(least, most)
    return several.flatmap(lambda n: st.tuples(*[arrays(float, (n, 2), elements=whole)] * 2))


def slow_density(points: np.ndarray, neighbour: int) -> float:
    """Every distance to every other point, sorted."""
    places = sorted({tuple(point) for point in points})
    if len(places) <= neighbour:
        return 0.0
    total = 0.0
    for one in places:
        distances = sorted(
            ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5 for other in places if other != one
        )
        total += distances[neighbour - 1]
    return len(places) / total


def slow_geometry(first: np.ndarray, second: np.ndarray) -> float:
    """One minus the least sum of squares, over rotations in steps of a hundredth of a degree and mirrors."""
    a, b = (side - side.mean(axis=0) for side in (first, second))
    a, b = a / np.sqrt((a**2).sum()), b / np.sqrt((b**2).sum())
    angle = np.deg2rad(np.arange(0, 360, 0.01))
    best = 0.0
    for mirror in (1, -1):
        x, y = b[:, 0] * mirror, b[:, 1]
        turned_x = np.outer(np.cos(angle), x) - np.outer(np.sin(angle), y)
        turned_y = np.outer(np.sin(angle), x) + np.outer(np.cos(angle), y)
        scale = turned_x @ a[:, 0] + turned_y @ a[:, 1]
        best = max(best, scale.max())
    # The best scale s of the second set leaves 1 - s² of the first.
    return best**2


def test_the_papers_constants():
    # GAP, section 4 (implementation): tau = 3000 and beta = 1.5.
    assert (GAP.tau, GAP.beta, GAP.neighbour) == (3000, 1.5, 2)


@pytest.mark.parametrize("bad", [{"tau": 0}, {"beta": -1}, {"neighbour": 0}])
def test_constants_that_make_no_sense_are_refused(bad):
    with pytest.raises(ValueError, match="above 0"):
        Constants(**bad)


@settings(max_examples=60, deadline=None)
@given(points(0), st.sampled_from([1, 2]))
def test_density_against_all_distances(places, neighbour):
    assert density(places, neighbour) == pytest.approx(slow_density(places, neighbour), rel=1e-12)


def test_density_of_a_square_by_hand():
    square = [(0, 0), (10, 0), (0, 10), (10, 10)]
    # Each corner has two others at 10 pixels, and the third at the diagonal.
    assert density(square, 1) == density(square, 2) == pytest.approx(0.1)
    assert density(square, 3) == pytest.approx(1 / (10 * 2**0.5))


@pytest.mark.parametrize(
    ("places", "neighbour"),
    [([], 1), ([(1, 1)], 1), ([(1, 1)] * 9, 1), ([(1, 1), (2, 2)], 2), ([(1, 1), (2, 2)] * 5, 2)],
)
def test_too_few_places_are_not_dense(places, neighbour):
    assert density(places, neighbour) == 0


@settings(max_examples=25, deadline=None)
@given(pairs(3))
def test_geometry_against_a_search_over_rotations(sides):
    first, second = sides
    if min(len({tuple(point) for point in side}) for side in sides) < FEWEST:
        assert geometry(first, second) is None
        return
    assert geometry(first, second) == pytest.approx(slow_geometry(first, second), abs=1e-5)


@settings(max_examples=50, deadline=None)
@given(pairs(3), st.floats(0.1, 10), st.floats(0, 6.3), st.floats(-500, 500))
def test_geometry_is_symmetric_and_blind_to_position_size_and_rotation(sides, scale, angle, shift):
    first, second = sides
    plain = geometry(first, second)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = scale * second @ turn.T + shift
    if plain is None:
        assert geometry(second, first) is None
        return
    assert geometry(second, first) == pytest.approx(plain, abs=1e-9)
    assert geometry(first, moved) == pytest.approx(plain, abs=1e-6)
    assert geometry(first, first) == pytest.approx(1)


def test_a_mirror_image_fits_perfectly():
    # Procrustes analysis lets the best fit be a reflection; the paper does not exclude it.
    places = np.random.default_rng(0).uniform(size=(20, 2))
    assert geometry(places, places * [-1, 1]) == pytest.approx(1)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_matches_have_no_geometry(count):
    places = np.arange(2.0 * count).reshape(count, 2)
    assert geometry(places, places) is None


def test_points_that_coincide_have_no_geometry():
    apart = np.arange(8.0).reshape(4, 2)
    assert geometry(apart, np.full((4, 2), 3.0)) is None
    assert geometry(np.full((4, 2), 3.0), apart) is None


def test_geometry_counts_distinct_points_of_the_poorer_side():
    two, three = np.array([(0, 0), (9, 4), (9, 4), (0, 0)]), np.array([(0, 0), (9, 4), (3, 8), (0, 0)])
    for first, second in [(two, two), (two, three), (three, two)]:
        assert geometry(first, second) is None
    assert geometry(three, three) == pytest.approx(1)


def test_unpaired_points_are_refused():
    with pytest.raises(ValueError, match="3 and 4 points"):
        geometry(np.zeros((3, 2)), np.zeros((4, 2)))


@settings(max_examples=30, deadline=None)
@given(arrays(np.uint8, (9, 11)), arrays(bool, (2, 9, 11)))
def test_detail_against_opencvs_laplacian(grey, masks):
    response = cv2.Laplacian(grey, cv2.CV_64F)
    for mask, variance in zip(masks, laplacian_variances(grey, masks), strict=True):
        expected = np.mean((response[mask] - response[mask].mean()) ** 2) if mask.any() else 0
        assert variance == pytest.approx(expected, abs=1e-8)


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1e6), st.floats(1, 1e5))
def test_detail_and_saturation_as_written(value, scale):
    as_written = 1 - np.exp(-value / scale)
    assert detailness(value, scale) == pytest.approx(as_written, abs=1e-12)
    assert saturated(value, scale) == pytest.approx(as_written, abs=1e-12)


def test_single_and_double_precision_agree():
    rng = np.random.default_rng(0)
    first, second = rng.uniform(0, 640, (2, 300, 2)).astype(np.float32)
    for single, double in [
        (density(first, 2), density(first.astype(float), 2)),
        (geometry(first, second), geometry(first.astype(float), second.astype(float))),
    ]:
        assert single == pytest.approx(double, abs=1e-5)
