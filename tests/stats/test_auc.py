"""The area under the ROC curve with places that stand in many rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from helpers.stats.auc import auc

SCORES = st.lists(st.integers(0, 6), min_size=4, max_size=30)


@given(SCORES, st.integers(0, 2**32 - 1))
def test_equals_scikit_learn_and_the_mann_whitney_statistic_with_ties(scores, seed):
    positive = np.random.default_rng(seed).permutation(len(scores)) < max(1, len(scores) // 3)
    found = auc(scores, positive, np.arange(len(scores)))
    assert found.estimate == pytest.approx(roc_auc_score(positive, scores))
    scores = np.array(scores)
    u = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic
    assert found.estimate == pytest.approx(u / (positive.sum() * (~positive).sum()))


def test_hanley_and_mcneil_1982_table_1_ct_images():
    # Ratings 1 to 5 of 58 normal and 51 abnormal images: area 0.893, standard error 0.032.
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    scores = np.concatenate([np.repeat(range(1, 6), normal), np.repeat(range(1, 6), abnormal)])
    found = auc(scores, np.arange(109) >= 58, np.arange(109))
    assert found.estimate == pytest.approx(0.893, abs=0.0005)
    assert found.details["se"] == pytest.approx(0.032, abs=0.002)
    assert found.details["positives"], found.details["negatives"] == (51, 58)


def test_a_perfect_area_has_clopper_and_pearsons_lower_end():
    units = np.tile(np.arange(8), 2)
    positive = np.arange(16) < 8
    found = auc(np.where(positive, 2.0, 1.0), positive, units)
    exact = stats.binomtest(8, 8).proportion_ci(0.95, method="exact")
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(exact.low)
    worst = auc(np.where(positive, 1.0, 2.0), positive, units)
    assert (worst.estimate, worst.low) == (0.0, 0.0)
    assert worst.high == pytest.approx(1 - exact.low)


def test_intervals_cover_the_normal_models_area_although_places_stand_in_many_rows():
    # Binormal model with random effects of reference and clip: areas are normal probabilities.
    places, shift, effect = 11, 1.5, 0.7
    rng = np.random.default_rng(0)
    first, second = (side.ravel() for side in np.indices((places, places)))
    positive = first == second
    independent = stats.norm.cdf(shift / np.sqrt(2 * (2 * effect**2 + 1)))
    sharing = stats.norm.cdf(shift / np.sqrt(2 * (effect**2 + 1)))
    truth = independent + (sharing - independent) * 2 / places
    covered = 0
    for _ in range(200):
        a, b = rng.normal(scale=effect, size=(2, places))
        scores = a[first] + b[second] + rng.normal(size=first.size) + shift * positive
        found = auc(scores, positive, first, second)
        covered += found.low <= truth <= found.high
    assert 0.90 <= covered / 200 <= 0.99


def test_units_in_either_column_are_left_out_together():
    rng = np.random.default_rng(1)
    first, second = (side.ravel() for side in np.indices((6, 6)))
    scores, positive = rng.normal(size=36) + (first == second), first == second
    one = auc(scores, positive, first, second)
    assert one.n == 6
    assert one.details["se"] != pytest.approx(auc(scores, positive, first).details["se"])
    areas = []
    for unit in range(6):
        kept = (first != unit) & (second != unit)
        areas.append(roc_auc_score(positive[kept], scores[kept]))
    assert one.details["se"] == pytest.approx(np.sqrt(5 / 6 * np.sum((areas - np.mean(areas)) ** 2)))


def test_nothing_to_compare_says_so():
    found = auc([1.0, 2.0], np.array([True, True]), ["a", "b"])
    assert np.isnan(found.estimate)
    assert "a group is empty" in found.method
    lone = auc([1.0, 2.0, 3.0], np.array([True, False, True]), ["a", "b", "c"])
    assert lone.estimate == 0.5
    assert np.isnan(lone.low)
    assert "no interval" in lone.method


@pytest.mark.parametrize(
    ("scores", "positive", "units"),
    [
        ([1.0, 2.0], np.array([1, 0]), [["a", "b"]]),
        ([1.0, 2.0], np.array([True]), [["a", "b"]]),
        ([1.0, 2.0], np.array([True, False]), [["a"]]),
        ([1.0, 2.0], np.array([True, False]), []),
        ([1.0, np.nan], np.array([True, False]), [["a", "b"]]),
    ],
)
def test_wrong_shapes_types_and_values_are_refused(scores, positive, units):
    with pytest.raises(ValueError, match="expected"):
        auc(scores, positive, *units)
