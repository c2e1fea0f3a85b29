import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance

from helpers.stats.agreement import inter_rater_correlation, jaccard
from helpers.stats.ratings import wide_ratings

MODELS = ["LTX-2", "Wan 2.2", "Veo 3.1 Fast"]

answer_sets = st.frozensets(st.sampled_from(MODELS))
answer_tables = st.lists(
    st.lists(st.one_of(st.none(), answer_sets), min_size=3, max_size=3), min_size=2, max_size=6
).filter(lambda table: any(answer is not None for row in table for answer in row))


def test_jaccard_by_hand():
    answers = [
        [{"LTX-2"}, {"LTX-2", "Wan 2.2"}, {"Wan 2.2"}],  # 1/2, 0, 1/2: 1/3
        [set(MODELS), set(MODELS), None],  # 1
        [set(), {"LTX-2"}, set()],  # 0, 0 and a pair of empty answers
        [set(), None, set()],  # a pair of empty answers
    ]
    skipped, counted = jaccard(answers, MODELS), jaccard(answers, MODELS, both_empty="one")
    assert skipped.estimate == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert counted.estimate == pytest.approx((1 / 3 + 1 + 1 / 3 + 1) / 4)
    names = ("items", "pairs", "both_empty_pairs", "items_without_pairs")
    assert [skipped.details[name] for name in names] == [3, 6, 2, 1]
    assert [counted.details[name] for name in names] == [4, 8, 2, 0]
    assert "left out" in skipped.method
    assert "counted as agreement" in counted.method


@given(answer_sets, answer_sets)
def test_a_pair_is_one_minus_scipys_jaccard_distance(first, second):
    chosen = [[model in answer for model in MODELS] for answer in (first, second)]
    result = jaccard([[first, second]], MODELS, both_empty="one")
    assert result.estimate == pytest.approx(1 - distance.jaccard(*chosen))


@given(answer_tables)
def test_jaccard_does_not_depend_on_order_or_names(table):
    result = jaccard(table, MODELS, method="t")
    renamed = [[answer and {MODELS.index(label) for label in answer} for answer in row] for row in table]
    other = jaccard([row[::-1] for row in renamed[::-1]], [2, 1, 0], method="t")
    assert [other.estimate, other.low, other.high, other.n] == pytest.approx(
        [result.estimate, result.low, result.high, result.n], nan_ok=True
    )
    assert math.isnan(result.estimate) or 0 <= result.estimate <= 1
    assert math.isnan(result.low) or 0 <= result.low <= result.high <= 1


@given(answer_tables)
def test_counting_empty_pairs_as_agreement_never_lowers_an_items_share(table):
    skipped, counted = (jaccard(table, MODELS, both_empty=rule) for rule in ("skip", "one"))
    assert counted.details["pairs"] == skipped.details["pairs"] + skipped.details["both_empty_pairs"]
    if not math.isnan(skipped.estimate):
        assert counted.estimate >= skipped.estimate * skipped.n / counted.n - 1e-12


def test_jaccard_interval_is_scipys_t_interval_over_items():
    rng = np.random.default_rng(1)
    answers = [[{m for m in MODELS if rng.random() < 0.6} for _ in range(3)] for _ in range(20)]
    result = jaccard(answers, MODELS, both_empty="one", method="t")
    items = [jaccard([row], MODELS, both_empty="one").estimate for row in answers]
    expected = stats.ttest_1samp(items, 0).confidence_interval()
    assert [result.low, result.high] == pytest.approx(list(expected))


def test_jaccard_reads_what_wide_ratings_lays_out():
    wide = wide_ratings(["q1", "q1", "q2"], ["r1", "r2", "r2"], [{"LTX-2"}, {"LTX-2"}, set()])
    result = jaccard(wide, MODELS)
    assert result.estimate == 1
    assert result.details["items_without_pairs"] == 1


@pytest.mark.parametrize("table", [[[set(), set()]], [[{"LTX-2"}, None]]], ids=["both empty", "one answer"])
def test_jaccard_without_pairs_is_undefined(table):
    result = jaccard(table, MODELS)
    assert math.isnan(result.estimate)
    assert "no pair of answers" in result.method


@pytest.mark.parametrize(
    ("table", "arguments", "message"),
    [
        ([[{"LTX-2"}], [set()]], {}, "at least two raters"),
        ([[None, None], [None, None]], {}, "all 4 are missing"),
        ([[{"Wan"}, set()]], {}, r"found 'Wan' in row 0, column 0.*did you mean 'Wan 2.2'\?"),
        ([[set(), "LTX-2"]], {}, "found 'LTX-2' in row 0, column 1, expected a set"),
        ([[set(), set()]], {"both_empty": "zero"}, "both_empty: found 'zero', expected one of skip, one"),
        ([[set(), set()]], {"labels": ["a", "a"]}, "each declared once"),
    ],
    ids=["one rater", "all missing", "undeclared", "not a set", "rule", "labels"],
)
def test_jaccard_names_bad_input(table, arguments, message):
    with pytest.raises(ValueError, match=message):
        jaccard(table, **{"labels": MODELS} | arguments)


def clips(countries: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores 1 to 5 of three raters on twenty clips a country."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(20 * countries, 1))
    scores = np.clip(np.round(3 + quality + rng.normal(size=(20 * countries, 3))), 1, 5)
    return scores, np.repeat([f"country {number}" for number in range(countries)], 20)


@pytest.mark.parametrize(
    ("coefficient", "scipys"),
    [("spearman", lambda x, y: stats.spearmanr(x, y)), ("kendall", lambda x, y: stats.kendalltau(x, y))],
)
def test_inter_rater_correlation_averages_scipys_pairs_within_countries(coefficient, scipys):
    scores, countries = clips(4)
    result = inter_rater_correlation(scores, countries, coefficient, method="t")
    expected = [
        np.mean(
            [scipys(*scores[countries == country][:, pair].T).statistic for pair in ([0, 1], [0, 2], [1, 2])]
        )
        for country in np.unique(countries)
    ]
    interval = stats.ttest_1samp(expected, 0).confidence_interval()
    assert result.estimate == pytest.approx(np.mean(expected))
    assert [result.low, result.high] == pytest.approx(list(interval))
    assert [result.n, result.details["countries"]] == [12, 4]
    assert list(result.details["by_country"].values()) == pytest.approx(expected)


def test_raters_of_their_own_country_may_have_columns_of_their_own():
    scores, countries = clips(3)
    own = np.full((60, 9), np.nan)
    for number in range(3):
        own[20 * number : 20 * number + 20, 3 * number : 3 * number + 3] = scores[
            20 * number : 20 * number + 20
        ]
    assert inter_rater_correlation(own, countries) == inter_rater_correlation(scores, countries)


def test_a_constant_rater_is_left_out_and_counted():
    scores, countries = clips(2)
    scores[:20, 0] = 4
    result = inter_rater_correlation(scores, countries)
    assert result.details["constant_pairs"] == 2
    assert result.details["pairs"] == result.n == 4
    assert result.details["by_country"]["country 0"] == pytest.approx(
        stats.spearmanr(scores[:20, 1], scores[:20, 2]).statistic
    )


def test_a_country_without_a_pair_is_left_out_and_named():
    scores, countries = clips(2)
    scores[:20] = 4
    scores[20:22, 0] = scores[22:, 0] = np.nan
    scores[20:22, 0] = [1, 2]
    result = inter_rater_correlation(scores, countries)
    assert result.details["countries_left_out"] == ["country 0"]
    assert result.details["short_pairs"] == 2
    assert math.isnan(result.low)
    assert "only one of the countries" in result.method


def test_nobody_to_compare_is_undefined():
    result = inter_rater_correlation([[3, 3], [3, 3], [3, 3]], ["Peru"] * 3)
    assert math.isnan(result.estimate)
    assert "no pair of raters" in result.method


@given(st.integers(0, 10_000), st.sampled_from(["spearman", "kendall"]))
def test_inter_rater_correlation_depends_on_the_order_only(seed, coefficient):
    scores, countries = clips(2, seed)
    result = inter_rater_correlation(scores, countries, coefficient, method="t")
    other = inter_rater_correlation(np.exp(scores)[::-1, ::-1], countries[::-1], coefficient, method="t")
    assert [other.estimate, other.low] == pytest.approx([result.estimate, result.low])
    assert -1 <= result.low <= result.estimate <= result.high <= 1


@pytest.mark.parametrize(
    ("ratings", "countries", "coefficient", "message"),
    [
        ([[1], [2]], ["Peru"] * 2, "spearman", "at least two raters"),
        ([[1, "5*"], [2, 3]], ["Peru"] * 2, "spearman", r"found '5\*' in row 0, column 1"),
        ([[1, 5], [2, 3]], ["Peru"], "spearman", "found 1 for 2 clips"),
        ([[1, 5], [2, 3]], ["Peru", None], "spearman", "found 1 for 2 clips"),
        ([[1, 5], [2, 3]], ["Peru"] * 2, "kendal", r"did you mean 'kendall'\?"),
    ],
)
def test_inter_rater_correlation_names_bad_input(ratings, countries, coefficient, message):
    with pytest.raises(ValueError, match=message):
        inter_rater_correlation(ratings, countries, coefficient)
