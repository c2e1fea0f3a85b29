"""Pairs of clips of a landmark, drawn and counted."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.results.landmark_pairs import pair_plots
from helpers.results.page import LackingError

ROWS = pd.DataFrame(
    [
        ("up", "short", 1.0, 0.2),
        ("up", "detailed", 2.0, 0.2),
        ("down", "short", 3.0, None),
        ("down", "detailed", 2.0, 0.5),
        ("twice", "short", 1.0, 0.1),
        ("twice", "short", 3.0, 0.1),
        ("twice", "detailed", 2.0, 0.4),
        ("alone", "detailed", 5.0, 0.9),
    ],
    columns=["landmark_id", "variant", "people", "patch_hog"],
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_pairs_are_counted_by_score_and_landmarks_without_one_left_out():
    drawn = pair_plots(ROWS, "people", "patch_hog")
    assert "by people 1 higher, 1 lower, 1 equal with the detailed prompt, of 3" in drawn.caption
    assert "by patch_hog 1 higher, 0 lower, 1 equal with the detailed prompt, of 2" in drawn.caption
    assert len(drawn.figure.axes) == 2
    means = drawn.figure.axes[0].lines[3]
    assert means.get_ydata().tolist() == [2.0, 2.0]


def test_one_score_asked_for_twice_is_one_panel():
    assert len(pair_plots(ROWS, "people", "people").figure.axes) == 1


def test_a_score_without_a_pair_is_lacking():
    with pytest.raises(LackingError, match="with a score by patch_hog"):
        pair_plots(ROWS.query("variant == 'detailed'"), "patch_hog")
