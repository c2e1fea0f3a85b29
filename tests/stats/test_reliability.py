import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.stats.reliability import icc, kendall_w

# Shrout & Fleiss (1979), Psychological Bulletin 86, table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# R irr, `anxiety`: twenty subjects, three raters, scores 1 to 6.
ANXIETY = np.array(
    [
        [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3],
        [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
        [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2],
    ]
).T
# Wollschlaeger, R examples repository, "Inter-rater-reliability": six subjects ranked by three raters.
SIX_RANKED = np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 2, 4, 3], [2, 3, 6, 5, 4, 1]]).T

scores = st.tuples(st.integers(2, 8), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(1, 5), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@pytest.mark.parametrize(
    ("unit", "value", "low", "high"), [("single", 0.290, 0.019, 0.761), ("average", 0.620, 0.071, 0.927)]
)
def test_icc_of_shrout_and_fleiss_in_r_psych(unit, value, low, high):
    result = icc(SHROUT_FLEISS, unit)
    assert [result.estimate, result.low, result.high] == pytest.approx([value, low, high], abs=5e-4)
    assert result.details["f"] == pytest.approx(11.03, abs=5e-3)
    assert result.p == pytest.approx(0.000135, abs=5e-7)
    assert [result.details[name] for name in ("df1", "df2")] == [5, 15]


def test_icc_of_shrout_and_fleiss_mean_squares():
    found = icc(SHROUT_FLEISS).details
    # Shrout & Fleiss (1979), table 3.
    assert [found["ms_items"], found["ms_raters"], found["ms_error"]] == pytest.approx(
        [11.24, 32.49, 1.02], abs=5e-3
    )


def test_icc_of_anxiety_in_r_irr():
    result = icc(ANXIETY)
    assert [result.estimate, result.low, result.high] == pytest.approx([0.198, -0.039, 0.494], abs=5e-4)


@given(scores, st.floats(0.1, 10), st.floats(-5, 5))
def test_icc_does_not_depend_on_unit_origin_or_order(ratings, scale, shift):
    ratings = np.array(ratings, dtype=float)
    assume(np.ptp(ratings) > 0)
    result, other = icc(ratings), icc((scale * ratings + shift)[::-1, ::-1])
    assert [other.estimate, other.low, other.high] == pytest.approx(
        [result.estimate, result.low, result.high], nan_ok=True, rel=1e-6, abs=1e-6
    )
    assert result.estimate <= 1 + 1e-12


@given(scores, st.sampled_from(["single", "average"]))
def test_icc_lies_in_its_interval_where_it_is_not_negative(ratings, unit):
    result = icc(ratings, unit)
    assume(result.low <= 1 and result.estimate >= 0)
    assert result.low <= result.estimate <= result.high <= 1


@given(scores)
def test_icc_of_the_mean_is_spearman_brown_of_one_rater(ratings):
    single, average = icc(ratings), icc(ratings, "average")
    assume(not math.isnan(average.estimate))
    raters = len(ratings[0])
    expected = raters * single.estimate / (1 + (raters - 1) * single.estimate)
    assert average.estimate == pytest.approx(expected)


def test_icc_leaves_incomplete_items_out_and_counts_them():
    result = icc([*SHROUT_FLEISS, [3, None, 4, 4], [math.nan] * 4])
    assert result.estimate == icc(SHROUT_FLEISS).estimate
    assert result.n == 6
    assert result.details["incomplete_items"] == 2


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        ([[3, 3], [3, 3], [3, 3]], "all ratings are equal"),
        ([[3, 4]], "fewer than two complete items"),
        ([[3, None], [None, 3]], "fewer than two complete items"),
        ([[1, 2], [2, 1]], "no variance beyond error"),
    ],
    ids=["all equal", "one item", "no complete item", "error alone"],
)
def test_icc_undefined(ratings, why):
    result = icc(ratings)
    assert math.isnan(result.estimate)
    assert why in result.method


@pytest.mark.parametrize(
    ("ratings", "estimate", "why"),
    [
        ([[1, 1], [3, 3], [4, 4]], 1, "raters agree fully"),
        ([[1, 4], [4, 1], [2, 3]], -2.8, "items do not differ"),  # mean squares 0, 1/6, 14/3
    ],
)
def test_icc_without_an_interval(ratings, estimate, why):
    result = icc(ratings)
    assert result.estimate == pytest.approx(estimate)
    assert math.isnan(result.low)
    assert why in result.method


@pytest.mark.parametrize(
    ("ratings", "arguments", "message"),
    [
        ([[1], [2]], {}, "at least two raters"),
        ([[1, "x"], [2, 3]], {}, "found 'x' in row 0, column 1"),
        (SHROUT_FLEISS, {"unit": "mean"}, "unit: found 'mean'"),
        (SHROUT_FLEISS, {"level": 95}, "level: found 95"),
    ],
)
def test_icc_names_bad_input(ratings, arguments, message):
    with pytest.raises(ValueError, match=message):
        icc(ratings, **arguments)


def test_kendall_w_of_desctools_with_ties():
    result = kendall_w(ANXIETY)
    assert result.estimate == pytest.approx(0.5396569, abs=5e-8)
    assert result.details["tied_raters"] == 3


def test_kendall_w_of_r_irr_without_ties():
    result = kendall_w(SIX_RANKED)
    assert result.estimate == pytest.approx(0.568, abs=5e-4)
    assert result.details["chi2"] == pytest.approx(8.52, abs=5e-3)
    assert result.details["p_chi2"] == pytest.approx(0.13, abs=5e-3)
    assert result.details["df"] == 5


@given(scores)
def test_kendall_w_chi_square_is_scipys_friedman_test(ratings):
    ranks = stats.rankdata(ratings, axis=0)
    assume(len(ratings) > 2 and np.ptp(ranks, axis=0).any())
    theirs = stats.friedmanchisquare(*ratings)
    details = kendall_w(ratings, resamples=1).details
    assert [details["chi2"], details["p_chi2"]] == pytest.approx([theirs.statistic, theirs.pvalue])


@pytest.mark.parametrize(
    ("second", "third", "chi2", "p"),
    [
        # Friedman (1937), exact distribution for three items and three raters (Siegel 1956, table N).
        ([1, 2, 3], [1, 2, 3], 6.0, 0.028),
        ([1, 2, 3], [1, 3, 2], 4.667, 0.194),
        ([1, 3, 2], [2, 1, 3], 2.667, 0.361),
        ([1, 2, 3], [3, 1, 2], 2.0, 0.528),
        ([1, 2, 3], [3, 2, 1], 0.667, 0.944),
        ([2, 3, 1], [3, 1, 2], 0.0, 1.0),
    ],
)
def test_exact_p_of_friedmans_table(second, third, chi2, p):
    result = kendall_w(np.array([[1, 2, 3], second, third]).T)
    assert result.p == pytest.approx(p, abs=5e-4)
    assert "36 arrangements" in result.method
    assert result.details["chi2"] == pytest.approx(chi2, abs=5e-4)


@settings(max_examples=10)
@given(st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=3, max_size=3))
def test_exact_p_agrees_with_a_plain_count_of_all_rearrangements(rankings):
    rankings = np.array(rankings)
    result = kendall_w(rankings)
    assume(not math.isnan(result.estimate))
    others = [
        kendall_w(np.column_stack([rankings[:, 0], second, third])).estimate
        for second in permutations(rankings[:, 1])
        for third in permutations(rankings[:, 2])
    ]
    assert result.p == pytest.approx(np.mean(np.array(others) >= result.estimate - 1e-9))


def test_drawn_p_is_near_the_chi_square_where_that_is_good():
    rng = np.random.default_rng(3)
    rankings = rng.normal(size=(15, 1)) + 3 * rng.normal(size=(15, 20))
    result = kendall_w(rankings, resamples=4000)
    assert "drawn" not in result.method
    assert "4,000 draws" in result.method
    assert result.p == pytest.approx(result.details["p_chi2"], abs=0.01)
    assert kendall_w(rankings, resamples=4000) == result


@given(scores)
def test_kendall_w_depends_on_the_order_only(ratings):
    ratings = np.array(ratings)
    result, other = kendall_w(ratings, resamples=1), kendall_w(np.exp(ratings)[::-1, ::-1], resamples=1)
    assert other.estimate == pytest.approx(result.estimate, nan_ok=True)
    assert math.isnan(result.estimate) or 0 <= result.estimate <= 1 + 1e-12


def test_kendall_w_leaves_raters_with_gaps_out_and_counts_them():
    result = kendall_w(np.column_stack([SIX_RANKED, [1, 2, None, 3, 4, 5]]))
    assert result.estimate == kendall_w(SIX_RANKED).estimate
    assert result.details["raters_left_out"] == 1


@pytest.mark.parametrize(
    ("rankings", "why"),
    [
        ([[1, 1], [1, 1], [1, 1]], "every rater ties all items"),
        ([[1, 1]], "too few"),
        ([[1, None], [2, 1]], "too few"),
    ],
    ids=["all tied", "one item", "one complete rater"],
)
def test_kendall_w_undefined(rankings, why):
    result = kendall_w(rankings)
    assert math.isnan(result.estimate)
    assert why in result.method


def test_kendall_w_of_one_rater_is_refused():
    with pytest.raises(ValueError, match="at least two raters"):
        kendall_w([[1], [2], [3]])
