"""Pictures of keypoint alignment: regions, and matches drawn over a pair, coloured by region."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from helpers.figures import PALETTE
from helpers.metrics.keypoint_formula import saturated
from helpers.metrics.keypoint_score import FrameScore, RegionScore
from helpers.metrics.matchers import Matches
from helpers.metrics.regions import Regions

MARKERS = "os^DvPX*"
"""Regions differ by marker as well as by colour."""
GAP_WIDTH, MOST_DRAWN, NO_REGION = 16, 150, "#666666"


KIND_WORDS = {
    "detail_loss": "blurred",
    "warped_structure": "warped",
    "other_landmark": "another place shows in it",
}


def draw_pair(
    axes: Axes,
    reference: NDArray[np.uint8],
    frame: NDArray[np.uint8],
    regions: Regions,
    matches: Matches,
    score: FrameScore,
) -> None:
    """Draw a reference and a frame side by side, their matches, and each region's density and geometry.

    At most 150 matches are drawn, evenly taken from the reference's top to its bottom.

    Args:
        axes: where; their frame is removed.
        reference: the reference's working copy, RGB (height, width, 3).
        frame: the frame's.
        regions: of the reference.
        matches: of the two.
        score: of the matches.
    """
    height = max(reference.shape[0], frame.shape[0])
    offset = reference.shape[1] + GAP_WIDTH
    canvas = np.full((height, offset + frame.shape[1], 3), 255, np.uint8)
    canvas[: reference.shape[0], : reference.shape[1]] = reference
    canvas[: frame.shape[0], offset:] = frame
    axes.imshow(canvas)
    axes.set_axis_off()
    colours = region_colours(len(regions))
    for mask, colour in zip(regions.masks, colours, strict=True):
        if not mask.all():
            axes.contour(mask, levels=[0.5], colors=[colour], linewidths=1.5)
    order = np.argsort(matches.reference[:, 1], kind="stable")
    drawn = order[np.linspace(0, len(order) - 1, min(len(order), MOST_DRAWN)).round().astype(int)]
    shown = Matches(matches.reference[drawn], matches.frame[drawn] + [offset, 0])
    _lines(axes, shown, NO_REGION, ".")
    for number, (mask, colour) in enumerate(zip(regions.masks, colours, strict=True)):
        _lines(axes, shown.inside(mask), colour, MARKERS[number % len(MARKERS)])
    axes.legend(
        handles=[
            Line2D(
                [],
                [],
                color=colour,
                marker=MARKERS[number % len(MARKERS)],
                label=_said(score.regions[number]),
            )
            for number, colour in enumerate(colours)
        ],
        loc="upper left",
        bbox_to_anchor=(0, -0.02),
        ncols=2,
        fontsize=9,
        title=f"D = {score.density:.2f}, G = {score.geometry:.2f}, score {score.score:.2f}, "
        f"{score.matches} matches",
    )


def pair_figure(
    reference: NDArray[np.uint8],
    frames: Sequence[NDArray[np.uint8]],
    regions: Regions,
    matches: Sequence[Matches],
    scores: Sequence[FrameScore],
    titles: Sequence[str],
) -> Figure:
    """One reference with several pictures, one pair below another; arguments as `draw_pair`."""
    figure, axes = plt.subplots(len(frames), figsize=(8, 4.6 * len(frames)), squeeze=False)
    rows = zip(axes[:, 0], frames, matches, scores, titles, strict=True)
    for axis, frame, matched, score, title in rows:
        draw_pair(axis, reference, frame, regions, matched, score)
        axis.set_title(title)
    figure.tight_layout()
    return figure


def draw_regions(axes: Axes, picture: NDArray[np.uint8], regions: Regions) -> None:
    """Draw the outlines of regions over a working copy."""
    axes.imshow(picture)
    axes.set_axis_off()
    for mask, colour in zip(regions.masks, region_colours(len(regions)), strict=True):
        if not mask.all():
            axes.contour(mask, levels=[0.5], colors=[colour], linewidths=2)


def region_colours(count: int) -> list[tuple[float, float, float]]:
    """Colours of regions, the same in every picture."""
    return sns.color_palette(PALETTE, count)


def dial_figure(tables: dict[str, pd.DataFrame]) -> Figure:
    """Means over the dial of faithfulness, one panel a number, one line a way of being unfaithful.

    Args:
        tables: by the number's name as its axis is to say it; each as `keypoint_study.mean_with_interval`.
    """
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), sharex=True)
    colours = sns.color_palette(PALETTE, len(KIND_WORDS))
    for axis, (name, table) in zip(axes.flat, tables.items(), strict=True):
        for (kind, words), colour, marker in zip(KIND_WORDS.items(), colours, MARKERS, strict=False):
            rows = table[table["kind"].eq(kind)]
            axis.plot(rows["strength"], rows["mean"], color=colour, marker=marker, label=words)
            axis.fill_between(rows["strength"], rows["low"], rows["high"], color=colour, alpha=0.15, lw=0)
        axis.set(ylabel=name, ylim=(0, None))
    for axis in axes[1]:
        axis.set_xlabel("unfaithfulness (0: the photograph, filmed)")
    axes[0, 0].legend(fontsize=9)
    figure.tight_layout()
    return figure


def limits_figure(copies: pd.DataFrame, chance: pd.DataFrame, beta: float) -> Figure:
    """What a perfect copy gets by its detail, and what matches without any sense get by their number.

    Args:
        copies: as `keypoint_study.copies_table`.
        chance: as `keypoint_study.chance_geometry`.
        beta: of the curve.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    detail = np.linspace(0.01, 1, 200)
    left.plot(detail, saturated(1 / detail, beta), color="black", label="one region")
    left.plot(copies["detail"], copies["density"], "o", alpha=0.8, label="photographs")
    left.set(xlabel="detailness d", ylabel="density D of a perfect copy", xlim=(0, 1.02), ylim=(0, 1.02))
    left.legend(fontsize=9)
    right.plot(chance["matches"], chance["mean"], marker="o", label="mean")
    right.fill_between(chance["matches"], chance["low"], chance["high"], alpha=0.2, lw=0, label="middle 95 %")
    right.set(xlabel="matches, paired at random", ylabel="geometry G", xscale="log", ylim=(0, 1.02))
    right.legend(fontsize=9)
    figure.tight_layout()
    return figure


def _lines(axes: Axes, matches: Matches, colour: str | tuple, marker: str) -> None:
    if not len(matches):
        return
    segments = np.stack([matches.reference, matches.frame], axis=1)
    axes.add_collection(LineCollection(segments, colors=[colour], linewidths=0.7, alpha=0.7))
    ends = segments.reshape(-1, 2)
    axes.plot(*ends.T, marker, color=colour, markersize=3, markeredgewidth=0)


def _said(region: RegionScore) -> str:
    said = f"{region.label}: D {region.density:.2f}, G {region.geometry:.2f}, {region.matches} matches"
    return said if region.weight else f"{region.label}: left out"
