import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.evidence.groups import chance_of_claim, compare, intervals, pooled, verdicts


def groups(**rows):
    return pd.DataFrame.from_dict(rows, orient="index", columns=["n", "mean", "sd"])


class TestPooled:
    @given(st.lists(st.lists(st.floats(0, 5), min_size=2, max_size=9), min_size=1, max_size=5))
    def test_is_the_summary_of_all_values(self, parts):
        frame = pd.DataFrame(
            [{"n": len(part), "mean": np.mean(part), "sd": np.std(part, ddof=1)} for part in parts]
        )
        values = np.concatenate(parts)
        expected = [values.size, values.mean(), values.std(ddof=1)]
        assert pooled(frame).tolist() == pytest.approx(expected, abs=1e-7)

    @pytest.mark.parametrize("bad", [(1, 3.0, 0.5), (5, np.nan, 0.5), (5, 3.0, -0.1)])
    def test_impossible_groups_are_refused(self, bad):
        with pytest.raises(ValueError, match="row Asia: found"):
            pooled(groups(Europe=(9, 3.0, 0.5), Asia=bad))


class TestIntervals:
    def test_sd_is_that_of_bluman_elementary_statistics_exercise_7_4_13(self):
        # 14 candy bars, s = 23.8269: 17.2733 to 38.3851 with chi-square values of five digits.
        frame = intervals(groups(bars=(14, 243.2143, 23.8269)), reference="bars")
        assert frame.loc["bars", "sd_low"] == pytest.approx(17.2733, rel=5e-5)
        assert frame.loc["bars", "sd_high"] == pytest.approx(38.3851, rel=5e-5)

    def test_ratio_is_that_of_the_nist_handbook_section_1_3_5_9(self):
        # Ceramic strength: F = 1.123037 on 239 and 239 degrees of freedom, critical values 0.7756 and 1.2894.
        frame = intervals(groups(one=(240, 0, 65.54909), two=(240, 0, 61.85425)), reference="two")
        one = frame.loc["one"]
        assert one["ratio"] ** 2 == pytest.approx(1.123037, abs=5e-7)
        assert one["ratio_low"] ** 2 == pytest.approx(1.123037 / 1.2894, rel=1e-4)
        assert one["ratio_high"] ** 2 == pytest.approx(1.123037 / 0.7756, rel=1e-4)
        assert np.isnan(frame.loc["two", "ratio_p"])

    def test_mean_is_scipys_one_sample_t_interval(self):
        values = np.array([3.0, 3.5, 3.5, 4.0, 4.0])
        frame = intervals(groups(g=(5, values.mean(), values.std(ddof=1))), reference="g", level=0.9)
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert frame.loc["g", ["mean_low", "mean_high"]].tolist() == pytest.approx(list(expected))

    def test_p_falls_below_five_percent_just_where_the_interval_leaves_one(self):
        low, high = np.sqrt(stats.f.ppf([0.025, 0.975], 7, 90))
        rows = {
            f"{ratio:.9f}": (8, 3, ratio) for ratio in (low * 0.999, low * 1.001, high * 0.999, high * 1.001)
        }
        frame = intervals(groups(base=(91, 3, 1), **rows), reference="base").drop("base")
        assert (frame["ratio_p"] < 0.05).tolist() == [True, False, False, True]
        assert ((frame["ratio_low"] > 1) | (frame["ratio_high"] < 1)).tolist() == [True, False, False, True]

    def test_an_unknown_reference_is_refused(self):
        with pytest.raises(ValueError, match="reference: found 'Asia'"):
            intervals(groups(Europe=(9, 3.0, 0.5)), reference="Asia")


class TestCompare:
    # TOSTER, tests/testthat/test-known_results.R: Welch, bounds d = ±0.43, that is ±0.3835687.
    TOSTER = groups(one=(95, 5.25, 0.95), two=(89, 5.22, 0.83))

    def test_equivalence_is_that_of_toster(self):
        row = compare(self.TOSTER, [("one", "two")], margin=0.3835687).iloc[0]
        assert row["p_equivalence"] == pytest.approx(0.003875522, rel=1e-5)
        assert row["df"] == pytest.approx(181.1344, abs=5e-5)

    def test_difference_is_scipys_welch_test(self):
        row = compare(self.TOSTER, [("two", "one")], margin=1).iloc[0]
        test = stats.ttest_ind_from_stats(5.22, 0.83, 89, 5.25, 0.95, 95, equal_var=False)
        assert row["p"] == pytest.approx(test.pvalue)
        assert row["difference"] == pytest.approx(-0.03)
        assert (row["low"], row["high"]) == pytest.approx((-row["smallest_margin_wide"], row["high"]))
        assert row["low"] < row["narrow_low"] < row["narrow_high"] < row["high"]

    def test_superiority_is_that_of_normal_values(self):
        frame = groups(one=(9, 4, 0.6), two=(9, 3, 0.8))
        rng = np.random.default_rng(0)
        above = (rng.normal(4, 0.6, 200_000) > rng.normal(3, 0.8, 200_000)).mean()
        row = compare(frame, [("one", "two")], margin=1).iloc[0]
        assert row["superiority"] == pytest.approx(above, abs=0.005)
        assert row["sd"] == pytest.approx(np.sqrt((0.36 + 0.64) / 2))

    def test_an_unknown_group_is_refused(self):
        with pytest.raises(ValueError, match="pairs: found 'three'"):
            compare(self.TOSTER, [("one", "three")], margin=1)


class TestVerdicts:
    def test_all_four_words(self):
        frame = pd.DataFrame(
            {"narrow_low": [-0.2, 0.1, 0.1], "narrow_high": [0.2, 0.4, 0.8], "p": [0.8, 0.01, 0.01]}
        )
        assert verdicts(frame, [0.5, 0.15]).to_numpy().tolist() == [
            ["equivalent", "undecided"],
            ["both", "different"],
            ["different", "different"],
        ]

    def test_takes_an_adjusted_p(self):
        frame = pd.DataFrame({"narrow_low": [0.1], "narrow_high": [0.4], "p": [0.01], "holm": [0.1]})
        assert verdicts(frame, [0.5], p="holm").to_numpy().tolist() == [["equivalent"]]


class TestChanceOfClaim:
    # Sizes that TOSTER's powerTOSTtwo prints for 80 % power, alpha 0.05 and no true difference.
    @pytest.mark.parametrize(("n", "bound"), [(1712.769, 0.1), (1712.769 / 16, 0.4)])
    def test_is_that_of_tosters_power_two(self, n, bound):
        assert chance_of_claim([0], np.sqrt(2 / n), np.inf, bound)[0] == pytest.approx(0.8, abs=1e-5)

    def test_is_alpha_at_the_margin_where_the_other_side_is_far(self):
        assert chance_of_claim([-1, 1], 0.1, np.inf, 1) == pytest.approx([0.05, 0.05])

    def test_agrees_with_simulated_tests_of_groups_as_large_as_the_papers(self):
        rng = np.random.default_rng(0)
        frame = groups(one=(67, 0.7, 0.77), two=(52, 0, 0.91))
        se, df = compare(frame, [("one", "two")], margin=1).loc[0, ["se", "df"]]
        one, two = rng.normal(0.7, 0.77, (4000, 67)), rng.normal(0, 0.91, (4000, 52))
        low = stats.ttest_ind(one, two - 1, axis=1, equal_var=False, alternative="greater").pvalue
        high = stats.ttest_ind(one, two + 1, axis=1, equal_var=False, alternative="less").pvalue
        claimed = (np.maximum(low, high) < 0.05).mean()
        assert chance_of_claim([0.7], se, df, 1)[0] == pytest.approx(claimed, abs=0.03)

    def test_a_margin_below_the_quantile_never_allows_a_claim(self):
        assert chance_of_claim([0, 0.1], 0.2, np.inf, 0.25).tolist() == [0, 0]

    @pytest.mark.parametrize(("se", "margin"), [(0, 1), (0.1, 0), (np.nan, 1)])
    def test_impossible_input_is_refused(self, se, margin):
        with pytest.raises(ValueError, match="expected numbers above 0"):
            chance_of_claim([0], se, 10, margin)
