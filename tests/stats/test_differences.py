from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.stats.differences import (
    benjamini_hochberg,
    holm,
    rank_sum_exact,
    welch,
    wilcoxon_paired,
)

ZERO_METHODS = ("pratt", "wilcox", "zsplit")

# R, datasets::sleep: extra hours of sleep of ten patients under two drugs (Student 1908).
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

scores = st.lists(st.integers(1, 5), min_size=2, max_size=9)
paired_scores = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 5), min_size=n, max_size=n)] * 2)
)


def test_welch_gives_r_t_test_on_sleep():
    sd = np.std(SLEEP_1, ddof=1), np.std(SLEEP_2, ddof=1)
    result = welch(np.mean(SLEEP_1), sd[0], 10, np.mean(SLEEP_2), sd[1], 10)
    assert result.details["t"] == pytest.approx(-1.8608, abs=5e-5)
    assert result.details["df"] == pytest.approx(17.776, abs=5e-4)
    assert result.p == pytest.approx(0.07939, abs=5e-6)
    assert result.low == pytest.approx(-3.3654832, abs=5e-8)
    assert result.high == pytest.approx(0.2054832, abs=5e-8)


@given(scores, scores)
def test_welch_agrees_with_scipy(x, y):
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)  # scipy warns of a constant group
    ours = welch(np.mean(x), np.std(x, ddof=1), len(x), np.mean(y), np.std(y, ddof=1), len(y))
    theirs = stats.ttest_ind(x, y, equal_var=False)
    interval = theirs.confidence_interval()
    assert (ours.p, ours.low, ours.high) == pytest.approx((theirs.pvalue, interval.low, interval.high))


def test_welch_without_variation_tests_nothing():
    result = welch(3, 0, 5, 2, 0, 5)
    assert result.estimate == 1
    assert np.isnan([result.p, result.low, result.high]).all()
    assert "standard error is 0" in result.method


def test_wilcoxon_gives_scipy_documentation_example():
    differences = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    result = wilcoxon_paired(differences, [0] * 15)
    assert result.details["w"] == 24
    assert result.p == pytest.approx(0.041259765625, abs=1e-15)


def test_wilcoxon_gives_r_on_hollander_wolfe_depression():
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = wilcoxon_paired(before, after)
    assert result.p == pytest.approx(0.0390625)  # R: V = 40, one-sided 0.01953
    assert (result.estimate, result.low, result.high) == pytest.approx((0.46, 0.01, 0.786))


@pytest.mark.parametrize("zero_method", ZERO_METHODS)
@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_wilcoxon_balanced_with_zeros_has_p_1_scipy_issue_10223(zero_method, method):
    differences = [1] * 15 + [0] * 40 + [-1] * 15
    assert wilcoxon_paired(differences, [0] * 70, zero_method=zero_method, method=method).p == 1


@pytest.mark.parametrize(("zero_method", "p"), [("wilcox", 0.0547), ("pratt", 0.0391)])
def test_wilcoxon_with_zeros_gives_scipy_1_17(zero_method, p):
    result = wilcoxon_paired([0, 0, 1, 2, 3, -4, 5, 6, 7, 8], [0] * 10, zero_method=zero_method)
    assert result.p == pytest.approx(p, abs=5e-5)
    assert result.details["zeros"] == 2


@pytest.mark.parametrize("zero_method", ZERO_METHODS)
def test_wilcoxon_of_zero_differences_has_p_1(zero_method):
    result = wilcoxon_paired([3, 4, 3], [3, 4, 3], zero_method=zero_method)
    assert (result.estimate, result.p) == (0, 1)
    assert "all differences are zero" in result.method


def test_wilcoxon_ties_differences_that_differ_in_the_last_bit():
    result = wilcoxon_paired([0.3, 0.2, 0.9], [0.2, 0.1, 0.5])
    assert result.details["ties"] == 2


def signed_rank_p_by_enumeration(differences, zero_method):
    """Every sign of every non-zero difference, the rank sum itself computed by scipy's statistic."""
    nonzero = [d for d in differences if d]
    kept = nonzero if zero_method == "wilcox" else differences
    ranks = stats.rankdata(np.abs(kept))[np.array(kept) != 0]
    sums = np.array([np.dot(signs, ranks) for signs in product([-1, 1], repeat=len(ranks))])
    return np.mean(np.abs(sums) >= abs(np.dot(np.sign(nonzero), ranks)) - 1e-9)


@settings(max_examples=60, deadline=None)
@given(paired_scores, st.sampled_from(ZERO_METHODS))
def test_wilcoxon_exact_p_counts_every_sign(xy, zero_method):
    differences = [a - b for a, b in zip(*xy, strict=True)]
    assume(any(differences))
    result = wilcoxon_paired(*xy, zero_method=zero_method, method="exact")
    assert result.p == pytest.approx(signed_rank_p_by_enumeration(differences, zero_method))


def test_wilcoxon_exact_and_normal_agree_in_a_large_sample():
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 6, size=(2, 150))
    exact, normal = (wilcoxon_paired(x, y, method=method) for method in ("exact", "asymptotic"))
    assert exact.p == pytest.approx(normal.p, abs=0.005)
    assert exact.details["w"] == normal.details["w"]


def test_hodges_lehmann_exact_and_normal_ranks_agree_around_the_switch():
    rng = np.random.default_rng(2)
    x = rng.normal(0.3, size=201)
    below, above = wilcoxon_paired(x[:200], np.zeros(200)), wilcoxon_paired(x, np.zeros(201))
    assert (below.low, below.high) == pytest.approx((above.low, above.high), abs=0.02)


@settings(max_examples=50, deadline=None)
@given(paired_scores, st.floats(0.01, 100), st.integers(-3, 3))
def test_wilcoxon_symmetry_and_equivariance(xy, factor, shift):
    x, y = (np.array(values, float) for values in xy)
    result, swapped = wilcoxon_paired(x, y), wilcoxon_paired(y, x)
    assert swapped.estimate == pytest.approx(-result.estimate)
    assert swapped.p == pytest.approx(result.p)
    scaled = wilcoxon_paired(x * factor + shift, y * factor + shift)
    assert scaled.p == pytest.approx(result.p)
    assert scaled.estimate == pytest.approx(result.estimate * factor, abs=1e-9)


def test_rank_sum_gives_r_on_hollander_wolfe_placenta():
    x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    y = [1.15, 0.88, 0.90, 0.74, 1.21]
    result = rank_sum_exact(x, y)
    assert result.details["u"] == 35
    assert result.p / 2 == pytest.approx(0.1272, abs=5e-5)  # R prints the one-sided p
    assert result.estimate == 0.7


def test_rank_sum_of_four_against_three_can_reach_one_in_35_on_each_side():
    result = rank_sum_exact([1, 2, 3, 4], [5, 6, 7])
    assert result.p == pytest.approx(2 / 35)
    assert result.details["smallest_p"] == pytest.approx(2 / 35)
    assert result.estimate == 0
    assert result.low == 0
    assert 0 < result.high < 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5), st.lists(st.integers(1, 4), min_size=1, max_size=5)
)
def test_rank_sum_counts_every_deal(x, y):
    ranks = stats.rankdata(x + y)
    sums = np.array([sum(deal) for deal in combinations(ranks, len(x))])
    far = np.abs(sums - len(x) * (len(x) + len(y) + 1) / 2)
    expected = np.mean(far >= abs(ranks[: len(x)].sum() - len(x) * (len(x) + len(y) + 1) / 2) - 1e-9)
    result, swapped = rank_sum_exact(x, y), rank_sum_exact(y, x)
    assert result.p == pytest.approx(expected)
    assert swapped.p == pytest.approx(result.p)
    assert swapped.estimate == pytest.approx(1 - result.estimate)
    assert (swapped.low, swapped.high) == pytest.approx((1 - result.high, 1 - result.low), abs=1e-6)
    assert 0 <= result.low <= result.estimate <= result.high <= 1


def test_rank_sum_agrees_with_scipy_exact_without_ties():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=25), rng.normal(0.4, size=18)
    expected = stats.mannwhitneyu(x, y, method="exact")
    result = rank_sum_exact(x, y)
    assert (result.details["u"], result.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_newcombe_interval_solves_his_equation_for_method_5():
    # Newcombe (2006), method 5: |estimate - end| = z standard errors at that end.
    result = rank_sum_exact([1, 5, 6, 7], [2, 3, 4])
    z, spare = stats.norm.ppf(0.975), (4 + 3) / 2 - 1
    for end in (result.low, result.high):
        variance = end * (1 - end) * (1 + spare * ((1 - end) / (2 - end) + end / (1 + end))) / 12
        assert abs(result.estimate - end) == pytest.approx(z * np.sqrt(variance))


# Benjamini and Hochberg (1995), section 4: fifteen hypotheses, of which their rule rejects the first four at
# 0.05, Bonferroni's (and Holm's) the first three.
BH_1995 = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
BH_1995 += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]


@pytest.mark.parametrize(("adjust", "rejected"), [(holm, 3), (benjamini_hochberg, 4)])
def test_adjusted_p_of_benjamini_hochberg_1995(adjust, rejected):
    assert np.flatnonzero(adjust(BH_1995) < 0.05).tolist() == list(range(rejected))


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusting_keeps_order_and_bounds(p):
    p = np.array(p)
    order = np.argsort(p, kind="stable")
    strict, mild = holm(p), benjamini_hochberg(p)
    assert (p <= mild + 1e-12).all()
    assert (mild <= strict + 1e-12).all()
    assert (strict <= 1).all()
    assert (np.diff(strict[order]) >= -1e-12).all()
    assert (np.diff(mild[order]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: welch(1, 1, 1, 2, 1, 5), "first group: found n = 1"),
        (lambda: welch(1, 1, 5, 2, -1, 5), "second group: found sd = -1"),
        (lambda: welch(1, float("nan"), 5, 2, 1, 5), "first group: found sd = nan"),
        (lambda: welch(float("nan"), 1, 5, 2, 1, 5), "found nan"),
        (lambda: welch(1, 1, 5, 2, 1, 5, level=95), "level: found 95"),
        (lambda: wilcoxon_paired([1, 2], [1]), "x has 2 values and y has 1"),
        (lambda: wilcoxon_paired([], []), "found 0 pairs"),
        (lambda: wilcoxon_paired([1, np.nan], [1, 2]), "x: found nan at position 1"),
        (lambda: wilcoxon_paired([1], [2], zero_method="drop"), "zero_method: found 'drop'"),
        (lambda: wilcoxon_paired([1], [2], method="guess"), "method: found 'guess'"),
        (lambda: rank_sum_exact([], [1]), "found 0 values in x"),
        (lambda: rank_sum_exact([1], range(201)), "found 1 values in x and 201 in y"),
        (lambda: rank_sum_exact([1], [np.inf]), "y: found inf"),
        (lambda: holm([]), "found 0 p-values"),
        (lambda: holm([0.5, 1.2]), "p: found 1.2"),
        (lambda: benjamini_hochberg([0.5, np.nan]), "p: found nan at position 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
