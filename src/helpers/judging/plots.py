"""The figures of the notebooks on judging; frames in, figures out."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import figures

MARKERS = "os^Dv<>P"
EXPECTED = "0.85"


def recovered(
    found: pd.DataFrame, *, rows: str, series: str, panels: str, xlabel: str, zero: bool = False
) -> Figure:
    """Estimates with their intervals beside the true values (open diamonds), where these are known.

    Args:
        found: estimate, low, high and true, and the columns that follow; a row without estimate stays empty.
        rows: the column whose values are the lines of the chart.
        series: the column whose values are told apart by colour and marker.
        panels: the column whose values get a panel each.
        xlabel: what is estimated, with its unit.
        zero: whether a line marks 0.
    """
    names = list(dict.fromkeys(found[panels]))
    labels, kinds = list(dict.fromkeys(found[rows])), list(dict.fromkeys(found[series]))
    size = (9, 1.4 + 0.22 * len(labels) * (1 + len(kinds)))
    fig, axes = plt.subplots(
        1, len(names), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    shifts = 0.5 * (np.arange(len(kinds)) - (len(kinds) - 1) / 2) / max(len(kinds) - 1, 1)
    for ax, name in zip(axes[0], names, strict=True):
        part = found[found[panels].eq(name)]
        for kind, shift, marker in zip(kinds, shifts, MARKERS, strict=False):
            one = part[part[series].eq(kind)]
            height = one[rows].map(labels.index).to_numpy() + shift
            _intervals(ax, one, height, marker, label=str(kind))
            ax.plot(one["true"], height, "D", mfc="none", mec="black", markersize=8, label="_")
        if zero:
            ax.axvline(0, color="0.4", linestyle="--", linewidth=1)
        ax.grid(visible=False, axis="y")
        for edge in range(1, len(labels)):
            ax.axhline(edge - 0.5, color="0.85", linewidth=1)
        ax.set(title=str(name), xlabel=xlabel)
    axes[0, 0].set_yticks(range(len(labels)), labels)
    axes[0, 0].set_ylim(len(labels) - 0.5, -0.5)
    if found["true"].notna().any():
        axes[0, 0].plot([], [], "D", mfc="none", mec="black", label="truth")
    handles = axes[0, 0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside upper center", ncols=min(len(kinds) + 1, 4))
    return fig


def dials(found: pd.DataFrame, ylabel: str) -> Figure:
    """Scores against how unfaithful clips were made, a panel a kind, with the truth dashed.

    Args:
        found: kind, strength (0 to 1), estimate, low, high and true.
        ylabel: what is estimated, with its scale.
    """
    kinds = list(dict.fromkeys(found["kind"]))
    fig, axes = plt.subplots(1, len(kinds), figsize=(9, 3.4), sharex=True, sharey=True, layout="constrained")
    for ax, kind in zip(axes, kinds, strict=True):
        rows = found[found["kind"].eq(kind)].sort_values("strength")
        ends = np.clip([rows["estimate"] - rows["low"], rows["high"] - rows["estimate"]], 0, None)
        judged = ax.errorbar(
            rows["strength"], rows["estimate"], yerr=np.nan_to_num(ends), fmt="o-", capsize=3
        )
        (true,) = ax.plot(rows["strength"], rows["true"], "D--", color="black", mfc="none")
        ax.set(title=kind.replace("_", " "), xlim=(-0.1, 1.1))
    axes[0].set_ylabel(ylabel)
    fig.supxlabel("strength of the change (0: faithful)")
    fig.legend([judged, true], ["judged", "truth"], loc="outside upper center", ncols=2)
    return fig


def judged_against_true(found: pd.DataFrame, *, label: str, top: float, by: str, seed: int = 0) -> Figure:
    """Each clip's score against the one that it deserves, slightly scattered, on the line of equality.

    Args:
        found: true, value and a column whose values get a colour and marker each.
        label: what is scored, with its scale.
        top: the highest score; 0 is the lowest.
        by: that column.
        seed: of the scatter.
    """
    rng = np.random.default_rng(seed)
    fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
    for marker, (name, rows) in zip(MARKERS, found.groupby(by, sort=False), strict=False):
        across, up = rng.uniform(-0.015, 0.015, (2, len(rows))) * top
        look = {"alpha": 0.7, "markersize": 6, "label": str(name).replace("_", " ")}
        ax.plot(rows["true"] + across, rows["value"] + up, marker, **look)
    ax.plot([0, top], [0, top], color="0.4", linestyle="--", linewidth=1)
    ax.set(xlabel=f"deserved: {label}", ylabel=f"judged: {label}")
    ax.legend(fontsize=9)
    return fig


def control_panels(checked: pd.DataFrame, judges: Sequence[str], columns: int = 4) -> Figure:
    """What each control shows about each judge: a panel a control, a line a judge.

    What a judge without faults gives is shaded. Filled markers lie apart from it, open ones reach it.

    Args:
        checked: as `helpers.judging.exhibits.against_expected` returns it.
        judges: from the top down.
        columns: panels in a row.
    """
    titles = list(dict.fromkeys(checked["title"]))
    lines = -(-len(titles) // columns)
    size = (9, 0.6 + lines * (0.9 + 0.26 * len(judges)))
    fig, axes = plt.subplots(lines, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
    good, bad = (sns.color_palette(figures.PALETTE)[at] for at in (0, 3))
    for ax, title in zip(axes.flat, titles, strict=False):
        part = checked[checked["title"].eq(title)]
        ax.axvspan(*part[["good_low", "good_high"]].iloc[0], color=EXPECTED, zorder=0)
        for met, color, fill in ((True, good, "white"), (False, bad, bad)):
            rows = part[part["met"].eq(met).fillna(False)]
            _intervals(
                ax, rows, rows["judge"].map(judges.index).to_numpy(float), "o" if met else "s", color, fill
            )
        ax.set_title(title, fontsize=9)
        ax.tick_params(labelsize=9)
        ax.margins(x=0.12)
    for ax in axes.flat[len(titles) :]:
        ax.set_axis_off()
    axes.flat[0].set_yticks(range(len(judges)), judges)
    axes.flat[0].set_ylim(len(judges) - 0.5, -0.5)
    return fig


def _intervals(
    ax: Axes,
    rows: pd.DataFrame,
    height: np.ndarray,
    marker: str,
    color: tuple[float, ...] | None = None,
    fill: str | tuple[float, ...] | None = None,
    label: str | None = None,
) -> None:
    known = rows["estimate"].notna().to_numpy()
    rows, height = rows[known], height[known]
    ends = [(rows["estimate"] - rows["low"]).fillna(0), (rows["high"] - rows["estimate"]).fillna(0)]
    look = {"color": color, "mfc": fill, "label": label}
    ax.errorbar(rows["estimate"], height, xerr=np.clip(ends, 0, None), fmt=marker, capsize=3, **look)
