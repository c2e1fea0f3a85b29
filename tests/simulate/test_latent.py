import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.simulate.latent import calibrated, grade, mixed, shifted, stream, yes

RATES = st.floats(0, 1)
Z = np.linspace(-4, 4, 81)
DRAWS = stream(1, "test").standard_normal(200_000)


@pytest.mark.parametrize("rate", [0.02, 0.245, 0.5, 0.9])
def test_yes_happens_as_often_as_its_rate_says(rate):
    share = yes(rate, DRAWS).mean()
    assert abs(share - rate) < 4.5 * np.sqrt(rate * (1 - rate) / DRAWS.size)


@pytest.mark.parametrize("scale", [(1, 5), (0, 5)])
@pytest.mark.parametrize("rate", [0.102, 0.5, 0.994])
def test_grades_are_binomial_as_scipy_has_it(rate, scale):
    """Oracle: scipy.stats.binom.pmf, by a chi-squared test at 1 in 10,000."""
    low, high = scale
    counts = np.bincount(grade(rate, DRAWS, low, high) - low, minlength=high - low + 1)
    expected = stats.binom.pmf(np.arange(high - low + 1), high - low, rate) * DRAWS.size
    likely = expected > 5
    assert counts[~likely].sum() <= 30
    observed, expected = counts[likely], expected[likely]
    assert stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-4


@given(rate=RATES, other=RATES)
def test_outcomes_stay_on_the_scale_and_rise_with_rate_and_score(rate, other):
    low, high = sorted((rate, other))
    grades = grade(rate, Z, 1, 5)
    assert grades.min() >= 1
    assert grades.max() <= 5
    assert (np.diff(grades) >= 0).all()
    assert (grade(low, Z, 1, 5) <= grade(high, Z, 1, 5)).all()
    assert (np.diff(yes(rate, Z).astype(int)) >= 0).all()
    assert (yes(low, Z) <= yes(high, Z)).all()


@pytest.mark.parametrize(("rate", "grades", "answer"), [(0.0, 1, False), (1.0, 5, True)])
def test_rates_of_nought_and_one_leave_nothing_to_chance(rate, grades, answer):
    assert set(grade(rate, Z, 1, 5)) == {grades}
    assert set(yes(rate, Z)) == {answer}
    assert shifted(rate, 3.0) == rate


@given(target=st.floats(0, 1), effects=st.lists(st.floats(-5, 5), min_size=1, max_size=12).map(np.array))
def test_calibrated_rates_have_the_target_as_their_mean_and_the_effects_between_them(target, effects):
    rates = calibrated(target, effects)
    assert rates.min() >= 0
    assert rates.max() <= 1
    assert rates.mean() == pytest.approx(target, abs=1e-9)
    assert (np.diff(rates[np.argsort(effects)]) >= -1e-12).all()


def test_calibration_keeps_the_log_odds_between_rates():
    rates = calibrated(0.4, np.array([0.0, 0.7]))
    assert np.diff(np.log(rates / (1 - rates))) == pytest.approx(0.7)


def test_shares_decide_how_much_two_scores_have_in_common():
    rng = stream(2, "test")
    common, first, second = rng.standard_normal((3, 100_000))
    one, two = (mixed((0.3, common), (0.7, own)) for own in (first, second))
    assert one.var() == pytest.approx(1, abs=0.02)
    assert np.corrcoef(one, two)[0, 1] == pytest.approx(0.3, abs=0.015)


@pytest.mark.parametrize("shares", [(0.5, 0.4), (1.2, -0.2)])
def test_shares_that_do_not_fit_are_refused(shares):
    with pytest.raises(ValueError, match="expected numbers from 0 that sum to 1"):
        mixed(*((share, Z) for share in shares))


def test_streams_repeat_and_differ_by_purpose():
    draws = {key: tuple(stream(*key).random(3)) for key in [(1, "a"), (1, "b"), (2, "a"), (1, "a", "b")]}
    assert len(set(draws.values())) == 4
    assert tuple(stream(1, "a").random(3)) == draws[1, "a"]
