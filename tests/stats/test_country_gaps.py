import numpy as np
import pytest
from scipy import stats

from helpers.stats.country_gaps import gap_change, index_against_score


def test_index_against_score_is_scipys_rank_correlation_and_slope_on_the_logarithm():
    views = [2e6, 4e5, 9e6, 3e4, 1e5, 5e6, 8e5]
    score = [0.6, 0.5, 0.8, 0.3, 0.45, 0.65, np.nan]
    found = index_against_score(views, score, source="page views, 2026")
    assert found.rank.estimate == pytest.approx(stats.spearmanr(views[:6], score[:6]).statistic)
    assert found.slope.estimate == pytest.approx(stats.linregress(np.log10(views[:6]), score[:6]).slope)
    for each in (found.rank, found.slope):
        assert each.details["source"] == "page views, 2026"
        assert "page views, 2026" in each.method
        assert (each.n, each.details["missing"]) == (6, 1)


def test_a_constant_score_has_no_association():
    found = index_against_score([1, 10, 100, 1000], [0.5] * 4, source="made up")
    assert np.isnan(found.rank.estimate)
    assert "undefined" in found.rank.method
    assert np.isnan(found.slope.p)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": [0, 1, 2]}, "index: found 0, expected values above zero"),
        ({"source": " "}, "source: found nothing"),
        ({"score": [1, 2, np.nan]}, "found 2 pairs, expected at least 3"),
    ],
)
def test_what_index_against_score_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        index_against_score(**{"index": [1, 2, 3], "score": [1, 2, 3], "source": "made up"} | change)


def models(seed=0, clips=4):
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(30), clips)
    hard = rng.normal(0, 1, 30)[prompt]
    return {
        "before": hard + rng.normal(0, 0.4, prompt.size),
        "after": hard + 1 + rng.normal(0, 0.4, prompt.size),
        "country": np.repeat(["Ethiopia", "Italy", "United States"], 10 * clips),
        "prompt": prompt,
    }


def test_gap_change_to_a_reference_is_scipys_welch_test_of_prompt_changes():
    rows = models()
    found = gap_change(**rows, reference="United States")
    change = (rows["after"] - rows["before"]).reshape(3, 10, 4).mean(axis=2)
    welch = stats.ttest_ind(change[0], change[2], equal_var=False)
    ethiopia = found.change["Ethiopia"]
    assert list(found.change) == ["Ethiopia", "Italy"]
    assert ethiopia.p == pytest.approx(welch.pvalue)
    assert (ethiopia.low, ethiopia.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))
    assert ethiopia.estimate == pytest.approx(
        found.after["Ethiopia"].estimate - found.before["Ethiopia"].estimate
    )
    assert "p_holm" in ethiopia.details


def test_what_all_countries_gain_is_no_change_of_gap():
    rows = models()
    found = gap_change(**rows)
    more = gap_change(**rows | {"after": rows["after"] + 5})
    assert sum(each.estimate for each in found.change.values()) == pytest.approx(0)
    for name, each in found.change.items():
        assert more.change[name].estimate == pytest.approx(each.estimate)
        assert more.change[name].p == pytest.approx(each.p)


def test_gap_change_of_one_prompt_has_no_interval():
    found = gap_change([1, 2, 3, 5.0], [2, 2, 3, 4], country=["A", "B", "B", "B"], prompt=[1, 2, 3, 4])
    assert np.isnan(found.change["A"].low)
    assert "too little" in found.change["A"].method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"country": ["Peru"] * 120}, "country: found only 'Peru'"),
        (
            {"reference": "Narnia"},
            "reference: found 'Narnia', expected one of Ethiopia, Italy, United States",
        ),
    ],
)
def test_what_gap_change_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        gap_change(**models() | change)
