"""One plotting style, and the one way in which notebooks show figures and tables.

Every figure carries a caption with its n and a text alternative; every table carries a caption.
"""

import base64
import html
from collections.abc import Mapping
from importlib.metadata import version
from numbers import Number
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from IPython.display import HTML
from matplotlib.figure import Figure

PALETTE = "colorblind"
SEQUENTIAL = "cividis"
DIVERGING = "PuOr"
SIMULATED = "SIMULATED DATA"
WARNING = "#b3400a"


def use_style() -> None:
    """Set the book's style: white grid, colour-blind safe palette, text that stays readable on a phone."""
    sns.set_theme(context="notebook", style="whitegrid", palette=PALETTE)
    mpl.rcParams |= {
        "figure.dpi": 110,
        "savefig.dpi": 150,
        "savefig.bbox": "tight",
        "axes.titlesize": "medium",
        "axes.titlelocation": "left",
        "legend.frameon": False,
    }


def show(figure: Figure, path: Path, *, caption: str, alt: str, simulated: bool = False) -> HTML:
    """Save a figure and return it for display, with its caption and text alternative.

    Args:
        figure: the figure; it is closed afterwards.
        path: the PNG file to write, usually in a study's `figures` folder.
        caption: what the figure shows, with its n.
        alt: what a reader who cannot see it needs to know: the kind of chart, its axes and its main pattern.
        simulated: marks the figure itself as drawn from simulated data.

    Raises:
        ValueError: an empty caption or text alternative.
    """
    if not caption.strip() or not alt.strip():
        raise ValueError(f"{path.name}: found an empty caption or alt, expected both")
    if simulated:
        figure.text(0.5, 0.5, SIMULATED, fontsize=24, alpha=0.13, rotation=20, ha="center", va="center")
        figure.text(1, 1, SIMULATED, fontsize=9, weight="bold", color=WARNING, ha="right", va="bottom")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
    picture = base64.b64encode(path.read_bytes()).decode()
    return HTML(
        f'<figure class="shown"><img src="data:image/png;base64,{picture}" alt="{html.escape(alt)}" '
        f'style="max-width: 100%; height: auto; background: white">'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def table(frame: pd.DataFrame, *, caption: str, formats: Mapping[str, str] | str | None = None) -> HTML:
    """Return a table for display: captioned, escaped, scrolling sideways where the page is narrow.

    Args:
        frame: the rows; its index is not shown, and column names lose their underscores.
        caption: what the table shows, with its n.
        formats: a format string for each column (or one for all numbers), such as `"{:.1f}"`.

    Raises:
        ValueError: an empty caption.
    """
    if not caption.strip():
        raise ValueError("found an empty caption, expected what the table shows")
    escaped = frame.reset_index(drop=True).rename(columns=_header).map(_escaped)
    numeric = escaped.select_dtypes("number").columns
    if isinstance(formats, str):
        formats = dict.fromkeys(numeric, formats)
    elif formats:
        formats = {_header(column): form for column, form in formats.items()}
    styler = escaped.style.format(formats, na_rep="–").hide(axis="index")
    styler = styler.set_properties(subset=numeric, **{"text-align": "right"})
    styler = styler.set_caption(html.escape(caption))
    return HTML(f'<div class="shown-table" style="overflow-x: auto" tabindex="0">{styler.to_html()}</div>')


def _header(column: str) -> str:
    """A column's name as a heading."""
    return html.escape(str(column).replace("_", " "))


def _escaped(value: Any) -> Any:
    """Anything but a number or a missing value as text that is safe to show."""
    return value if isinstance(value, Number) or value is None or value is pd.NA else html.escape(str(value))


def versions(*packages: str) -> HTML:
    """The versions stamp that ends a notebook."""
    stamp = " · ".join(f"{package} {version(package)}" for package in packages)
    return HTML(f'<p class="versions"><small>{stamp}</small></p>')
