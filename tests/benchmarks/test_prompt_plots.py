"""The figures of the notebooks on prompts say the numbers that they are given."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.benchmarks import culturescore_plots, culturevidbench_plots, starter
from helpers.benchmarks.culturescore_counts import given_away
from helpers.benchmarks.culturevidbench_paper import published_cells

PROMPTS = starter.prompts().query("benchmark == 'culturescore'")
QUESTIONS = starter.questions()
CELLS = published_cells()


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def words(figure):
    """Every text of a figure, its axes and its legends."""
    return {text.get_text() for text in figure.findobj(plt.Text)}


def test_statuses_are_written_into_the_bars():
    counted = pd.DataFrame({"ok": [48.0, 45.0], "unscored": [2.0, 5.0]}, index=["decompose", "extend"])
    assert {"48", "45", "2", "5", "missing"} <= words(culturescore_plots.step_statuses(counted))


def test_lengths_have_a_row_for_each_variant_that_occurs():
    found = words(culturescore_plots.prompt_lengths(PROMPTS))
    assert {"base", "extended", "no_country"} <= found
    assert "native_language" not in found


def test_the_grid_says_yes_no_and_the_share():
    rows = starter.scenarios()
    found = words(culturescore_plots.uniqueness_grid(rows.assign(unique=rows["unique"].eq("yes"))))
    assert {"yes", "no", "3 of 10", "10 of 10", "South Africa"} <= found


def test_weights_have_a_panel_a_dimension():
    found = words(culturescore_plots.question_weights(QUESTIONS))
    assert {"identity (n = 150)", "behavior (n = 150)", "context (n = 150)", "implicit"} <= found


def test_means_of_words_given_away_are_written_beside_their_rows():
    shares = given_away(QUESTIONS, PROMPTS)
    mean = 100 * shares.query("dimension == 'identity' and variant == 'base'")["share"].mean()
    assert f"{mean:.0f} %" in words(culturescore_plots.words_given_away(shares))


def test_cells_totals_and_regions_are_the_list_s():
    """Totals as the list's own description gives them (China 102, religious activity 182)."""
    assert {"China (102)", "182", "material", "ritual"} <= words(culturevidbench_plots.cell_counts(CELLS))
    assert {"China 102", "Japan 84", "Orthodox Europe"} <= words(culturevidbench_plots.region_counts(CELLS))


def test_lines_and_markers_are_named_with_their_n():
    lengths = {"a set": pd.Series([1, 3], index=[10, 14])}
    assert "a set (n = 4, mean 13.0)" in words(culturevidbench_plots.word_counts(lengths, 12.8))
    assert {"list (n = 1000)", "one a cell (n = 168)"} <= words(culturevidbench_plots.aspect_shares(CELLS))
    assert {"mine", "visible writing", "sound"} <= words(culturevidbench_plots.cue_shares({"mine": CELLS}))
