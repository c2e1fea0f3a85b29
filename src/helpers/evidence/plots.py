"""The figures of the notebook on CultureScore's published tables; frames in, figures out."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import figures
from helpers.published import DIMENSIONS, MODELS

MARKERS = dict(zip(MODELS["culturescore"], "os^", strict=True))
ABOVE = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "columnspacing": 0.8}


def heatmaps(frame: pd.DataFrame, value: str, *, top: float, label: str, by: str | None = None) -> Figure:
    """Annotated heatmaps of country by category: one column of panels a dimension, one row a value of `by`.

    Args:
        frame: country, category, dimension, `value`, and `by` where it is given.
        value: the column that is coloured and written into the cells; colours start at 0.
        top: the value of the brightest colour.
        label: what the colours mean, with its unit.
        by: a column, such as "model".
    """
    names = list(dict.fromkeys(frame[by])) if by else [""]
    size = (9, 1.6 + 3 * len(names))
    fig, axes = plt.subplots(
        len(names), 3, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    look = {"vmin": 0, "vmax": top, "cmap": figures.SEQUENTIAL, "cbar": False, "annot_kws": {"size": 9}}
    for row, name in zip(axes, names, strict=True):
        for ax, dimension in zip(row, DIMENSIONS, strict=True):
            part = frame[frame["dimension"] == dimension]
            part = part[part[by] == name] if by else part
            grid = part.pivot_table(index="country", columns="category", values=value).astype(float)
            sns.heatmap(grid, ax=ax, annot=True, fmt=".0f", **look)
            ax.set(title=f"{name}: {dimension}" if by else dimension, xlabel="", ylabel="")
            ax.grid(visible=False)
    fig.colorbar(axes[0, 0].collections[0], ax=axes, location="top", shrink=0.5, label=label)
    return fig


def gain_strips(gained: pd.DataFrame) -> Figure:
    """Every cell's gain, the mean (diamond) and the middle half (bar): a panel a model, a row a dimension.

    Args:
        gained: model, dimension and gain (percentage points).
    """
    rng = np.random.default_rng(0)
    fig, axes = plt.subplots(1, 3, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
    for ax, model in zip(axes, MODELS["culturescore"], strict=True):
        for height, dimension in enumerate(DIMENSIONS):
            gain = gained.loc[gained["model"].eq(model) & gained["dimension"].eq(dimension), "gain"]
            ax.plot(gain, height + rng.uniform(-0.25, 0.25, gain.size), "oC0", alpha=0.45, markersize=4)
            ax.hlines(height, *gain.quantile([0.25, 0.75]), color="black", linewidth=2, zorder=3)
            ax.plot(gain.mean(), height, "D", color="black", markersize=6, zorder=3)
        ax.axvline(0, color="0.4", linestyle="--", linewidth=1)
        ax.set(title=model, xlabel="gain (points)")
    axes[0].set_yticks(range(len(DIMENSIONS)), DIMENSIONS)
    axes[0].invert_yaxis()
    return fig


def table_checks(checked: pd.DataFrame) -> Figure:
    """Printed minus recomputed country percentages: one panel a model, one row a dimension.

    Args:
        checked: as `questions.recomputed` returns them.
    """
    rows = [*DIMENSIONS, "overall"]
    fig, axes = plt.subplots(1, 2, figsize=(8.5, 3.8), sharey=True, layout="constrained")
    for ax, (model, part) in zip(axes, checked.groupby("model"), strict=True):
        for shift, marker, variant in ((-0.15, "o", "base"), (0.15, "^", "extended")):
            dots = part[part["variant"] == variant]
            height = dots["dimension"].map(rows.index) + shift
            ax.scatter(dots["difference"], height, marker=marker, alpha=0.6, label=variant)
        ax.axvspan(-0.05, 0.05, color="0.6", alpha=0.4, linewidth=0)
        ax.set(title=model, xlabel="printed - recomputed (points)")
    axes[0].set_yticks(range(len(rows)), rows)
    axes[0].invert_yaxis()
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def country_intervals(averages: pd.DataFrame) -> Figure:
    """CultureScore by country and model, with the narrow (thick) and the wide (thin) interval.

    Args:
        averages: as `questions.averages` returns them, by model and country.
    """
    order = sorted(averages["country"].unique(), reverse=True)
    fig, ax = plt.subplots(figsize=(7, 7.5), layout="constrained")
    for shift, (model, marker) in zip((0.25, 0, -0.25), MARKERS.items(), strict=True):
        part = averages[averages["model"] == model]
        height = part["country"].map(order.index) + shift
        (dots,) = ax.plot(part["average"], height, marker, label=model)
        ax.hlines(height, part["clip_low"], part["clip_high"], color=dots.get_color(), linewidth=1)
        ax.hlines(height, part["low"], part["high"], color=dots.get_color(), linewidth=3)
    ax.set_yticks(range(len(order)), order)
    ax.set(xlabel="CultureScore (%), mean of three dimensions")
    ax.legend(**ABOVE, ncols=3)
    return fig


def videoscore_panels(pairs: pd.DataFrame, rho: pd.DataFrame) -> Figure:
    """Left: both scores of every cell with base prompts. Right: their correlations within each run.

    Args:
        pairs: as `videoscore.score_pairs` returns them.
        rho: as `videoscore.correlations` returns them.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
    base = pairs[pairs["variant"] == "base"]
    for model, marker in MARKERS.items():
        dots = base[base["model"] == model]
        left.plot(dots["videoscore"], dots["culturescore"], marker, alpha=0.7, label=model)
    left.set(xlabel="VideoScore (1 to 4), base prompts", ylabel="CultureScore (%), base prompts")
    left.legend(**ABOVE, ncols=3, fontsize=9)
    _forest(right, rho)
    return fig


def _forest(ax: Axes, rho: pd.DataFrame) -> None:
    labels = list(dict.fromkeys(rho["model"] + ", " + rho["variant"]))
    for shift, marker, (over, part) in zip((0.12, -0.12), "os", rho.groupby("over"), strict=True):
        height = np.arange(len(part))[::-1] + shift
        errors = [part["estimate"] - part["low"], part["high"] - part["estimate"]]
        label = f"{part['n'].iloc[0]} {over}"
        ax.errorbar(part["estimate"], height, xerr=errors, fmt=marker, capsize=3, label=label)
    ax.axvline(0, color="0.4", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(labels)), labels[::-1])
    ax.set(xlabel="Spearman's rho, 95 % interval", xlim=(-1, 1))
    ax.legend(**ABOVE, ncols=2, fontsize=9)
