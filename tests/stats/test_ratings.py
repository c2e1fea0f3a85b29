import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.stats.ratings import as_scores, weight_matrix, wide_ratings


def test_wide_ratings_keep_the_order_of_appearance_and_mark_what_is_missing():
    wide = wide_ratings(["v2", "v1", "v2"], ["r3", "r1", "r1"], [4, 2, 5])
    assert wide.index.tolist() == ["v2", "v1"]
    assert wide.columns.tolist() == ["r3", "r1"]
    assert wide.to_numpy().tolist() == [[4, 5], [None, 2]]


def test_wide_ratings_hold_sets():
    wide = wide_ratings(["q", "q"], ["r1", "r2"], [{"a", "b"}, set()])
    assert wide.loc["q"].tolist() == [{"a", "b"}, set()]


@pytest.mark.parametrize(
    ("items", "raters", "ratings", "message"),
    [
        (["v", "v", "w"], ["r", "r", "r"], [1, 2, 3], r"item 'v' by rater 'r' \(1 such\)"),
        (["v", None], ["r", "r"], [1, 2], "items: found none at position 1"),
        (["v", "v"], ["r", np.nan], [1, 2], "raters: found none at position 1"),
        (["v", "v"], ["r"], [1, 2], "expected one item and one rater a rating"),
    ],
    ids=["answered twice", "no item", "no rater", "lengths"],
)
def test_wide_ratings_refuse(items, raters, ratings, message):
    with pytest.raises(ValueError, match=message):
        wide_ratings(items, raters, ratings)


def test_scores_name_what_is_not_a_number():
    with pytest.raises(ValueError, match=r"found 'four' in row 1, column 0 \(2 such\)"):
        as_scores([[1, None], ["four", np.inf]])


@pytest.mark.parametrize(
    ("weights", "matrix"),
    [
        ("identity", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("linear", [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]),
        ("quadratic", [[1, 0.75, 0], [0.75, 1, 0.75], [0, 0.75, 1]]),
        ("ordinal", [[1, 0.667, 0], [0.667, 1, 0.667], [0, 0.667, 1]]),
    ],
)
def test_weights_of_python_irrcac(weights, matrix):
    assert weight_matrix([1, 2, 3], weights).round(3).tolist() == matrix


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=6, unique=True), st.sampled_from(["linear", "ordinal"])
)
def test_weights_follow_the_values_in_whatever_order_they_are_declared(categories, weights):
    matrix, order = weight_matrix(categories, weights), np.argsort(categories)
    assert matrix[np.ix_(order, order)] == pytest.approx(weight_matrix(sorted(categories), weights))
