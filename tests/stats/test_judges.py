import numpy as np
import pytest
from scipy import stats

from helpers.stats.judges import bias_by_country, compare_groups, country_means


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
