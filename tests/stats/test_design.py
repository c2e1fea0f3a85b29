import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestIndPower

from helpers.stats import design
from helpers.stats.design import Components, power_grid, smallest_designs, variance_of_mean
from helpers.stats.mixed import country_effects

SPREAD = Components(country=0.2, prompt=0.5, rater=0.3, residual=0.8)
RUNS = 4000
FOUR_ERRORS = 4 * 0.5 / np.sqrt(RUNS)


def one(**changes):
    inputs = {"gap": [0.5], "prompts": [14], "raters": [3], "countries": [6], "runs": RUNS}
    return power_grid(SPREAD, **inputs | changes).iloc[0]


@pytest.mark.parametrize("countries", [2, 6, 20])
@pytest.mark.parametrize("gap", [0.2, 0.5])
def test_power_over_countries_is_statsmodels_two_sample_power(countries, gap):
    unit = np.sqrt(variance_of_mean(SPREAD, prompts=14, raters=3, countries=countries) * countries)
    expected = TTestIndPower().power(gap / unit, nobs1=countries, alpha=0.05)
    assert one(gap=[gap], countries=[countries])["difference"] == pytest.approx(expected, abs=FOUR_ERRORS)


def test_equivalence_over_countries_is_the_integral_over_the_sampled_variance():
    """Two one-sided t tests, true difference 0 (Phillips 1990, J. Pharmacokinet. Biopharm. 18, 137)."""
    se = np.sqrt(2 * variance_of_mean(SPREAD, prompts=14, raters=3, countries=6))
    df, critical = 10, stats.t.ppf(0.95, 10)

    def claimed(ratio):
        inside = stats.norm.cdf(max(0.5 / se - critical * np.sqrt(ratio / df), 0))
        return (2 * inside - 1) * stats.chi2.pdf(ratio, df)

    expected = integrate.quad(claimed, 0, df * (0.5 / se / critical) ** 2)[0]
    assert one()["equivalence"] == pytest.approx(expected, abs=FOUR_ERRORS)


@pytest.mark.parametrize(("countries", "layout"), [(1, (2, 1)), (4, (2, 4))])
def test_simulated_errors_have_the_closed_form_variance(countries, layout):
    rng = np.random.default_rng(0)
    errors = np.concatenate([part[0] for part in design._studies(SPREAD, layout, 14, 3, RUNS, rng)])
    expected = 2 * variance_of_mean(SPREAD, prompts=14, raters=3, countries=countries)
    assert errors.size == RUNS
    assert errors.mean() == pytest.approx(0, abs=4 * np.sqrt(expected / RUNS))
    assert errors.var() == pytest.approx(expected, rel=4 * np.sqrt(2 / RUNS))
    assert one(countries=[countries])["se"] == pytest.approx(np.sqrt(expected))


@pytest.mark.parametrize(("seed", "rater_sd"), [(0, 0.3), (1, 0.0), (3, 0.0)])
def test_two_named_countries_are_compared_as_by_the_mixed_model(seed, rater_sd):
    rng = np.random.default_rng(seed)
    scores = (
        rng.normal(0, 0.8, (4, 10, 3)) + rng.normal(0, 0.5, (4, 10, 1)) + rng.normal(0, rater_sd, (4, 1, 3))
    )
    error, se, df = (part.item() for part in design._over_prompts_and_raters(scores[None]))
    country, prompt, rater = np.indices(scores.shape).reshape(3, -1)
    same = np.zeros(scores.size)
    fit = country_effects(
        scores.ravel(),
        country=country,
        model=same,
        aspect=same,
        scenario=country * 10 + prompt,
        rater=country * 10 + rater,
    )
    assert error == pytest.approx(fit.adjusted["0"].estimate - fit.adjusted["1"].estimate)
    assert se == pytest.approx(np.sqrt(2) * fit.adjusted["0"].details["se"], rel=1e-4)
    assert df == pytest.approx(fit.adjusted["0"].details["df"], rel=1e-3)


def test_variance_of_a_mean_by_hand():
    parts = Components(country=3, prompt=2, rater=1, residual=6)
    assert variance_of_mean(parts, prompts=4, raters=2) == pytest.approx(4 / 4 + 1 / 2 + 36 / 8)
    assert variance_of_mean(parts, prompts=4, raters=2, countries=3) == pytest.approx((9 + 6) / 3)


def test_two_named_countries_are_covered_and_one_rater_is_not():
    three, single = one(countries=[1]), one(countries=[1], raters=[1])
    assert 0.94 < three["coverage"] < 0.98
    assert single["coverage"] < 0.9
    assert single["difference"] > three["difference"]


def test_more_countries_in_the_study_narrow_the_interval_of_two():
    narrow, wide = one(countries=[1], pooled_over=12), one(countries=[1])
    assert narrow["half_width"] < 0.9 * wide["half_width"]
    assert 0.93 < narrow["coverage"] < 0.97
    assert narrow["ratings"] == 12 * 14 * 3


def test_smallest_designs_pass_over_intervals_that_do_not_cover():
    grid = pd.DataFrame(
        {
            "gap": 0.5,
            "countries": [1, 1, 1, 6],
            "prompts": [10, 20, 40, 10],
            "raters": [1, 3, 3, 3],
            "ratings": [20, 120, 240, 360],
            "difference": [0.95, 0.85, 0.9, 0.5],
            "equivalence": [0.0, 0.1, 0.85, 0.1],
            "coverage": [0.6, 0.95, 0.95, 0.95],
            "level": 0.95,
        }
    )
    assert smallest_designs(grid, "difference")["prompts"].tolist() == [20]
    assert smallest_designs(grid, "equivalence")["prompts"].tolist() == [40]
    assert smallest_designs(grid, "equivalence", power=0.99).empty


def test_a_design_does_not_depend_on_its_grid():
    inputs = {"gap": [0.5], "raters": [3], "runs": 200}
    alone = power_grid(SPREAD, prompts=[10], **inputs)
    among = power_grid(SPREAD, prompts=[5, 10, 20], **inputs)
    pd.testing.assert_frame_equal(alone, among[among["prompts"] == 10].reset_index(drop=True))
    assert among["se"].is_monotonic_decreasing
    assert not alone.equals(power_grid(SPREAD, prompts=[10], **inputs, seed=1))


def test_results_are_kept_for_the_same_inputs_only(tmp_path, monkeypatch, capfd):
    inputs = {"gap": [0.5], "prompts": [5], "raters": [2], "runs": 50, "cache": tmp_path / "grids"}
    first = power_grid(SPREAD, **inputs)
    assert capfd.readouterr().err == ""  # no progress bar where nobody watches
    monkeypatch.setattr(design, "_design", lambda *_: pytest.fail("simulated again"))
    pd.testing.assert_frame_equal(power_grid(SPREAD, **inputs), first)
    monkeypatch.undo()
    power_grid(SPREAD, **inputs | {"seed": 1})
    power_grid(Components(prompt=1, rater=1, residual=1), **inputs)
    assert sorted(path.suffix for path in inputs["cache"].iterdir()) == [".parquet"] * 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gap": [0]}, "gap: found 0, expected above 0"),
        ({"prompts": [1]}, "prompts: found 1, expected at least 2"),
        ({"raters": [0]}, "raters: found 0, expected at least 1"),
        ({"countries": []}, "countries: found none"),
        ({"runs": 0}, "runs: found 0"),
        ({"pooled_over": 1}, "pooled_over: found 1, expected at least 2"),
        ({"level": 95}, "level: found 95"),
    ],
)
def test_what_the_grid_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        one(**change)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"prompt": -1, "rater": 1, "residual": 1}, "prompt: found -1"),
        ({"prompt": 1, "rater": np.nan, "residual": 1}, "rater: found nan"),
        ({"prompt": 0, "rater": 0, "residual": 0}, "found no variation"),
    ],
)
def test_what_components_refuse(parts, message):
    with pytest.raises(ValueError, match=message):
        Components(**parts)


@pytest.mark.parametrize(("claim", "power"), [("superiority", 0.8), ("difference", 80)])
def test_what_smallest_designs_refuse(claim, power):
    grid = power_grid(SPREAD, gap=[0.5], prompts=[5], raters=[2], runs=10)
    with pytest.raises(ValueError, match="found"):
        smallest_designs(grid, claim, power=power)


def test_variance_of_a_mean_refuses_no_prompts():
    with pytest.raises(ValueError, match="prompts: found 0"):
        variance_of_mean(SPREAD, prompts=0, raters=1)
