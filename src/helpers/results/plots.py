"""The exhibits of pages of results: bars and dots with intervals, radars, maps of cells, ranks."""

from collections.abc import Mapping, Sequence
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from helpers import figures

MARKERS = "os^DvPX*"
HATCHES = ("", "//", "..", "xx", "\\\\", "--", "++", "oo")
_HALF_TURN = np.pi
LONGEST = 36
# With more models than these they stand on lines of their own instead of in a legend.
MANY = 12


def looks(names: Sequence[str]) -> dict[str, tuple[str, tuple[float, float, float]]]:
    """A marker and a colour for each name, the same in every figure that names the same."""
    colours = sns.color_palette(figures.PALETTE, len(names))
    return {name: (MARKERS[i % len(MARKERS)], colours[i]) for i, name in enumerate(names)}


def bars(
    rows: pd.DataFrame, *, across: str, by: str, label: str, order: Sequence[str], top: float | None = None
) -> Figure:
    """Groups of bars with intervals: one group a value of `across`, one bar a value of `by`.

    Args:
        rows: the columns `across` and `by`, estimate, low, high; a missing interval is not drawn.
        across: groups, in the order of `order`.
        by: bars of a group; they differ in colour and hatching.
        label: of the value axis, with its unit. The axis starts at 0.
        order: the groups.
        top: the axis' end.
    """
    names = list(dict.fromkeys(rows[by]))
    colours = sns.color_palette(figures.PALETTE, len(names))
    width = 0.8 / len(names)
    fig, ax = plt.subplots(figsize=(min(9, 2.6 + 0.55 * len(order) * len(names)), 4.2), layout="constrained")
    for place, name in enumerate(names):
        part = rows[rows[by].eq(name)].set_index(across).reindex(order)
        x = np.arange(len(order)) + (place - (len(names) - 1) / 2) * width
        look = {"color": colours[place], "hatch": HATCHES[place % len(HATCHES)], "edgecolor": "white"}
        ax.bar(x, part["estimate"], width, label=plain(name), **look)
        low, high = (part[end].fillna(part["estimate"]) for end in ("low", "high"))
        reach = [part["estimate"] - low, high - part["estimate"]]
        ax.errorbar(x, part["estimate"], yerr=reach, fmt="none", color="black", capsize=3, linewidth=1.2)
    ax.set_xticks(range(len(order)), [plain(name) for name in order])
    ax.set(ylabel=label, ylim=(0, top))
    ax.grid(visible=False, axis="x")
    fig.legend(loc="outside lower center", ncols=min(3, len(names)))
    return fig


def dots(
    rows: pd.DataFrame,
    *,
    down: str,
    by: str,
    label: str | Mapping[str, str],
    panels: str | None = None,
    order: Sequence[str] | None = None,
    zero: float | None = None,
    names: Sequence[str] | None = None,
) -> Figure:
    """Dots with intervals: one line a value of `down`, one dot a value of `by`, panels side by side.

    Args:
        rows: the columns named, estimate, low, high.
        down: lines, in the order of `order` or else of the alphabet.
        by: dots, told apart by marker and colour.
        label: of the value axis, with its unit: one for all panels, which then share the axis, or one for
            each.
        panels: column whose values make the panels.
        order: the lines from top to bottom.
        zero: a value to mark with a dashed line.
        names: the values of `by` in their order.
    """
    order = sorted(rows[down].unique()) if order is None else list(order)
    names = list(dict.fromkeys(rows[by])) if names is None else list(names)
    parts = {None: rows} if panels is None else dict(list(rows.groupby(panels, sort=False)))
    look = looks(names)
    height = 1.5 + len(order) * max(0.32, 0.13 * len(names))
    fig, axes = plt.subplots(
        1,
        len(parts),
        figsize=(9 if len(parts) > 1 else 7.5, height),
        sharex=isinstance(label, str),
        sharey=True,
        squeeze=False,
    )
    for ax, (panel, part) in zip(axes[0], parts.items(), strict=True):
        _dots_of(ax, part, down, by, order, names, look)
        ax.set_xlabel(label if isinstance(label, str) else label[panel])
        if panel is not None:
            ax.set_title(plain(panel))
        if zero is not None:
            ax.axvline(zero, color="0.4", linestyle="--", linewidth=1)
    axes[0, 0].set_yticks(range(len(order)), [plain(name) for name in order])
    axes[0, 0].set_ylim(len(order) - 0.5, -0.5)
    fig.set_layout_engine("constrained")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    if len(names) > 1:
        fig.legend(handles, labels, loc="outside lower center", ncols=min(3, len(names)))
    return fig


def radars(panels: Mapping[str, pd.DataFrame], *, limits: Mapping[str, tuple[float, float]]) -> Figure:
    """Radar charts side by side, one line a column, one spoke a row.

    Args:
        panels: by title (what is measured, with its unit), a frame of spokes x lines.
        limits: by title, the value at the centre and at the rim.
    """
    fig, axes = plt.subplots(
        1,
        len(panels),
        figsize=(9 if len(panels) > 1 else 5.5, 5),
        subplot_kw={"projection": "polar"},
        squeeze=False,
        layout="constrained",
    )
    names = list(dict.fromkeys(name for frame in panels.values() for name in frame))
    look = looks(names)
    for ax, (title, frame) in zip(axes[0], panels.items(), strict=True):
        angles = np.arange(len(frame)) / len(frame) * 2 * _HALF_TURN
        for name in frame:
            marker, colour = look[name]
            closed = np.append(frame[name].to_numpy(float), frame[name].iloc[0])
            ax.plot(np.append(angles, angles[0]), closed, marker=marker, color=colour, label=plain(name))
        ax.set_theta_zero_location("N")
        ax.set_theta_direction(-1)
        ax.set_xticks(angles, [str(name).replace(" ", "\n") for name in frame.index], fontsize=9)
        ax.tick_params(axis="x", pad=9)
        ax.set_ylim(*limits[title])
        ax.tick_params(axis="y", labelsize=9)
        ax.set_title(title, loc="center", pad=18)
    handles = {
        name: handle for ax in axes[0] for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(3, len(handles)))
    return fig


def cells(
    wide: pd.DataFrame,
    *,
    label: str,
    limits: tuple[float, float] | None = None,
    diverging: bool = False,
    words: pd.DataFrame | None = None,
    decimals: int = 2,
) -> Figure:
    """A coloured grid with its numbers; empty cells are grey.

    Args:
        wide: numbers, lines x columns.
        label: what the colours mean, with its unit.
        limits: the values of the darkest and the brightest colour; those of the numbers where left out.
        diverging: whether colours part at the middle of the limits.
        words: what stands in the cells instead of the numbers.
        decimals: of the numbers.
    """
    wide = wide.astype(float)
    size = (min(9.0, 3 + 0.95 * wide.shape[1]), 1.9 + 0.4 * len(wide))
    fig, ax = plt.subplots(figsize=size, layout="constrained")
    low, high = limits or (float(np.nanmin(wide.to_numpy())), float(np.nanmax(wide.to_numpy())))
    sns.heatmap(
        wide,
        ax=ax,
        annot=True if words is None else words.to_numpy(),
        fmt=f".{decimals}f" if words is None else "",
        vmin=low,
        vmax=high,
        cmap=figures.DIVERGING if diverging else figures.SEQUENTIAL,
        annot_kws={"size": 9},
        linewidths=1,
        xticklabels=False,
        yticklabels=False,
        cbar_kws={"label": label, "location": "top", "shrink": 0.6, "aspect": 30},
    )
    _readable(ax)
    ax.set_facecolor("0.9")
    ax.grid(visible=False)
    ax.set(xlabel="", ylabel="")
    columns = [plain(name).replace("_", " ").replace(" ", "\n", 1) for name in wide]
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=9)
    ax.tick_params(axis="x", rotation=0)
    ax.set_yticks(np.arange(len(wide)) + 0.5, [plain(name).replace("_", " ") for name in wide.index])
    ax.tick_params(axis="y", rotation=0)
    return fig


def ranks(rows: pd.DataFrame, *, panels: str, by: str, models: Sequence[str]) -> Figure:
    """Places of models with the range of places that each may hold: one small panel a value of `panels`.

    Args:
        rows: `panels`, `by` (who ranked), model, rank, best, worst.
        panels: column of the panels, such as criterion.
        by: told apart by marker and colour.
        models: lines from top to bottom.
    """
    names, parts = list(dict.fromkeys(rows[by])), list(rows.groupby(panels, sort=False))
    columns = min(4, len(parts))
    lines = -(-len(parts) // columns)
    fig, axes = plt.subplots(
        lines,
        columns,
        figsize=(9, 0.9 + lines * (0.9 + 0.26 * len(models))),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    look = looks(names)
    for ax, (panel, part) in zip(axes.flat, parts, strict=False):
        for place, name in enumerate(names):
            own = part[part[by].eq(name)].set_index("model").reindex(models)
            y = np.arange(len(models)) + 0.22 * (place - (len(names) - 1) / 2)
            marker, colour = look[name]
            ax.hlines(y, own["best"], own["worst"], color=colour, linewidth=2)
            ax.plot(own["rank"], y, marker, color=colour, markersize=5, label=plain(name))
        ax.set_title(str(panel).replace("_", " "), fontsize=10)
        ax.set_xticks(range(1, len(models) + 1))
    for ax in axes.flat[len(parts) :]:
        ax.set_visible(False)
    _number_lowest(axes, len(parts))
    axes[0, 0].set_yticks(range(len(models)), [plain(name) for name in models])
    axes[0, 0].set_ylim(len(models) - 0.5, -0.5)
    axes[0, 0].set_xlim(0.5, len(models) + 0.5)
    fig.set_layout_engine("constrained")
    # Below all panels stands what their common axis means, then who is who.
    title = "place (1: highest mean); lines: places that cannot be ruled out"
    handles = axes[0, 0].get_legend_handles_labels()
    fig.legend(*handles, title=title, loc="outside lower center", ncols=min(3, len(names)))
    return fig


def _number_lowest(axes: np.ndarray, filled: int) -> None:
    """Number a common x axis below each column's lowest panel, also where an empty place is below it.

    Args:
        axes: shape (lines, columns).
        filled: how many of them, line by line, are panels; at least one line.
    """
    for ax in axes.flat[filled - axes.shape[1] : filled]:
        ax.tick_params(labelbottom=True)


def against(rows: pd.DataFrame, *, panels: str, by: str, x_label: str) -> Figure:
    """Points with one standard error in both directions, one panel a value of `panels`, each with its own y.

    Args:
        rows: `panels` (what y measures, with its unit), `by`, x, x_se, y, y_se.
        panels: column of the panels.
        by: points, told apart by marker and colour.
        x_label: of the common axis.
    """
    parts = list(rows.groupby(panels, sort=False))
    columns = min(3, len(parts))
    lines = -(-len(parts) // columns)
    fig, axes = plt.subplots(
        lines, columns, figsize=(3 * columns + 0.2, 3.1 * lines + 0.5), sharex=True, squeeze=False
    )
    look = looks(list(dict.fromkeys(rows[by])))
    for ax, (panel, part) in zip(axes.flat, parts, strict=False):
        for row in part.itertuples():
            marker, colour = look[getattr(row, by)]
            ax.errorbar(
                row.x,
                row.y,
                xerr=row.x_se,
                yerr=row.y_se,
                fmt=marker,
                color=colour,
                capsize=3,
                label=plain(getattr(row, by)),
            )
        ax.set_title(str(panel), fontsize=10)
        ax.margins(0.25)
    for ax in axes.flat[len(parts) :]:
        ax.set_visible(False)
    _number_lowest(axes, len(parts))
    axes[0, 0].invert_xaxis()
    fig.set_layout_engine("constrained")
    handles = dict(zip(*axes[0, 0].get_legend_handles_labels()[::-1], strict=True))
    place = {"loc": "outside lower center", "ncols": min(3, len(handles))}
    fig.legend(handles.values(), handles.keys(), title=x_label, **place)
    return fig


def ink(ground: Sequence[float]) -> str:
    """Black or white, whichever stands out more on a colour (red, green, blue; WCAG 2.2, luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in ground[:3]]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    # Contrast with black is (L + 0.05)/0.05, with white 1.05/(L + 0.05): equal at L = 0.179.
    return "black" if luminance > 0.179 else "white"


def plain(name: object) -> str:
    """A name as a figure can write it.

    Long ones lose their middle, characters that the figure's font lacks become boxes, and what stands between
    two dollar signs is no formula.
    """
    text = str(name)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"
    known = _characters(findfont(FontProperties()))
    return "".join(each if ord(each) in known or each == "\n" else "□" for each in text).replace("$", r"\$")


@cache
def _characters(font: str) -> frozenset[int]:
    return frozenset(get_font(font).get_charmap())


def _readable(ax: Axes) -> None:
    """Write each cell's number in black or white."""
    colours = ax.collections[0].get_facecolors()
    places = np.arange(len(colours)).reshape(ax.collections[0].get_array().shape)
    for text in ax.texts:
        x, y = text.get_position()
        text.set_color(ink(colours[places[int(y), int(x)]]))


def _dots_of(
    ax: Axes,
    part: pd.DataFrame,
    down: str,
    by: str,
    order: Sequence[str],
    names: Sequence[str],
    look: Mapping[str, tuple[str, tuple[float, float, float]]],
) -> None:
    step = min(0.22, 0.8 / max(1, len(names)))
    for place, name in enumerate(names):
        own = part[part[by].eq(name)].set_index(down).reindex(order)
        y = np.arange(len(order)) + step * (place - (len(names) - 1) / 2)
        marker, colour = look[name]
        ax.hlines(y, own["low"], own["high"], color=colour, linewidth=2)
        ax.plot(own["estimate"], y, marker, color=colour, markersize=6, label=plain(name))
