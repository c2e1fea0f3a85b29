import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

from helpers.stats.matched import complete_rows, country_effect_in_sets, difference_by_country

# Darwin's fifteen pairs of maize plants, crossed minus self-fertilised, in eighths of an inch.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48.0])


def sets(table):
    """Score, country and matched_set of a table with a row a set and a column a country."""
    table = np.asarray(table, dtype=float)
    row, column = np.indices(table.shape)
    return {"score": table.ravel(), "country": column.ravel(), "matched_set": row.ravel()}


def test_permutation_p_of_darwins_maize_in_fisher_1935_section_21():
    """Fisher, The Design of Experiments: 1,726 of the 32,768 signs give as large a total, 5.267 %."""
    found = country_effect_in_sets(**sets(np.column_stack([DARWIN, 0 * DARWIN])), resamples=2**15)
    assert found.effect.details["permutations"] == 32_768
    assert found.effect.details["exact"]
    assert found.effect.p == 1726 / 32_768
    assert found.countries["0"].p == found.countries["1"].p == 1726 / 32_768
    assert found.countries["0"].estimate == pytest.approx(DARWIN.mean() / 2)


def test_random_permutations_approach_the_exact_p():
    data = sets(np.column_stack([DARWIN, 0 * DARWIN]))
    found = country_effect_in_sets(**data, resamples=9_999, seed=3)
    assert not found.effect.details["exact"]
    assert found.effect.p == pytest.approx(1726 / 32_768, abs=4 * np.sqrt(0.05 * 0.95 / 9_999))
    assert found == country_effect_in_sets(**data, resamples=9_999, seed=3)


def test_exact_p_of_three_countries_against_enumeration_by_hand():
    table = np.array([[3.0, 1, 2], [5, 2, 1], [4, 4, 0], [2, 1, 3]])
    found = country_effect_in_sets(**sets(table))
    orders = itertools.product(*(itertools.permutations(row) for row in table))
    means = np.array([np.mean(order, axis=0) for order in orders])
    spread = means.std(axis=1, ddof=1)
    largest = np.abs(means - table.mean()).max(axis=1)
    assert found.effect.details["permutations"] == len(means) == 6**4
    assert found.effect.estimate == pytest.approx(table.mean(axis=0).std(ddof=1))
    assert found.effect.p == np.mean(spread >= table.mean(axis=0).std(ddof=1) - 1e-9)
    for column, estimate in enumerate(found.countries.values()):
        deviation = abs(table[:, column].mean() - table.mean())
        assert estimate.p == np.mean(largest >= deviation - 1e-9)


def test_interval_of_a_deviation_is_scipys_t_interval_over_sets():
    table = np.random.default_rng(0).normal(size=(9, 4))
    found = country_effect_in_sets(**sets(table), resamples=99)
    own = stats.ttest_1samp(table[:, 2] - table.mean(axis=1), 0)
    interval = own.confidence_interval(0.95)
    assert (found.countries["2"].low, found.countries["2"].high) == pytest.approx(tuple(interval))
    assert found.effect.n == 9


@given(shifts=st.lists(st.floats(-50, 50), min_size=6, max_size=6), seed=st.integers(0, 5))
@settings(max_examples=15, deadline=None)
def test_difficulty_of_a_whole_set_changes_nothing(shifts, seed):
    table = np.random.default_rng(seed).normal(size=(6, 3))
    plain = country_effect_in_sets(**sets(table), resamples=199)
    harder = country_effect_in_sets(**sets(table + np.array(shifts)[:, None]), resamples=199)
    assert harder.effect.p == plain.effect.p
    assert harder.effect.estimate == pytest.approx(plain.effect.estimate, abs=1e-9)


def test_a_blocked_clip_of_a_good_model_does_not_look_like_a_countrys_effect():
    country = np.tile(["Ghana", "Japan"], 12)
    model = np.tile(np.repeat(["good", "bad"], 2), 6)
    matched_set = np.repeat(np.arange(6), 4)
    score = np.where(model == "good", 5.0, 1.0) + np.tile([0.1, 0, 0, 0.1], 6)
    score[0] = np.nan
    found = country_effect_in_sets(score, country=country, matched_set=matched_set, model=model)
    naive = country_effect_in_sets(score, country=country, matched_set=matched_set)
    assert found.effect.estimate < 0.02 < 0.2 < naive.effect.estimate
    assert found.effect.details["incomplete"] == 1
    assert found.effect.details["missing"] == 1


def test_equal_scores_have_no_effect_and_no_interval():
    found = country_effect_in_sets(**sets(np.full((4, 3), 3.3)))
    assert found.effect.estimate == 0
    assert found.effect.p == 1
    assert np.isnan(found.countries["0"].low)
    assert "no variation" in found.countries["0"].method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"country": ["Peru"] * 4}, "country: found only 'Peru', expected at least two"),
        ({"matched_set": [0, 0, 1, 2]}, "found 1 sets with all 2 countries, expected at least two"),
        ({"matched_set": [0, 0, None, 1]}, r"set: found no label at position 2 \(1 such\)"),
        ({"score": [1, 2, np.inf, 3]}, "score: found infinity at position 2"),
        ({"score": [np.nan] * 4}, "found no row with score among 4"),
        ({"score": [1, 2, 3]}, "found lengths"),
        ({"resamples": 0}, "resamples: found 0"),
    ],
)
def test_what_sets_refuse(change, message):
    good = {"score": [1, 2, 3, 4.0], "country": ["a", "b", "a", "b"], "matched_set": [0, 0, 1, 1]}
    with pytest.raises(ValueError, match=message):
        country_effect_in_sets(**good | change)


def paired_rows(prompts=6, clips=3, seed=1):
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(3 * prompts), clips)
    effect = rng.normal(0, 1, 3 * prompts)[prompt]
    return {
        "first": effect + rng.normal(0.5, 1, prompt.size),
        "second": rng.normal(0, 1, prompt.size),
        "country": np.repeat(["Chile", "Iran", "Japan"], prompts * clips),
        "prompt": prompt,
    }


def test_difference_over_equal_prompts_is_scipys_t_test_of_prompt_means():
    rows = paired_rows()
    found = difference_by_country(**rows)
    means = (rows["first"] - rows["second"]).reshape(3, 6, 3).mean(axis=2)
    for values, estimate in zip(means, found.countries.values(), strict=True):
        test = stats.ttest_1samp(values, 0)
        assert estimate.p == pytest.approx(test.pvalue)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(test.confidence_interval(0.95)))
        assert estimate.details["clusters"] == 6
    raw = [estimate.p for estimate in found.countries.values()]
    holm = [estimate.details["p_holm"] for estimate in found.countries.values()]
    assert holm == pytest.approx(multipletests(raw, method="holm")[1])
    assert sum(each.details["relative"] for each in found.countries.values()) == pytest.approx(0)


def test_heterogeneity_is_statsmodels_welch_anova_of_prompt_means():
    rows = paired_rows()
    means = (rows["first"] - rows["second"]).reshape(18, 3).mean(axis=1)
    welch = anova_oneway(means, np.repeat([0, 1, 2], 6), use_var="unequal", welch_correction=True)
    found = difference_by_country(**rows).heterogeneity
    assert found.estimate == pytest.approx(welch.statistic)
    assert found.p == pytest.approx(welch.pvalue)
    assert (found.details["df"], found.details["df_error"]) == pytest.approx((welch.df_num, welch.df_denom))


def test_missing_scores_are_counted_and_single_prompts_have_no_interval():
    rows = paired_rows()
    rows["first"][rows["country"] == "Chile"] = np.nan
    rows["first"][0] = 1.0
    found = difference_by_country(**rows)
    chile = found.countries["Chile"]
    assert chile.details["missing"] == 17
    assert np.isnan(chile.low)
    assert "only one of the prompts" in chile.method
    assert np.isnan(chile.details["p_holm"])
    assert found.heterogeneity.details["left_out"] == ["Chile"]


def test_one_country_has_a_difference_but_no_heterogeneity():
    rows = {name: values[:18] for name, values in paired_rows().items()}
    found = difference_by_country(**rows)
    assert list(found.countries) == ["Chile"]
    assert np.isnan(found.heterogeneity.p)
    assert "no test" in found.heterogeneity.method


def test_complete_rows_reads_labels_as_strings():
    rows = complete_rows({"x": [1, None, 3]}, {"label": [7, 8, 9]})
    assert rows.numbers["x"].tolist() == [1, 3]
    assert rows.labels["label"].tolist() == ["7", "9"]
    assert rows.missing == 1
