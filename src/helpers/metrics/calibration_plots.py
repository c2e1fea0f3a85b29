"""Pictures of a calibration; every one of them shows simulated clips of real photographs."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from numpy.typing import NDArray

from helpers.figures import DIVERGING, PALETTE
from helpers.metrics.calibration_settings import COMPARED, WORDS
from helpers.metrics.calibration_tables import KINDS, MARGIN, dial_values
from helpers.metrics.keypoint_study import mean_with_interval

MARKERS = "osD^vPX*"


def contact_figure(pictures: Mapping[str, NDArray[np.uint8]], columns: int = 4) -> Figure:
    """Pictures with their names above, row by row."""
    rows = -(-len(pictures) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(9, 2.4 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (name, picture) in zip(axes.flat, pictures.items(), strict=False):
        axis.imshow(picture)
        axis.set_title(name, fontsize=10)
    return figure


def dial_figure(values: pd.DataFrame) -> Figure:
    """Each metric against the strength of each fault: single places in pale, their mean with its interval."""
    dial = dial_values(values)
    figure, axes = plt.subplots(3, 3, figsize=(9, 8.5), sharex=True, layout="constrained")
    colours = sns.color_palette(PALETTE, len(KINDS))
    for axis, (metric, name) in zip(axes.flat, WORDS.items(), strict=True):
        cells = dial[dial["metric"].eq(metric)]
        means = mean_with_interval(cells, "value")
        for (kind, said), colour, marker in zip(KINDS.items(), colours, MARKERS, strict=False):
            own = cells[cells["kind"].eq(kind)].sort_values("strength")
            for _, line in own.groupby("place"):
                axis.plot(line["strength"], line["value"], color=colour, alpha=0.2, linewidth=0.8)
            mean = means[means["kind"].eq(kind)].sort_values("strength")
            axis.fill_between(mean["strength"], mean["low"], mean["high"], color=colour, alpha=0.12, lw=0)
            axis.plot(mean["strength"], mean["mean"], color=colour, marker=marker, linewidth=2.2, label=said)
        axis.set_title(name)
        axis.set_ylabel("value")
    axes[0, 0].legend(fontsize=9)
    for axis in axes[-1]:
        axis.set_xlabel("strength of the fault (0: faithful)")
    axes[-1, 1].set_ylabel("share of the range per second")
    axes[-1, 2].set_ylabel("share of the range")
    return figure


def change_figure(moved: pd.DataFrame, kinds: Sequence[str]) -> Figure:
    """How far edits move the metrics that compare, in units of the fall to another place.

    Args:
        moved: as `calibration_tables.changes`.
        kinds: the edits, from above.
    """
    figure, axes = plt.subplots(4, 2, figsize=(9, 11), sharex=True, sharey=True, layout="constrained")
    colours = {"harmless": sns.color_palette(PALETTE)[0], "wrong": sns.color_palette(PALETTE)[3]}
    *drawn, empty = axes.flat
    for axis, metric in zip(drawn, COMPARED, strict=True):
        own = moved[moved["metric"].eq(metric)]
        axis.axvspan(-MARGIN, MARGIN, color="0.88", zorder=0)
        axis.axvline(-1, color="black", linestyle="--", linewidth=1)
        for row in own[own["kind"].isin(kinds)].itertuples():
            place = len(kinds) - 1 - list(kinds).index(row.kind)
            marker = "o" if row.group == "harmless" else "X"
            ends = [[row.change - row.low], [row.high - row.change]]
            look = {"color": colours[row.group], "marker": marker, "markersize": 7, "capsize": 3}
            axis.errorbar(row.change, place, xerr=ends, linestyle="none", **look)
        axis.set_title(WORDS[metric])
        axis.set_yticks(range(len(kinds)), list(kinds)[::-1])
    axes[0, 0].set_xscale("symlog", linthresh=1, linscale=1.2)
    axes[0, 0].set_xticks([-5, -2, -1, -0.5, 0, 0.5], ["-5", "-2", "-1", "-½", "0", "½"])
    empty.set_axis_off()
    for axis in drawn[-2:]:
        axis.set_xlabel("change; -1: as far as to another place")
        axis.tick_params(labelbottom=True)
    return figure


def auc_figure(tables: Mapping[str, pd.DataFrame], together: Mapping[str, object]) -> Figure:
    """How well places are told apart, with intervals.

    Args:
        tables: by what the pairs are, as `calibration_tables.auc_table`.
        together: combinations, estimates by name; shown with the last table's pairs.
    """
    names = [*(WORDS[name] for name in COMPARED), *together]
    figure, axis = plt.subplots(figsize=(8, 0.55 * len(names) + 1.4), layout="constrained")
    colours = sns.color_palette(PALETTE)
    for number, (said, table) in enumerate(tables.items()):
        rows = [(WORDS[row.metric], row.auc, row.low, row.high) for row in table.itertuples()]
        if number == len(tables) - 1 and rows:
            rows += [(name, one.estimate, one.low, one.high) for name, one in together.items()]
        if not rows:
            continue
        labels, area, low, high = zip(*rows, strict=True)
        places = [len(names) - 1 - names.index(label) + 0.14 * (1 - 2 * number) for label in labels]
        ends = np.array([np.subtract(area, low), np.subtract(high, area)]).clip(0)
        look = {"marker": MARKERS[number], "color": colours[number], "capsize": 3, "label": said}
        axis.errorbar(area, places, xerr=ends, linestyle="none", **look)
    axis.axvline(0.5, color="black", linestyle="--", linewidth=1)
    axis.set_yticks(range(len(names)), names[::-1])
    axis.set(xlim=(0.3, 1.02), xlabel="area under the ROC curve (0.5: no better than a coin)")
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


def sensitivity_figure(table: pd.DataFrame, settings: Sequence[str]) -> Figure:
    """What other settings do: agreement of the order with the default's, and how well places are told apart.

    Args:
        table: as `calibration_tables.sensitivity`.
        settings: from above.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), sharey=True, layout="constrained")
    names = [name for name in COMPARED if name in set(table["metric"])]
    colours = sns.color_palette(PALETTE, len(names))
    for number, (name, colour, marker) in enumerate(zip(names, colours, MARKERS, strict=False)):
        own = table[table["metric"].eq(name) & table["setting"].isin(settings)]
        shift = 0.13 * (number - (len(names) - 1) / 2)
        places = [len(settings) - 1 - list(settings).index(one) - shift for one in own["setting"]]
        look = {"color": colour, "marker": marker, "linestyle": "none"}
        axes[0].plot(own["order"], places, **look, label=WORDS[name])
        ends = np.array([own["auc"] - own["low"], own["high"] - own["auc"]]).clip(0)
        axes[1].errorbar(own["auc"], places, xerr=ends, elinewidth=0.8, alpha=0.9, **look)
    axes[1].axvline(0.5, color="black", linestyle="--", linewidth=1)
    axes[0].set_yticks(range(len(settings)), list(settings)[::-1])
    axes[0].set_xlabel("Spearman's ρ with the default")
    axes[1].set_xlabel("area under the curve, 95 % interval")
    if names:
        figure.legend(loc="outside lower center", ncols=3, fontsize=9)
    return figure


def correlation_figure(pairs: pd.DataFrame) -> Figure:
    """Correlations of metrics: above the diagonal over all clips, below it beyond the dial.

    Args:
        pairs: as `calibration_together.correlations`. What does not exceed the noise stands in brackets.
    """
    names = list(dict.fromkeys([*pairs["first"], *pairs["second"]]))
    matrix = np.full((len(names), len(names)), np.nan)
    said = np.full(matrix.shape, "", dtype=object)
    for row in pairs.itertuples():
        i, j = names.index(row.first), names.index(row.second)
        matrix[i, j], matrix[j, i] = row.together, row.beyond
        said[i, j] = f"{row.together:.2f}" if row.low > 0 or row.high < 0 else f"({row.together:.2f})"
        said[j, i] = f"{row.beyond:.2f}" if abs(row.beyond) > row.noise else f"({row.beyond:.2f})"
    figure, axis = plt.subplots(figsize=(9, 7), layout="constrained")
    labels = [WORDS[name] for name in names]
    look = {"cmap": DIVERGING, "vmin": -1, "vmax": 1, "annot": said, "fmt": "", "annot_kws": {"size": 9}}
    sns.heatmap(
        matrix,
        ax=axis,
        xticklabels=labels,
        yticklabels=labels,
        cbar_kws={"label": "Spearman's ρ"},
        **look,
    )
    axis.grid(visible=False)
    axis.tick_params(axis="x", rotation=40)
    for label in axis.get_xticklabels():
        label.set_horizontalalignment("right")
    return figure
