"""The figures of the notebook on CultureScore's prompts and questions; frames in, figures out."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from helpers import figures
from helpers.published import CATEGORIES, DIMENSIONS, VARIANTS
from helpers.stats.proportions import wilson

# Colour and hatch of a status, and the colour of the number in its bar.
STATUS_LOOKS = {
    "ok": ("C0", "", "white"),
    "unscored": ("C1", "", "black"),
    "missing": ("0.8", "...", "black"),
}
VARIANT_MARKERS = {"base": "o", "extended": "^"}


def step_statuses(counted: pd.DataFrame) -> Figure:
    """What came of each step: one stacked bar a step, with the number of scenes in each status.

    Args:
        counted: one row a step (the index), one column a status (`STATUS_LOOKS`).
    """
    fig, ax = plt.subplots(figsize=(8, 0.9 + 0.5 * len(counted)), layout="constrained")
    left = np.zeros(len(counted))
    for status, (color, hatch, number) in STATUS_LOOKS.items():
        width = counted[status].to_numpy(float) if status in counted else left * 0
        bars = ax.barh(
            counted.index, width, left=left, color=color, hatch=hatch, edgecolor="white", label=status
        )
        ax.bar_label(bars, [f"{n:.0f}" if n else "" for n in width], label_type="center", color=number)
        left += width
    ax.invert_yaxis()
    ax.set(xlabel="scenes")
    ax.grid(visible=False, axis="y")
    fig.legend(loc="outside upper center", ncols=3)
    return fig


def prompt_lengths(prompts: pd.DataFrame) -> Figure:
    """Words of every prompt on a logarithmic axis: a row a variant, the median as a black bar.

    Args:
        prompts: CultureScore rows of a table `prompts`.
    """
    rng = np.random.default_rng(0)
    variants = [name for name in VARIANTS["culturescore"] if prompts["variant"].eq(name).any()]
    fig, ax = plt.subplots(figsize=(8, 1 + 0.8 * len(variants)), layout="constrained")
    for height, name in enumerate(variants):
        words = prompts.loc[prompts["variant"].eq(name), "text"].str.split().str.len()
        ax.plot(words, height + rng.uniform(-0.25, 0.25, len(words)), "oC0", alpha=0.45, markersize=5)
        ax.vlines(words.median(), height - 0.35, height + 0.35, color="black", linewidth=3)
        ax.annotate(f"median {words.median():.0f}", (words.median(), height - 0.38), ha="center", fontsize=10)
    ax.set_xscale("log")
    ticks = [10, 20, 50, 100, 200]
    ax.set_xticks(ticks, ticks)
    ax.set_yticks(range(len(variants)), variants)
    ax.set(xlabel="words in the prompt (logarithmic axis)", ylim=(len(variants) - 0.4, -0.75))
    ax.minorticks_off()
    return fig


def uniqueness_grid(scenarios: pd.DataFrame) -> Figure:
    """Whether a scene without its country's name still points to it, by country and category.

    The bars above have 95 % Wilson intervals.

    Args:
        scenarios: country, category and unique (true or false), a row a scenario.
    """
    share = scenarios["unique"].astype(float).groupby([scenarios["country"], scenarios["category"]]).mean()
    grid = share.unstack().reindex(columns=list(CATEGORIES))  # noqa: PD010
    counts = scenarios.groupby("category")["unique"].agg(["sum", "size"]).reindex(CATEGORIES, fill_value=0)
    fig, (above, ax) = plt.subplots(
        2, 1, figsize=(7.5, 6.2), sharex=True, height_ratios=(1, 3), layout="constrained"
    )
    for place, (yes, n) in enumerate(counts.astype(int).to_numpy()):
        if n == 0:
            continue
        found = wilson(yes, n)
        share, low, high = (100 * value for value in (found.estimate, found.low, found.high))
        above.bar(place + 0.5, share, width=0.6, color="C0", alpha=0.55)
        above.vlines(place + 0.5, low, high, color="black", linewidth=1.5)
        above.annotate(f"{yes} of {n}", (place + 0.5, 112), ha="center", fontsize=11)
    above.set(ylabel="unique (%)", ylim=(0, 135), yticks=(0, 50, 100))
    above.grid(visible=False)
    words = grid.map(lambda value: {0.0: "no", 1.0: "yes"}.get(value, f"{value:.0%}"))
    sns.heatmap(
        grid, annot=words, fmt="", vmin=0, vmax=1, cmap=figures.SEQUENTIAL, cbar=False, linewidths=2, ax=ax
    )
    ax.set(xlabel="", ylabel="")
    ax.tick_params(axis="x", rotation=0, labelsize=10)
    return fig


def question_weights(questions: pd.DataFrame) -> Figure:
    """How many questions have which weight: a panel a dimension, explicit and implicit ones stacked.

    Args:
        questions: dimension, weight and explicit, a row a question.
    """
    fig, axes = plt.subplots(1, 3, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
    weights = np.arange(1, 11)
    for ax, dimension in zip(axes, DIMENSIONS, strict=True):
        rows = questions[questions["dimension"].eq(dimension)]
        below = np.zeros(10)
        for explicit, label, hatch in ((True, "explicit", ""), (False, "implicit", "//")):
            counts = rows.loc[rows["explicit"].eq(explicit), "weight"].value_counts()
            height = counts.reindex(weights, fill_value=0).to_numpy(float)
            ax.bar(weights, height, bottom=below, hatch=hatch, edgecolor="white", label=label)
            below += height
        for border in (3.5, 7.5):
            ax.axvline(border, color="0.4", linestyle="--", linewidth=1)
        ax.set(title=f"{dimension} (n = {len(rows)})", xlabel="weight (1-10)", xticks=range(1, 11))
        ax.grid(visible=False, axis="x")
    axes[0].set(ylabel="questions")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def words_given_away(shares: pd.DataFrame) -> Figure:
    """Which share of each question's words the prompts hold: a row a dimension and variant, means in black.

    Args:
        shares: as `culturescore_counts.given_away` returns them.
    """
    rng = np.random.default_rng(0)
    fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for row, dimension in enumerate(DIMENSIONS):
        for color, shift, (variant, marker) in zip(
            ("C0", "C1"), (-0.2, 0.2), VARIANT_MARKERS.items(), strict=True
        ):
            share = (
                100 * shares.loc[shares["dimension"].eq(dimension) & shares["variant"].eq(variant), "share"]
            )
            height = row + shift + rng.uniform(-0.13, 0.13, len(share))
            label = variant if row == 0 else None
            ax.plot(share, height, marker, color=color, alpha=0.3, markersize=4, label=label)
            ax.plot(share.mean(), row + shift, "D", color="black", markersize=8, markeredgecolor="white")
            ax.annotate(f"{share.mean():.0f} %", (106, row + shift), va="center", annotation_clip=False)
    ax.set_yticks(range(3), DIMENSIONS)
    ax.set(
        xlabel="a question's words that stand in the prompt (%); black: mean",
        xlim=(-3, 104),
        ylim=(2.5, -0.5),
    )
    ax.grid(visible=False, axis="y")
    legend = fig.legend(loc="outside upper center", ncols=2)
    for handle in legend.legend_handles:
        handle.set(alpha=1, markersize=7)
    return fig
