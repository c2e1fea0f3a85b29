import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from helpers.stats.dispersion import dispersion, gaps_to_mean
from helpers.stats.results import Estimate

# Tuberculosis with and without vaccination: positive and negative treated, positive and negative control
# (Colditz et al. 1994, JAMA 271, 698-702; the 13 trials of metafor's dat.bcg).
BCG = np.array(
    [
        (4, 119, 11, 128),
        (6, 300, 29, 274),
        (3, 228, 11, 209),
        (62, 13536, 248, 12619),
        (33, 5036, 47, 5761),
        (180, 1361, 372, 1079),
        (8, 2537, 10, 619),
        (505, 87886, 499, 87892),
        (29, 7470, 45, 7232),
        (17, 1699, 65, 1600),
        (186, 50448, 141, 27197),
        (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ],
    dtype=float,
)
LOG_ODDS_RATIO = np.log(BCG[:, 0] * BCG[:, 3] / (BCG[:, 1] * BCG[:, 2]))
VARIANCE = (1 / BCG).sum(axis=1)


def estimates(values, errors, df=np.inf):
    errors, df = np.broadcast_to(errors, np.shape(values)), np.broadcast_to(df, np.shape(values))
    return {
        f"country {position}": Estimate(
            estimate=value, n=10, method="given", details={"se": se, "df": freedom}
        )
        for position, (value, se, freedom) in enumerate(zip(values, errors, df, strict=True))
    }


def test_the_interval_is_metafors_q_profile_of_the_bcg_trials():
    """metafor-project.org, analyses:vanhouwelingen2002, `confint(res)`: 0.1302 to 1.1812.

    The lower end is 0.13015 where Q meets its quantile; metafor's search stops within 0.0001.
    """
    sd = dispersion(estimates(LOG_ODDS_RATIO, np.sqrt(VARIANCE))).sd
    assert sd.low**2 == pytest.approx(0.1302, abs=1e-4)
    assert sd.high**2 == pytest.approx(1.1812, abs=1e-4)


def test_the_spread_is_statsmodels_iterated_variance():
    expected = combine_effects(LOG_ODDS_RATIO, VARIANCE, method_re="iterated", atol=1e-10).tau2
    sd = dispersion(estimates(LOG_ODDS_RATIO, np.sqrt(VARIANCE))).sd
    assert sd.estimate**2 == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("countries", "d2"), [(5, 2.326), (10, 3.078), (12, 3.258), (20, 3.735)])
def test_noise_alone_makes_the_range_of_the_control_chart_constants(countries, d2):
    """d2 of Montgomery, Introduction to Statistical Quality Control, appendix VI."""
    found = dispersion(estimates(np.zeros(countries), 0.5), resamples=40_000)
    assert found.range.details["expected"] == pytest.approx(0.5 * d2, abs=0.01)
    assert found.range.p == 1
    assert found.sd.estimate == found.corrected.estimate == 0


def test_a_range_beyond_noise_has_the_p_of_the_studentized_range_with_known_variance():
    """scipy's studentized range with infinite degrees of freedom."""
    values = np.zeros(12)
    values[:2] = -0.05, 0.08
    found = dispersion(estimates(values, 0.03), resamples=40_000).range
    expected = stats.studentized_range.sf(0.13 / 0.03, 12, np.inf)
    assert found.p == pytest.approx(expected, abs=4 * np.sqrt(expected / 40_000))


def test_the_correction_takes_the_bias_of_a_range_away():
    rng = np.random.default_rng(1)
    truth, noise = np.linspace(0, 0.15, 12), 0.04
    found = [
        dispersion(estimates(values, noise), resamples=1)
        for values in truth + rng.normal(0, noise, (400, 12))
    ]
    observed, corrected = (
        np.array([getattr(each, name).estimate for each in found]) for name in ("range", "corrected")
    )
    assert observed.mean() > 0.15 + 0.03
    assert corrected.mean() == pytest.approx(0.15, abs=0.01)


def test_the_interval_covers_the_spread_of_the_countries_that_were_drawn_from():
    rng = np.random.default_rng(2)
    errors = np.linspace(0.02, 0.06, 12)
    values = rng.normal(0, 0.05, (600, 12)) + rng.normal(0, errors, (600, 12))
    intervals = [dispersion(estimates(row, errors), resamples=1).sd for row in values]
    covered = np.mean([each.low <= 0.05 <= each.high for each in intervals])
    assert covered == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 600))


def test_without_noise_nothing_is_corrected():
    values = np.array([0.1, 0.5, 0.2, 0.9])
    found = dispersion(estimates(values, 1e-9), resamples=1)
    assert found.corrected.estimate == pytest.approx(found.range.estimate) == pytest.approx(0.8)
    assert found.sd.estimate == pytest.approx(values.std(ddof=1))


def test_two_countries_have_half_of_welchs_difference():
    """scipy.stats.ttest_ind(equal_var=False)."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, 8), rng.normal(0.7, 2, 15)
    given_ = estimates(
        [first.mean(), second.mean()],
        [first.std(ddof=1) / 8**0.5, second.std(ddof=1) / 15**0.5],
        [7, 14],
    )
    found, welch = gaps_to_mean(given_)["country 0"], stats.ttest_ind(first, second, equal_var=False)
    interval = welch.confidence_interval()
    assert found.p == pytest.approx(welch.pvalue)
    assert found.details["df"] == pytest.approx(welch.df)
    assert (2 * found.low, 2 * found.high) == pytest.approx((interval.low, interval.high))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.01, 1)), min_size=3, max_size=12),
    st.floats(-5, 5),
    st.floats(0.1, 10),
)
def test_shift_and_unit_do_not_matter(rows, shift, unit):
    values, errors = np.array(rows).T
    gaps = gaps_to_mean(estimates(values, errors, 9))
    moved = gaps_to_mean(estimates(unit * values + shift, unit * errors, 9))
    assert sum(each.estimate for each in gaps.values()) == pytest.approx(0, abs=1e-9)
    for name, each in gaps.items():
        assert unit * each.low == pytest.approx(moved[name].low, abs=1e-7)
    plain, scaled = (
        dispersion(estimates(a, b), resamples=1)
        for a, b in ((values, errors), (unit * values + shift, unit * errors))
    )
    assert plain.corrected.estimate <= plain.range.estimate
    assert plain.sd.low <= plain.sd.estimate <= plain.sd.high
    for name in ("range", "corrected", "sd"):
        one, other = getattr(plain, name).estimate, getattr(scaled, name).estimate
        assert unit * one == pytest.approx(other, rel=1e-4, abs=1e-4 * unit)


@pytest.mark.parametrize("function", [gaps_to_mean, dispersion])
@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (estimates([0.1], 0.1), "found 1 countries, expected at least"),
        (estimates([0.1, 0.2, 0.3], [0.1, 0, 0.1]), "country 1: found the standard error 0"),
        (estimates([0.1, 0.2, 0.3], [0.1, np.nan, 0.1]), "country 1: found the standard error nan"),
    ],
)
def test_what_has_no_uncertainty_is_refused(function, given_, message):
    with pytest.raises(ValueError, match=message):
        function(given_)


@pytest.mark.parametrize(
    ("wrong", "message"), [({"resamples": 0}, "resamples: found 0"), ({"level": 95}, "level: found 95")]
)
def test_what_dispersion_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        dispersion(estimates([0.1, 0.2, 0.3], 0.1), **wrong)
