import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.stats.judges import (
    bias_by_country,
    bland_altman,
    compare_groups,
    country_means,
    gap_change,
    index_against_score,
    prediction_powered_by_country,
    prediction_powered_mean,
)

# Peak expiratory flow (l/min) of 17 subjects, first reading by each meter; Bland and Altman (1986), table.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def test_bland_altman_reproduces_the_lancet_1986():
    """Wright minus mini: mean -2.1, SD 38.8, limits -79.7 and 75.5 (2 SD, from rounded figures).

    The lower limit's interval there, -114.3 to -45.1, has the standard error sd sqrt(3/n); here it is that of
    the 1999 article, slightly larger.
    """
    found = bland_altman(MINI, WRIGHT, multiple=2)
    assert found.bias.estimate == pytest.approx(-2.1, abs=0.05)
    assert found.sd == pytest.approx(38.8, abs=0.05)
    assert found.lower.estimate == pytest.approx(-79.7, abs=0.1)
    assert found.upper.estimate == pytest.approx(75.5, abs=0.1)
    assert (found.lower.low, found.lower.high) == pytest.approx((-114.3, -45.1), abs=1)


def test_bland_altman_reproduces_analyse_its_tutorial():
    """analyse-it.com, Bland-Altman tutorial: mini minus Wright 2.1, limits -73.9 to 78.1."""
    found = bland_altman(WRIGHT, MINI)
    assert found.bias.estimate == pytest.approx(2.1, abs=0.05)
    assert (found.lower.estimate, found.upper.estimate) == pytest.approx((-73.9, 78.1), abs=0.05)


def test_bias_is_scipys_t_test_and_slope_statsmodels_least_squares():
    found = bland_altman(WRIGHT, MINI)
    difference = np.subtract(MINI, WRIGHT)
    bias = stats.ttest_1samp(difference, 0)
    assert found.bias.p == pytest.approx(bias.pvalue)
    assert (found.bias.low, found.bias.high) == pytest.approx(tuple(bias.confidence_interval(0.95)))
    slope = sm.OLS(difference, sm.add_constant(np.add(MINI, WRIGHT) / 2)).fit()
    assert found.slope.estimate == pytest.approx(slope.params[1])
    assert found.slope.p == pytest.approx(slope.pvalues[1])
    assert (found.slope.low, found.slope.high) == pytest.approx(tuple(slope.conf_int()[1]))


def clips(prompts=8, countries=("Chile", "Ghana", "Japan"), each=3, seed=1):
    """People and a judge on clips whose prompts differ in difficulty and in how the judge takes them."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(len(countries) * prompts), each)
    human = rng.normal(3, 0.6, prompt.size) + rng.normal(0, 0.5, prompt.size // each)[prompt]
    human += np.repeat(np.arange(len(countries)), prompts * each)
    judge = human + 0.4 + rng.normal(0, 0.4, prompt.size // each)[prompt] + rng.normal(0, 0.3, prompt.size)
    return {
        "human": human,
        "judge": judge,
        "country": np.repeat(countries, prompts * each),
        "prompt": prompt,
    }


def test_jackknife_of_the_bias_over_equal_prompts_is_the_t_interval_of_prompt_means():
    """Efron and Tibshirani (1993), ch. 11: the jackknife error of a mean is the ordinary one."""
    rows = clips()
    found = bland_altman(rows["human"], rows["judge"], prompt=rows["prompt"])
    means = (rows["judge"] - rows["human"]).reshape(-1, 3).mean(axis=1)
    interval = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found.bias.low, found.bias.high) == pytest.approx(tuple(interval))
    assert found.bias.details["clusters"] == 24
    alone = bland_altman(rows["human"], rows["judge"])
    assert found.bias.high - found.bias.low > alone.bias.high - alone.bias.low


def test_a_judge_that_is_always_one_higher_has_limits_at_the_bias():
    found = bland_altman([1, 2, 3, np.nan], [2, 3, 4, 5])
    assert (found.lower.estimate, found.upper.estimate, found.sd) == (1, 1, 0)
    assert np.isnan(found.bias.low)
    assert "nothing varies" in found.bias.method
    assert found.bias.details["missing"] == 1


def test_a_judge_of_constant_means_has_no_slope():
    found = bland_altman([1, 2, 3], [3, 2, 1])
    assert np.isnan(found.slope.estimate)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"human": [1, np.nan, np.nan]}, "found 1 pairs, expected at least 3"),
        ({"prompt": ["a", "a", "b"]}, "found 2 prompts, expected at least 3"),
        ({"level": 95}, "level: found 95"),
        ({"judge": [np.nan] * 3}, "found no row with human and judge among 3"),
    ],
)
def test_what_bland_altman_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        bland_altman(**{"human": [1, 2, 3.0], "judge": [2, 2, 4.0]} | change)


def test_a_judge_with_one_leniency_keeps_the_order_of_countries():
    rows = clips()
    found = country_means(**rows)
    assert found.spearman.estimate == found.kendall.estimate == 1
    assert found.differences.heterogeneity.p > 0.05
    table = found.table()
    assert list(table.index) == ["Chile", "Ghana", "Japan"]
    assert table["difference"].to_numpy() == pytest.approx((table["judge"] - table["human"]).to_numpy())
    assert found.first["Chile"].estimate == pytest.approx(rows["judge"][:24].mean())
    assert found.first["Chile"].details["clusters"] == 8


def test_a_bias_against_one_country_is_seen_and_reorders():
    rows = clips()
    rows["judge"] = rows["judge"] - 2 * (rows["country"] == "Ghana")
    found = bias_by_country(**rows)
    assert found.heterogeneity.p < 0.001
    assert found.countries["Ghana"].details["relative"] == pytest.approx(-4 / 3, abs=0.3)
    assert found.countries["Ghana"].details["p_holm"] < 0.05
    assert country_means(**rows).spearman.estimate < 1


def test_one_country_has_means_but_no_order():
    found = country_means(**clips(countries=("Peru",)))
    assert np.isnan(found.spearman.estimate)
    assert "undefined" in found.spearman.method


def ratings(raters=2, seed=0, noise=0.0):
    """Both groups rate the same clips; within a group all raters agree, unless there is noise."""
    rng = np.random.default_rng(seed)
    country, prompt, group, rater = (part.ravel() for part in np.indices((3, 6, 2, raters)))
    quality = rng.normal(size=(3, 6)) + np.array([[0], [3], [6]])
    taste = rng.normal(0, 0.3, (3, 6, 2))
    return {
        "score": quality[country, prompt]
        + taste[country, prompt, group]
        + noise * rng.normal(size=rater.size),
        "group": np.array(["native", "other"])[group],
        "country": np.array(["Chile", "Ghana", "Japan"])[country],
        "prompt": prompt,
        "clip": country * 100 + prompt,
        "rater": [f"{g}{c}{r}" for g, c, r in zip(group, country, rater, strict=True)],
        "names": ("native", "other"),
    }


def test_raters_who_agree_leave_scipys_paired_t_test_over_prompts():
    rows = ratings()
    found = compare_groups(**rows)
    score = rows["score"].reshape(3, 6, 2, 2).mean(axis=3)
    for values, estimate in zip(score, found.differences.countries.values(), strict=True):
        test = stats.ttest_rel(values[:, 0], values[:, 1])
        assert estimate.p == pytest.approx(test.pvalue)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(test.confidence_interval(0.95)))
        assert estimate.details["rater_error"]
    assert found.spearman.estimate == 1
    assert found.names == ("native", "other")


def test_raters_add_their_variance_by_hand():
    """Two prompts, three against three raters of constant strictness: Welch's test of the raters' means."""
    strict = {"a": [0.0, 1, 2], "b": [0.0, 3, 6]}
    rows = [
        (quality + extra, group, prompt, f"{group}{number}")
        for prompt, quality in enumerate([1.0, 4.0])
        for group, extras in strict.items()
        for number, extra in enumerate(extras)
    ]
    score, group, prompt, rater = zip(*rows, strict=True)
    found = compare_groups(
        score, group, country=["Peru"] * 12, prompt=prompt, clip=prompt, rater=rater, names=("a", "b")
    )
    welch = stats.ttest_ind(strict["a"], strict["b"], equal_var=False)
    estimate = found.differences.countries["Peru"]
    assert estimate.estimate == -2
    assert estimate.p == pytest.approx(welch.pvalue)
    assert estimate.details["df"] == pytest.approx(welch.df)


def test_one_rater_in_a_group_leaves_raters_out_and_says_so():
    found = compare_groups(**ratings(raters=1, noise=0.2))
    estimate = found.differences.countries["Chile"]
    assert not estimate.details["rater_error"]
    assert "prompts only" in estimate.method


def test_clips_of_one_group_only_are_counted():
    rows = ratings()
    rows["score"] = rows["score"].copy()
    rows["score"][:2] = np.nan
    found = compare_groups(**rows)
    assert found.differences.countries["Ghana"].details["clips_left_out"] == 1
    assert found.differences.countries["Ghana"].details["missing"] == 2
    assert found.first["Chile"].n == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ("native", "foreign")}, "group: found 'other', expected 'native' or 'foreign'"),
        ({"clip": np.arange(72)}, "found no clip that both native and other rated"),
        ({"score": [np.nan] * 72}, "found no row with score"),
    ],
)
def test_what_group_comparison_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        compare_groups(**ratings() | change)


def sample(n, unrated, seed=0):
    rng = np.random.default_rng(seed)
    judge = rng.normal(2, 1.3, n + unrated)
    human = 1 + 0.5 * judge[:n] + rng.normal(0, 0.5, n)
    return judge[n:], judge[:n], human


def test_prediction_powered_mean_by_the_formulas_of_ppi_py():
    """aangelopoulos/ppi_py, `ppi_mean_ci` and `_calc_lam_glm`, written out: it divides by n and uses z."""
    unrated, judge, human = sample(4000, 20_000)
    n, many = human.size, unrated.size
    covariance = np.mean((human - human.mean()) * (judge - judge.mean()))
    weight = covariance / ((1 + n / many) * np.var(np.concatenate([judge, unrated]), ddof=1))
    estimate = np.mean(weight * unrated) + np.mean(human - weight * judge)
    error = np.sqrt(np.var(weight * unrated) / many + np.var(human - weight * judge) / n)
    found = prediction_powered_mean(unrated, judge, human)
    assert found.details["weight"] == pytest.approx(weight, rel=1e-3)
    assert found.estimate == pytest.approx(estimate, rel=1e-5)
    ends = estimate + 1.959964 * error * np.array([-1, 1])
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-4)
    assert found.details["width_ratio"] < 0.8


def test_weight_one_is_welchs_interval_of_judge_minus_error():
    """mean(judge, unrated) - mean(judge - human, rated): two independent samples, scipy's Welch interval."""
    unrated, judge, human = sample(14, 70)
    welch = stats.ttest_ind(unrated, judge - human, equal_var=False).confidence_interval(0.95)
    found = prediction_powered_mean(unrated, judge, human, weight=1)
    assert (found.low, found.high) == pytest.approx(tuple(welch))


def test_weight_zero_is_scipys_t_interval_of_people_alone():
    unrated, judge, human = sample(14, 70)
    alone = stats.ttest_1samp(human, 0).confidence_interval(0.95)
    found = prediction_powered_mean(unrated, judge, human, weight=0)
    assert (found.low, found.high) == pytest.approx(tuple(alone))
    assert (found.details["human_low"], found.details["human_high"]) == pytest.approx(tuple(alone))


@given(bias=st.floats(-50, 50), seed=st.integers(0, 20))
@settings(max_examples=20, deadline=None)
def test_a_judges_leniency_changes_nothing(bias, seed):
    unrated, judge, human = sample(14, 70, seed)
    plain = prediction_powered_mean(unrated, judge, human)
    lenient = prediction_powered_mean(unrated + bias, judge + bias, human)
    assert lenient.estimate == pytest.approx(plain.estimate, abs=1e-9)
    assert lenient.details["se"] == pytest.approx(plain.details["se"])


def test_small_samples_are_covered():
    """14 rated of 84 prompts, truth 2: 95 % intervals cover 93-97 %, within Monte Carlo error."""
    hits = 0
    for seed in range(400):
        found = prediction_powered_mean(*sample(14, 70, seed))
        hits += found.low <= 2 <= found.high
    assert 0.95 - 0.02 - 3 * 0.011 < hits / 400 < 0.95 + 0.02 + 3 * 0.011


def test_countries_share_a_weight_and_keep_their_own_correction():
    rng = np.random.default_rng(0)
    truth = {"Chile": 1.0, "Ghana": 3.0, "Japan": 2.0}
    leniency = {"Chile": 2.0, "Ghana": -2.0, "Japan": 0.0}
    rated, unrated = np.repeat(list(truth), 40), np.repeat(list(truth), 400)
    quality, others = rng.normal(size=rated.size), rng.normal(size=unrated.size)
    found = prediction_powered_by_country(
        others + [truth[c] + leniency[c] for c in unrated],
        quality + [truth[c] + leniency[c] for c in rated],
        quality + [truth[c] for c in rated] + rng.normal(0, 0.3, rated.size),
        country_unrated=unrated,
        country_rated=rated,
    )
    assert {name: round(each.estimate) for name, each in found.countries.items()} == truth
    assert len({each.details["weight"] for each in found.countries.values()}) == 1
    assert found.overall.low < 2 < found.overall.high
    assert found.overall.n == 120


def test_a_judge_that_never_varies_has_no_weight():
    found = prediction_powered_mean([3, 3, 3], [3, 3, 3], [1.0, 2, 4])
    assert found.details["weight"] == 0
    assert found.estimate == pytest.approx(7 / 3)


def test_no_variation_at_all_has_no_interval():
    found = prediction_powered_mean([3, 3, 3], [3, 3, 3], [1, 1, 1])
    assert found.estimate == 1
    assert np.isnan(found.low)
    assert "nothing varies" in found.method


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2, 3], [1, 2], [1, 2]), "found 2 rated and 3 unrated, expected at least 3"),
        (([1, 2, 3], [1, 2, 3], [1, 2]), "expected pairs"),
        (([1, 2, np.nan], [1, 2, 3], [1, 2, 3]), "judge_unrated: found nan at position 2"),
    ],
)
def test_what_prediction_powered_mean_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        prediction_powered_mean(*arguments)


def test_a_weight_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="weight: found 2, expected a number from 0 to 1"):
        prediction_powered_mean(*sample(14, 70), weight=2)


def test_a_country_without_rated_prompts_is_refused():
    with pytest.raises(ValueError, match="Peru: found 0 rated and 3 unrated"):
        prediction_powered_by_country(
            [1, 2, 3, 1, 2, 3],
            [1, 2, 3],
            [1, 2, 2],
            country_unrated=["Chile"] * 3 + ["Peru"] * 3,
            country_rated=["Chile"] * 3,
        )


def test_index_against_score_is_scipys_rank_correlation_and_slope_on_the_logarithm():
    views = [2e6, 4e5, 9e6, 3e4, 1e5, 5e6, 8e5]
    score = [0.6, 0.5, 0.8, 0.3, 0.45, 0.65, np.nan]
    found = index_against_score(views, score, source="page views, 2026")
    assert found.rank.estimate == pytest.approx(stats.spearmanr(views[:6], score[:6]).statistic)
    assert found.slope.estimate == pytest.approx(stats.linregress(np.log10(views[:6]), score[:6]).slope)
    for each in (found.rank, found.slope):
        assert each.details["source"] == "page views, 2026"
        assert "page views, 2026" in each.method
        assert (each.n, each.details["missing"]) == (6, 1)


def test_a_constant_score_has_no_association():
    found = index_against_score([1, 10, 100, 1000], [0.5] * 4, source="made up")
    assert np.isnan(found.rank.estimate)
    assert "undefined" in found.rank.method
    assert np.isnan(found.slope.p)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": [0, 1, 2]}, "index: found 0, expected values above zero"),
        ({"source": " "}, "source: found nothing"),
        ({"score": [1, 2, np.nan]}, "found 2 pairs, expected at least 3"),
    ],
)
def test_what_index_against_score_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        index_against_score(**{"index": [1, 2, 3], "score": [1, 2, 3], "source": "made up"} | change)


def models(seed=0, clips=4):
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(30), clips)
    hard = rng.normal(0, 1, 30)[prompt]
    return {
        "before": hard + rng.normal(0, 0.4, prompt.size),
        "after": hard + 1 + rng.normal(0, 0.4, prompt.size),
        "country": np.repeat(["Ethiopia", "Italy", "United States"], 10 * clips),
        "prompt": prompt,
    }


def test_gap_change_to_a_reference_is_scipys_welch_test_of_prompt_changes():
    rows = models()
    found = gap_change(**rows, reference="United States")
    change = (rows["after"] - rows["before"]).reshape(3, 10, 4).mean(axis=2)
    welch = stats.ttest_ind(change[0], change[2], equal_var=False)
    ethiopia = found.change["Ethiopia"]
    assert list(found.change) == ["Ethiopia", "Italy"]
    assert ethiopia.p == pytest.approx(welch.pvalue)
    assert (ethiopia.low, ethiopia.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))
    assert ethiopia.estimate == pytest.approx(
        found.after["Ethiopia"].estimate - found.before["Ethiopia"].estimate
    )
    assert "p_holm" in ethiopia.details


def test_what_all_countries_gain_is_no_change_of_gap():
    rows = models()
    found = gap_change(**rows)
    more = gap_change(**rows | {"after": rows["after"] + 5})
    assert sum(each.estimate for each in found.change.values()) == pytest.approx(0)
    for name, each in found.change.items():
        assert more.change[name].estimate == pytest.approx(each.estimate)
        assert more.change[name].p == pytest.approx(each.p)


def test_gap_change_of_one_prompt_has_no_interval():
    found = gap_change([1, 2, 3, 5.0], [2, 2, 3, 4], country=["A", "B", "B", "B"], prompt=[1, 2, 3, 4])
    assert np.isnan(found.change["A"].low)
    assert "too little" in found.change["A"].method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"country": ["Peru"] * 120}, "country: found only 'Peru'"),
        (
            {"reference": "Narnia"},
            "reference: found 'Narnia', expected one of Ethiopia, Italy, United States",
        ),
    ],
)
def test_what_gap_change_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        gap_change(**models() | change)
