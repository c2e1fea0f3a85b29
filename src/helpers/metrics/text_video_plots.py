"""Pictures of text-video similarity: agreement with people, what is read of a prompt, who outscores whom."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from numpy.typing import NDArray

from helpers import figures
from helpers.stats.results import Estimate

STYLES = ("-", "--", ":")


def correlation_panels(rows: pd.DataFrame, criteria: Sequence[str], evaluators: Sequence[str]) -> Figure:
    """One panel a criterion: each evaluator's correlation with people and its interval.

    Args:
        rows: evaluator, criterion, value, low and high.
        criteria: in the order of panels.
        evaluators: from top to bottom.
    """
    fig, axes = plt.subplots(1, len(criteria), figsize=(9, 3), sharex=True, sharey=True)
    for ax, criterion in zip(axes, criteria, strict=True):
        part = rows[rows["criterion"].eq(criterion)].set_index("evaluator").loc[list(evaluators)[::-1]]
        bars = [part["value"] - part["low"], part["high"] - part["value"]]
        ax.errorbar(part["value"], part.index, xerr=bars, fmt="o")
        ax.axvline(0, color="black", linewidth=1)
        ax.set(title=criterion.replace("_", " "), xlabel="Spearman's ρ with people")
    fig.tight_layout()
    return fig


def reading_curves(rows: pd.DataFrame, limits: Mapping[str, int]) -> Figure:
    """How much of each part of a prompt is read, over how many tokens a model reads.

    Args:
        rows: part, tokens and share (0 to 1), a row for each scenario too: bands hold 95 % of them.
        limits: what named models read, in tokens.
    """
    fig, ax = plt.subplots(figsize=(8, 3.8))
    sns.lineplot(rows, x="tokens", y="share", hue="part", style="part", errorbar=("pi", 95), ax=ax)
    for name, limit in limits.items():
        ax.axvline(limit, color="black", linestyle="--", linewidth=1)
        ax.text(limit + 2, 1.04, f"{name}, {limit}", fontsize=10)
    ax.set(xlabel="tokens that a model reads", ylabel="share of this part that is read", ylim=(-0.02, 1.13))
    sns.move_legend(ax, "center right", title="part of the prompt")
    return fig


def cosine_strips(rows: pd.DataFrame, seen: tuple[float, float], weights: str) -> Figure:
    """Cosines of several kinds of pairs on the whole range of a cosine.

    Args:
        rows: pair and cosine.
        seen: a range to shade.
        weights: whose they are, for the title.
    """
    fig, ax = plt.subplots(figsize=(8.5, 2.8))
    sns.stripplot(rows, x="cosine", y="pair", hue="pair", legend=False, size=4, alpha=0.6, jitter=0.25, ax=ax)
    ax.axvspan(*seen, color="0.9", zorder=0)
    ax.set(xlim=(-1.02, 1.02), xlabel="cosine", ylabel="", title=weights)
    return fig


def score_histograms(scores: Mapping[str, NDArray[np.floating]], won: Mapping[str, Estimate]) -> Figure:
    """Simulated scores of own and of other prompts, a panel each, with how often the own prompt wins.

    Args:
        scores: (clips, prompts) by title, clip i made for prompt i.
        won: by the same titles.
    """
    fig, axes = plt.subplots(1, len(scores), figsize=(9, 3.2), sharex=True)
    bins = np.linspace(np.min(list(scores.values())), np.max(list(scores.values())), 40)
    for ax, (title, values) in zip(axes, scores.items(), strict=True):
        others = values[~np.eye(len(values), dtype=bool)]
        ax.hist(others, bins, density=True, color="C7", label="another prompt")
        own = {"histtype": "step", "linewidth": 2, "color": "C3", "label": "own prompt"}
        ax.hist(np.diagonal(values), bins, density=True, **own)
        named = title.replace(", ", ",\n")
        ax.set(
            title=f"{named}\nown prompt wins: {won[title].estimate:.0%}", xlabel="simulated score", yticks=[]
        )
    axes[0].set_ylabel("density")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.09))
    fig.tight_layout()
    return fig


def score_matrix(scores: NDArray[np.floating], title: str) -> Figure:
    """Every clip's score with every prompt; the clips' own prompts, on the diagonal, are marked."""
    fig, ax = plt.subplots(figsize=(6, 4.4))
    sns.heatmap(scores, cmap=figures.SEQUENTIAL, ax=ax, cbar_kws={"label": "mean cosine"}, square=True)
    middle = np.arange(len(scores)) + 0.5
    ax.plot(middle, middle, "o", color="white", markeredgecolor="black", markersize=7)
    ax.set(xlabel="prompt", ylabel="clip", title=title)
    return fig


def cosine_curves(rows: pd.DataFrame, kinds: Sequence[str]) -> Figure:
    """Cumulative shares of pairs by cosine, a line for each kind of pair.

    Args:
        rows: pair and cosine.
        kinds: the pairs' kinds, in the legend's order; at most three.
    """
    fig, ax = plt.subplots(figsize=(8, 3.2))
    for kind, style in zip(kinds, STYLES, strict=False):
        sns.ecdfplot(rows[rows["pair"].eq(kind)], x="cosine", ax=ax, linestyle=style, linewidth=2, label=kind)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(kinds), fontsize=9)
    ax.set(xlabel="cosine of two prompts", ylabel="share of pairs below")
    return fig
