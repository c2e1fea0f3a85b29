import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers import published
from helpers.evidence import plots
from helpers.evidence.gains import gains
from helpers.evidence.videoscore import correlations, score_pairs

MODELS = published.MODELS["culturescore"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cells():
    return published.load("culturescore_cells")


def titles(fig):
    return [
        ax.get_title(loc=place) for ax in fig.axes for place in ("left", "center") if ax.get_title(loc=place)
    ]


def test_heatmaps_have_a_panel_for_each_model_and_dimension_and_write_every_cell(cells):
    extended = cells[cells["variant"] == "extended"]
    fig = plots.heatmaps(extended, "accuracy", by="model", top=100, label="yes (%)")
    assert titles(fig) == [f"{model}: {dimension}" for model in MODELS for dimension in published.DIMENSIONS]
    assert sum(len(ax.texts) for ax in fig.axes) == len(extended)


def test_heatmaps_without_groups_have_a_panel_for_each_dimension(cells):
    one = cells[cells["table"] == 11]
    fig = plots.heatmaps(one, "accuracy", top=100, label="yes (%)")
    assert titles(fig) == list(published.DIMENSIONS)


def test_gain_strips_show_every_cell_and_the_same_each_time(cells):
    first, second = (plots.gain_strips(gains(cells)) for _ in range(2))
    dots = [[line.get_xydata().tolist() for ax in fig.axes for line in ax.lines] for fig in (first, second)]
    assert dots[0] == dots[1]
    assert sum(len(line) for line in dots[0] if len(line) == 49) == len(gains(cells))


def test_table_checks_place_dots_at_their_difference():
    checked = pd.DataFrame(
        [
            {"model": model, "variant": variant, "dimension": "overall", "difference": value}
            for model, variant, value in (
                ("LTX-2", "base", 0.01),
                ("LTX-2", "extended", -0.02),
                ("Wan 2.2", "base", 1.0),
                ("Wan 2.2", "extended", -2.0),
            )
        ]
    )
    fig = plots.table_checks(checked)
    shown = [dots.get_offsets()[0, 0] for ax in fig.axes for dots in ax.collections]
    assert shown == [0.01, -0.02, 1.0, -2.0]


def test_country_intervals_show_each_model_in_each_country_in_alphabetical_order():
    averages = pd.DataFrame(
        [
            {"model": model, "country": country, "average": 50.0, "low": 45.0, "high": 55.0}
            | {"clip_low": 40.0, "clip_high": 60.0}
            for model in MODELS
            for country in ("Chile", "Brazil")
        ]
    )
    ax = plots.country_intervals(averages).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Chile", "Brazil"]
    assert [len(line.get_xdata()) for line in ax.lines] == [2, 2, 2]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(MODELS)


def test_videoscore_panels_show_147_cells_and_ten_correlations(cells):
    pairs = score_pairs(cells, published.load("culturescore_videoscore"))
    left, right = plots.videoscore_panels(pairs, correlations(pairs, resamples=20)).axes
    assert [len(line.get_xdata()) for line in left.lines] == [49] * 3
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["49 cells", "10 countries"]
    assert len(right.get_yticklabels()) == 5
