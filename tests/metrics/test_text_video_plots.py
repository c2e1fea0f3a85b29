"""Pictures of text-video similarity: what stands where."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from helpers.metrics import text_video_plots as plots
from helpers.stats.results import Estimate


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_correlations_stand_from_top_to_bottom_with_their_bars():
    rows = pd.DataFrame(
        {
            "evaluator": ["A", "B"],
            "criterion": "x_y",
            "value": [0.2, 0.5],
            "low": [0.1, 0.3],
            "high": [0.3, 0.6],
        }
    )
    rows = pd.concat([rows, rows.assign(criterion="z")])
    fig = plots.correlation_panels(rows, ["x_y", "z"], ["A", "B"])
    first = fig.axes[0]
    assert first.get_title(loc="left") + first.get_title() == "x y"
    assert [label.get_text() for label in first.get_yticklabels()] == ["B", "A"]
    (line,) = (line for line in first.lines if line.get_marker() == "o")
    assert line.get_xdata().tolist() == [0.5, 0.2]
    np.testing.assert_allclose(first.collections[0].get_segments()[0][:, 0], [0.3, 0.6])


def test_limits_are_marked():
    rows = pd.DataFrame({"part": ["a", "a", "b", "b"], "tokens": [10, 50] * 2, "share": [0.1, 1, 0, 0.5]})
    ax = plots.reading_curves(rows, {"ViCLIP": 32}).axes[0]
    assert [text.get_text() for text in ax.texts] == ["ViCLIP, 32"]


def test_strips_show_the_whole_range():
    rows = pd.DataFrame({"pair": ["a", "b"], "cosine": [0.9, -0.1]})
    low, high = plots.cosine_strips(rows, (0, 0.4), "random weights").axes[0].get_xlim()
    assert low < -1 < 1 < high


def test_histograms_say_how_often_the_own_prompt_wins():
    won = {"a, b": Estimate(estimate=0.75, n=3, method=""), "c": Estimate(estimate=0.5, n=3, method="")}
    fig = plots.score_histograms({"a, b": np.eye(3), "c": np.ones((3, 3)) * 0.5}, won)
    titles = [ax.get_title() + ax.get_title(loc="left") for ax in fig.axes]
    assert [title.split()[-1] for title in titles] == ["75%", "50%"]


def test_the_diagonal_is_marked():
    ax = plots.score_matrix(np.arange(9.0).reshape(3, 3), "made up").axes[0]
    assert ax.lines[0].get_xydata().tolist() == [[0.5, 0.5], [1.5, 1.5], [2.5, 2.5]]


def test_kinds_differ_in_line_style():
    rows = pd.DataFrame({"pair": ["a", "a", "b", "b"], "cosine": [0.1, 0.2, 0.3, 0.4]})
    ax = plots.cosine_curves(rows, ["a", "b"]).axes[0]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--"]
