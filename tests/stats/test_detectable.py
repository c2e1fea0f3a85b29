import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower

from helpers.stats.design import Components, power_grid, variance_of_mean
from helpers.stats.detectable import detectable, detectable_between, two_country_gap

PARTS = Components(country=0.05, prompt=0.11, rater=0.06, residual=0.04)
RUNS = 4000


@pytest.mark.parametrize("countries", [3, 12])
def test_the_smallest_gap_is_the_one_that_statsmodels_solves_for(countries):
    grid = power_grid(
        PARTS, gap=np.arange(0.02, 0.4, 0.02), prompts=[14], raters=[3], countries=[countries], runs=RUNS
    )
    unit = np.sqrt(variance_of_mean(PARTS, prompts=14, raters=3, countries=countries) * countries)
    expected = unit * TTestIndPower().solve_power(nobs1=countries, alpha=0.05, power=0.8)
    found = detectable(grid)
    assert len(found) == 1
    assert found["difference"].iloc[0] == pytest.approx(expected, rel=0.04)


def test_power_is_interpolated_and_what_is_out_of_reach_is_missing():
    grid = pd.DataFrame(
        {
            "gap": [0.1, 0.2, 0.1, 0.2],
            "countries": 1,
            "prompts": [7, 7, 14, 14],
            "raters": 3,
            "ratings": [42, 42, 84, 84],
            "coverage": 0.95,
            "difference": [0.3, 0.6, 0.7, 0.9],
            "equivalence": [0.0, 0.1, 0.9, 1.0],
        }
    )
    found = detectable(grid, power=0.8).set_index("prompts")
    assert np.isnan(found.loc[7, ["difference", "equivalence"]].astype(float)).all()
    assert found.loc[14, "difference"] == pytest.approx(0.15)
    # Below the first gap the line starts at gap 0, where equivalence is never claimed.
    assert found.loc[14, "equivalence"] == pytest.approx(0.1 * 0.8 / 0.9)
    assert detectable(grid, power=0.04)["difference"].isna().all()


@pytest.mark.parametrize(("n", "tolerance"), [((10, 10), 0.03), ((67, 52), 0.01), ((147, 302), 0.01)])
def test_groups_of_equal_spread_see_what_statsmodels_solves_for(n, tolerance):
    expected = TTestIndPower().solve_power(nobs1=n[0], ratio=n[1] / n[0], alpha=0.05, power=0.8)
    assert detectable_between((1, 1), n)["difference"] == pytest.approx(expected, rel=tolerance)


def test_the_margin_is_julious_sample_size_turned_round():
    """Julious 2004, Stat. Med. 23, 1921-1986: n = 2 SD² (z(1 - beta/2) + z(1 - alpha))² / margin²."""
    n = 400
    z = stats.norm.ppf([0.9, 0.95]).sum()
    assert detectable_between((2, 2), (n, n))["equivalence"] == pytest.approx(
        2 * z * np.sqrt(2 / n), rel=0.01
    )


def test_groups_claim_equivalence_as_often_as_they_should():
    rng = np.random.default_rng(0)
    margin = detectable_between((1, 1.5), (40, 25))["equivalence"]
    first, second = rng.normal(0, 1, (RUNS, 40)), rng.normal(0, 1.5, (RUNS, 25))
    interval = stats.ttest_ind(first, second, axis=1, equal_var=False).confidence_interval(0.9)
    claimed = np.mean((interval.low > -margin) & (interval.high < margin))
    assert claimed == pytest.approx(0.8, abs=4 * 0.4 / np.sqrt(RUNS) + 0.01)


def test_a_design_effect_of_four_is_a_quarter_of_the_units():
    clustered = detectable_between((1, 2), (80, 60), design_effect=4)
    plain = detectable_between((1, 2), (20, 15))
    assert clustered["se"] == pytest.approx(plain["se"])
    assert clustered["difference"] == pytest.approx(plain["difference"])


def test_the_gap_of_two_countries_has_the_power_that_the_grid_promises():
    rng = np.random.default_rng(1)
    shape, gap = (6, 14, 3), 0.2
    promised = power_grid(PARTS, gap=[gap], prompts=[14], raters=[3], pooled_over=6, runs=RUNS).iloc[0]
    found = []
    for _ in range(1000):
        scores = rng.normal(0, PARTS.residual, shape) + rng.normal(0, PARTS.prompt, (6, 14, 1))
        scores += rng.normal(0, PARTS.rater, (6, 1, 3))
        scores[0] += gap
        found.append(two_country_gap(scores))
    error = 4 * 0.5 * np.sqrt(1 / 1000 + 1 / RUNS)
    assert np.mean([each.p < 0.05 for each in found]) == pytest.approx(promised["difference"], abs=error)
    covered = np.mean([each.low <= gap <= each.high for each in found])
    assert covered == pytest.approx(promised["coverage"], abs=4 * 0.22 * np.sqrt(1 / 1000 + 1 / RUNS))


def test_one_rater_and_two_countries_are_the_pooled_t_test_over_prompts():
    """scipy.stats.ttest_ind."""
    scores = np.random.default_rng(2).normal(0, 1, (2, 9, 1))
    found, expected = two_country_gap(scores), stats.ttest_ind(scores[0, :, 0], scores[1, :, 0])
    assert found.p == pytest.approx(expected.pvalue)
    assert found.details["df"] == pytest.approx(expected.df)
    assert not found.details["rater_error"]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((3, 4)), r"found shape \(3, 4\)"),
        (np.zeros((1, 4, 3)), r"found shape \(1, 4, 3\)"),
        (np.full((2, 4, 3), np.nan), "found missing or infinite"),
    ],
)
def test_what_a_gap_refuses(scores, message):
    with pytest.raises(ValueError, match=message):
        two_country_gap(scores)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sd": (0, 1)}, "found sd"),
        ({"n": (1, 10)}, "n .1, 10."),
        ({"design_effect": 0.5}, "design_effect 0.5"),
        ({"power": 80}, "found 80"),
        ({"level": 95}, "level: found 95"),
    ],
)
def test_what_groups_refuse(wrong, message):
    with pytest.raises(ValueError, match=message):
        detectable_between(**{"sd": (1, 1), "n": (10, 10)} | wrong)


def test_what_detectable_refuses():
    with pytest.raises(ValueError, match="power: found 80"):
        detectable(pd.DataFrame(), power=80)
