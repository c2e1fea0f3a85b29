"""GAP's score against a slow reading of Eqs. 2-8, and in each case that they leave open."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes

from helpers.metrics.keypoint_formula import GAP, Constants
from helpers.metrics.keypoint_score import KeypointReference, known, score_clip, score_frame
from helpers.metrics.matchers import Matches
from helpers.metrics.regions import Regions

SIZE = 40


def reference_of(masks, variances, places) -> KeypointReference:
    masks = np.asarray(masks, bool)
    labels = tuple(f"region {number}" for number in range(len(masks)))
    return KeypointReference(Regions(masks, labels), np.asarray(variances, float), np.asarray(places, float))


def halves() -> np.ndarray:
    """The left and the right half, which overlap by 10 columns."""
    masks = np.zeros((2, SIZE, SIZE), bool)
    masks[0, :, :25] = masks[1, :, 15:] = True
    return masks


def some_matches(seed: int, count: int) -> Matches:
    rng = np.random.default_rng(seed)
    places = rng.integers(0, SIZE, (count, 2)).astype(float)
    return Matches(places, places + rng.normal(scale=4, size=(count, 2)))


def slow_score(reference, matches, constants) -> tuple[float, float]:
    """D(f) and G(f), point by point, from the paper's text."""

    def rho(places):
        places = sorted(set(places))
        if len(places) <= constants.neighbour:
            return 0.0
        each = [sorted(math.dist(p, q) for q in places if q != p)[constants.neighbour - 1] for p in places]
        return 1 / (sum(each) / len(each))

    def inside(places, mask):
        return [i for i, (x, y) in enumerate(places) if mask[int(y)][int(x)]]

    parts = []
    for mask, variance in zip(reference.regions.masks, reference.variances, strict=True):
        detail = 1 - math.exp(-variance / constants.tau)
        base = rho([tuple(reference.points[i]) for i in inside(reference.points, mask)])
        if detail == 0 or base == 0:
            continue
        chosen = inside(matches.reference, mask)
        dense = 1 - math.exp(
            -rho([tuple(matches.reference[i]) for i in chosen]) / (detail * base) / constants.beta
        )
        fit = 0.0
        if len(chosen) >= 3 and all(
            len(set(map(tuple, s[chosen]))) > 1 for s in (matches.reference, matches.frame)
        ):
            fit = 1 - procrustes(matches.reference[chosen], matches.frame[chosen])[2]
        parts.append((mask.sum(), dense, fit))
    total = sum(area for area, _, _ in parts)
    return tuple(sum(area * part[which] for area, *part in parts) / total for which in (0, 1))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 40),
    st.sampled_from([1, 2]),
    st.floats(100, 10_000),
    st.floats(0.2, 5),
)
def test_a_frame_against_a_slow_reading_of_the_paper(seed, count, neighbour, tau, beta):
    rng = np.random.default_rng(seed)
    masks = rng.uniform(size=(3, SIZE, SIZE)) < 0.6
    reference = reference_of(masks, rng.uniform(0, 9000, 3), rng.integers(0, SIZE, (60, 2)))
    matches, constants = some_matches(seed, count), Constants(tau, beta, neighbour)
    frame = score_frame(reference, matches, constants)
    dense, fit = slow_score(reference, matches, constants)
    assert frame.density == pytest.approx(dense, abs=1e-9)
    assert frame.geometry == pytest.approx(fit, abs=1e-9)
    assert frame.score == pytest.approx(dense + fit, abs=1e-9)
    assert 0 <= frame.score <= 2


@pytest.fixture
def reference():
    return reference_of(halves(), [3000, 1000], some_matches(1, 120).reference)


def test_overlapping_regions_keep_their_own_areas_and_matches(reference):
    shared = Matches(np.array([[20.0, 5], [20, 15], [20, 25]]), np.array([[1.0, 5], [1, 15], [1, 25]]))
    left, right = score_frame(reference, shared).regions
    assert (left.matches, right.matches) == (3, 3)
    assert left.weight == right.weight == 0.5


def test_an_identical_picture_has_geometry_1_and_the_density_that_detail_leaves(reference):
    itself = Matches(reference.points, reference.points)
    frame = score_frame(reference, itself)
    assert frame.geometry == pytest.approx(1)
    for region, variance in zip(frame.regions, reference.variances, strict=True):
        # By hand: the ratio is 1 / d, so that density is 1 - exp(-1 / (1.5 d)): the finer, the lower.
        detail = 1 - np.exp(-variance / 3000)
        assert region.density == pytest.approx(1 - np.exp(-1 / (1.5 * detail)))


def test_no_matches_score_0_and_say_so(reference):
    nothing = Matches(np.empty((0, 2)), np.empty((0, 2)))
    frame = score_frame(reference, nothing)
    assert frame.score == 0
    assert all("fewer than 3 distinct points" in region.note for region in frame.regions)


def test_two_matches_have_no_geometry_and_density_by_the_nearest_alone(reference):
    two = Matches(np.array([[2.0, 2], [5, 6]]), np.array([[0.0, 0], [9, 9]]))
    assert score_frame(reference, two, GAP).score == 0
    left, right = score_frame(reference, two, Constants(neighbour=1)).regions
    assert left.density > 0
    assert left.geometry == right.density == 0
    assert "geometry is 0" in left.note


def test_matches_that_coincide_count_once(reference):
    same = Matches(np.full((9, 2), 4.0), np.arange(18.0).reshape(9, 2))
    left = score_frame(reference, same).regions[0]
    assert (left.matches, left.density, left.geometry) == (9, 0, 0)
    assert "fewer than 3 distinct points" in left.note


def test_a_region_that_the_frame_does_not_show_keeps_its_weight(reference):
    left_only = Matches(reference.points, reference.points).inside(~halves()[1])
    left, right = score_frame(reference, left_only).regions
    assert right.density == right.geometry == 0
    assert right.weight == left.weight


@pytest.mark.parametrize(("variances", "reason"), [([3000, 0], "no detail"), ([3000, 1000], "match itself")])
def test_a_region_that_cannot_be_scored_is_left_out(variances, reason):
    masks = np.zeros((2, SIZE, SIZE), bool)
    masks[0, :, :20] = masks[1, :, 20:] = True
    places = some_matches(1, 200).reference
    if variances[1]:
        places = places[places[:, 0] < 20]
    reference = reference_of(masks, variances, places)
    scored, left_out = score_frame(reference, Matches(places, places)).regions
    assert (scored.weight, left_out.weight) == (1, 0)
    assert reason in left_out.note


def test_a_reference_without_detail_is_refused():
    flat = np.full((SIZE, SIZE, 3), 90, np.uint8)
    nothing = Matches(np.empty((0, 2)), np.empty((0, 2)))
    reference = known(flat, Regions(np.ones((1, SIZE, SIZE), bool), ("all",)), nothing)
    with pytest.raises(ValueError, match="no region with detail"):
        score_frame(reference, nothing)


def test_points_beyond_the_picture_lie_in_no_region():
    places = np.array([[-0.6, 3], [3, -0.6], [39.6, 3], [3, 39.6], [39.4, 39.4], [-0.4, 0]])
    inside = Matches(places, places).inside(np.ones((SIZE, SIZE), bool))
    assert inside.reference.tolist() == [[39.4, 39.4], [-0.4, 0]]


def test_a_clip_scores_as_its_best_frame(reference):
    frames = [some_matches(seed, count) for seed, count in [(2, 5), (3, 90), (3, 90), (4, 10)]]
    clip = score_clip(reference, frames)
    assert clip.best == 1
    assert clip.score == max(frame.score for frame in clip.frames) == clip.frames[2].score
    with pytest.raises(ValueError, match="no frames"):
        score_clip(reference, [])


def test_three_matches_side_by_side_saturate_density(reference):
    # Not a fault of the code: the formula sees how close matches lie, not how many there are.
    close = np.array([[5.0, 5], [6, 5], [5, 6]])
    left = score_frame(reference, Matches(close, close)).regions[0]
    itself = score_frame(reference, Matches(reference.points, reference.points)).regions[0]
    assert left.density > itself.density


def test_a_table_has_a_row_a_region(reference):
    table = score_frame(reference, some_matches(5, 30)).table()
    assert table["label"].tolist() == ["region 0", "region 1"]
    assert table["weight"].sum() == pytest.approx(1)
