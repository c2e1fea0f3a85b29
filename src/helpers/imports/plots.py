"""The figures of the notebook on importing clips."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from PIL import Image

from helpers import figures

# From usable to absent; each with a sign of its own, so that the grid can be read without its colours.
STATES = {"ok": "✓", "warning": "!", "error": "x", "missing": "–"}
_COLOURS = ("#56b4e9", "#ece133", "#d55e00", "#cccccc")


def states(videos: pd.DataFrame, problems: pd.DataFrame) -> pd.DataFrame:
    """How each prompt stands with each model: one of `STATES`, the best of several takes.

    Args:
        videos: rows of the table `videos`.
        problems: as `videos.Import.problems`; only those with a prompt count, and notes do not.

    Returns:
        Prompts by models.
    """
    worst = problems.dropna(subset=["prompt_id", "model", "file"])
    worst = worst[worst["severity"].isin(["error", "warning"])]
    severity = worst.groupby(["model", "prompt_id"])["severity"].min()  # "error" sorts before "warning"
    rows = videos[["model", "prompt_id", "status"]].merge(
        severity.rename("severity").reset_index(), on=["model", "prompt_id"], how="left"
    )
    found = rows["status"].where(rows["status"].isin(["ok", "missing"]), "error")
    found = found.mask(found.eq("ok") & rows["severity"].notna(), rows["severity"])
    order = {state: rank for rank, state in enumerate(STATES)}
    grid = rows.assign(rank=found.map(order)).pivot_table(
        index="prompt_id", columns="model", values="rank", aggfunc="min"
    )
    return grid.map(lambda rank: "missing" if pd.isna(rank) else list(STATES)[int(rank)])


def state_grid(grid: pd.DataFrame) -> Figure:
    """The states of the first 40 prompts by models, as a grid of coloured and signed cells.

    Args:
        grid: as `states` returns it.
    """
    grid = grid.head(40)
    names = list(STATES)
    fig, ax = plt.subplots(figsize=(7, 1 + 0.32 * len(grid)), layout="constrained")
    sns.heatmap(
        grid.map(names.index),
        ax=ax,
        cmap=ListedColormap(_COLOURS),
        norm=BoundaryNorm(np.arange(len(names) + 1) - 0.5, len(names)),
        annot=grid.map(STATES.get).to_numpy(),
        fmt="",
        linewidths=1,
        cbar=False,
        annot_kws={"size": 12, "color": "black"},
    )
    handles = [
        Patch(facecolor=colour, label=f"{STATES[name]}  {name}")
        for name, colour in zip(names, _COLOURS, strict=True)
    ]
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(names))
    ax.set(xlabel="", ylabel="")
    ax.tick_params(axis="y", rotation=0, labelsize=9)
    return fig


def stated_lengths(stated: pd.DataFrame) -> Figure:
    """Frames against frames a second of the papers' clips, with lines of equal duration.

    Args:
        stated: model, benchmark, frames and fps.
    """
    fig, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    palette = sns.color_palette(figures.PALETTE)
    for (benchmark, rows), marker, colour in zip(
        stated.groupby("benchmark"), "osD", palette[:3], strict=False
    ):
        ax.plot(rows["fps"], rows["frames"], marker, color=colour, markersize=9, label=benchmark)
        for (fps, frames), names in rows.groupby(["fps", "frames"])["model"]:
            text = ", ".join(names) if len(names) < 3 else "\n".join(names)
            ax.annotate(
                text, (fps, frames), xytext=(9, 0), textcoords="offset points", fontsize=9, va="center"
            )
    most, highest = 31, 160
    for seconds in (3, 4, 5, 6):
        end = min(most, highest / seconds)
        ax.plot([0, end], [0, seconds * end], color="0.6", linewidth=0.8, linestyle=":", zorder=0)
        ax.annotate(f"{seconds} s", (end, seconds * end), fontsize=9, color="0.3", ha="right", va="bottom")
    ax.set(xlabel="frames a second", ylabel="frames", xlim=(0, most + 1), ylim=(0, highest + 8))
    ax.legend(loc="upper left")
    return fig


def durations(videos: pd.DataFrame, expected: Mapping[str, float]) -> Figure:
    """How long each clip lasts: a row a model, a marker a clip, a line where it should end.

    Args:
        videos: model, status, frames and fps of clips that have them.
        expected: seconds by model, where they are known.
    """
    models = sorted(videos["model"].unique())
    fig, ax = plt.subplots(figsize=(8, 1.4 + 0.8 * len(models)), layout="constrained")
    rng = np.random.default_rng(0)
    palette = sns.color_palette(figures.PALETTE)
    looks = {"ok": ("o", palette[0]), "failed": ("X", palette[3])}
    for row, model in enumerate(models):
        for status, (marker, colour) in looks.items():
            clips = videos[videos["model"].eq(model) & videos["status"].eq(status)]
            seconds = (clips["frames"] / clips["fps"]).astype(float)
            heights = row + rng.uniform(-0.25, 0.25, len(seconds))
            ax.plot(seconds, heights, marker, color=colour, alpha=0.7, markersize=8)
        if model in expected:
            ax.plot([expected[model]] * 2, [row - 0.4, row + 0.4], color="black", linestyle="--")
    handles = [
        Line2D([], [], marker=marker, color=colour, linestyle="", label=status)
        for status, (marker, colour) in looks.items()
    ]
    handles.append(Line2D([], [], color="black", linestyle="--", label="expected"))
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    ax.set_yticks(range(len(models)), models)
    ax.set(xlabel="duration (s)", xlim=(0, None), ylim=(-0.6, len(models) - 0.4))
    return fig


def picture(image: Image.Image) -> Figure:
    """A picture as a figure, at most a page wide."""
    wide = min(9.0, image.width / 110)
    fig = plt.figure(figsize=(wide, wide * image.height / image.width))
    ax = fig.add_axes((0, 0, 1, 1))
    ax.imshow(image)
    ax.set_axis_off()
    return fig
