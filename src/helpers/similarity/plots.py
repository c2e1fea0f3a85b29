"""Charts of similarities: heatmaps, countries of one region side by side, and dots with their intervals."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import figures
from helpers.similarity.matrices import COMPOSITE, MEAN, Similarities, regions_of

COLUMNS = 2
MARKERS = "osD^vPX"


def by_region(countries: Sequence[str], regions: Mapping[str, str], order: Sequence[str]) -> list[str]:
    """Countries in the order of their regions, and by name within one.

    Args:
        countries: their names.
        regions: each country's region.
        order: the regions.

    Raises:
        ValueError: a country without a region; the message names it.
    """
    places = map(order.index, regions_of(countries, regions))
    return [country for _, country in sorted(zip(places, countries, strict=True))]


def heatmaps(
    found: Similarities, layers: Mapping[str, str], regions: Mapping[str, str], order: Sequence[str]
) -> Figure:
    """One heatmap a layer, all with the same rows, columns and colours; white lines divide the regions.

    Args:
        found: similarities without resamples.
        layers: those to draw, each with its title.
        regions: each country's region.
        order: the regions, as rows and columns follow them.

    Returns:
        The figure; a country's similarity to itself, always 1, is left empty, as are missing pairs.
    """
    countries = by_region(found.countries, regions, order)
    edges = [i for i in range(1, len(countries)) if regions[countries[i]] != regions[countries[i - 1]]]
    values = found.pairs()[1][[found.layers.index(layer) for layer in layers]]
    low, high = np.floor(np.nanmin(values) * 10) / 10, np.ceil(np.nanmax(values) * 10) / 10
    rows = -(-len(layers) // COLUMNS)
    fig, axes = plt.subplots(rows, COLUMNS, figsize=(9, 3.7 * rows), layout="constrained", squeeze=False)
    for ax, (layer, title) in zip(axes.flat, layers.items(), strict=False):
        matrix = found.matrix(layer).loc[countries, countries]
        hidden = np.eye(len(matrix), dtype=bool)
        colours = {"vmin": low, "vmax": high, "cmap": figures.SEQUENTIAL}
        sns.heatmap(matrix.mask(hidden), square=True, cbar=False, ax=ax, **colours)
        ax.hlines(edges, 0, len(countries), color="white", linewidth=1.5)
        ax.vlines(edges, 0, len(countries), color="white", linewidth=1.5)
        ax.set(title=title, facecolor="0.9")
        ax.grid(visible=False)
        ax.tick_params(labelsize=9)
    for ax in axes.flat[len(layers) :]:
        ax.set_axis_off()
    fig.colorbar(axes[0, 0].collections[0], ax=axes, label="cosine similarity", shrink=0.8 / rows**0.5)
    return fig


def layer_means(layers: pd.DataFrame, printed: pd.Series) -> Figure:
    """Mean similarity of each layer: its pairs' range, plain and corrected mean, and printed values.

    A dotted line marks 1, which corrected values may exceed.

    Args:
        layers: as `summaries.by_layer` gives them.
        printed: mean cosines that a paper prints, by category.
    """
    place = np.arange(len(layers))
    fig, ax = plt.subplots(figsize=(8, 4))
    ax.hlines(place, layers["lowest"], layers["highest"], color="0.75", linewidth=6, label="range of pairs")
    ax.plot(layers["cosine"], place, "o", color="C0", label="mean cosine")
    _dots(ax, layers, place + 0.18, "s", "C1", "corrected mean, 95 %")
    paper = printed.reindex(layers["layer"])
    ax.plot(paper, place - 0.2, "x", color="C2", markeredgewidth=2, label="paper's mean, other texts")
    _at_most_one(ax)
    _finish(ax, layers["layer"], "cosine similarity")
    return fig


def countries(rows: pd.DataFrame, labels: Sequence[str]) -> Figure:
    """Each country's mean similarity to the others, plain and corrected.

    Args:
        rows: of `summaries.centrality`, one a country, in the order to draw.
        labels: what stands beside each row.
    """
    place = np.arange(len(rows))
    fig, ax = plt.subplots(figsize=(8, 4.2))
    ax.plot(rows["cosine"], place, "o", color="C0", label="mean cosine")
    _dots(ax, rows, place, "s", "C1", "corrected mean, 95 %")
    _at_most_one(ax)
    _finish(ax, labels, "mean similarity to the other countries' texts")
    return fig


def region_gaps(gaps: Mapping[str, pd.DataFrame]) -> Figure:
    """Corrected gaps within minus across regions, for several readings of the same texts.

    Args:
        gaps: tables of `summaries.region_gap` by what to call them, all with the same layers.
    """
    fig, ax = plt.subplots(figsize=(8, 4.2))
    for index, (name, rows) in enumerate(gaps.items()):
        place = np.arange(len(rows)) + 0.26 * (index - (len(gaps) - 1) / 2)
        _dots(ax, rows, place, MARKERS[index], f"C{index}", name)
    ax.axvline(0, color="0.3", linewidth=1)
    _finish(ax, rows["layer"], "similarity within minus across regions (corrected)")
    return fig


def choices(panels: Mapping[str, pd.DataFrame]) -> Figure:
    """Mean cosines of each layer under choices that a study makes.

    Args:
        panels: tables by what their columns are (the axis label); layers as rows, choices as columns.
    """
    fig, axes = plt.subplots(1, len(panels), figsize=(9, 4), sharey=True, layout="constrained")
    for ax, (label, table) in zip(axes, panels.items(), strict=True):
        for index, (layer, row) in enumerate(table.iterrows()):
            style = "-" if layer in (MEAN, COMPOSITE) else "--"
            ax.plot(range(len(row)), row, style, marker=MARKERS[index % len(MARKERS)], label=layer)
        ax.set(xticks=range(len(table.columns)), xticklabels=table.columns, xlabel=label)
    axes[0].set(ylabel="mean cosine of pairs")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig


def _dots(ax: Axes, rows: pd.DataFrame, place: np.ndarray, marker: str, color: str, label: str) -> None:
    """Corrected values with their intervals; nothing where there are none."""
    ax.hlines(place, rows["low"], rows["high"], color=color, linewidth=2)
    ax.plot(rows["corrected"], place, marker, color=color, label=label)


def _at_most_one(ax: Axes) -> None:
    """Mark 1, which no cosine exceeds and a corrected value may."""
    ax.axvline(1, color="0.3", linestyle=":", linewidth=1.5, label="1, equal texts")


def _finish(ax: Axes, labels: Sequence[str], quantity: str) -> None:
    count = len(labels)
    ax.set(yticks=range(count), yticklabels=labels, xlabel=quantity, ylim=(count - 0.5, -0.5))
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2)
