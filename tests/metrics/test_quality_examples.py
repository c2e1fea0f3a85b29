"""Examples around quality: planned clips, soft scores, the table of errors, signs; and their pictures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from scipy import stats

from helpers.metrics import quality_examples as examples
from helpers.metrics import quality_plots as plots
from helpers.metrics.quoted_text import fewest_errors
from helpers.metrics.tesseract import obstacle
from helpers.metrics.videoscore2 import expectations


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def values() -> pd.DataFrame:
    photograph = np.random.default_rng(0).integers(60, 196, (300, 300, 3), dtype=np.uint8)
    made = examples.planned_clips({"a": photograph}, frames=8)
    return pd.DataFrame({kind: examples.motion_values(clip) for _, kind, clip in made}).T


def test_each_clip_shows_what_was_planned(values):
    assert list(values.index) == list(examples.KINDS)
    assert values.loc["still"].tolist() == [0, 0]
    # Brightness by turns s above and s below: a frame lies 2 s from the mean of its neighbours.
    assert values.loc["still that flickers", "flicker"] == pytest.approx(2 * examples.SWING / 255, rel=0.02)
    # A steady brightening moves by its slope and does not flicker.
    slope = examples.DAWN / 7 / 255 * examples.FPS
    assert values.loc["still that brightens", "motion"] == pytest.approx(slope, rel=0.05)
    assert values.loc["still that brightens", "flicker"] < 0.003
    assert values.loc["moving camera", "motion"] > 0.01
    assert values.loc["still with noise", "flicker"] < 0.003 < values.loc["still with noise", "motion"]


def test_levels_stay_in_range():
    found = examples.brightened(np.array([[[[0, 128, 255]]]], np.uint8), 10.4)
    assert found.tolist() == [[[[10, 138, 255]]]]


def test_intervals_are_scipys():
    # Oracle: scipy.stats.ttest_1samp's confidence interval.
    rows = pd.DataFrame({"kind": ["b"] * 4 + ["a"] * 3, "value": [1.0, 2, 4, 8, 3, 3, 9]})
    found = examples.means_with_intervals(rows, "kind", "value").set_index("kind")
    assert list(found.index) == ["b", "a"]
    for kind, part in rows.groupby("kind"):
        low, high = stats.ttest_1samp(part["value"], 0).confidence_interval()
        assert found.loc[kind, ["mean", "low", "high"]].tolist() == pytest.approx(
            [part["value"].mean(), low, high]
        )


def test_correlations_are_taken_within_runs():
    # Between runs the two dimensions rise together; within each they fall.
    rows = [
        (model, "base", country, "c", dimension, offset + sign * number)
        for model, offset in (("A", 0), ("B", 100))
        for number, country in enumerate("wxyz")
        for dimension, sign in (("d", 1), ("e", -1))
    ]
    scores = pd.DataFrame(rows, columns=["model", "variant", "country", "category", "dimension", "score"])
    found = examples.within_runs(scores, "dimension")
    assert found[["first", "second", "rho", "n"]].to_numpy().tolist() == [["d", "e", -1.0, 4]] * 2


def test_the_authors_example_of_a_soft_score():
    # TIGER-AI-Lab/VideoScore2, vs2_inference.py: the likeliest digit times its probability, 3 x 0.58.
    soft, expected = examples.soft_scores(np.array([[0.05, 0.17, 0.58, 0.15, 0.05]]))
    assert soft == pytest.approx([1.74])
    assert expected == pytest.approx([2.98])


@given(st.lists(st.floats(-8, 8), min_size=5, max_size=5))
@settings(max_examples=30, deadline=None)
def test_the_expectation_is_the_measurers(logits):
    weights = np.exp(logits) / np.exp(logits).sum()
    _, expected = examples.soft_scores(weights[None])
    assert expected.tolist() == pytest.approx(expectations(np.array([logits])))


@given(st.text("abc ", max_size=6), st.text("abc ", max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_table_ends_in_the_fewest_errors(wanted, read):
    assert examples.error_matrix(wanted, read)[-1].min() == fewest_errors(wanted, read)


def test_a_sign_is_dark_on_white_and_grows_with_its_letters():
    dark = np.full((200, 300, 3), 90, np.uint8)
    small, large = (examples.with_sign(dark, "OPEN", height) for height in (12, 48))
    assert small.shape == (360, 640, 3)
    white = [(one == 255).all(axis=2).sum() for one in (small, large)]
    assert 0 < white[0] < white[1] / 8
    assert examples.with_sign(dark, "OPEN", 48, blur=8).max() < 255


@pytest.mark.parametrize(
    ("text", "country", "share"),
    [("वडा पाव", "India", 1), ("FOOD ምግብ", "Ethiopia", 3 / 7), ("OPEN", "Japan", 0)],
)
def test_letters_of_a_country_by_hand(text, country, share):
    assert examples.letters_of_country(text, country) == pytest.approx(share)


def test_figures_have_no_script():
    assert np.isnan(examples.letters_of_country("24", "China"))


@pytest.mark.skipif(bool(obstacle()), reason=obstacle() or "Tesseract is here")
def test_large_sharp_print_is_read_and_tiny_print_is_not():
    ramp = np.linspace(0, 255, 160).astype(np.uint8)[None, :, None]
    found = examples.read_signs(np.broadcast_to(ramp, (90, 160, 3)), "FRESH NOODLES", [4, 40], 6.0).set_index(
        ["height", "sign"]
    )["rate"]
    assert found[40, "sharp"] == 0
    assert found[4, "blurred"] == 1


class TestPictures:
    def test_dimensions_stand_on_the_whole_scale(self):
        rows = pd.DataFrame(
            {"run": ["A", "B"], "dimension": "d", "mean": [2.0, 3], "min": [1.5, 2.5], "max": [2.5, 3.5]}
        )
        ax = plots.dimension_dots(rows, (1, 4)).axes[0]
        assert ax.get_xlim() == (1, 4)
        assert [line.get_xdata()[0] for line in ax.lines] == [2, 3]

    def test_pairs_with_one_dimension_have_their_own_marker(self):
        rows = pd.DataFrame({"run": "A", "first": ["d", "e"], "second": ["e", "f"], "rho": [0.1, 0.9]})
        ax = plots.pair_strips(rows, "d").axes[0]
        found = {
            line.get_marker(): line.get_xdata().tolist() for line in ax.lines if line.get_marker() != "None"
        }
        assert found == {"o": [0.9], "D": [0.1]}

    def test_curves_differ_in_style(self):
        p = np.linspace(0.2, 1, 5)
        assert [line.get_linestyle() for line in plots.soft_curves(p, {"a": p, "b": p}).axes[0].lines] == [
            "-",
            "--",
        ]

    def test_strips_show_the_frames_asked_for(self):
        clips = {"one clip": np.zeros((4, 5, 6, 3), np.uint8), "two": np.ones((4, 5, 6, 3), np.uint8)}
        fig = plots.film_strips(clips, [0, 3])
        assert [ax.get_title() for ax in fig.axes[:2]] == ["frame 0", "frame 3"]

    def test_groups_stand_from_top_to_bottom(self):
        rows = pd.DataFrame({"kind": ["x", "y"], "mean": [1.0, 2], "low": [0.5, 1], "high": [1.5, 3]})
        ax = plots.value_panels({"a": rows, "b": rows}, "kind").axes[0]
        assert [label.get_text() for label in ax.get_yticklabels()] == ["y", "x"]

    def test_the_fewest_errors_are_marked(self):
        ax = plots.error_grid(examples.error_matrix("ab", "xab"), "ab", "xab").axes[0]
        assert ax.patches[0].get_xy() == (3, 2)

    def test_signs_have_a_line_each(self):
        rows = pd.DataFrame({"height": [10, 20] * 2, "sign": ["a"] * 2 + ["b"] * 2, "rate": [1, 0, 0.5, 0]})
        ax = plots.error_lines(rows).axes[0]
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
