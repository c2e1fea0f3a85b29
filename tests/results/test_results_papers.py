import numpy as np
import pandas as pd
import pytest

from helpers.results.page import LackingError
from helpers.results.papers import bracket, claimed, counted, interval, of_rows, span


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([59.0, 69.3, 62.1], "59.0 to 69.3 (3 models)"),
        ([59.0, np.nan], "59.0 (1 model)"),
        ([np.nan], "–"),
        ([], "–"),
        (LackingError("nothing"), "–"),
    ],
)
def test_spans(values, said):
    assert span(values) == said


def test_claims_of_culturescores_section_4_1():
    # Rani et al. 2026, section 4.1: gains in context of 25.5, 21.5 and 18.0 points.
    assert sorted(claimed("cs-gain-", dimension="context")) == [18.0, 21.5, 25.5]


def test_rows_that_meet_conditions():
    rows = pd.DataFrame({"model": ["a", "b"], "score": ["x", "x"], "estimate": [1.0, 2.0]})
    assert of_rows(rows, model="b", score="x").tolist() == [2.0]
    why = LackingError("nothing")
    assert of_rows(why, model="b") is why


def test_intervals_and_counts_in_words():
    assert interval({"estimate": 0.5, "low": 0.4, "high": 0.6}) == "0.50 [0.40, 0.60]"
    assert interval({"estimate": 0.5, "low": np.nan, "high": np.nan}) == "0.50"
    assert interval({"estimate": np.nan, "low": 0, "high": 0}) == "–"
    assert bracket(-0.4, 0.6, "{:.1f}") == "[−0.4, 0.6]"
    assert bracket(np.nan, np.nan) == "no interval"
    assert counted(pd.Series([3, 1200])) == "3 to 1,200"
    assert counted(pd.Series([3, 3])) == "3"
