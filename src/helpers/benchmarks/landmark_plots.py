"""The figures of the notebook on landmarks: frames in, figures out."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, PercentFormatter
from scipy.cluster.hierarchy import fcluster, linkage

from helpers import figures
from helpers.benchmarks.landmark_pictures import photograph
from helpers.geography import CONTINENTS
from helpers.land import land_picture

LOOKS = dict(zip(CONTINENTS, zip("os^vD", sns.color_palette(figures.PALETTE), strict=False), strict=True))
# Markers within so many degrees hide each other on the map; from so many on they are counted.
HIDDEN_WITHIN, CROWD = 1.5, 4
# A picture that is shown two inches wide needs no more pixels.
SIDE = 480


def world_map(landmarks: pd.DataFrame) -> Figure:
    """Where landmarks stand, by continent, over a map of the land (plate carrée).

    Four or more markers that hide each other say how many they are.

    Args:
        landmarks: lat, lon (degrees) and continent; rows without a place are not drawn, and the legend counts
            those that are.
    """
    fig, ax = plt.subplots(figsize=(9, 4.9), layout="constrained")
    pale = ListedColormap(["white", "0.85"])
    ax.imshow(land_picture(), extent=(-180, 180, -90, 90), cmap=pale, interpolation="nearest", aspect="auto")
    placed = landmarks.dropna(subset=["lat", "lon"])
    for name, (marker, color) in LOOKS.items():
        dots = placed[placed["continent"].eq(name)]
        look = {"color": color, "edgecolor": "black", "linewidth": 0.5, "s": 36, "zorder": 3}
        ax.scatter(dots["lon"], dots["lat"], marker=marker, label=f"{name} ({len(dots)})", **look)
        _count_crowds(ax, dots)
    ax.set(xlim=(-180, 180), ylim=(min(-58, placed["lat"].min() - 2), 84))
    ax.set(xlabel="longitude (degrees)", ylabel="latitude (degrees)")
    ax.grid(visible=False)
    fig.legend(loc="outside upper center", ncols=5, columnspacing=1, handletextpad=0.2)
    return fig


def _count_crowds(ax: Axes, dots: pd.DataFrame) -> None:
    """Write beside markers that hide each other how many they are, from `CROWD` on."""
    if len(dots) < CROWD:
        return
    places = dots[["lon", "lat"]].to_numpy(float)
    crowds = fcluster(linkage(places, "complete"), HIDDEN_WITHIN, "distance")
    outline = withStroke(linewidth=2.5, foreground="white")
    for _, crowd in dots.groupby(crowds):
        if len(crowd) >= CROWD:
            at = (crowd["lon"].min(), crowd["lat"].min())
            beside = {"xytext": (-4, -9), "textcoords": "offset points", "ha": "right", "zorder": 4}
            ax.annotate(f"×{len(crowd)}", at, fontsize=9, weight="bold", path_effects=[outline], **beside)


def continent_shares(counts: pd.DataFrame) -> Figure:
    """Each continent's share in several sets of landmarks, and the equal share.

    Args:
        counts: landmarks, one row a continent, one column a set (its name is the label), at most three.
    """
    fig, ax = plt.subplots(figsize=(8, 0.8 + 0.75 * len(counts)), layout="constrained")
    places = np.arange(len(counts))
    for number, (name, marker) in enumerate(zip(counts, "osD", strict=False)):
        height = places + 0.22 * (number - (counts.shape[1] - 1) / 2)
        share = counts[name] / counts[name].sum()
        (dots,) = ax.plot(share, height, marker, markersize=8, label=f"{name} (n = {counts[name].sum():,})")
        ax.hlines(height, 0, share, color=dots.get_color(), linewidth=2)
        for at, y, n in zip(share, height, counts[name], strict=True):
            ax.annotate(f"{n:,}", (at, y), xytext=(7, 0), textcoords="offset points", va="center", fontsize=9)
    ax.axvline(1 / len(counts), color="0.4", linestyle="--", linewidth=1, label="equal share")
    ax.set_yticks(places, counts.index)
    ax.invert_yaxis()
    ax.set(xlabel="share of the set's landmarks", xlim=(0, 1.1 * (counts / counts.sum()).to_numpy().max()))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.grid(visible=False, axis="y")
    fig.legend(loc="outside upper center", ncols=2)
    return fig


def page_views(landmarks: pd.DataFrame, edges: np.ndarray | None = None) -> Figure:
    """How many landmarks have how many page views, on a logarithmic axis.

    Args:
        landmarks: pageviews; rows without are not drawn.
        edges: page views that bound the levels of a sample, drawn as dashed lines.
    """
    views = landmarks["pageviews"].dropna().astype(float)
    fig, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
    bars = min(40, 2 * int(np.ceil(np.sqrt(len(views)))))
    bins = np.geomspace(1 + views.min(), 2 + views.max(), bars + 1)
    ax.hist(1 + views, bins=bins, color="C0", edgecolor="white")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    for number, edge in enumerate(() if edges is None else edges):
        label = "bounds of the levels" if number == 0 else None
        ax.axvline(1 + edge, color="black", linestyle="--", linewidth=1, label=label)
    ax.set_xscale("log")
    ax.set(xlabel="page views + 1 (logarithmic axis)", ylabel="landmarks")
    if edges is not None:
        fig.legend(loc="outside upper left")
    return fig


def top_categories(landmarks: pd.DataFrame, top: int = 10) -> Figure:
    """The most frequent categories, with the number of landmarks in each.

    Args:
        landmarks: category; rows without are not counted.
        top: how many categories; equally frequent ones stand in alphabetical order.
    """
    counts = landmarks["category"].value_counts().rename("landmarks").rename_axis("category").reset_index()
    counts = counts.sort_values(["landmarks", "category"], ascending=[False, True]).head(top)
    fig, ax = plt.subplots(figsize=(7.5, 0.9 + 0.36 * len(counts)), layout="constrained")
    bars = ax.barh(counts["category"], counts["landmarks"], color="C0")
    ax.bar_label(bars, padding=4, fontsize=10)
    ax.invert_yaxis()
    ax.set(xlabel="landmarks")
    ax.margins(x=0.08)
    ax.grid(visible=False, axis="y")
    return fig


def strata(quotas: pd.DataFrame, region: str = "continent") -> Figure:
    """What was drawn of what there was, for each region and level of popularity.

    Args:
        quotas: as `landmark_sampling.Sample` has them. The colour is the share drawn; strata that are used
            up, or had nothing, are framed.
        region: the column of regions.
    """
    names, levels = quotas[region].unique(), quotas["popularity_level"].unique()
    fig, ax = plt.subplots(figsize=(8.5, 1.4 + 0.55 * len(names)), layout="constrained")
    grid = quotas.assign(share=quotas["drawn"] / quotas["available"].replace(0, np.nan))
    shares = grid.pivot_table(index=region, columns="popularity_level", values="share", dropna=False)
    words = (quotas["drawn"].astype(str) + " of " + quotas["available"].map("{:,}".format)).to_numpy()
    shares = shares.reindex(index=names, columns=levels)
    look = {"vmin": 0, "vmax": 1, "cmap": figures.SEQUENTIAL, "annot_kws": {"size": 9}, "linewidths": 1}
    sns.heatmap(
        shares, ax=ax, annot=words.reshape(shares.shape), fmt="", cbar_kws={"label": "share drawn"}, **look
    )
    ax.set_facecolor("0.9")
    ax.grid(visible=False)
    for place in np.flatnonzero(quotas["drawn"].eq(quotas["available"])):
        row, column = divmod(place, len(levels))
        frame = plt.Rectangle((column + 0.04, row + 0.04), 0.92, 0.92)
        frame.set(fill=False, edgecolor="C1", linewidth=3)
        ax.add_patch(frame)
    for place in np.flatnonzero(quotas["available"].eq(0)):
        row, column = divmod(place, len(levels))
        ax.text(column + 0.5, row + 0.5, "0 of 0", ha="center", va="center", fontsize=9)
    ax.set(xlabel="level of popularity (1: fewest page views)", ylabel="")
    ax.tick_params(axis="y", rotation=0)
    return fig


def gallery(photographs: pd.DataFrame, columns: int = 4) -> Figure:
    """Photographs, each with its number and name under it; `credits.credits_table` tells whose they are.

    Args:
        photographs: name and path.
        columns: how many stand side by side.
    """
    rows = max(1, -(-len(photographs) // columns))
    fig, axes = plt.subplots(
        rows, columns, figsize=(9, 7.6 * rows / columns), squeeze=False, layout="constrained"
    )
    for ax in axes.flat:
        ax.axis("off")
    below = {"xycoords": "axes fraction", "xytext": (0, -4), "textcoords": "offset points", "va": "top"}
    shown = zip(axes.flat, photographs.itertuples(index=False), strict=False)
    for number, (ax, row) in enumerate(shown, start=1):
        ax.imshow(photograph(row.path, SIDE))
        ax.annotate(textwrap.fill(f"{number}. {row.name}", 100 // columns), (0, 0), fontsize=10, **below)
    return fig
