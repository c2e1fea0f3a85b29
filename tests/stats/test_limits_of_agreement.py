import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from helpers.stats.limits_of_agreement import bland_altman

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


def test_jackknife_of_the_bias_over_equal_prompts_is_the_t_interval_of_prompt_means():
    """Efron and Tibshirani (1993), ch. 11: the jackknife error of a mean is the ordinary one."""
    rng = np.random.default_rng(1)
    prompt = np.repeat(np.arange(24), 3)
    human = rng.normal(3, 0.6, 72)
    judge = human + 0.4 + rng.normal(0, 0.4, 24)[prompt] + rng.normal(0, 0.3, 72)
    found = bland_altman(human, judge, prompt=prompt)
    means = (judge - human).reshape(-1, 3).mean(axis=1)
    interval = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found.bias.low, found.bias.high) == pytest.approx(tuple(interval))
    assert found.bias.details["clusters"] == 24
    alone = bland_altman(human, judge)
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
