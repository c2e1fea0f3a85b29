import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.evidence import ratings as evidence

TWO_GROUPS = pd.DataFrame(
    {"a": [1, 2, 3, 4, 10, 11, 12], "b": [1, 2, 3, 4, 20, 21, 22], "g": [*"oooo", *"ppp"]}
)


class TestKendallTail:
    # Triangle of Mahonian numbers, On-Line Encyclopedia of Integer Sequences, A008302.
    @pytest.mark.parametrize(
        ("n", "row"),
        [
            (2, [1, 1]),
            (3, [1, 2, 2, 1]),
            (4, [1, 3, 5, 6, 5, 3, 1]),
            (5, [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1]),
        ],
    )
    def test_counts_are_those_of_oeis_a008302(self, n, row):
        assert evidence.kendall_tail(n)["orders"].tolist() == row

    @pytest.mark.parametrize("swaps", range(7))
    def test_p_is_that_of_scipy_kendalltau_exact(self, swaps):
        order = np.arange(7)
        for place in range(swaps):
            order[[place, place + 1]] = order[[place + 1, place]]
        expected = stats.kendalltau(np.arange(7), order, method="exact")
        row = evidence.kendall_tail(7).set_index("discordant").loc[swaps]
        assert row["tau"] == pytest.approx(expected.statistic)
        assert row["p"] == pytest.approx(expected.pvalue)

    def test_large_n_counts_every_order_exactly(self):
        assert evidence.kendall_tail(25)["orders"].sum() == 15511210043330985984000000  # 25!

    def test_one_unit_is_refused(self):
        with pytest.raises(ValueError, match="found 1, expected at least 2"):
            evidence.kendall_tail(1)


class TestConcordance:
    def test_groups_in_the_same_order_reach_the_smallest_p(self):
        found = evidence.concordance(TWO_GROUPS, first="a", second="b", group="g")
        assert found[["pairs_between", "alike_between", "pairs_within", "alike_within"]].tolist() == [
            12,
            12,
            9,
            9,
        ]
        assert found["p_within"] == found["smallest_p"] == pytest.approx(2 / (24 * 6))

    def test_a_shared_gap_between_groups_says_nothing_about_the_order_inside(self):
        scores = TWO_GROUPS.assign(b=[4, 3, 2, 1, 22, 21, 20])
        found = evidence.concordance(scores, first="a", second="b", group="g")
        assert found["alike_between"] == 12
        assert found["tau_within"] == -1
        assert stats.kendalltau(scores["a"], scores["b"]).statistic > 0

    @given(st.permutations(range(6)))
    def test_one_group_gives_scipys_exact_kendall(self, order):
        scores = pd.DataFrame({"a": range(6), "b": order, "g": "all"})
        found = evidence.concordance(scores, first="a", second="b", group="g")
        expected = stats.kendalltau(scores["a"], scores["b"], method="exact")
        assert found["tau_within"] == pytest.approx(expected.statistic)
        assert found["p_within"] == pytest.approx(expected.pvalue)

    def test_ties_count_for_neither_side(self):
        scores = pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2], "g": "all"})
        found = evidence.concordance(scores, first="a", second="b", group="g")
        assert found[["alike_within", "tied_within"]].tolist() == [2, 1]
        assert found["tau_within"] == pytest.approx(2 / 3)
        assert found["p_within"] == pytest.approx(2 / 3)  # by hand: sums 2, 0, -2, two orders each

    def test_single_units_leave_nothing_to_test_inside(self):
        scores = pd.DataFrame({"a": [1, 2], "b": [3, 4], "g": ["o", "p"]})
        found = evidence.concordance(scores, first="a", second="b", group="g")
        assert found["pairs_within"] == 0
        assert np.isnan(found["tau_within"])
        assert np.isnan(found["p_within"])

    def test_missing_scores_and_too_many_orders_are_refused(self):
        with pytest.raises(ValueError, match="found 1 rows without score"):
            evidence.concordance(TWO_GROUPS.assign(a=[None, *range(6)]), first="a", second="b", group="g")
        many = pd.DataFrame({"a": range(9), "b": range(9), "g": "all"})
        with pytest.raises(ValueError, match="362880 joint orders"):
            evidence.concordance(many, first="a", second="b", group="g")


class TestRatingBounds:
    @given(st.lists(st.integers(1, 5), min_size=1, max_size=30))
    def test_hold_for_every_set_of_ratings(self, ratings):
        ratings = np.array(ratings)
        score = (ratings - 1) / 4
        row = evidence.rating_bounds(pd.DataFrame({"score": [score.mean()]}), column="score").iloc[0]
        assert row["mean_rating"] == pytest.approx(ratings.mean())
        assert row["least_lowest"] <= (ratings == 1).mean() + 1e-12
        assert row["least_highest"] <= (ratings == 5).mean() + 1e-12
        assert score.std() <= row["largest_sd"] + 1e-7

    @pytest.mark.parametrize("ratings", [[1, 1, 1, 2], [5, 5, 4, 5], [1, 5]])
    def test_are_reached_by_ratings_at_the_ends(self, ratings):
        ratings = np.array(ratings)
        score = (ratings - 1) / 4
        row = evidence.rating_bounds(pd.DataFrame({"score": [score.mean()]}), column="score").iloc[0]
        reached = [
            np.isclose(row["least_lowest"], (ratings == 1).mean()),
            np.isclose(row["least_highest"], (ratings == 5).mean()),
            np.isclose(row["largest_sd"], score.std()),
        ]
        assert any(reached)

    @pytest.mark.parametrize("score", [-0.1, 1.2])
    def test_means_off_the_scale_are_refused(self, score):
        with pytest.raises(ValueError, match="expected 0 to 1"):
            evidence.rating_bounds(pd.DataFrame({"score": [score]}), column="score")

    def test_a_scale_of_one_point_is_refused(self):
        with pytest.raises(ValueError, match="found 1, expected at least 2"):
            evidence.rating_bounds(pd.DataFrame({"score": [0.5]}), column="score", points=1)


class TestRaterCeilings:
    def test_two_raters_at_one_half_give_spearman_browns_two_thirds(self):
        # Spearman-Brown: doubling a test of reliability 1/2 gives 2/3.
        assert evidence.rater_ceilings([0.5], 2)["perfect"].iloc[0] ** 2 == pytest.approx(2 / 3)

    @pytest.mark.parametrize("raters", [1, 3, 5])
    def test_agree_with_simulated_raters(self, raters):
        rng = np.random.default_rng(1)
        truth = rng.normal(size=200_000)
        ratings = truth + rng.normal(size=(raters + 1, truth.size))
        mean = ratings[1:].mean(axis=0)
        row = evidence.rater_ceilings([0.5], raters).iloc[0]
        assert row["one_more_rater"] == pytest.approx(np.corrcoef(ratings[0], mean)[0, 1], abs=0.01)
        assert row["perfect"] == pytest.approx(np.corrcoef(truth, mean)[0, 1], abs=0.01)

    def test_one_rater_leaves_the_correlation_itself(self):
        row = evidence.rater_ceilings([0.3, 0.8], 1)
        assert row["one_more_rater"].tolist() == pytest.approx([0.3, 0.8])

    @pytest.mark.parametrize(
        ("correlation", "raters"), [([1.2], 3), ([-0.1], 3), ([float("nan")], 3), ([0.5], 0)]
    )
    def test_impossible_input_is_refused(self, correlation, raters):
        with pytest.raises(ValueError, match="found"):
            evidence.rater_ceilings(correlation, raters)


class TestExpectedRange:
    # d2 of control charts: Montgomery, Introduction to Statistical Quality Control, appendix VI.
    @pytest.mark.parametrize(("n", "d2"), [(2, 1.128), (5, 2.326), (12, 3.258), (25, 3.931)])
    def test_is_the_control_chart_constant_d2(self, n, d2):
        assert evidence.expected_range(n) == pytest.approx(d2, abs=5e-4)

    def test_one_mean_is_refused(self):
        with pytest.raises(ValueError, match="found 1, expected at least 2"):
            evidence.expected_range(1)
