import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.stats.prediction_powered import prediction_powered_by_country, prediction_powered_mean


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
