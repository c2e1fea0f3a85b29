"""The figures of the reports."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import figures
from helpers.reports.frameworks import title
from helpers.stats.results import Estimate

_MARKS = ("o", "D", "s", "^", "v")


def beside_people(rows: pd.DataFrame, unit: str, label: Mapping[str, str], names: tuple[str, str]) -> Figure:
    """A judge's and people's scores of the same clips, with intervals, one line a model (and variant).

    Args:
        rows: as `helpers.reports.leaderboards.beside` returns them.
        unit: of the scores.
        label: models' names as readers read them.
        names: of the judge and of people.
    """
    lines = rows[["model", "variant"]].drop_duplicates().reset_index(drop=True)
    texts = [
        _plain(label[row.model]) + (f", {title(row.variant)}" if row.variant else "")
        for row in lines.itertuples()
    ]
    figure, ax = plt.subplots(figsize=(8, 1.2 + 0.42 * len(lines)))
    colours = sns.color_palette(figures.PALETTE)
    for at, (what, name) in enumerate(zip(("judge", "people"), names, strict=True)):
        part = lines.merge(rows[rows["what"].eq(what)], how="left", on=["model", "variant"])
        _points(ax, part, np.arange(len(lines)) + (at - 0.5) * 0.26, colours[at], _MARKS[at], name)
    ax.set_yticks(range(len(lines)), texts)
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=9)
    return figure


def differences(rows: pd.DataFrame, unit: str) -> Figure:
    """Differences by score, with intervals, around a line at no change.

    Args:
        rows: score, estimate, low and high.
        unit: what the axis measures.
    """
    figure, ax = plt.subplots(figsize=(8, 1.1 + 0.36 * len(rows)))
    ax.axvline(0, color="0.3", linewidth=1)
    _points(ax, rows, np.arange(len(rows)), sns.color_palette(figures.PALETTE)[0], "o", None)
    ax.set_yticks(range(len(rows)), [title(score) for score in rows["score"]])
    ax.invert_yaxis()
    ax.set_xlabel(_plain(unit))
    return figure


def by_country(panels: Sequence[tuple[str, Mapping[str, Estimate]]], unit: str) -> Figure:
    """Estimates by country, with intervals, in one or several series; countries in alphabetical order.

    Args:
        panels: for each series its name and its estimates by country.
        unit: what the axis measures.
    """
    countries = sorted({name for _, found in panels for name in found})
    figure, ax = plt.subplots(figsize=(8, 1.2 + (0.22 + 0.14 * len(panels)) * len(countries)))
    ax.axvline(0, color="0.3", linewidth=1)
    colours = sns.color_palette(figures.PALETTE)
    for at, (name, found) in enumerate(panels):
        part = pd.DataFrame([found[country].row() for country in countries])
        shift = (at - (len(panels) - 1) / 2) * 0.26
        _points(ax, part, np.arange(len(countries)) + shift, colours[at], _MARKS[at], name)
    ax.set_yticks(range(len(countries)), countries)
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    if len(panels) > 1:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(panels), fontsize=9)
    return figure


def _points(
    ax: Axes, rows: pd.DataFrame, heights: np.ndarray, colour: object, mark: str, label: str | None
) -> None:
    estimate = rows["estimate"].to_numpy(float)
    reach = np.vstack([estimate - rows["low"].to_numpy(float), rows["high"].to_numpy(float) - estimate])
    ax.errorbar(
        estimate, heights, xerr=np.nan_to_num(reach), fmt=mark, color=colour, capsize=3,
        label=None if label is None else _plain(label),
    )  # fmt: skip


def _plain(text: str) -> str:
    """A name as it is: between two dollar signs Matplotlib would read a formula."""
    return text.replace("$", r"\$")
