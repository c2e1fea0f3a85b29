import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.paths import ROOT
from helpers.stats import _rank_coefficients, _rank_inference
from helpers.stats.association import (
    implied_n,
    kendall,
    linear_slope,
    spearman,
)

VIDEO_FEEDBACK = ROOT.parent / "shared" / "data" / "video_feedback"

# statpsych (R; Bonett), example of ci.spear.
STATPSYCH_Y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
STATPSYCH_X = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]

paired_scores = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 5), min_size=n, max_size=n)] * 2)
)


def video_feedback(metric: str) -> tuple[np.ndarray, np.ndarray]:
    path = Path(VIDEO_FEEDBACK, f"eval_video_feedback_{metric}.json")
    if not path.exists():
        pytest.skip(f"{path} is not on this machine")
    rows = json.loads(path.read_text(encoding="utf-8"))
    people, judge = (np.array([json.loads(row[key]) for row in rows], float) for key in ("ref", "ans"))
    return people, judge


def test_spearman_gives_videoscore_published_ssim_dyn():
    # TIGER-AI-Lab/VideoScore, commit bb4368b, spearman_corr_video_feedback.json, in hundredths.
    people, judge = video_feedback("SSIM-dyn")
    found = [100 * spearman(people[:, column], judge[:, column]).estimate for column in range(5)]
    assert len(people) == 128
    assert found == pytest.approx([-52.5828, -38.4505, 45.3785, -2.3005, -44.8994], abs=5e-5)


def test_videoscore_x_clip_is_undefined_as_published():
    # The published file holds null there.
    people, judge = video_feedback("X-CLIP-Score")
    result = spearman(people[:, 0], judge[:, 0])
    assert np.isnan(result.estimate)
    assert "undefined" in result.method


def test_spearman_gives_r_statpsych_bonett_wright():
    result = spearman(STATPSYCH_X, STATPSYCH_Y)
    assert result.estimate == pytest.approx(0.8699639, abs=5e-8)
    assert (result.low, result.high) == pytest.approx((0.5840951, 0.9638297), abs=5e-8)


def test_spearman_gives_scipy_documentation_example():
    assert spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]).estimate == pytest.approx(0.820782681668, abs=5e-13)


def test_kendall_gives_scipy_documentation_example():
    result = kendall([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    assert result.estimate == pytest.approx(-0.471404520791, abs=5e-13)


def test_kendall_by_hand_with_ties():
    # 8 concordant pairs, none discordant, 9 pairs untied in each variable: 8 / sqrt(9 × 9).
    assert kendall([1, 2, 2, 3, 4], [1, 3, 2, 3, 5]).estimate == pytest.approx(8 / 9)


@pytest.mark.parametrize(
    ("function", "y", "p"),
    [
        # Kendall, Rank Correlation Methods, tables 1 and 2: probability of this or a larger value, doubled.
        (kendall, [1, 2, 3, 4], 2 / 24),
        (kendall, [1, 2, 3, 5, 4], 2 * 5 / 120),
        (spearman, [1, 2, 3, 4], 2 / 24),
        (spearman, [1, 2, 3, 5, 4], 2 * 5 / 120),
        # Sum of squared differences 12 at n = 7: rho 0.786, one-sided 0.024.
        (spearman, [2, 1, 4, 3, 7, 6, 5], 2 * 0.0240),
    ],
)
def test_exact_p_of_published_tables(function, y, p):
    result = function(range(1, len(y) + 1), y)
    assert result.p == pytest.approx(p, abs=2e-4)
    assert "exact p (all permutations)" in result.method


@pytest.mark.parametrize("function", [spearman, kendall])
def test_exact_p_with_ties_agrees_with_scipy_permutation_test(function):
    x, y = [1, 2, 2, 3, 4, 4], [2, 1, 3, 3, 5, 3]
    reference = {spearman: stats.spearmanr, kendall: stats.kendalltau}[function]
    expected = stats.permutation_test(
        (x,), lambda x: reference(x, y).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    assert function(x, y).p == pytest.approx(expected.pvalue)


def test_p_of_many_pairs_is_scipys():
    rng = np.random.default_rng(0)
    x = rng.integers(1, 6, 80)
    y = np.clip(x + rng.integers(-2, 3, 80), 1, 5)
    assert spearman(x, y).p == pytest.approx(stats.spearmanr(x, y).pvalue)
    assert kendall(x, y).p == pytest.approx(stats.kendalltau(x, y).pvalue)


@pytest.mark.parametrize("function", [spearman, kendall])
def test_seeded_permutation_p_is_near_the_large_sample_p(function):
    rng = np.random.default_rng(5)
    x = rng.integers(1, 6, 28)
    y = x + rng.integers(-4, 5, 28)
    reference = {spearman: stats.spearmanr, kendall: stats.kendalltau}[function]
    result = function(x, y)
    assert "permutation p (9,999 draws)" in result.method
    assert result.p == pytest.approx(reference(x, y).pvalue, abs=0.01)
    assert function(x, y, seed=0) == result


@settings(max_examples=30, deadline=None)
@given(paired_scores)
def test_permuted_values_are_those_of_reordered_data(xy):
    x, y = (np.array(values, float) for values in xy)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    orders = np.random.default_rng(0).permuted(np.tile(np.arange(x.size), (5, 1)), axis=1)
    for kind, reference in (
        (_rank_coefficients.SPEARMAN, stats.spearmanr),
        (_rank_coefficients.KENDALL, stats.kendalltau),
    ):
        # Which of the two variables is reordered is left open, so either answer is right.
        found = kind.permuted(x, y, orders)
        ways = [
            [reference(x, y[order]).statistic for order in orders],
            [reference(x[order], y).statistic for order in orders],
        ]
        assert any(np.allclose(found, way) for way in ways)


@pytest.mark.parametrize("function", [spearman, kendall])
def test_rare_values_are_permuted_in_large_samples(function):
    # Two of sixty clips score at all, and x ranks them first and second of sixty: by hand, one of
    # 60 × 59 / 2 = 1,770 ways, and one more at the other end.
    y = np.zeros(60)
    y[:2] = 1
    result = function(np.arange(60), y)
    assert "permutation p" in result.method
    assert result.p == pytest.approx(2 / 1770, abs=1e-3)


def test_kendall_exact_p_without_ties_is_scipys():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 15))
    result = kendall(x, y)
    assert result.p == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)
    assert "exact p" in result.method


def test_fisher_and_fieller_intervals_by_their_formulas():
    # Fieller, Hartley and Pearson (1957): variances 1.06/(n - 3) and 0.437/(n - 4) of atanh.
    rho, tau = spearman(STATPSYCH_X, STATPSYCH_Y, interval="fisher"), kendall(STATPSYCH_X, STATPSYCH_Y)
    for result, variance in ((rho, 1.06 / 12), (tau, 0.437 / 11)):
        z = np.arctanh([result.low, result.estimate, result.high])
        assert np.diff(z) == pytest.approx([1.959964 * np.sqrt(variance)] * 2, abs=1e-6)


@pytest.mark.parametrize(("function", "least"), [(spearman, 4), (kendall, 5)])
def test_no_interval_below_the_fewest_pairs(function, least):
    few = function(range(least - 1), [1, 0, *range(2, least - 1)])
    assert np.isnan([few.low, few.high]).all()
    assert f"no interval below {least} pairs" in few.method
    assert np.isfinite(function(range(least), [1, 0, *range(2, least)]).low)


@pytest.mark.parametrize("function", [spearman, kendall])
@pytest.mark.parametrize("direction", [1, -1])
def test_perfect_order_still_has_an_interval(function, direction):
    x = np.arange(7)
    result = function(x, direction * x)
    assert result.estimate == direction
    ends = sorted([abs(result.low), abs(result.high)])
    assert ends[1] == 1
    assert 0.6 < ends[0] < 1


def test_perfect_order_interval_covers_like_the_others():
    # 7 normal pairs with true rho 0.93; a perfect order appears in about one sample of eight.
    rng = np.random.default_rng(6)
    r = 0.94
    truth = 6 / np.pi * np.arcsin(r / 2)
    perfect, covered = 0, 0
    for _ in range(1500):
        x = rng.normal(size=7)
        y = r * x + np.sqrt(1 - r**2) * rng.normal(size=7)
        ranks = stats.rankdata(x), stats.rankdata(y)
        if (ranks[0] == ranks[1]).all():
            perfect += 1
            result = _rank_inference._z_interval(_rank_coefficients.SPEARMAN, 1.0, 7, "bonett-wright", 0.95)
            covered += result[0] <= truth <= result[1]
    assert perfect > 50
    assert covered / perfect > 0.9


@pytest.mark.parametrize("function", [spearman, kendall])
def test_bootstrap_interval_agrees_with_scipy(function):
    rng = np.random.default_rng(2)
    x = rng.integers(1, 6, 60)
    y = np.clip(x + rng.integers(-2, 3, 60), 1, 5)
    reference = {spearman: stats.spearmanr, kendall: stats.kendalltau}[function]
    expected = stats.bootstrap(
        (x, y),
        lambda x, y: reference(x, y).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=1000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    result = function(x, y, interval="bootstrap")
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=0.03)
    assert result.details["undefined_resamples"] == 0


def test_two_computations_of_the_kendall_bootstrap_agree(monkeypatch):
    rng = np.random.default_rng(3)
    x, y = rng.integers(1, 5, size=(2, 20))
    matrix = kendall(x, y, interval="bootstrap", resamples=200)
    monkeypatch.setattr(_rank_coefficients, "MATRIX_PAIRS", 0)
    loop = kendall(x, y, interval="bootstrap", resamples=200)
    assert (loop.low, loop.high) == pytest.approx((matrix.low, matrix.high))


def test_resamples_without_variation_are_counted():
    result = spearman([1, 1, 1, 2], [1, 2, 3, 4], interval="bootstrap", resamples=1000)
    # By hand: x does not vary in (3/4)^4 + (1/4)^4 = 0.32 of the resamples.
    assert result.details["undefined_resamples"] == pytest.approx(320, abs=60)
    assert np.isfinite(result.low)


def test_no_bootstrap_interval_where_no_resample_varies():
    # Of one resample of two pairs, one in two draws the same pair twice.
    results = [spearman([1, 2], [1, 2], interval="bootstrap", resamples=1, seed=seed) for seed in range(12)]
    undefined = [result.details["undefined_resamples"] for result in results]
    assert set(undefined) == {0, 1}
    assert [np.isnan(result.low) for result in results] == [count == 1 for count in undefined]


@settings(max_examples=60, deadline=None)
@given(paired_scores, st.sampled_from([spearman, kendall]), st.randoms(use_true_random=False))
def test_rank_correlations_bounds_symmetry_and_invariance(xy, function, random):
    x, y = (np.array(values, float) for values in xy)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    result = function(x, y)
    assert -1 <= result.estimate <= 1
    assert 0 < result.p <= 1
    assert not result.low > result.estimate
    assert not result.high < result.estimate
    assert function(y, x).estimate == pytest.approx(result.estimate)
    assert function(-x, y).estimate == pytest.approx(-result.estimate)
    assert function(np.exp(x), y).estimate == pytest.approx(result.estimate)
    order = np.array(random.sample(range(x.size), x.size))
    shuffled = function(x[order], y[order])
    assert shuffled.estimate == pytest.approx(result.estimate)
    assert shuffled.p == pytest.approx(result.p, abs=0.03)


@settings(max_examples=25, deadline=None)
@given(paired_scores)
def test_estimates_agree_with_scipy(xy):
    assume(np.ptp(xy[0]) > 0 and np.ptp(xy[1]) > 0)
    assert spearman(*xy).estimate == pytest.approx(stats.spearmanr(*xy).statistic, abs=1e-12)
    assert kendall(*xy).estimate == pytest.approx(stats.kendalltau(*xy).statistic, abs=1e-12)


@pytest.mark.parametrize("function", [spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([3, 3, 3], [1, 2, 3], "constant x"),
        ([1, 2, 3], [3, 3, 3], "constant y"),
        ([3, 3], [3, 3], "constant x and y"),
        ([3], [3], "a single pair"),
    ],
)
def test_undefined_correlation_is_nan_and_says_why(function, x, y, reason):
    result = function(x, y)
    assert np.isnan([result.estimate, result.low, result.high, result.p]).all()
    assert result.method.endswith(f"undefined, {reason}")


# GAP (GeoAttraction-500), table 1; the regions of its table 2 account for 449 attractions.
@pytest.mark.parametrize(
    ("rho", "p", "fits_449"),
    [
        (-1.94e-2, 6.82e-1, True),
        (2.47e-1, 1.20e-7, True),
        (9.63e-2, 4.14e-2, True),
        (1.93e-1, 3.86e-5, True),
        (2.30e-1, 8.90e-7, False),
    ],
)
def test_gap_table_1_implies_about_449_attractions(rho, p, fits_449):
    implied = implied_n(rho, p)
    assert (implied.low <= 449 <= implied.high) == fits_449
    assert 440 < implied.low <= implied.nearest <= implied.high < 455


@given(st.integers(4, 3000), st.floats(0.01, 0.95), st.integers(2, 6))
def test_implied_n_holds_the_true_n(n, rho, digits):
    p = 2 * stats.t.sf(rho * np.sqrt((n - 2) / (1 - rho**2)), n - 2)
    assume(1e-12 < p < 0.99)
    implied = implied_n(float(f"{rho:.{digits - 1}e}"), float(f"{p:.{digits - 1}e}"), digits=digits)
    assert implied.low <= n <= implied.high
    assert implied.low <= implied.nearest <= implied.high


def test_implied_n_is_empty_where_no_whole_n_fits():
    implied = implied_n(0.5, 0.123456789, digits=9)
    assert implied.low > implied.high


def test_linear_slope_is_scipys_with_hc3_by_its_formula():
    # MacKinnon and White (1985): (X'X)^-1 X' diag(e²/(1 - h)²) X (X'X)^-1.
    rng = np.random.default_rng(7)
    x = rng.lognormal(12, 1.5, 200)  # page views
    y = 3 + 4e-6 * x + rng.normal(size=200) * (1 + x / x.max())
    result = linear_slope(x, y)
    line = stats.linregress(x, y)
    assert (result.estimate, result.details["intercept"]) == pytest.approx((line.slope, line.intercept))
    assert result.details["r_squared"] == pytest.approx(line.rvalue**2)
    centred = x - x.mean()
    leverage = 1 / 200 + centred**2 / (centred**2).sum()
    residuals = y - line.intercept - line.slope * x
    se = np.sqrt((centred**2 * (residuals / (1 - leverage)) ** 2).sum()) / (centred**2).sum()
    assert result.details["se"] == pytest.approx(se)
    assert result.p == pytest.approx(2 * stats.t.sf(abs(line.slope / se), 198))


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-3, 1e7), st.floats(-100, 100))
def test_linear_slope_follows_a_change_of_units(unit, shift):
    x, y = np.array(STATPSYCH_X, float), np.array(STATPSYCH_Y, float)
    before, after = linear_slope(x, y), linear_slope((x + shift) * unit, y)
    assert after.estimate * unit == pytest.approx(before.estimate)
    assert after.p == pytest.approx(before.p)


@pytest.mark.parametrize(
    ("x", "y", "estimate", "words"),
    [
        ([2, 2, 2], [1, 2, 3], np.nan, "x is constant"),
        ([1, 2, 3], [2, 2, 2], 0, "y is constant"),
        ([0, 0, 0, 1], [1, 2, 3, 4], 2, "one point alone"),
    ],
)
def test_linear_slope_without_a_test_says_why(x, y, estimate, words):
    result = linear_slope(x, y)
    assert result.estimate == pytest.approx(estimate, nan_ok=True, abs=1e-12)
    assert np.isnan([result.low, result.p]).all()
    assert words in result.method


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spearman([], []), "found 0 pairs"),
        (lambda: spearman([1, 2], [1]), "x has 2 values and y has 1"),
        (lambda: spearman([1, np.nan], [1, 2]), "x: found nan at position 1"),
        (lambda: spearman([[1, 2]], [1, 2]), "x: found shape"),
        (lambda: spearman([1, 2], [1, 2], interval="fieller"), "interval: found 'fieller'"),
        (lambda: kendall([1, 2], [1, 2], interval="fisher"), "interval: found 'fisher'"),
        (lambda: kendall([1, 2], [1, 2], level=95), "level: found 95"),
        (lambda: spearman([1, 2], [1, 2], interval="bootstrap", resamples=0), "resamples: found 0"),
        (lambda: implied_n(0, 0.5), "estimate: found 0"),
        (lambda: implied_n(1, 0.5), "estimate: found 1"),
        (lambda: implied_n(0.3, 0), "p: found 0"),
        (lambda: implied_n(0.3, 0.5, digits=0), "digits: found 0"),
        (lambda: linear_slope([1, 2], [1, 2]), "found 2 pairs, expected at least 3"),
        (lambda: linear_slope([1, 2, 3], [1, 2, 3], level=0), "level: found 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
