"""Formulas against the estimators and scipy, applied to what very many simulated raters or clips give."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.simulate.implied import (
    agreement,
    answer_pairs,
    grade_pairs,
    intraclass,
    jaccard_similarity,
    rank_correlations,
    ranking_correlation,
    recovered,
)
from helpers.simulate.raters import Rater
from helpers.stats.agreement import jaccard
from helpers.stats.chance_corrected import fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement
from helpers.stats.reliability import icc, kendall_w
from helpers.stats.results import Estimate

CLIPS = 40_000
CAREFUL = Rater(rater_id="a", sensitivity=0.9, specificity=0.8)


def graded(raters: list[Rater], rates: np.ndarray) -> np.ndarray:
    """Grades of the raters for many clips, an equal number with each rate."""
    rate = np.resize(rates, CLIPS)
    about = pd.DataFrame({"criterion": ["realism"] * CLIPS})
    z = np.random.default_rng(1).standard_normal(CLIPS)
    shown = np.full(CLIPS, True)
    return np.column_stack([rater.scores(rate, z, about, shown, seed=2)["score"] for rater in raters]).astype(
        int
    )


@pytest.fixture(scope="module")
def panel() -> tuple[np.ndarray, np.ndarray]:
    """Tables and drawn grades of three raters who differ in care and leniency."""
    raters = [
        Rater(rater_id=f"rater {leniency}", reliability=reliability, leniency=leniency)
        for reliability, leniency in ((0.8, -0.5), (0.6, 0.0), (1.0, 0.7))
    ]
    rates = np.array([0.1, 0.35, 0.5, 0.8])
    return grade_pairs(rates, raters), graded(raters, rates)


def test_a_hand_counted_table_of_answers():
    """0.4 x 0.9² + 0.6 x 0.2² = 0.348 both yes; 0.4 x 0.1² + 0.6 x 0.8² = 0.388 both no."""
    (table,) = answer_pairs(0.4, [CAREFUL, CAREFUL])
    np.testing.assert_allclose(table, [[0.388, 0.132], [0.132, 0.348]], atol=1e-12)


def test_leniency_moves_the_answers_by_its_log_odds():
    lenient = Rater(rater_id="b", sensitivity=0.5, specificity=0.5, leniency=np.log(3))
    (table,) = answer_pairs(0.4, [lenient, lenient])
    assert table[1].sum() == pytest.approx(0.75)


def test_agreement_of_gwets_paradox_table():
    """Gwet 2008's kind of table, 118, 5, 2, 0: AC1 0.94078, Scott's pi as Fleiss' kappa of two raters."""
    ratings = np.repeat([[1, 1], [1, 0], [0, 1]], [118, 5, 2], axis=0)
    found = agreement(np.array([[[0, 2], [5, 118]]]) / 125)
    assert found["ac"] == pytest.approx(0.94078, abs=5e-6)
    assert found["kappa"] == pytest.approx(fleiss_kappa(ratings, [0, 1]).estimate)
    assert found["percent"] == pytest.approx(118 / 125)


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_agreement_is_what_the_estimators_find_over_many_clips(panel, weights):
    tables, grades = panel
    found = agreement(tables, weights)
    for name, coefficient in (
        ("percent", percent_agreement),
        ("ac", gwet_ac),
        ("kappa", fleiss_kappa),
        ("kappa", krippendorff_alpha),
    ):
        estimate = coefficient(grades, range(1, 6), weights=weights)
        assert found[name] == pytest.approx(estimate.estimate, abs=4 * estimate.details["se"])


def test_rank_correlations_are_scipys_over_many_clips(panel):
    tables, grades = panel
    pairs = [(grades[:, first], grades[:, second]) for first, second in ((0, 1), (0, 2), (1, 2))]
    found = rank_correlations(tables)
    rho = np.mean([stats.spearmanr(*pair).statistic for pair in pairs])
    tau = np.mean([stats.kendalltau(*pair).statistic for pair in pairs])
    # Four standard errors of a correlation over so many clips.
    assert found["spearman"] == pytest.approx(rho, abs=4 / np.sqrt(CLIPS))
    assert found["kendall"] == pytest.approx(tau, abs=4 / np.sqrt(CLIPS))


def test_intraclass_correlation_is_the_estimators_over_many_clips(panel):
    tables, grades = panel
    assert intraclass(tables) == pytest.approx(icc(grades).estimate, abs=4 / np.sqrt(CLIPS))


@settings(max_examples=25)
@given(st.floats(0.02, 0.98), st.floats(0, 1), st.floats(-2, 2))
def test_tables_of_grades_are_probabilities_with_the_rate_as_their_mean(rate, reliability, leniency):
    raters = [Rater(rater_id="a", reliability=reliability), Rater(rater_id="b", leniency=leniency)]
    (table,) = grade_pairs([rate], raters)
    assert table.min() >= -1e-12
    assert table.sum() == pytest.approx(1)
    assert table.sum(axis=1) @ np.arange(5) / 4 == pytest.approx(rate, abs=0.004)


@pytest.mark.parametrize("both_empty", ["skip", "one"])
def test_jaccard_is_the_estimators_over_many_raters(both_empty):
    truth = np.array([[True, False, False], [True, True, False], [False, False, False]])
    rng = np.random.default_rng(3)
    said = rng.random((200, *truth.shape)) < np.where(truth, 0.9, 0.2)
    expected = jaccard_similarity(truth, CAREFUL, both_empty)
    for item, value in enumerate(expected):
        answers = [[list(np.flatnonzero(said[rater, item])) for rater in range(200)]]
        found = jaccard(answers, range(3), both_empty=both_empty)
        assert value == pytest.approx(found.estimate, abs=0.05)


def test_jaccard_of_one_label_by_hand():
    """Yes with 0.9: both yes 0.81, both empty 0.01, so 0.81/0.99 where the empty pair is skipped."""
    truth = np.array([[True]])
    assert jaccard_similarity(truth, CAREFUL, "skip")[0] == pytest.approx(0.81 / 0.99)
    assert jaccard_similarity(truth, CAREFUL, "one")[0] == pytest.approx(0.82)


def test_ranking_correlation_is_kendalls_w_of_many_raters():
    quality = np.array([[-1.0, 0.2, 0.5], [0.0, 0.0, 0.0]])
    rater = Rater(rater_id="a", reliability=0.4)
    for values, expected in zip(quality, ranking_correlation(quality, rater), strict=True):
        own = np.random.default_rng(4).standard_normal((3, 2000))
        w = kendall_w(np.sqrt(0.4) * values[:, None] + np.sqrt(0.6) * own, resamples=1).estimate
        assert expected == pytest.approx((2000 * w - 1) / 1999, abs=0.04)


def test_raters_who_guess_rank_alike_by_chance_only():
    quality = np.random.default_rng(5).standard_normal((4, 5))
    guess = Rater(rater_id="a", reliability=0.0)
    np.testing.assert_allclose(ranking_correlation(quality, guess), 0, atol=1e-12)


def test_one_rater_has_no_pair():
    with pytest.raises(ValueError, match="found 1, expected at least two"):
        answer_pairs(0.5, [CAREFUL])


def test_what_intervals_hold():
    found = {
        name: Estimate(estimate=0.5, low=0.4, high=high, n=9, method="any")
        for name, high in (("inside", 0.6), ("outside", 0.55), ("unknown", np.nan))
    }
    table = recovered(found, {"inside": 0.6, "outside": 0.6, "unknown": 0.5})
    assert table["covered"].tolist() == ["yes", "no", "no interval"]
    with pytest.raises(ValueError, match="'unknown'"):
        recovered(found, {"inside": 0.6, "outside": 0.6})
