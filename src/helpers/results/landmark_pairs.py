"""Clips of a short and of a detailed prompt of the same landmark, joined by lines."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from helpers import figures
from helpers.results.landmark_exhibits import TITLES
from helpers.results.landmarks import DETAILED, SHORT
from helpers.results.page import Drawn, LackingError

_WAYS = {"higher": "-", "lower": "--", "equal": ":"}


def pair_plots(rows: pd.DataFrame, *measures: str) -> Drawn:
    """A panel for each score: a line for each landmark from its short to its detailed prompt's clip.

    Args:
        rows: as `landmarks.clips`, of one model; several clips of a landmark and prompt are averaged.
        measures: columns of scores.

    Raises:
        LackingError: no landmark has both clips with one of these scores.
    """
    pairs = {name: _pairs(rows, name) for name in dict.fromkeys(measures)}
    colors = dict(zip(_WAYS, [*sns.color_palette(figures.PALETTE)[:2], "0.3"], strict=True))
    fig, axes = plt.subplots(
        1, len(pairs), figsize=(1 + 3.6 * len(pairs), 4.2), layout="constrained", squeeze=False
    )
    counts = []
    for ax, (name, both) in zip(axes[0], pairs.items(), strict=True):
        way = (both[DETAILED] - both[SHORT]).map(_way)
        for label, style in _WAYS.items():
            ends = both[way.eq(label)].T.to_numpy()
            ax.plot([0, 1], ends, style, color=colors[label], alpha=0.7, linewidth=1.2)
        ax.plot([0, 1], both.mean(), "-D", color="black", linewidth=3, markersize=7, zorder=4)
        ax.set(xticks=[0, 1], xticklabels=["short prompt", "detailed prompt"], xlim=(-0.2, 1.2))
        ax.set_ylabel(f"score by {TITLES.get(name, name)}")
        found = ", ".join(f"{way.eq(label).sum()} {label}" for label in _WAYS)
        counts.append(f"by {name} {found} with the detailed prompt, of {len(both)}")
    for label, style in _WAYS.items():
        axes[0, 0].plot([], [], style, color=colors[label], label=f"detailed {label}")
    axes[0, 0].plot([], [], "-D", color="black", label="means")
    fig.legend(loc="outside lower center", ncols=4)
    return Drawn(
        fig,
        "both clips of each landmark that has two with a score; " + "; ".join(counts),
        f"{len(pairs)} slope plots. Lines join each landmark's score with a short and with a detailed "
        "prompt; a thick line joins the means.",
    )


def _pairs(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    wide = rows.pivot_table(index="landmark_id", columns="variant", values=measure, aggfunc="mean")
    both = wide.reindex(columns=[SHORT, DETAILED]).dropna().astype(float)
    if both.empty:
        raise LackingError(
            f"No landmark has clips of a short and of a detailed prompt with a score by {measure}."
        )
    return both


def _way(gain: float) -> str:
    return "equal" if gain == 0 else "higher" if gain > 0 else "lower"
