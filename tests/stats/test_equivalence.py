import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from helpers.stats.equivalence import (
    bootstrap_equivalence,
    smallest_margin,
    tost_paired,
    tost_paired_summary,
    tost_summary,
    verdict,
)

# pingouin, tests/test_equivalence.py, whose digits come from R's package `equivalence`.
A, B = [4, 7, 8, 6, 3, 2], [6, 8, 7, 10, 11, 9]

# GAP (GeoAttraction-500), table 2: mean, standard deviation and number of human scores a region.
GAP = {
    "Americas": (3.62, 0.77, 67),
    "Asia": (2.93, 0.91, 52),
    "Europe": (3.02, 0.86, 249),
    "North": (3.16, 0.89, 271),
    "South": (3.00, 0.81, 178),
}

means = st.floats(-5, 5)
sds = st.floats(0.1, 3)
sizes = st.integers(2, 60)
margins = st.floats(0.05, 4)
groups = st.tuples(means, sds, sizes, means, sds, sizes)


def test_tost_paired_summary_gives_toster_in_d_z_units():
    # Lakens/TOSTER, tests/testthat/test-known_results.R; bounds d_z = ±0.4.
    sd = np.sqrt(1.17**2 + 1.29**2 - 2 * 0.75 * 1.17 * 1.29)
    result = tost_paired_summary(5.83, 1.17, 5.75, 1.29, 65, 0.75, 0.4 * sd)
    details = result.details
    assert details["margin"] == pytest.approx(0.350782, abs=5e-7)
    assert details["t_lower"] == pytest.approx(3.960381, abs=5e-7)
    assert details["p_lower"] == pytest.approx(0.00009531728, abs=5e-12)
    assert details["t_upper"] == pytest.approx(-2.489426, abs=5e-7)
    assert details["p_upper"] == pytest.approx(0.00770235, abs=5e-9)
    assert details["df"] == 64
    assert (result.low, result.high) == pytest.approx((-0.1015433, 0.2615433), abs=5e-8)
    assert result.level == pytest.approx(0.90)
    assert result.p == details["p_upper"]


def test_tost_paired_summary_gives_toster_in_raw_units():
    details = tost_paired_summary(5.83, 1.17, 5.75, 1.30, 65, 0.745, 0.34).details
    assert (details["t_lower"], details["t_upper"]) == pytest.approx((3.803437, -2.354508), abs=5e-7)
    assert details["p_lower"] == pytest.approx(0.0001606103, abs=5e-11)
    assert details["p_upper"] == pytest.approx(0.01081349, abs=5e-9)


def test_tost_summary_gives_toster_welch():
    # Bounds d = ±0.43 with the root mean square of the two standard deviations.
    margin = 0.43 * np.sqrt((0.95**2 + 0.83**2) / 2)
    details = tost_summary(5.25, 0.95, 95, 5.22, 0.83, 89, margin).details
    assert margin == pytest.approx(0.3835687, abs=5e-8)
    assert (details["t_lower"], details["t_upper"]) == pytest.approx((3.14973, -2.692771), abs=5e-6)
    assert details["p_lower"] == pytest.approx(0.0009560083, abs=5e-11)
    assert details["p_upper"] == pytest.approx(0.003875522, abs=5e-10)
    assert details["df"] == pytest.approx(181.1344, abs=5e-5)


@pytest.mark.parametrize(("margin", "p"), [(1, 0.9293826), (2, 0.8286101)])
def test_tost_paired_gives_r_equivalence_by_pingouin(margin, p):
    assert tost_paired(A, B, margin).p == pytest.approx(p, abs=5e-8)


def test_tost_summary_gives_r_equivalence_welch_by_pingouin():
    result = tost_summary(np.mean(A), np.std(A, ddof=1), 6, np.mean(B), np.std(B, ddof=1), 6, 1)
    assert result.p == pytest.approx(0.9643479, abs=5e-8)
    assert result.details["df"] == pytest.approx(9.49, abs=5e-3)


paired_scores = st.integers(3, 20).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 5), min_size=n, max_size=n)] * 2)
)


@settings(max_examples=50, deadline=None)
@given(paired_scores, margins)
def test_tost_paired_agrees_with_statsmodels(xy, margin):
    x, y = (np.array(values, float) for values in xy)
    assume(np.ptp(x - y) > 0)
    p, (t_lower, p_lower, _), (t_upper, p_upper, _) = ttost_paired(x, y, -margin, margin)
    result = tost_paired(x, y, margin)
    ours = [result.p, *(result.details[name] for name in ("t_lower", "p_lower", "t_upper", "p_upper"))]
    assert ours == pytest.approx([p, t_lower, p_lower, t_upper, p_upper])


@settings(max_examples=50, deadline=None)
@given(paired_scores, margins)
def test_tost_from_summaries_agrees_with_tost_from_pairs(xy, margin):
    x, y = (np.array(values, float) for values in xy)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0 and np.ptp(x - y) > 0)
    summary = tost_paired_summary(
        x.mean(), x.std(ddof=1), y.mean(), y.std(ddof=1), x.size, np.corrcoef(x, y)[0, 1], margin
    )
    assume(summary.details["se"] > 1e-6)
    pairs = tost_paired(x, y, margin)
    assert (summary.p, summary.low, summary.high) == pytest.approx((pairs.p, pairs.low, pairs.high), abs=1e-6)


@given(groups, margins)
def test_tost_takes_the_larger_p_and_agrees_with_its_interval(group, margin):
    result = tost_summary(*group, margin)
    details = result.details
    assert result.p == max(details["p_lower"], details["p_upper"])
    assert details["p_lower"] + details["p_upper"] <= 1 + 1e-9
    inside = -margin < result.low and result.high < margin
    if abs(result.p - 0.05) > 1e-9:
        assert inside == (result.p < 0.05)
        assert inside == (details["verdict"] in ("equivalent", "both"))
    assert (details["verdict"] in ("different", "both")) == (details["p_difference"] < 0.05)


@given(groups, margins)
def test_tost_does_not_care_which_group_comes_first(group, margin):
    one, other = tost_summary(*group, margin), tost_summary(*group[3:], *group[:3], margin)
    assert other.p == pytest.approx(one.p)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low))
    assert other.details["p_lower"] == pytest.approx(one.details["p_upper"])
    assert other.details["verdict"] == one.details["verdict"]


@given(groups, margins, st.floats(0.01, 3))
def test_a_wider_margin_never_loses_equivalence(group, margin, more):
    assert tost_summary(*group, margin + more).p <= tost_summary(*group, margin).p


@given(groups, st.sampled_from([0.01, 0.05, 0.1]))
def test_the_smallest_margin_is_where_p_crosses_alpha(group, alpha):
    smallest = smallest_margin(tost_summary(*group, 1, alpha))
    assert tost_summary(*group, smallest * 1.001, alpha).p < alpha
    assert tost_summary(*group, smallest * 0.999, alpha).p > alpha


def test_gap_americas_and_asia_are_equivalent_at_one_point_and_yet_different():
    result = tost_summary(*GAP["Americas"], *GAP["Asia"], margin=1.0)
    assert result.estimate == pytest.approx(0.69)  # GAP, table 3
    assert result.details["p_difference"] < 0.001
    assert result.details["verdict"] == "both"
    assert tost_summary(*GAP["Americas"], *GAP["Asia"], margin=0.5).details["verdict"] == "different"


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # GAP, table 3: 95 % bootstrap intervals, from the scores themselves.
    [
        ("Americas", "Asia", 0.38, 0.99),
        ("Americas", "Europe", 0.38, 0.81),
        ("Europe", "Asia", -0.17, 0.36),
        ("North", "South", 0.01, 0.32),
    ],
)
def test_welch_interval_is_close_to_gap_table_3(first, second, low, high):
    details = tost_summary(*GAP[first], *GAP[second], margin=1.0).details
    assert (details["difference_low"], details["difference_high"]) == pytest.approx((low, high), abs=0.02)


@pytest.mark.parametrize(
    ("low", "high", "p_difference", "expected"),
    [
        (-0.2, 0.3, None, "equivalent"),
        (0.1, 0.3, None, "both"),
        (0.1, 0.6, None, "different"),
        (-0.6, -0.1, None, "different"),
        (-0.2, 0.6, None, "undecided"),
        (-0.2, 0.5, None, "undecided"),  # the margin itself is not inside
        (0.1, 0.3, 0.06, "equivalent"),
        (0.1, 0.3, 0.04, "both"),
        (np.nan, np.nan, None, "undecided"),
        (np.nan, np.nan, np.nan, "undecided"),
    ],
)
def test_the_four_verdicts_at_a_margin_of_a_half(low, high, p_difference, expected):
    assert verdict(low, high, 0.5, p_difference=p_difference) == expected


def test_without_variation_nothing_is_claimed():
    for result in (tost_paired([0.3, 0.2], [0.2, 0.1], 1), tost_summary(1, 0, 5, 1, 0, 5, 1)):
        assert np.isnan([result.p, result.low, smallest_margin(result)]).all()
        assert result.details["verdict"] == "undecided"
        assert "standard error is 0" in result.method


rng = np.random.default_rng(0)
X, Y = rng.normal(3.2, 1, 60), rng.normal(3, 0.8, 45)


def test_bootstrap_of_two_groups_agrees_with_scipy():
    ours = bootstrap_equivalence(X, Y, 1.0, resamples=50_000)
    theirs = stats.bootstrap(
        (X, Y),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        method="percentile",
        n_resamples=50_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)
    assert (ours.n, ours.details["clusters"]) == (105, 105)
    assert np.isnan(ours.p)


def test_bootstrap_of_pairs_agrees_with_scipy_on_differences():
    ours = bootstrap_equivalence(X[:45], Y, 1.0, paired=True, resamples=50_000)
    theirs = stats.bootstrap(
        (X[:45] - Y,), np.mean, method="percentile", n_resamples=50_000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)
    assert (ours.n, ours.details["clusters"]) == (45, 45)


def test_copies_within_a_cluster_add_nothing():
    once = bootstrap_equivalence(X[:45], Y, 1.0, paired=True)
    thrice = bootstrap_equivalence(
        np.repeat(X[:45], 3), np.repeat(Y, 3), 1.0, paired=True, clusters=np.repeat(np.arange(45), 3)
    )
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert thrice.details["clusters"] == 45


def test_clusters_in_both_groups_stay_together():
    prompts = [f"prompt {number}" for number in range(45)]
    crossed = bootstrap_equivalence(Y + 0.1, Y, 1.0, clusters=(prompts, prompts))
    apart = bootstrap_equivalence(Y + 0.1, Y, 1.0)
    assert crossed.high - crossed.low == pytest.approx(0, abs=1e-9)
    assert apart.high - apart.low > 0.5
    assert crossed.details["verdict"] == "both"


def test_clusters_of_one_group_are_never_left_out():
    result = bootstrap_equivalence([1.0, 2.0], Y, 5.0, clusters=(["a", "b"], np.arange(45).astype(str)))
    assert np.isfinite([result.low, result.high]).all()


@pytest.mark.parametrize(
    ("clusters", "group"),
    [((["a"] * 60, np.arange(45).astype(str)), "first"), ((np.arange(60), [7] * 45), "second")],
)
def test_a_group_of_one_cluster_has_no_interval_and_says_so(clusters, group):
    result = bootstrap_equivalence(X, Y, 1.0, clusters=clusters)
    assert np.isnan([result.low, result.high, result.details["smallest_margin"]]).all()
    assert result.details["verdict"] == "undecided"
    assert result.method == f"mean difference; no interval: only one of the clusters in the {group} group"


def test_the_same_seed_gives_the_same_interval_in_any_number_of_blocks(monkeypatch):
    one = bootstrap_equivalence(X, Y, 1.0, resamples=500, seed=3)
    again = bootstrap_equivalence(X, Y, 1.0, resamples=500, seed=3)
    other = bootstrap_equivalence(X, Y, 1.0, resamples=500, seed=4)
    assert one == again
    assert one.low != other.low
    monkeypatch.setattr("helpers.stats.clusters.CHUNK", 1000)
    blocks = bootstrap_equivalence(X, Y, 1.0, resamples=500, seed=3)
    assert (blocks.low, blocks.high) == (one.low, one.high)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: verdict(0, 1, 0), "margin: found 0"),
        (lambda: verdict(1, 0, 1), "found low = 1 above high = 0"),
        (lambda: tost_summary(1, 1, 9, 1, 1, 9, -0.5), "margin: found -0.5"),
        (lambda: tost_summary(1, 1, 9, 1, 1, 9, float("nan")), "margin: found nan"),
        (lambda: tost_summary(1, 1, 9, 1, 1, 9, 1, alpha=0.5), "alpha: found 0.5"),
        (lambda: tost_summary(1, 1, 1, 1, 1, 9, 1), "first group: found n = 1"),
        (lambda: tost_paired([1], [2], 1), "found 1 pairs"),
        (lambda: tost_paired([], [], 1), "found 0 pairs"),
        (lambda: tost_paired([1, 2], [2], 1), "x has 2 values and y has 1"),
        (lambda: tost_paired([1, np.nan], [2, 3], 1), "x: found nan at position 1"),
        (lambda: tost_paired_summary(1, 1, 1, 1, 1, 0.5, 1), "found 1 pairs"),
        (lambda: tost_paired_summary(1, 1, 1, 1, 9, 1.5, 1), "correlation: found 1.5"),
        (lambda: tost_paired_summary(1, -1, 1, 1, 9, 0.5, 1), "sd1 = -1"),
        (lambda: bootstrap_equivalence([1], [1, 2], 1), "x: found 1 values"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2, 3], 1, paired=True), "expected pairs"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, level=95), "level: found 95"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, resamples=0), "resamples: found 0"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, paired=True, clusters=["a"]), "for each pair"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, clusters=(["a", "b"], ["a"])), "labels of y"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, paired=True, clusters=["a", "a"]), "found one"),
        (lambda: bootstrap_equivalence([1, 2], [1, 2], 1, paired=True, clusters=["a", None]), "position 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
