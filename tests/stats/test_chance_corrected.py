import math

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.stats.chance_corrected import (
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
)

COEFFICIENTS = [
    gwet_ac,
    fleiss_kappa,
    conger_kappa,
    krippendorff_alpha,
    brennan_prediger,
    percent_agreement,
]
CORRECTED_BY_USE = [fleiss_kappa, conger_kappa, krippendorff_alpha]


def raters(*columns: str) -> np.ndarray:
    """Items x raters from one string a rater, '-' where missing."""
    return np.array([[None if rating == "-" else rating for rating in column] for column in columns]).T


def from_counts(rows: list[str], labels: str) -> np.ndarray:
    """Items x raters from how many raters chose each category."""
    return np.array(
        [[label for label, count in zip(labels, row, strict=True) for _ in range(int(count))] for row in rows]
    )


def from_table(table: list[list[int]]) -> np.ndarray:
    """Items x two raters from their cross table."""
    size = range(len(table))
    return np.array([(i, j) for i in size for j in size for _ in range(table[i][j])])


# Gwet (2014), Handbook of Inter-Rater Reliability, p. 120; R irrCAC `cac.raw4raters`.
FOUR_RATERS = raters("123321412---", "1233224125--", "-33323422513", "12332441251-")
# Fleiss (1971), Psychological Bulletin 76, subset; R irrCAC `distrib.6raters`.
SIX_PSYCHIATRISTS = from_counts(
    [
        *("00060", "03003", "01401", "00006", "03030", "20400", "00402", "20310"),
        *("20040", "00006", "10050", "11040", "03300", "10050", "02031"),
    ],
    "abcde",
)
# R irrCAC `cac.dist4cat` and `cont3x3abstractors`.
FOUR_CATEGORIES = from_counts(
    [f"{a}{b}{c}" for a, b, c in zip("322233000300003", "011011430143201", "111200014001240", strict=True)],
    "abc",
)
ABSTRACTORS = from_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
# Python irrCAC 0.4.4, `irrCAC/datasets.py`.
FIVE_OBSERVERS = raters(
    "112-001122-0131", "1130000-2110231", "203000222100221", "-13----0-10022-", "2--0001-2----31"
)
GROUPS = raters("abccbadab---bb", "abccbbdabe--ba", "-cccbcdbbeaccc", "abccbddabea-bb")
GENDER = raters("aaaaabbbcaaaaab", "aaaababccaaaaba", "abbcaabbcabbcaa", "ccccaabbcccccaa")
BEN_GERRY = raters("aabbdcccedda", "babbbccce-dd")


@pytest.mark.parametrize(
    ("coefficient", "pa", "pe", "value", "se", "low", "p"),
    [
        (gwet_ac, "0.8181818", "0.1903212", "0.77544", "0.14295", "0.461", "0.000208721"),
        (fleiss_kappa, "0.8181818", "0.2387153", "0.76117", "0.15302", "0.424", "0.000419173"),
        (krippendorff_alpha, "0.805", "0.24", "0.74342", "0.14557", "0.419", "0.0004594257"),
        (conger_kappa, "0.8181818", "0.2334252", "0.76282", "0.14917", "0.435", "0.0003367066"),
        (brennan_prediger, "0.8181818", "0.2", "0.77273", "0.14472", "0.454", "0.0002375609"),
        (percent_agreement, "0.8181818", "0", "0.8181818", "0.12561", "0.542", "0.00004345373"),
    ],
)
def test_gwet_readme_of_r_irrcac_four_raters_with_missing(coefficient, pa, pe, value, se, low, p):
    result = coefficient(FOUR_RATERS, "12345")
    found = [result.details["pa"], result.details["pe"], result.estimate, result.details["se"], result.low]
    for number, published in zip([*found, result.p], [pa, pe, value, se, low, p], strict=True):
        assert_published(number, published)
    assert result.high == 1


@pytest.mark.parametrize(
    ("weights", "value", "pa", "pe", "se", "low"),
    [
        ("quadratic", "0.914", "0.97538", "0.7137", "0.10396", "0.68518"),
        ("linear", "0.859", "0.939", "0.571", "0.117", "0.600"),
        ("ordinal", "0.899", "0.968", "0.685", "0.107", "0.664"),
    ],
)
def test_ac2_of_python_irrcac(weights, value, pa, pe, se, low):
    result = gwet_ac(FOUR_RATERS, "12345", weights=weights)
    found = [result.estimate, result.details["pa"], result.details["pe"], result.details["se"], result.low]
    for number, published in zip(found, [value, pa, pe, se, low], strict=True):
        assert_published(number, published)
    assert "AC2" in result.method
    assert weights in result.method


@pytest.mark.parametrize(
    ("weights", "value"), [("linear", "0.800"), ("ordinal", "0.834"), ("quadratic", "0.849")]
)
def test_weighted_alpha_of_python_irrcac(weights, value):
    assert_published(krippendorff_alpha(FOUR_RATERS, "12345", weights=weights).estimate, value)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic", "ordinal"])
def test_numbers_and_labels_of_one_scale_agree(weights):
    numbers = np.where(FOUR_RATERS == None, np.nan, FOUR_RATERS).astype(float)  # noqa: E711
    labelled = gwet_ac(FOUR_RATERS, "12345", weights=weights)
    assert gwet_ac(numbers, [1, 2, 3, 4, 5], weights=weights) == labelled


@pytest.mark.parametrize(
    ("coefficient", "value", "se", "low", "high", "p"),
    [
        (gwet_ac, "0.4448007", "0.08418757", "0.264", "0.625", "0.0001155927"),
        (fleiss_kappa, "0.4139265", "0.08119291", "0.24", "0.588", "0.0001622724"),
        (brennan_prediger, "0.4388889", "0.08312142", "0.261", "0.617", "0.0001163"),
        (krippendorff_alpha, "0.4204384", None, None, None, None),
    ],
)
def test_fleiss_1971_six_psychiatrists_in_r_irrcac(coefficient, value, se, low, high, p):
    result = coefficient(SIX_PSYCHIATRISTS, "abcde")
    found = [result.estimate, result.details["se"], result.low, result.high, result.p]
    for number, published in zip(found, [value, se, low, high, p], strict=True):
        if published is not None:
            assert_published(number, published)


def test_fleiss_1971_six_psychiatrists_observed_and_expected():
    result = gwet_ac(SIX_PSYCHIATRISTS, "abcde")
    assert_published(result.details["pa"], "0.5511111")
    assert_published(result.details["pe"], "0.1914815")


def test_r_irrcac_four_raters_three_categories():
    result = gwet_ac(FOUR_CATEGORIES, "abc")
    assert_published(result.estimate, "0.3518903")
    # These three come from an independent computation with Gwet's formula, not from irrCAC.
    assert_published(result.details["pa"], "0.5666667")
    assert_published(result.details["pe"], "0.3313889")
    assert_published(result.details["se"], "0.1125982")


@pytest.mark.parametrize(
    ("coefficient", "value", "se"),
    [
        (gwet_ac, "0.8493305", "0.04321747"),
        (conger_kappa, "0.7964094", "0.05891072"),  # Cohen's kappa
        (fleiss_kappa, "0.7962397", "0.05905473"),  # Scott's pi
        (brennan_prediger, "0.835", "0.04693346"),
        (krippendorff_alpha, "0.7972585", "0.05905473"),
        (percent_agreement, "0.89", "0.03128898"),
    ],
)
def test_r_irrcac_two_abstractors_table(coefficient, value, se):
    result = coefficient(ABSTRACTORS, range(3))
    assert_published(result.estimate, value)
    # irrCAC's two-rater tables divide the variance by n, its raw ratings (and we) by n - 1.
    assert_published(result.details["se"] * math.sqrt(99 / 100), se)


def test_raw_ratings_of_two_abstractors_divide_by_n_minus_1():
    assert_published(gwet_ac(ABSTRACTORS, range(3)).details["se"], "0.0434352")


@pytest.mark.parametrize(
    ("ratings", "categories", "pa", "pe", "value", "se", "low", "high", "p"),
    [
        (FIVE_OBSERVERS, "0123", "0.616", "0.236", "0.497", "0.122", "0.235", "0.758", "0.00114"),
        (GROUPS, "abcde", "0.744", "0.187", "0.685", "0.134", "0.396", "0.973", "0.00019"),
        (GENDER, "abc", "0.456", "0.312", "0.208", "0.091", "0.014", "0.403", "0.03776"),
        (BEN_GERRY, "abcde", "0.727", "0.194", "0.661", "0.184", "0.257", "1", "0.00420"),
    ],
    ids=["five observers", "g1g2", "gender", "Ben and Gerry"],
)
def test_ac1_of_python_irrcac_tests(ratings, categories, pa, pe, value, se, low, high, p):
    result = gwet_ac(ratings, categories)
    found = [result.details[name] for name in ("pa", "pe")] + [result.estimate, result.details["se"]]
    found += [result.low, result.high, result.p]
    for number, published in zip(found, [pa, pe, value, se, low, high, p], strict=True):
        assert_published(number, published)


def test_kappa_paradox_of_gwet():
    ratings = from_table([[118, 5], [2, 0]])
    assert_published(gwet_ac(ratings, [0, 1]).estimate, "0.94078")
    assert_published(conger_kappa(ratings, [0, 1]).estimate, "-0.02339")


def test_declaring_an_unused_category_raises_ac1():
    ratings = raters("aabba", "aabbb")
    assert gwet_ac(ratings, "ab").estimate == pytest.approx(0.6)
    wider = gwet_ac(ratings, "abc")
    assert_published(wider.estimate, "0.733")
    assert wider.details["unused_categories"] == ["c"]


tables = (
    st.integers(2, 4)
    .flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([1.0, 2.0, 3.0, 5.0, math.nan]), min_size=width, max_size=width),
            min_size=2,
            max_size=12,
        )
    )
    .map(np.array)
)


@given(tables)
def test_alpha_is_that_of_the_krippendorff_package(ratings):
    pairable = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    assume(np.unique(pairable[~np.isnan(pairable)]).size > 1)
    for weights, metric in [("identity", "nominal"), ("quadratic", "interval")]:
        theirs = krippendorff.alpha(ratings.T, value_domain=[1.0, 2.0, 3.0, 5.0], level_of_measurement=metric)
        ours = krippendorff_alpha(ratings, [1, 2, 3, 5], weights=weights)
        assert ours.estimate == pytest.approx(theirs, abs=1e-12)


@given(tables, st.permutations(range(4)), st.sampled_from(COEFFICIENTS))
def test_order_of_items_and_raters_and_names_of_categories_do_not_matter(ratings, order, coefficient):
    assume(not np.isnan(ratings).all())
    new_names = dict(zip([1.0, 2.0, 3.0, 5.0], "wxyz", strict=True))
    renamed = np.array([[new_names.get(rating) for rating in row] for row in ratings], dtype=object)
    columns = [column for column in order if column < ratings.shape[1]]
    result = coefficient(ratings, [1, 2, 3, 5])
    for other in (
        coefficient(ratings[::-1][:, columns], [5, 3, 2, 1]),
        coefficient(renamed, "wxyz"),
        coefficient(pd.DataFrame(renamed), list("zyxw")),
    ):
        assert [other.estimate, other.low, other.high, other.p, other.n] == pytest.approx(
            [result.estimate, result.low, result.high, result.p, result.n], nan_ok=True, abs=1e-9
        )


@given(tables, st.sampled_from(["identity", "linear", "quadratic", "ordinal"]), st.sampled_from(COEFFICIENTS))
def test_coefficients_stay_in_bounds(ratings, weights, coefficient):
    assume(not np.isnan(ratings).all())
    result = coefficient(ratings, [1, 2, 3, 5], weights=weights)
    if math.isnan(result.estimate):
        assert "undefined" in result.method
    else:
        assert result.estimate <= 1 + 1e-12
        assert -1e-12 <= result.details["pa"] <= 1 + 1e-12
    if not math.isnan(result.low):
        assert result.low <= min(result.estimate, 1) + 1e-12
        assert result.low <= result.high <= 1


@given(tables)
def test_an_item_on_which_raters_come_to_agree_raises_percent_agreement(ratings):
    rated = (~np.isnan(ratings)).sum(axis=1)
    assume(rated.max() >= 2)
    agreed, item = ratings.copy(), rated.argmax()
    agreed[item] = np.where(np.isnan(ratings[item]), np.nan, np.nanmin(ratings[item]))
    before, after = (percent_agreement(table, [1, 2, 3, 5]).estimate for table in (ratings, agreed))
    assert after >= before - 1e-12


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_perfect_agreement_is_1_without_an_interval(coefficient):
    result = coefficient(raters("aabbc", "aabbc"), "abc")
    assert result.estimate == pytest.approx(1)
    assert math.isnan(result.low)
    assert math.isnan(result.p)
    assert "no variation between items" in result.method


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_all_equal_ratings(coefficient):
    result = coefficient(raters("aaaa", "aaaa"), "ab")
    if coefficient in CORRECTED_BY_USE:
        assert math.isnan(result.estimate)
        assert "undefined: all ratings are equal" in result.method
    else:
        assert result.estimate == pytest.approx(1)
        assert math.isnan(result.low)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("ratings", [raters("ab--", "--ba"), raters("aabb", "----")])
def test_no_item_rated_twice_is_undefined(coefficient, ratings):
    result = coefficient(ratings, "ab")
    assert math.isnan(result.estimate)
    assert result.n == 0
    assert "no item was rated twice" in result.method


def test_one_item_has_no_interval():
    result = gwet_ac(raters("a", "a", "b"), "ab")
    assert result.estimate == pytest.approx((1 / 3 - 4 / 9) / (5 / 9))
    assert math.isnan(result.high)
    assert "one item" in result.method


def test_unrated_items_are_left_out_and_counted():
    padded = np.vstack([FOUR_RATERS, [[None] * 4] * 3])
    result, without = gwet_ac(padded, "12345"), gwet_ac(FOUR_RATERS, "12345")
    assert (result.estimate, result.p) == (without.estimate, without.p)
    assert result.details["unrated_items"] == 3
    assert [result.details[name] for name in ("items", "pairable_items", "raters", "ratings")] == [
        12,
        11,
        4,
        41,
    ]


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([["a"], ["b"]], r"shape \(2, 1\).*at least two raters"),
        (["a", "b"], "items x raters"),
        ([[None, np.nan], [None, None]], "all 4 are missing"),
        ([["a", "b"], ["a", "bb"]], r"found 'bb' in row 1, column 1.*did you mean 'b'\?"),
        ([["a", 2.5], ["a", "b"]], "found 2.5 in row 0, column 1"),
    ],
    ids=["one rater", "one dimension", "all missing", "undeclared", "not on the scale"],
)
def test_bad_ratings_are_named(ratings, message):
    with pytest.raises(ValueError, match=message):
        gwet_ac(ratings, ["a", "b"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"categories": ["a"]}, "at least two"),
        ({"categories": ["a", "b", "b"]}, "declared once"),
        ({"categories": "ab", "weights": "cubic"}, "weights: found 'cubic', expected one of identity"),
        ({"categories": "ab", "level": 95}, "level: found 95"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        gwet_ac(raters("aabb", "abab"), **arguments)


def assert_published(number: float, published: str) -> None:
    """The number rounds to the published digits."""
    decimals = len(published.partition(".")[2])
    assert number == pytest.approx(float(published), abs=0.5000001 * 10**-decimals)
