import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.similarity import plots, summaries
from helpers.similarity.embedding import Embedded
from helpers.similarity.matrices import COMPOSITE, MEAN, Similarities
from helpers.similarity.summaries import Comparison, compare

COUNTRIES = ("Brazil", "Chile", "China", "Japan")
REGIONS = {"Brazil": "Latin America", "Chile": "Latin America", "China": "Confucian", "Japan": "Confucian"}
PAIRS = [
    "Brazil – Chile",
    "Brazil – China",
    "Brazil – Japan",
    "Chile – China",
    "Chile – Japan",
    "China – Japan",
]


def stack(*layers):
    """Layers given by their six pairs, in the order of `PAIRS`."""
    cosines = np.ones((len(layers), 4, 4))
    first, second = np.triu_indices(4, 1)
    for index, layer in enumerate(layers):
        cosines[index, first, second] = cosines[index, second, first] = layer
    missing = np.isnan(cosines).sum(axis=-1) == 3
    cosines[missing[..., None] & np.eye(4, dtype=bool)] = np.nan
    return cosines


NAN = np.nan
FAMILY, RELIGION = [0.6, 0.3, 0.2, 0.5, 0.4, 0.7], [0.5, 0.6, NAN, 0.4, NAN, NAN]
LAYERS = ("family", "religion", MEAN, COMPOSITE)
OVER_ALL = [0.55, 0.45, 0.2, 0.45, 0.4, 0.7], [0.6, 0.5, 0.2, 0.5, 0.4, 0.7]


@pytest.fixture
def comparison():
    plain = stack(FAMILY, RELIGION, *OVER_ALL)
    corrected = 1.2 * plain
    # Two resamples, one lower and one higher; in the first, Chile and Japan are the least similar in family.
    draws = np.array([corrected - 0.1, corrected + 0.1])
    draws[0, 0, 1, 3] = draws[0, 0, 3, 1] = 0.05
    return Comparison(*(Similarities(LAYERS, COUNTRIES, each) for each in (plain, corrected, draws)))


def test_means_and_ranges(comparison):
    table = summaries.by_layer(comparison).set_index("layer")
    assert table["pairs"].tolist() == [6, 3, 6, 6]
    family, religion = table.loc["family"], table.loc["religion"]
    assert family[["lowest", "highest", "range", "cosine"]].tolist() == pytest.approx([0.2, 0.7, 0.5, 0.45])
    assert religion[["lowest", "highest", "range", "cosine"]].tolist() == pytest.approx([0.4, 0.6, 0.2, 0.5])
    assert religion["corrected"] == pytest.approx(0.6)
    # NumPy's linear quantiles of two values, 0.5 and 0.7.
    assert religion[["low", "high"]].tolist() == pytest.approx([0.505, 0.695])


def test_extreme_pairs_and_how_often_they_are_extreme(comparison):
    table = summaries.extreme_pairs(comparison).set_index(["layer", "which"])
    assert table.loc[("family", "least")].tolist() == ["Brazil – Japan", 0.2, 0.5]
    assert table.loc[("family", "most")].tolist() == ["China – Japan", 0.7, 1.0]
    assert table.loc[("religion", "least")].tolist() == ["Chile – China", 0.4, 1.0]


def test_what_has_no_corrected_similarity_has_no_share(comparison):
    comparison.plain.cosines[1] = np.nan
    comparison.draws.cosines[:, 0] = np.nan
    extremes = summaries.extreme_pairs(comparison)
    assert extremes["layer"].unique().tolist() == ["family", MEAN, COMPOSITE]
    assert extremes["share"].isna().tolist() == [True, True, False, False, False, False]
    central = summaries.centrality(comparison).set_index("layer")
    assert central.loc["family", ["most_central", "most_distinctive"]].isna().all(axis=None)
    assert central.loc[MEAN, "most_central"].sum() == pytest.approx(1)


def test_swings_between_categories(comparison):
    table = summaries.swings(comparison)
    assert table["pair"].tolist() == ["Brazil – China", "Brazil – Chile", "Chile – China"]
    first = table.iloc[0]
    assert first[["high_category", "low_category"]].tolist() == ["religion", "family"]
    assert first["cosine"] == pytest.approx(0.3)
    assert first[["corrected", "low", "high"]].tolist() == pytest.approx([0.36, 0.36, 0.36])


def test_central_and_distinctive_countries(comparison):
    table = summaries.centrality(comparison).set_index(["layer", "country"])
    assert table.loc["religion", "others"].tolist() == [2, 2, 2, 0]
    family = table.loc["family"]
    means = [np.mean(each) for each in ([0.6, 0.3, 0.2], [0.6, 0.5, 0.4], [0.3, 0.5, 0.7], [0.2, 0.4, 0.7])]
    assert family["cosine"].tolist() == pytest.approx(means)
    assert family["most_central"].tolist() == [0, 0.5, 0.5, 0]
    assert family["most_distinctive"].tolist() == [0.5, 0, 0, 0.5]
    assert table.loc[("religion", "Japan"), ["cosine", "corrected", "low", "high"]].isna().all()


# Mantel 1967: the share of relabellings with a gap at least as large; here all 24 are counted one by one.
def test_region_gaps_against_every_relabelling(comparison):
    table = summaries.region_gap(comparison, REGIONS, permutations=4000).set_index("layer")
    assert table.loc["family", ["within", "across"]].tolist() == [2, 4]
    assert table.loc["religion", ["within", "across"]].tolist() == [1, 2]
    assert table.loc["family", "cosine"] == pytest.approx(0.65 - 0.35)
    assert table.loc["religion", "cosine"] == pytest.approx(0.5 - 0.5)
    places = list(itertools.combinations(range(4), 2))
    gaps = []
    for order in itertools.permutations([0, 0, 1, 1]):
        same = np.array([order[one] == order[other] for one, other in places])
        gaps.append(np.mean(np.array(FAMILY)[same]) - np.mean(np.array(FAMILY)[~same]))
    share = np.mean(np.abs(gaps) >= 0.3 - 1e-9)
    assert 0 < share < 1
    assert table.loc["family", "p"] == pytest.approx(share, abs=0.03)
    again = summaries.region_gap(comparison, REGIONS, permutations=4000)
    pd.testing.assert_frame_equal(again, table.reset_index())


def test_a_gap_needs_pairs_of_both_kinds(comparison):
    table = summaries.region_gap(comparison, dict.fromkeys(COUNTRIES, "Confucian"), permutations=9)
    assert table["across"].tolist() == [0, 0, 0, 0]
    assert table[["cosine", "corrected", "low", "high", "p"]].isna().all(axis=None)


def test_a_country_without_a_region_is_named(comparison):
    regions = {country: region for country, region in REGIONS.items() if country != "Chile"}
    with pytest.raises(ValueError, match="regions: found none for Chile, expected one for every country"):
        summaries.region_gap(comparison, regions)
    with pytest.raises(ValueError, match="regions: found none for Chile"):
        plots.by_region(COUNTRIES, regions, ["Confucian", "Latin America"])


def test_documents_are_compared_in_all_three_readings():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((48, 8)) + 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = itertools.product(COUNTRIES, ["family", "religion", "etiquette"])
    rows = pd.DataFrame(places, columns=["country", "category"]).assign(chunks=4)
    found = compare(Embedded(rows, vectors, np.repeat(np.arange(12), 4)), resamples=20, seed=3)
    assert found.plain.cosines.shape == found.corrected.cosines.shape == (5, 4, 4)
    assert found.draws.cosines.shape == (20, 5, 4, 4)
    table = summaries.by_layer(found)
    assert (table["cosine"] < table["corrected"]).all()
    assert (table["low"] < table["high"]).all()


@pytest.fixture(autouse=True)
def style():
    figures.use_style()
    yield
    plt.close("all")


def test_heatmaps_share_order_and_colours(comparison):
    titles = {"family": "Family", MEAN: "all"}
    fig = plots.heatmaps(comparison.plain, titles, REGIONS, ["Confucian", "Latin America"])
    panels = [ax for ax in fig.axes if ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in panels] == ["Family", "all"]
    for ax in panels:
        assert [label.get_text() for label in ax.get_yticklabels()] == ["China", "Japan", "Brazil", "Chile"]
        assert ax.collections[0].get_clim() == pytest.approx((0.2, 0.7))
    shown = panels[0].collections[0].get_array()
    assert shown.mask.diagonal().all()
    assert shown[0, 1] == pytest.approx(0.7)


def dots(ax, label):
    return next(line for line in ax.lines if line.get_label() == label).get_xdata()


def test_means_are_drawn_beside_printed_ones(comparison):
    layers = summaries.by_layer(comparison)
    fig = plots.layer_means(layers, pd.Series({"religion": 0.445}))
    ax = fig.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(LAYERS)
    np.testing.assert_allclose(dots(ax, "mean cosine"), layers["cosine"])
    np.testing.assert_allclose(dots(ax, "corrected mean, 95 %"), layers["corrected"])
    np.testing.assert_allclose(dots(ax, "paper's mean, other texts"), [np.nan, 0.445, np.nan, np.nan])
    assert dots(ax, "1, equal texts") == [1, 1]


def test_countries_without_corrected_values_are_drawn_without(comparison):
    rows = summaries.centrality(comparison).query("layer == 'religion'")
    fig = plots.countries(rows, rows["country"].tolist())
    np.testing.assert_allclose(dots(fig.axes[0], "mean cosine"), [0.55, 0.45, 0.5, np.nan])


def test_gaps_are_drawn_side_by_side(comparison):
    table = summaries.region_gap(comparison, REGIONS, permutations=9)
    ax = plots.region_gaps({"with": table, "without": table}).axes[0]
    for name in ("with", "without"):
        np.testing.assert_allclose(dots(ax, name), table["corrected"])


def test_choices_have_a_panel_each():
    table = pd.DataFrame({32: [0.5, 0.6], 64: [0.4, 0.5]}, index=["family", MEAN])
    fig = plots.choices({"pieces": table, "chunks": table})
    assert [ax.get_xlabel() for ax in fig.axes] == ["pieces", "chunks"]
    np.testing.assert_allclose(fig.axes[1].lines[1].get_ydata(), [0.6, 0.5])
