import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.regression.mixed_linear_model import MixedLM

from helpers.stats import _crossed
from helpers.stats.mixed import country_effects, country_means_by_aspect, cultural_minus_semantic

# Zone diameters of 24 plates (rows of the file, in order a to x) by 6 samples (A to F); Davies and Goldsmith
# (1972), Statistical Methods in Research and Production, section 6.6, as in R's lme4.
PENICILLIN = [
    "27 23 26 23 23 21", "27 23 26 23 23 21", "25 21 25 24 24 20", "26 23 25 23 23 20",
    "25 22 26 22 23 20", "24 22 25 23 22 19", "24 20 23 21 22 19", "26 22 26 24 24 21",
    "24 21 24 22 22 20", "24 21 24 23 22 19", "26 23 26 24 24 21", "25 22 26 24 24 20",
    "26 24 26 24 25 22", "26 23 26 23 23 20", "26 23 25 24 24 22", "25 22 25 23 23 20",
    "25 21 24 23 23 20", "25 22 24 23 23 19", "24 21 23 21 21 19", "26 23 26 24 24 21",
    "25 21 24 22 22 18", "25 22 25 22 22 20", "24 21 24 22 24 19", "24 21 24 22 21 18",
]  # fmt: skip


def penicillin():
    diameter = np.array([row.split() for row in PENICILLIN], dtype=float)
    plate, sample = np.indices(diameter.shape)
    same = np.full(diameter.size, "all")
    return {
        "score": diameter.ravel(),
        "country": same,
        "model": same,
        "aspect": same,
        "scenario": plate.ravel(),
        "rater": sample.ravel(),
    }


def study(seed=0, countries=3, aspects=6, models=2, raters=3, rater_sd=0.4, keep=1.0):
    """Ratings of countries that each have their own scenarios and raters; `keep` thins them out."""
    rng = np.random.default_rng(seed)
    sizes = {"country": countries, "aspect": aspects, "model": models, "rater": raters}
    index = np.indices(tuple(sizes.values())).reshape(4, -1)
    frame = pd.DataFrame(dict(zip(sizes, index, strict=True)))
    scenario, strictness = (
        rng.normal(0, 0.5, (countries, aspects)),
        rng.normal(0, rater_sd, (countries, raters)),
    )
    frame["score"] = (
        3
        + 0.3 * frame["model"]
        + scenario[frame["country"], frame["aspect"]]
        + strictness[frame["country"], frame["rater"]]
        + rng.normal(0, 0.7, len(frame))
    )
    frame["scenario"] = frame["country"] * 100 + frame["aspect"]
    frame["rater"] += frame["country"] * 100
    frame = frame.sample(frac=keep, random_state=seed).sort_index()
    return {
        name: frame[name].to_numpy() for name in ("score", "country", "model", "aspect", "scenario", "rater")
    }


def indicators(labels):
    return (np.asarray(labels)[:, None] == np.unique(labels)).astype(float)


def dense_reml(data):
    """REML deviance and the coefficients' covariance, both from the whole covariance matrix of the scores."""
    y = np.asarray(data["score"])
    x = np.column_stack(
        [np.ones(len(y)), *(indicators(data[name])[:, 1:] for name in ("country", "model", "aspect"))]
    )
    blocks = [indicators(data[name]) @ indicators(data[name]).T for name in ("scenario", "rater")] + [
        np.eye(len(y))
    ]

    def deviance(variances):
        inverse = np.linalg.inv(sum(v * block for v, block in zip(variances, blocks, strict=True)))
        information = x.T @ inverse @ x
        left = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
        return left @ inverse @ left + np.linalg.slogdet(information)[1] - np.linalg.slogdet(inverse)[1]

    def covariance(variances):
        inverse = np.linalg.inv(sum(v * block for v, block in zip(variances, blocks, strict=True)))
        return np.linalg.inv(x.T @ inverse @ x)

    return deviance, covariance


def test_penicillin_against_lme4_and_mixedmodels_jl():
    """Digits: JuliaStats/MixedModels.jl, test/plstwoscalar.jl (REML); lme4 prints 0.8467, 1.9316, 0.5499."""
    fit = country_effects(**penicillin())
    assert fit.converged
    variances = fit.details["variances"]
    assert np.sqrt(variances["scenario"]) == pytest.approx(0.8467056820846379, rel=1e-4)
    assert np.sqrt(variances["rater"]) == pytest.approx(1.9315555733321477, rel=1e-4)
    assert np.sqrt(variances["residual"]) == pytest.approx(0.5499230109588108, rel=1e-4)
    assert fit.adjusted["all"].estimate == pytest.approx(22.972222222222218)
    assert fit.adjusted["all"].details["se"] == pytest.approx(0.8085723219702367, rel=1e-4)
    assert sum(share.estimate for share in fit.shares.values()) == pytest.approx(1)


def test_satterthwaite_against_lmertest_zerodenom_output():
    """lmerTest 3.2-0, tests/zlmerTest_zeroDenom.Rout: variances 0.2437 and 1.5797 give SE 0.9548, df 11.0163.

    Its data (2 treatments of 2 chambers, 6 nutrients) are not printed; any balanced data with these variances
    have the same SE and df, so they are built to have them.
    """
    chamber, residual = 0.2437, 1.5797
    side = np.array([-1.0, 1.0])
    level = np.sqrt(2 * (residual + 6 * chamber) / 24)
    pattern = np.array([1, -2, 1, 3, -4, 1.0])
    pattern *= np.sqrt(10 * residual / (4 * np.sum(pattern**2)))
    y = np.broadcast_to(side[:, None] * (level + pattern), (2, 2, 6))
    treatment, box, nutrient = np.indices(y.shape).reshape(3, -1)
    same = np.zeros(24)
    fit = country_effects(
        y.ravel() + 10,
        country=treatment * 10 + nutrient,
        model=same,
        aspect=same,
        scenario=treatment * 2 + box,
        rater=same,
    )
    assert fit.details["variances"]["scenario"] == pytest.approx(chamber, abs=2e-4)
    assert fit.details["variances"]["residual"] == pytest.approx(residual, abs=2e-4)
    assert fit.adjusted["0"].details["se"] == pytest.approx(0.9548, abs=1e-4)
    assert fit.adjusted["0"].details["df"] == pytest.approx(11.0163, abs=5e-3)


@pytest.mark.parametrize(("seed", "rater_sd"), [(0, 0.4), (1, 0.0), (2, 0.1), (3, 0.4)])
def test_unbalanced_fit_reaches_the_optimum_of_the_dense_likelihood(seed, rater_sd):
    data = study(seed, rater_sd=rater_sd, keep=0.7)
    fit = country_effects(**data)
    deviance, covariance = dense_reml(data)
    found = np.array([fit.details["variances"][name] for name in ("scenario", "rater", "residual")])
    best = optimize.minimize(lambda v: deviance(np.exp(v)), np.log([0.2, 0.1, 0.5]), method="Nelder-Mead")
    assert deviance(found) <= best.fun + 1e-3
    aspects, models = len(np.unique(data["aspect"])), len(np.unique(data["model"]))
    contrast = np.concatenate([[1, 1, 0], np.full(models - 1, 1 / models), np.full(aspects - 1, 1 / aspects)])
    assert fit.adjusted["1"].details["se"] == pytest.approx(np.sqrt(contrast @ covariance(found) @ contrast))


def test_a_balanced_study_adjusts_nothing_but_the_interval():
    fit = country_effects(**study())
    table = fit.table()
    assert table["adjusted"].to_numpy() == pytest.approx(table["unadjusted"].to_numpy())
    assert sum(each.estimate for each in fit.effects.values()) == pytest.approx(0)
    assert (table["n"] == 36).all()


def test_a_harder_mix_of_aspects_lowers_the_plain_mean_only():
    """Both countries are the same; B has four of its five prompts in the aspect that is two points lower."""
    rng = np.random.default_rng(5)
    aspect = np.array(["easy"] * 8 + ["hard"] * 2 + ["easy"] * 2 + ["hard"] * 8)
    country = np.repeat(["A", "B"], 10)
    scores = 4 - 2 * (aspect == "hard") + rng.normal(0, 0.2, 20)
    rows = np.repeat(np.arange(20), 3)
    fit = country_effects(
        scores[rows] + rng.normal(0, 0.2, 60),
        country=country[rows],
        model=np.zeros(60),
        aspect=aspect[rows],
        scenario=rows,
        rater=np.char.add(country[rows], np.tile(["1", "2", "3"], 20)),
    )
    gap = {
        name: part["A"].estimate - part["B"].estimate
        for name, part in (("plain", fit.unadjusted), ("own", fit.adjusted))
    }
    assert gap["plain"] == pytest.approx(1.2, abs=0.2)
    assert gap["own"] == pytest.approx(0, abs=0.2)
    assert fit.effects["A"].p > 0.05


def test_size_of_culturevidbench_takes_seconds():
    started = time.perf_counter()
    fit = country_effects(**study(0, countries=12, aspects=14, models=7))
    assert fit.converged
    assert time.perf_counter() - started < 30  # 1 s alone on one core


def test_one_rater_a_country_leaves_rater_variance_unknown():
    fit = country_effects(**study(raters=1))
    assert fit.details["omitted"] == ["rater"]
    assert np.isnan(fit.shares["rater"].estimate)
    assert "scenario random" in fit.adjusted["0"].method
    assert fit.adjusted["0"].low < fit.adjusted["0"].high


def test_one_row_a_scenario_leaves_only_the_residual():
    fit = country_effects(**study(models=1, raters=1))
    assert fit.details["omitted"] == ["scenario", "rater"]
    assert fit.shares["residual"].estimate == 1
    assert fit.adjusted["0"].details["df"] == pytest.approx(18 - 3 - 5)


def test_one_country_has_a_mean_but_no_effect():
    fit = country_effects(**study(countries=1))
    assert fit.effects == {}
    assert fit.adjusted["0"].low < fit.adjusted["0"].estimate < fit.adjusted["0"].high


def test_equal_scores_have_means_without_intervals():
    data = study()
    fit = country_effects(**data | {"score": np.full(len(data["score"]), 3.3)})
    for part in (fit.adjusted, fit.effects, fit.unadjusted):
        assert np.isnan(part["1"].low)
    assert fit.adjusted["1"].estimate == pytest.approx(3.3)
    assert "no residual variation" in fit.adjusted["1"].method
    assert np.isnan(fit.shares["residual"].estimate)


def test_missing_scores_are_left_out_and_counted():
    data = study()
    score = data["score"].copy()
    score[:5] = np.nan
    fit = country_effects(**data | {"score": score})
    assert fit.details["missing"] == 5
    assert fit.adjusted["0"].n == 31


def test_a_component_of_zero_is_reported_as_zero_without_interval():
    data = study(seed=4, rater_sd=0.0)
    deviations = pd.Series(data["score"]) - pd.Series(data["score"]).groupby(data["rater"]).transform("mean")
    fit = country_effects(**data | {"score": deviations})
    assert fit.details["variances"]["rater"] == 0
    assert fit.shares["rater"].estimate == 0
    assert np.isnan(fit.shares["rater"].low)
    assert fit.details["warnings"]


def test_merged_groups_have_the_likelihood_of_one_group(monkeypatch):
    data = study(countries=4, aspects=8, raters=1)
    assert len(np.unique(data["scenario"])) > _crossed.MOST_GROUPS
    merged = country_effects(**data).details["variances"]
    monkeypatch.setattr(_crossed, "MOST_GROUPS", 1)
    assert country_effects(**data).details["variances"] == pytest.approx(merged, rel=1e-3)


def test_an_optimiser_that_stops_early_is_reported(monkeypatch):
    early = MixedLM.fit
    monkeypatch.setattr(MixedLM, "fit", lambda self, **options: early(self, **options | {"maxiter": 1}))
    fit = country_effects(**study())
    assert not fit.converged
    assert "DID NOT CONVERGE" in fit.adjusted["0"].method
    assert any("failed" in line for line in fit.details["warnings"])


def test_without_any_solution_least_squares_means_stand_without_intervals(monkeypatch):
    def fails(self, **options):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(MixedLM, "fit", fails)
    fit = country_effects(**study())
    assert not fit.converged
    assert np.isnan(fit.adjusted["0"].low)
    assert fit.adjusted["0"].estimate == pytest.approx(fit.unadjusted["0"].estimate)
    assert "FOUND NO SOLUTION" in fit.adjusted["0"].method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [np.nan] * 108}, "found no row with score among 108"),
        ({"rater": [None] * 108}, r"rater: found no label at position 0 \(108 such\)"),
        ({"score": [1.0]}, "found lengths"),
        ({"aspect": np.arange(108)}, "rows for 111 fixed effects"),
        ({"aspect": np.repeat([0, 1, 2], 36)}, "cannot be told apart"),
    ],
)
def test_what_the_model_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        country_effects(**study() | change)


@given(shift=st.floats(-100, 100), scale=st.floats(0.01, 100), seed=st.integers(0, 3))
@settings(max_examples=4, deadline=None)
def test_units_row_order_and_names_do_not_matter(shift, scale, seed):
    data = study(seed, countries=2, aspects=5)
    plain = country_effects(**data)
    order = np.random.default_rng(seed).permutation(len(data["score"]))
    other = {name: values[order] for name, values in data.items()}
    other["score"] = shift + scale * other["score"]
    other["rater"] = [f"person {label}" for label in other["rater"]]
    moved = country_effects(**other)
    for name, estimate in plain.adjusted.items():
        ends = np.array([estimate.low, estimate.high])
        assert (moved.adjusted[name].low, moved.adjusted[name].high) == pytest.approx(
            shift + scale * ends, rel=1e-3, abs=2e-3 * scale
        )
    assert moved.shares["rater"].estimate == pytest.approx(plain.shares["rater"].estimate, abs=2e-3)


def test_cultural_minus_semantic_is_a_paired_t_test_over_prompts():
    rng = np.random.default_rng(2)
    prompt = np.repeat(np.arange(20), 7)
    country = np.where(prompt < 10, "Ethiopia", "Italy")
    hard = rng.normal(0, 1, 20)[prompt]
    semantic, cultural = 3 + hard, 2.5 + hard - 0.5 * (country == "Ethiopia") + rng.normal(0, 0.3, 140)
    found = cultural_minus_semantic(cultural, semantic, country=country, prompt=prompt)
    means = (cultural - semantic).reshape(20, 7).mean(axis=1)[:10]
    interval = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    ethiopia = found.countries["Ethiopia"]
    assert (ethiopia.low, ethiopia.high) == pytest.approx(tuple(interval))
    assert ethiopia.details["cultural"] - ethiopia.details["semantic"] == pytest.approx(ethiopia.estimate)
    assert "cultural minus semantic" in ethiopia.method
    assert found.heterogeneity.p < 0.001


# Yields of four processes (columns A-D) in five blends (rows); Box, Hunter and Hunter, in R's faraway.
BLENDS = np.array(
    [[89, 88, 97, 94], [84, 77, 92, 79], [81, 87, 87, 85], [87, 92, 89, 84], [79, 81, 80, 88.0]]
)


def test_standardised_means_are_a_randomised_block_design_as_in_faraway():
    """people.bath.ac.uk/jjf23/mixchange/rbd.html: A 84, B +1, C +5, D +2; residual SD 4.34 on 12 df."""
    blend, process = np.indices(BLENDS.shape).reshape(2, -1)
    found = country_means_by_aspect(
        BLENDS.ravel(), country=np.array(list("ABCD"))[process], aspect=blend, prompt=np.arange(20)
    )
    assert [each.estimate for each in found.standardised.values()] == pytest.approx([84, 85, 89, 86])
    details = found.standardised["A"].details
    assert details["df"] == 12
    assert details["se"] * np.sqrt(5) == pytest.approx(4.34, abs=0.005)
    assert found.cells.loc["C", "0"] == 97


def test_aspects_weigh_the_same_however_many_prompts_they_have():
    score = [1, 1, 1, 5, 1, 5, 5, 5, 9.0]
    country = ["A"] * 4 + ["B"] * 4 + ["A"]
    aspect = ["x", "x", "x", "y", "x", "y", "y", "y", "only A"]
    found = country_means_by_aspect(score, country=country, aspect=aspect, prompt=np.arange(9))
    assert {name: each.estimate for name, each in found.standardised.items()} == {"A": 3, "B": 3}
    assert found.plain["B"].estimate == 4
    assert found.standardised["A"].details["aspects_left_out"] == ["only A"]
    assert np.isnan(found.standardised["A"].low)
    assert "no interval" in found.standardised["A"].method
    assert np.isnan(found.cells.loc["B", "only A"])


def test_one_country_with_one_prompt_an_aspect_has_no_interval():
    found = country_means_by_aspect([1, 2, 4.0], country=["A"] * 3, aspect=["x", "y", "z"], prompt=[1, 2, 3])
    assert found.standardised["A"].estimate == pytest.approx(7 / 3)
    assert np.isnan(found.standardised["A"].low)


def test_countries_without_a_common_aspect_are_refused():
    with pytest.raises(ValueError, match="no aspect that all 2 countries have among x, y"):
        country_means_by_aspect([1, 2.0], country=["A", "B"], aspect=["x", "y"], prompt=[1, 2])
