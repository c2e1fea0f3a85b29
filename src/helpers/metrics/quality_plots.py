"""Pictures around quality scores, motion, flicker and visible text."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from numpy.typing import NDArray

from helpers import figures


def dimension_dots(rows: pd.DataFrame, scale: tuple[float, float]) -> Figure:
    """Each run's mean and range over cells in every dimension, on the whole scale.

    Args:
        rows: run, dimension, mean, min and max.
        scale: lowest and highest possible score.
    """
    runs, dimensions = list(rows["run"].unique()), list(rows["dimension"].unique())
    fig, ax = plt.subplots(figsize=(9, 4.6))
    markers = "osD^vP*"
    for number, (run, marker) in enumerate(zip(runs, markers, strict=False)):
        part = rows[rows["run"].eq(run)].set_index("dimension").loc[dimensions]
        height = np.arange(len(dimensions)) + 0.8 * ((number + 0.5) / len(runs) - 0.5)
        ax.hlines(height, part["min"], part["max"], color=f"C{number}", linewidth=2, alpha=0.6)
        ax.plot(part["mean"], height, marker, color=f"C{number}", label=run)
    ax.set(xlim=scale, yticks=range(len(dimensions)), yticklabels=dimensions, xlabel="score")
    ax.invert_yaxis()
    ax.legend(loc="center left", fontsize=10)
    return fig


def pair_strips(rows: pd.DataFrame, apart: str) -> Figure:
    """Correlations of pairs of dimensions within each run; pairs with one dimension stand out.

    Args:
        rows: run, first, second and rho.
        apart: the dimension whose pairs have their own marker.
    """
    fig, ax = plt.subplots(figsize=(8.5, 3.6))
    runs = list(rows["run"].unique())[::-1]
    others = ~(rows["first"].eq(apart) | rows["second"].eq(apart))
    for chosen, marker, label in ((others, "o", "two other dimensions"), (~others, "D", f"with {apart}")):
        part = rows[chosen]
        ax.plot(part["rho"], part["run"].map(runs.index), marker, alpha=0.7, label=label)
    ax.axvline(0, color="black", linewidth=1)
    ax.set(yticks=range(len(runs)), yticklabels=runs, xlim=(-0.5, 1.03), xlabel="Spearman's ρ over cells")
    ax.legend(loc="lower left", fontsize=10)
    return fig


def soft_curves(probability: NDArray[np.floating], curves: Mapping[str, NDArray[np.floating]]) -> Figure:
    """Readings of one and the same answer over how sure the model is of it.

    Args:
        probability: (n,), of the likeliest score.
        curves: (n,) each, by name.
    """
    fig, ax = plt.subplots(figsize=(7, 3.2))
    for (name, values), style in zip(curves.items(), ("-", "--", ":"), strict=False):
        ax.plot(probability, values, style, linewidth=2, label=name)
    ax.set(xlabel="probability of the likeliest score", ylabel="score", ylim=(0, 5))
    ax.legend(loc="lower right", fontsize=10)
    return fig


def film_strips(clips: Mapping[str, NDArray[np.uint8]], shown: Sequence[int]) -> Figure:
    """A few frames of several clips, a row each.

    Args:
        clips: frames (n, height, width, 3) by title.
        shown: the frames' numbers.
    """
    fig, axes = plt.subplots(len(clips), len(shown), figsize=(1.7 * len(shown), 1.75 * len(clips)))
    for row, (title, frames) in zip(axes, clips.items(), strict=True):
        for ax, number in zip(row, shown, strict=True):
            ax.imshow(frames[number])
            ax.set(xticks=[], yticks=[])
        row[0].set_ylabel(title.replace(" ", "\n", 1), rotation=0, ha="right", va="center", fontsize=10)
    for ax, number in zip(axes[0], shown, strict=True):
        ax.set_title(f"frame {number}", fontsize=10)
    fig.tight_layout()
    return fig


def value_panels(means: Mapping[str, pd.DataFrame], by: str) -> Figure:
    """One panel a quantity: means of groups with their intervals.

    Args:
        means: the column `by`, mean, low and high, by the quantity's name and unit.
        by: the column of groups.
    """
    fig, axes = plt.subplots(1, len(means), figsize=(9, 2.9), sharey=True)
    for ax, (name, rows) in zip(axes, means.items(), strict=True):
        rows = rows.iloc[::-1]
        bars = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
        ax.errorbar(rows["mean"], rows[by], xerr=bars, fmt="o")
        ax.axvline(0, color="black", linewidth=1)
        ax.set_xlabel(name)
    fig.tight_layout()
    return fig


def error_grid(errors: NDArray[np.int64], wanted: str, read: str) -> Figure:
    """The table by which errors are counted, its smallest last entry marked."""
    fig, ax = plt.subplots(figsize=(min(9, 1.5 + 0.45 * len(read)), 1.2 + 0.42 * len(wanted)))
    ticks = {"xticklabels": ["", *read], "yticklabels": ["", *wanted]}
    sns.heatmap(errors, annot=True, fmt="d", cmap=figures.SEQUENTIAL, cbar=False, ax=ax, **ticks)
    best = int(errors[-1].argmin())
    ax.add_patch(plt.Rectangle((best, len(wanted)), 1, 1, fill=False, edgecolor="C3", linewidth=3))
    ax.set(xlabel="read", ylabel="wanted")
    ax.tick_params(rotation=0)
    return fig


def error_lines(rows: pd.DataFrame) -> Figure:
    """Character error rate of each sign over the height of its letters.

    Args:
        rows: height (pixels), text, blur and rate.
    """
    fig, ax = plt.subplots(figsize=(8, 3.2))
    sns.lineplot(rows, x="height", y="rate", hue="sign", style="sign", markers=True, dashes=True, ax=ax)
    ax.set(
        xlabel="font size, pixels of a frame 360 pixels high",
        ylabel="character error rate",
        ylim=(-0.03, 1.05),
    )
    sns.move_legend(ax, "upper right", title="", fontsize=10)
    return fig
