import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.stats.association_by_level import country_averaged, levels

CLIPS = pd.DataFrame(
    {
        "country": ["Brazil"] * 4 + ["Italy"] * 4 + ["Japan"] * 4 + ["Nigeria"] * 4 + ["Russia"],
        "x": [1, 2, 3, 4, 1, 2, 3, 4, 3, 3, 3, 3, 1, 2, 3, 4, 5],
        "y": [1, 2, 3, 4, 1, 2, 4, 3, 1, 2, 3, 4, 2, 1, 4, 3, 5],
    }
)


@pytest.mark.parametrize(
    ("statistic", "per_country"),
    [
        # By hand, CultureVidBench equation 1: 1 - 6 Σd²/60 and (concordant - discordant)/6.
        ("spearman", {"Brazil": 1.0, "Italy": 0.8, "Nigeria": 0.6}),
        ("kendall", {"Brazil": 1.0, "Italy": 4 / 6, "Nigeria": 2 / 6}),
    ],
)
def test_country_averaged_culturevidbench_equation_1_by_hand(statistic, per_country):
    result = country_averaged(CLIPS.x, CLIPS.y, CLIPS.country, statistic)
    assert result.details["per_country"] == pytest.approx(per_country)
    assert result.estimate == pytest.approx(np.mean(list(per_country.values())))
    assert result.n == 3
    assert result.details["excluded"] == {"Japan": "constant x", "Russia": "a single pair"}
    assert (result.details["clips"], result.details["excluded_clips"]) == (12, 5)
    expected = stats.ttest_1samp(list(per_country.values()), 0)
    interval = expected.confidence_interval()
    assert (result.p, result.low, result.high) == pytest.approx(
        (expected.pvalue, interval.low, interval.high)
    )


def test_country_averaged_agrees_with_pandas():
    rng = np.random.default_rng(4)
    clips = pd.DataFrame(rng.integers(1, 6, size=(120, 2)), columns=["x", "y"])
    clips["country"] = np.repeat([f"country {number}" for number in range(12)], 10)
    for statistic in ("spearman", "kendall"):
        expected = [group.x.corr(group.y, method=statistic) for _, group in clips.groupby("country")]
        result = country_averaged(clips.x, clips.y, clips.country, statistic)
        assert list(result.details["per_country"].values()) == pytest.approx(expected)
        assert result.estimate == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(
    ("kept", "estimate", "words"),
    [(["Brazil"], 1, "one country left"), (["Japan"], np.nan, "no country left")],
)
def test_country_averaged_with_one_country_or_none(kept, estimate, words):
    clips = CLIPS[CLIPS.country.isin(kept)]
    result = country_averaged(clips.x, clips.y, clips.country)
    assert result.estimate == pytest.approx(estimate, nan_ok=True)
    assert np.isnan(result.low)
    assert words in result.method


@given(st.permutations(["Brazil", "Italy", "Nigeria"]), st.floats(0.5, 4))
def test_country_averaged_ignores_country_names_and_scales(names, factor):
    clips = CLIPS[CLIPS.country.isin(names)]
    renamed = clips.country.map(dict(zip(["Brazil", "Italy", "Nigeria"], names, strict=True)))
    scale = clips.country.map({"Brazil": 1, "Italy": factor, "Nigeria": factor**2})
    before = country_averaged(clips.x, clips.y, clips.country)
    after = country_averaged(clips.x * scale, clips.y, renamed)
    assert (after.estimate, after.low) == pytest.approx((before.estimate, before.low))


def test_levels_can_disagree():
    # Two models in three countries: y ranks the models as x does, but clips within a model the other way.
    table = pd.DataFrame(
        {
            "model": ["a"] * 3 + ["b"] * 3,
            "country": ["Chile", "Japan", "Poland"] * 2,
            "x": [1, 2, 3, 11, 12, 13],
            "y": [3, 2, 1, 13, 12, 11],
        }
    )
    table["item"] = table.model + table.country
    result = levels(table.x, table.y, table["item"], table.country, table.model)
    assert {name: found.n for name, found in result.items()} == {"item": 6, "country": 3, "model": 2}
    assert result["model"].estimate == 1
    assert result["country"].estimate == -1
    # By hand: d = -2 0 2 -2 0 2, so 1 - 6 × 16/210.
    assert result["item"].estimate == pytest.approx(1 - 96 / 210)


def test_levels_average_repeated_rows_and_tie_equal_means():
    x = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 5.0]
    result = levels(x, x, ["u", "u", "u", "v", "v", "v", "w"], ["Chile"] * 7, list("abcdefg"))
    assert result["item"].n == 3
    assert result["item"].estimate == 1
    assert np.isnan(result["country"].estimate)
    assert "only one" in result["country"].method
    other = levels([1, 1, 1, 2, 2, 2, 3], x, ["u"] * 3 + ["v"] * 3 + ["w"], ["Chile"] * 7, list("abcdefg"))
    # Ranks 1, 2, 3 against 1.5, 1.5, 3: sqrt(3)/2 by hand.
    assert other["item"].estimate == pytest.approx(np.sqrt(3) / 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: country_averaged([], [], []), "found 0 pairs"),
        (lambda: country_averaged([1, 2], [1, 2], ["Chile"]), "country: found shape"),
        (lambda: country_averaged([1, 2], [1, 2], ["Chile", None]), "country: found no label at position 1"),
        (lambda: country_averaged([1, 2], [1, 2], ["Chile"] * 2, "pearson"), "statistic: found 'pearson'"),
        (lambda: levels([1], [1], ["a"], ["b"], [np.nan]), "model: found no label at position 0"),
        (lambda: levels([1], [1], ["a"], ["b"], ["c"], statistic="tau"), "statistic: found 'tau'"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
