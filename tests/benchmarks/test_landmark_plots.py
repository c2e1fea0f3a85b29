import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.benchmarks import landmark_plots
from helpers.benchmarks.landmark_sampling import sample_landmarks


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def landmarks():
    return pd.DataFrame(
        {
            "landmark_id": list("abcdef"),
            "lat": [48.9, -13.2, 27.2, -33.9, None, 29.9],
            "lon": [2.3, -72.5, 78.0, 151.2, 10.0, 31.1],
            "continent": ["Europe", "Americas", "Asia", "Oceania", "Europe", "Africa"],
            "category": ["tower", "ruins", "tomb", "opera", "tower", None],
            "pageviews": [10_000, 0, 300, 20, None, 999],
        }
    )


def legend(fig) -> list[str]:
    return [
        text.get_text() for found in [*fig.legends, fig.axes[0].get_legend()] if found for text in found.texts
    ]


def test_the_map_counts_what_it_draws_and_lies_on_land(landmarks):
    fig = landmark_plots.world_map(landmarks)
    ax = fig.axes[0]
    assert legend(fig) == ["Africa (1)", "Americas (1)", "Asia (1)", "Europe (1)", "Oceania (1)"]
    dots = np.concatenate([found.get_offsets() for found in ax.collections])
    assert sorted(map(tuple, dots)) == sorted(
        landmarks.dropna(subset="lat")[["lon", "lat"]].itertuples(index=False, name=None)
    )
    (background,) = ax.images
    land, (west, east, south, north) = background.get_array(), background.get_extent()
    assert (west, east, south, north) == (-180, 180, -90, 90)
    # A quarter of a degree is a pixel here: each place, Sydney's harbour too, has land beside it.
    for lon, lat in dots:
        row, column = int((90 - lat) * 2), int((lon + 180) * 2)
        assert land[row - 1 : row + 2, column - 1 : column + 2].any()


def test_each_continent_has_its_own_marker_and_colour():
    markers, colors = zip(*landmark_plots.LOOKS.values(), strict=True)
    assert len(set(markers)) == len(set(colors)) == 5


def test_markers_that_hide_each_other_say_how_many_they_are():
    rows = pd.DataFrame(
        {
            "lat": [29.9, 29.8, 29.4, 29.8, -33.9, 48.9, 48.8, 48.9, 10.0],
            "lon": [31.1, 31.2, 31.2, 31.1, 18.4, 2.3, 2.4, 2.2, 40.0],
            "continent": ["Africa"] * 5 + ["Europe"] * 3 + ["Africa"],
        }
    )
    fig = landmark_plots.world_map(rows)
    assert [text.get_text() for text in fig.axes[0].texts] == ["×4"]


def test_the_map_reaches_as_far_south_as_its_landmarks(landmarks):
    fig = landmark_plots.world_map(landmarks.assign(lat=[-77.8, 0, 0, 0, 0, 0]))
    assert fig.axes[0].get_ylim()[0] < -77.8


def test_shares_are_of_each_set():
    counts = pd.DataFrame({"one": [1, 3], "two": [50, 50]}, index=["Africa", "Asia"])
    fig = landmark_plots.continent_shares(counts)
    assert [line.get_xdata().tolist() for line in fig.axes[0].lines[:2]] == [[0.25, 0.75], [0.5, 0.5]]
    assert legend(fig)[:2] == ["one (n = 4)", "two (n = 100)"]


def test_the_histogram_holds_every_landmark_with_views_also_those_with_none(landmarks):
    fig = landmark_plots.page_views(landmarks, np.array([10, 100]))
    ax = fig.axes[0]
    assert ax.get_xscale() == "log"
    assert sum(bar.get_height() for bar in ax.patches) == 5
    assert [line.get_xdata()[0] for line in ax.lines] == [11, 101]


def test_the_top_categories_are_the_most_frequent():
    rows = pd.DataFrame({"category": ["b"] * 3 + ["c"] * 5 + ["a"] * 3 + ["d", None]})
    fig = landmark_plots.top_categories(rows, top=3)
    ax = fig.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "a", "b"]
    assert [bar.get_width() for bar in ax.patches] == [5, 3, 3]


def test_every_stratum_says_what_was_drawn_and_those_used_up_are_framed():
    rows = pd.DataFrame(
        {
            "landmark_id": [str(number) for number in range(21)],
            "continent": ["Asia"] * 20 + ["Africa"],
            "pageviews": [*range(0, 2000, 100), 5],
        }
    )
    quotas = sample_landmarks(rows, 8, seed=0, levels=2).quotas
    fig = landmark_plots.strata(quotas)
    expected = [f"{row.drawn} of {row.available}" for row in quotas.itertuples()]
    words = [text.get_text() for text in fig.axes[0].texts if text.get_text()]
    assert sorted(words) == sorted(expected)
    assert len(fig.axes[0].patches) == quotas["drawn"].eq(quotas["available"]).sum() > 0


def test_each_photograph_stands_over_its_number_and_name(tmp_path):
    Image.fromarray(np.zeros((30, 40, 3), np.uint8)).save(tmp_path / "a.png")
    rows = pd.DataFrame({"name": ["Uluru", "Petra"], "path": str(tmp_path / "a.png")})
    fig = landmark_plots.gallery(rows)
    lines = [" ".join(text.get_text().split()) for ax in fig.axes for text in ax.texts]
    assert lines == ["1. Uluru", "2. Petra"]
    assert sum(len(ax.images) for ax in fig.axes) == 2
