"""The figures of the notebook on CultureVidBench's prompts; frames in, figures out."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from helpers import figures
from helpers.geography import CULTUREVIDBENCH_COUNTRIES, countries
from helpers.published import ASPECTS, AUDIO_ASPECTS

LINES = ("-", "--", ":")
SHORT = {"religious-activity": "religious\nactivity"}


def cell_counts(cells: pd.DataFrame) -> Figure:
    """Prompts by country and aspect, aspects in their three categories, totals at the margins.

    Args:
        cells: rows of `culturevidbench_paper.CELLS`.
    """
    grid = cells.pivot_table(index="country", columns="aspect", values="prompts", aggfunc="sum", fill_value=0)
    grid = grid.reindex(index=CULTUREVIDBENCH_COUNTRIES, columns=list(ASPECTS), fill_value=0).astype(int)
    fig, (above, ax) = plt.subplots(
        2, 1, figsize=(9, 7), sharex=True, height_ratios=(1, 3.2), layout="constrained"
    )
    bars = above.bar(np.arange(len(ASPECTS)) + 0.5, grid.sum(), width=0.7)
    above.bar_label(bars, fontsize=9)
    above.set(ylabel="prompts", ylim=(0, 1.2 * grid.sum().max()))
    above.grid(visible=False, axis="x")
    look = {"cmap": figures.SEQUENTIAL, "cbar": False, "annot_kws": {"size": 10}}
    sns.heatmap(grid, annot=True, fmt="d", ax=ax, **look)
    labels = [f"{country} ({total})" for country, total in grid.sum(axis=1).items()]
    ax.set_yticks(np.arange(len(labels)) + 0.5, labels, rotation=0)
    ax.set_xticks(np.arange(len(ASPECTS)) + 0.5, [SHORT.get(name, name) for name in ASPECTS], rotation=90)
    borders = np.flatnonzero(pd.Series(ASPECTS).ne(pd.Series(ASPECTS).shift()).to_numpy())
    for border in borders[1:]:
        for panel in (above, ax):
            panel.axvline(border, color="white" if panel is ax else "0.4", linewidth=3 if panel is ax else 1)
    for start, name in zip(borders, dict.fromkeys(ASPECTS.values()), strict=True):
        above.annotate(name, (start + 0.1, 1.02), xycoords=("data", "axes fraction"), fontsize=11)
    ax.set(xlabel="", ylabel="")
    return fig


def word_counts(lengths: dict[str, pd.Series], stated: float) -> Figure:
    """Shares of prompts by their number of words, a line a set, its mean, and what the paper states.

    Args:
        lengths: for each set's name, prompts by number of words (the index).
        stated: the mean that the paper gives, in words.
    """
    fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    axis = range(min(each.index.min() for each in lengths.values()), 27)
    for color, line, (name, each) in zip(("C0", "C1", "C2"), LINES, lengths.items(), strict=False):
        share = 100 * each.reindex(axis, fill_value=0) / each.sum()
        mean = np.average(each.index.to_numpy(float), weights=each)
        ax.plot(
            axis, share, line, color=color, linewidth=2.5, label=f"{name} (n = {each.sum()}, mean {mean:.1f})"
        )
        ax.vlines(mean, 0, 2.5, color=color, linewidth=4, zorder=3)
    ax.set_xticks(axis[::2])
    ax.axvline(stated, color="black", linewidth=1.5, label=f"the paper's mean, {stated:g}")
    ax.set(
        xlabel="words in the prompt (short bars: means)", ylabel="prompts of the set (%)", ylim=(-0.6, None)
    )
    fig.legend(loc="outside upper center", ncols=1 + (len(lengths) > 1))
    return fig


def aspect_shares(cells: pd.DataFrame) -> Figure:
    """Each aspect's share of the list, and its equal share in a subset with one prompt a cell.

    Args:
        cells: rows of `culturevidbench_paper.CELLS`.
    """
    share = 100 * cells.groupby("aspect")["prompts"].sum().reindex(list(ASPECTS)) / cells["prompts"].sum()
    drawn = 100 * cells.groupby("aspect").size().reindex(list(ASPECTS)) / len(cells)
    height = np.arange(len(ASPECTS))
    fig, ax = plt.subplots(figsize=(7.5, 5.5), layout="constrained")
    ax.hlines(height, drawn, share, color="0.6", linewidth=2)
    ax.plot(share, height, "oC0", markersize=9, label=f"list (n = {cells['prompts'].sum()})")
    ax.plot(drawn, height, "DC1", markersize=8, label=f"one a cell (n = {len(cells)})")
    ax.set_yticks(height, list(ASPECTS))
    ax.invert_yaxis()
    ax.xaxis.set_major_locator(MultipleLocator(5))
    ax.set(xlabel="share of the prompts (%)", xlim=(0, None))
    fig.legend(loc="outside upper center", ncols=2)
    return fig


def cue_shares(sets: dict[str, pd.DataFrame]) -> Figure:
    """Which share of each aspect's prompts asks for writing or for sound: a panel a cue, a marker a set.

    Args:
        sets: rows of `culturevidbench_paper.CELLS` by the set's name.
    """
    fig, axes = plt.subplots(1, 2, figsize=(9, 5.5), sharey=True, layout="constrained")
    height = np.arange(len(ASPECTS))
    for ax, (cue, title) in zip(
        axes, {"text_cues": "visible writing", "audio_cues": "sound"}.items(), strict=True
    ):
        for marker, shift, (name, cells) in zip("os", (-0.15, 0.15), sets.items(), strict=False):
            total = cells.groupby("aspect")[["prompts", cue]].sum().reindex(list(ASPECTS))
            ax.plot(100 * total[cue] / total["prompts"], height + shift, marker, markersize=8, label=name)
        ax.set(title=title, xlabel="prompts with the cue (%)", xlim=(-4, 104))
    for at in np.flatnonzero([aspect in AUDIO_ASPECTS for aspect in ASPECTS]):
        axes[1].axhspan(at - 0.5, at + 0.5, color="0.9", zorder=0, linewidth=0)
    axes[0].set_yticks(height, list(ASPECTS))
    axes[0].set_ylim(len(ASPECTS) - 0.5, -0.5)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def region_counts(cells: pd.DataFrame) -> Figure:
    """Prompts by cultural region, each country a piece of its region's bar.

    Args:
        cells: rows of `culturevidbench_paper.CELLS`.
    """
    region = countries().set_index("country")["cultural_region"]
    rows = cells.groupby("country")["prompts"].sum().reset_index()
    rows = rows.assign(region=rows["country"].map(region)).sort_values("country")
    order = rows.groupby("region")["prompts"].sum().sort_values(ascending=False).index
    fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for height, name in enumerate(order):
        left = 0
        for number, row in enumerate(rows[rows["region"].eq(name)].itertuples()):
            look = {"color": ("C0", "C9", "C0")[number], "hatch": ("", "//", "..")[number]}
            ax.barh(height, row.prompts, left=left, edgecolor="white", **look)
            box = {"facecolor": "white", "alpha": 0.85, "pad": 1.5, "edgecolor": "none"}
            ax.text(left + 4, height, f"{row.country} {row.prompts}", va="center", fontsize=9, bbox=box)
            left += row.prompts
    ax.set_yticks(range(len(order)), order)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set(xlabel="prompts")
    return fig
