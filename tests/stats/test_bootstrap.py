import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.stats import clusters
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.clusters import ratio, two_groups

# Efron & Tibshirani (1993), An Introduction to the Bootstrap, table 2.1: days that control mice survived.
CONTROL_MICE = [52, 104, 146, 10, 51, 30, 40, 27, 46]

seeds = st.integers(0, 10_000)


def scores(countries: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of 2 to 9 clips a country, and the country of each."""
    rng = np.random.default_rng(seed)
    country = np.repeat(np.arange(countries), rng.integers(2, 10, countries))
    return 3 + rng.normal(size=countries)[country] + rng.normal(size=country.size), country


@given(seeds, st.sampled_from([0.5, 0.9, 0.95]))
def test_t_interval_of_one_row_a_cluster_is_scipys_t_test(seed, level):
    values = np.random.default_rng(seed).normal(1, 2, 9)
    result = cluster_bootstrap(values, range(9), method="t", level=level, null=0.5)
    theirs = stats.ttest_1samp(values, 0.5)
    assert [result.low, result.high] == pytest.approx(list(theirs.confidence_interval(level)))
    assert result.p == pytest.approx(theirs.pvalue)


@given(seeds)
def test_standard_error_of_a_mean_is_statsmodels_cluster_robust_one(seed):
    values, country = scores(seed=seed)
    fit = sm.OLS(values, np.ones_like(values)).fit(cov_type="cluster", cov_kwds={"groups": country})
    result = cluster_bootstrap(values, country)
    assert [result.estimate, result.details["se"]] == pytest.approx([fit.params[0], fit.bse[0]])


@given(seeds)
def test_standard_error_of_a_weighted_mean_is_statsmodels_cluster_robust_one(seed):
    values, country = scores(seed=seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, values.size)
    model = sm.WLS(values, np.ones_like(values), weights=weights)
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": country})
    result = cluster_bootstrap(np.column_stack([weights * values, weights]), country, "ratio")
    assert [result.estimate, result.details["se"]] == pytest.approx([fit.params[0], fit.bse[0]])


@given(seeds)
def test_standard_error_of_a_difference_is_statsmodels_cluster_robust_one(seed):
    values, country = scores(seed=seed)
    first = np.random.default_rng(seed).random(values.size) < 0.5
    fit = sm.OLS(values, np.column_stack([first, ~first]).astype(float)).fit(
        cov_type="cluster", cov_kwds={"groups": country}
    )
    difference = fit.t_test([1, -1])
    result = cluster_bootstrap(two_groups(values, first), country, "difference")
    # statsmodels also multiplies the variance by (N - 1) / (N - K), here with K = 2 means.
    more = math.sqrt((values.size - 1) / (values.size - 2))
    assert result.estimate == pytest.approx(difference.effect[0])
    assert more * result.details["se"] == pytest.approx(difference.sd[0, 0])


@given(seeds)
def test_difference_over_pairs_is_scipys_paired_t_test(seed):
    x, y = np.random.default_rng(seed).normal(size=(2, 12))
    values = two_groups(np.concatenate([x, y]), np.arange(24) < 12)
    result = cluster_bootstrap(values, [*range(12), *range(12)], "difference", method="t", null=0)
    theirs = stats.ttest_rel(x, y)
    assert [result.low, result.high] == pytest.approx(list(theirs.confidence_interval()))
    assert result.p == pytest.approx(theirs.pvalue)


@given(seeds, st.integers(2, 9), st.integers(2, 9))
def test_difference_of_countries_of_their_own_is_scipys_welch_test(seed, first, second):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(1, 2, first), rng.normal(0, 1, second)
    values = two_groups(np.concatenate([x, y]), np.arange(first + second) < first)
    result = cluster_bootstrap(values, range(first + second), "difference", method="t", null=0)
    theirs = stats.ttest_ind(x, y, equal_var=False)
    assert [result.low, result.high] == pytest.approx(list(theirs.confidence_interval()))
    assert [result.details["df"], result.p] == pytest.approx([theirs.df, theirs.pvalue])


def of_three_and_five_countries():
    """Scores from 0 to 5 in three countries of one group and five of the other."""
    return two_groups([1, 4, 4, 5, 4.5, 5, 4, 5], np.arange(8) < 3), [
        f"country {number}" for number in range(8)
    ]


def test_the_smaller_group_decides_the_interval_of_a_difference():
    """With eight countries in all, quantiles of studentised draws of three gave [-10.0, 10.6]."""
    values, country = of_three_and_five_countries()
    result = cluster_bootstrap(values, country, "difference", unit="countries")
    assert result.method == (
        "difference; t interval over 8 countries (3 in the first group, 5 in the second)"
    )
    theirs = stats.ttest_ind([1, 4, 4], [5, 4.5, 5, 4, 5], equal_var=False).confidence_interval()
    assert [result.low, result.high] == pytest.approx(list(theirs))


def test_a_country_in_both_groups_leaves_the_degrees_of_freedom_of_the_smaller_one():
    values, country = of_three_and_five_countries()
    country[3] = country[0]
    result = cluster_bootstrap(values, country, "difference", unit="countries")
    assert result.details["df"] == 2
    assert result.method.endswith("t interval over 7 countries (3 in the first group, 5 in the second)")


def test_countries_of_their_own_are_drawn_by_group_as_scipy_does():
    x, y = np.random.default_rng(8).normal([[1], [0]], [[2], [1]], size=(2, 30))
    values = two_groups(np.concatenate([x, y[:20]]), np.arange(50) < 30)
    result = cluster_bootstrap(values, range(50), "difference", method="percentile")
    theirs = stats.bootstrap(
        (x, y[:20]), lambda x, y, axis: x.mean(axis) - y.mean(axis), method="percentile", rng=1
    )
    noise = 4 * 0.038 * theirs.standard_error
    assert [result.low, result.high] == pytest.approx(list(theirs.confidence_interval), abs=noise)
    studentised = cluster_bootstrap(values, range(50), "difference")
    assert "bootstrap-t" in studentised.method
    welch = stats.ttest_ind(x, y[:20], equal_var=False).confidence_interval()
    assert [studentised.low, studentised.high] == pytest.approx(list(welch), abs=0.15)


@pytest.mark.parametrize("method", ["auto", "t", "percentile", "bootstrap-t"])
@pytest.mark.parametrize(("rows", "group"), [([0], "first"), ([1, 2, 3, 4, 5], "second")])
def test_a_group_of_one_country_has_no_interval_and_says_so(method, rows, group):
    values = two_groups([1, 2, 3, 4, 5, 9], np.isin(np.arange(6), rows))
    result = cluster_bootstrap(values, range(6), "difference", method=method, null=0, unit="countries")
    assert np.isnan([result.low, result.high, result.p]).all()
    assert result.method == f"difference; no interval: only one of the countries in the {group} group"


def test_percentile_interval_is_near_scipys_bootstrap():
    values, country = scores(40)
    means = np.array([values[country == number].mean() for number in range(40)])
    theirs = stats.bootstrap((means,), np.mean, method="percentile", n_resamples=10_000, rng=1)
    result = cluster_bootstrap(means, range(40), method="percentile")
    # Four standard errors of the difference of two 2.5 % quantiles from 10,000 normal draws.
    noise = 4 * 0.038 * theirs.standard_error
    assert [result.low, result.high] == pytest.approx(list(theirs.confidence_interval), abs=noise)


def test_bootstrap_t_interval_of_efron_and_tibshirani_control_mice():
    result = cluster_bootstrap(CONTROL_MICE, range(9), method="bootstrap-t", level=0.9, resamples=50_000)
    assert result.estimate == pytest.approx(56.22, abs=5e-3)
    # Chapter 12.5 gives (35.82, 116.74) from 1,000 resamples; their ends are uncertain by a few days.
    assert [result.low, result.high] == pytest.approx([35.82, 116.74], rel=0.05)


@pytest.mark.parametrize("method", ["percentile", "bootstrap-t"])
def test_resampling_rows_one_by_one_gives_the_same_interval(method):
    values, country = scores(6)
    result = cluster_bootstrap(values, country, method=method, resamples=200)
    picks = np.random.default_rng(0).integers(6, size=(200, 6))
    drawn, pivots = [], []
    for pick in picks:
        rows = [values[country == number] for number in pick]
        mean = np.concatenate(rows).mean()
        size = np.mean([len(row) for row in rows])
        parts = [np.sum(row - mean) / size for row in rows]
        drawn.append(mean)
        pivots.append((mean - values.mean()) / math.sqrt(np.sum(np.square(parts)) / (6 * 5)))
    if method == "bootstrap-t":
        drawn = values.mean() - np.array(pivots) * result.details["se"]
    assert [result.low, result.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


@settings(max_examples=20)
@given(seeds, st.floats(0.1, 10), st.floats(-5, 5), st.sampled_from(["percentile", "bootstrap-t", "t"]))
def test_interval_follows_unit_and_origin(seed, scale, shift, method):
    values, country = scores(9, seed)
    result, other = (
        cluster_bootstrap(table, country, method=method, resamples=200)
        for table in (values, scale * values + shift)
    )
    assert [other.estimate, other.low, other.high] == pytest.approx(
        [scale * number + shift for number in (result.estimate, result.low, result.high)], rel=1e-6, abs=1e-6
    )


@settings(max_examples=20)
@given(seeds, st.sampled_from(["percentile", "bootstrap-t", "t"]))
def test_names_of_clusters_and_rows_within_them_do_not_matter(seed, method):
    values, country = scores(9, seed)
    order = np.lexsort([values, country])
    result = cluster_bootstrap(values, country, method=method, resamples=200)
    other = cluster_bootstrap(
        values[order], [f"country {number}" for number in country[order]], method=method, resamples=200
    )
    assert [other.low, other.high] == pytest.approx([result.low, result.high])


@given(seeds, st.sampled_from(["percentile", "bootstrap-t", "t"]))
def test_a_higher_level_gives_a_wider_interval(seed, method):
    values, country = scores(9, seed)
    narrow, wide = (
        cluster_bootstrap(values, country, method=method, resamples=300, level=level) for level in (0.8, 0.95)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


@given(seeds, st.sampled_from(["percentile", "bootstrap-t", "t"]))
def test_p_is_small_where_the_interval_leaves_the_null_out(seed, method):
    values, country = scores(9, seed)
    result = cluster_bootstrap(values, country, method=method, resamples=999, null=2.5)
    assert 0 < result.p <= 1
    if not 0.04 < result.p < 0.06:
        assert (result.p > 0.05) == (result.low <= 2.5 <= result.high)


def test_pairs_stay_together():
    rng = np.random.default_rng(4)
    difficulty = 2 * rng.normal(size=50)
    x, y = 0.5 + difficulty + rng.normal(size=50), difficulty + rng.normal(size=50)
    values, first = np.concatenate([x, y]), np.arange(100) < 50
    together = cluster_bootstrap(two_groups(values, first), [*range(50), *range(50)], "difference")
    apart = cluster_bootstrap(two_groups(values, first), range(100), "difference")
    assert together.high - together.low < 0.6 * (apart.high - apart.low)
    assert together.estimate == pytest.approx(apart.estimate)


def test_the_cluster_decides_what_the_claim_generalises_over():
    rng = np.random.default_rng(2)
    rater = np.tile(np.arange(3), 300)
    values = np.array([2.0, 3.0, 4.0])[rater] + rng.normal(size=900)
    videos = cluster_bootstrap(values, np.repeat(np.arange(300), 3), unit="videos")
    raters = cluster_bootstrap(values, rater, unit="raters")
    assert raters.high - raters.low > 10 * (videos.high - videos.low)
    assert "300 videos" in videos.method
    assert "3 raters" in raters.method


def test_a_function_of_column_totals():
    def odds_ratio(totals):
        return totals[..., 0] * totals[..., 3] / (totals[..., 1] * totals[..., 2])

    cells = np.random.default_rng(5).integers(1, 9, size=(30, 4))
    result = cluster_bootstrap(cells, range(30), odds_ratio)
    a, b, c, d = cells.sum(axis=0)
    assert result.estimate == pytest.approx(a * d / (b * c))
    assert result.low < result.estimate < result.high
    assert result.method.startswith("odds ratio; bootstrap-t interval")


def test_named_ratio_is_the_public_function():
    columns = np.random.default_rng(6).uniform(1, 2, size=(30, 2))
    named, given = (cluster_bootstrap(columns, range(30), statistic) for statistic in ("ratio", ratio))
    assert named == given


@pytest.mark.parametrize(
    ("count", "bounds", "chosen"),
    [
        (2, (-math.inf, math.inf), "t"),
        (7, (-math.inf, math.inf), "t"),
        (8, (-math.inf, math.inf), "bootstrap-t"),
        (40, (0, math.inf), "bootstrap-t"),
        (3, (-9, 9), "logit"),
        (40, (-9, 9), "logit"),
    ],
)
def test_auto_and_the_number_of_clusters_in_the_method(count, bounds, chosen):
    values, country = scores(count)
    result = cluster_bootstrap(values, country, unit="countries", bounds=bounds)
    assert f"; {chosen} interval" in result.method
    assert f"{count} countries" in result.method
    assert result.details["clusters"] == count
    assert result.details["df"] == count - 1
    assert result == cluster_bootstrap(values, country, method=chosen, unit="countries", bounds=bounds)


def test_seed_fixes_the_interval():
    values, country = scores()
    first, again, other = (cluster_bootstrap(values, country, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.low != other.low


def test_chunks_change_nothing(monkeypatch):
    values, country = scores()
    whole = cluster_bootstrap(values, country)
    monkeypatch.setattr(clusters, "CHUNK", 1000)
    assert cluster_bootstrap(values, country) == whole


@pytest.mark.parametrize("method", ["t", "bootstrap-t", "percentile"])
def test_bounds_cut_the_other_intervals(method):
    answers = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 0])
    free, cut = (
        cluster_bootstrap(answers, range(10), method=method, bounds=bounds, resamples=500)
        for bounds in ((-9, 9), (0.5, 0.7))
    )
    assert free.low < 0.5 < 0.7 < free.high
    assert [cut.low, cut.high] == [0.5, 0.7]


@given(seeds)
def test_logit_interval_is_statsmodels_cluster_robust_logistic_regression(seed):
    _, country = scores(seed=seed)
    rng = np.random.default_rng(seed)
    answers = (rng.random(country.size) < rng.uniform(0.3, 0.9, 12)[country]).astype(float)
    model = sm.GLM(answers, np.ones_like(answers), family=sm.families.Binomial())
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": country}, use_t=True, tol=1e-12)
    half = stats.t.ppf(0.975, 11) * fit.bse[0]
    theirs = 1 / (1 + np.exp(-fit.params[0] - np.array([-half, half])))
    p = 2 * stats.t.sf(abs(fit.params[0]) / fit.bse[0], 11)
    result = cluster_bootstrap(answers, country, bounds=(0, 1), null=0.5)
    assert [result.low, result.high, result.p] == pytest.approx([*theirs, p], rel=1e-5)


def test_logit_interval_of_a_correlation_is_fishers_z():
    values = np.array([0.2, 0.5, 0.6, 0.3, 0.7])
    result = cluster_bootstrap(values, range(5), bounds=(-1, 1))
    mean = values.mean()
    half = stats.t.ppf(0.975, 4) * values.std(ddof=1) / math.sqrt(5) / (1 - mean**2)
    ends = np.tanh(np.arctanh(mean) + np.array([-half, half]))
    assert [result.low, result.high] == pytest.approx(ends)


@given(st.lists(st.integers(1, 5), min_size=4, max_size=30))
def test_logit_interval_stays_inside_the_scale(values):
    result = cluster_bootstrap(values, np.arange(len(values)) // 2, bounds=(1, 5))
    assert math.isnan(result.low) or 1 <= result.low < result.estimate < result.high <= 5


def test_one_cluster_has_no_interval_and_says_so():
    result = cluster_bootstrap([1, 2, 4], ["Peru"] * 3, unit="countries")
    assert result.estimate == pytest.approx(7 / 3)
    assert np.isnan([result.low, result.high, result.p]).all()
    assert result.method == "mean; no interval: only one of the countries"
    assert result.details["clusters"] == 1


@pytest.mark.parametrize("value", [0.0, 0.1, 3.0, 1e6])
def test_equal_ratings_have_no_interval(value):
    result = cluster_bootstrap([value] * 21, np.arange(21) // 4, null=2)
    assert result.estimate == pytest.approx(value)
    assert np.isnan([result.low, result.high, result.p]).all()
    assert "no variation between the 6 clusters" in result.method


def test_resamples_without_a_statistic_are_left_out_and_counted():
    # Of six countries two have rows of the first group, one of them none of the second.
    values = two_groups([1, 2, 3, 4, 5, 9, 7], np.arange(7) < 2)
    result = cluster_bootstrap(
        values, [0, 1, 1, 2, 3, 4, 5], "difference", method="percentile", resamples=1000
    )
    share = result.details["undefined_resamples"] / 1000
    assert share == pytest.approx((4 / 6) ** 6 + (1 / 6) ** 6, abs=0.05)
    assert math.isfinite(result.low)


def test_no_resample_with_a_statistic_gives_no_interval():
    values = two_groups([1, 2, 4, 3], np.arange(4) < 2)
    found = [
        cluster_bootstrap(values, [0, 1, 1, 2], "difference", method="percentile", resamples=1, seed=seed)
        for seed in range(30)
    ]
    undefined = [result for result in found if result.details["undefined_resamples"]]
    assert 1 <= len(undefined) <= 20
    assert all(math.isnan(result.low) and "undefined in every" in result.method for result in undefined)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": []}, "no rows"),
        ({"values": [1, math.nan, 2]}, "found nan at position 1"),
        ({"values": [[1, 2], [3, 4], [5, 6]]}, r"shape \(3, 2\), expected one dimension"),
        ({"clusters": ["a", None, "b"]}, r"no label at position 1 \(1 such\)"),
        ({"clusters": ["a", "b"]}, "2 labels for 3 rows"),
        ({"statistic": "ratios"}, r"statistic: found 'ratios'.*did you mean 'ratio'\?"),
        ({"statistic": "ratio"}, r"shape \(3,\), expected \(rows, 2\) for the ratio"),
        ({"statistic": ratio}, r"shape \(3,\), expected \(rows, columns\) for the ratio"),
        ({"statistic": "ratio", "values": [[1, 1], [2, 1], [math.inf, 1]]}, "column 0: found inf"),
        ({"statistic": "ratio", "values": [[1, 1], [2, -1], [3, 0]]}, "ratio: found inf over all rows"),
        ({"bounds": (3, 5)}, r"mean: found 2.0 over all rows, expected a number within \(3, 5\)"),
        ({"bounds": (2, 5)}, r"estimate: found 2.0, expected a number between the bounds \(2, 5\)"),
        ({"bounds": (0, 5), "null": 5}, r"null: found 5, expected a number between the bounds \(0, 5\)"),
        ({"method": "logit"}, r"bounds: found \(-inf, inf\)"),
        ({"method": "bca"}, "method: found 'bca', expected one of auto"),
        ({"level": 95}, "level: found 95"),
        ({"resamples": 0}, "resamples: found 0"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        cluster_bootstrap(**{"values": [1, 2, 3], "clusters": ["a", "b", "c"]} | arguments)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ([True, False], "expected bool"),
        ([1, 0, 0], "expected bool"),
        ([True, True, True], "3 of 3 rows"),
        ([False, False, False], "0 of 3 rows"),
    ],
)
def test_two_groups_need_both(first, message):
    with pytest.raises(ValueError, match=message):
        two_groups([1, 2, 3], np.array(first))
