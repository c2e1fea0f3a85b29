"""A map of the world in which every country is one tile: as large for a small country as for a large one.

The layout stands in `tiles.txt`, drawn for this project: ISO 3166-1 codes in rows, neighbours kept near each
other where a grid lets them. It has every member of the United Nations and ten further places; a country that
it lacks gets a tile below the map.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import matplotlib as mpl
import pandas as pd
from markupsafe import Markup
from matplotlib.colors import to_hex

from helpers import figures
from helpers.geography import iso3
from helpers.reports.elements import counted, interval, number, span_or_why, table, tag, together
from helpers.results.plots import ink

LAYOUT = Path(__file__).parent / "tiles.txt"
_SIZE, _STEP, _FONT = 36, 38, 15
_EMPTY, _INK, _PAPER = "#e4e4e4", "#202020", "#ffffff"
_SWATCHES = 24
_NUMBERS = "{:.2f}"


class Tile(NamedTuple):
    """Where a country's tile lies, from the top left corner."""

    column: int
    row: int


@cache
def layout() -> Mapping[str, Tile]:
    """The tile of each country in the layout, by its ISO code."""
    rows = [line.split() for line in LAYOUT.read_text(encoding="utf-8").splitlines()]
    return {
        code: Tile(column, row)
        for row, codes in enumerate(rows)
        for column, code in enumerate(codes)
        if code != "..."
    }


def tile_map(
    values: pd.DataFrame,
    *,
    what: str,
    caption: str,
    ends: tuple[float, float],
    kind: Literal["sequential", "diverging"] = "sequential",
    simulated: bool = False,
) -> Markup:
    """A tile map with its legend, and below it the numbers as a table.

    Args:
        values: one row a country: country, estimate (missing where refused), low, high (missing where there
            is no interval), n and, if there, status.
        what: what is measured, with its unit, for the legend.
        caption: what the map shows, with its n.
        ends: values at the ends of the colours; what lies beyond gets the end's colour.
        kind: colours from low to high, or from below to above the middle of the ends.
        simulated: marks the map itself as drawn from simulated data.

    Returns:
        A picture whose tiles say their numbers when pointed at; those without a country of the study are
        grey. The table is the picture's alternative for readers who cannot see or point.

    Raises:
        ValueError: a country twice, or the name of none.
    """
    if values["country"].duplicated().any():
        twice = values.loc[values["country"].duplicated(), "country"].iloc[0]
        raise ValueError(f"found '{twice}' twice, expected each country once")
    colours = mpl.colormaps[figures.SEQUENTIAL if kind == "sequential" else figures.DIVERGING]
    rows = {iso3(row.country): row for row in values.itertuples()}
    places = _placed(rows)
    width = _STEP * (1 + max(tile.column for tile in places.values()))
    height = _STEP * (1 + max(tile.row for tile in places.values()))
    tiles = [_tile(code, place, rows.get(code), colours, ends) for code, place in places.items()]
    known = values[values["estimate"].notna()]
    summary = f"Tile map: {what} in {counted(len(known), 'countries')}"
    if len(known):
        span = interval(known["estimate"].min(), known["estimate"].max())
        summary += f", from {span}; the table below has the numbers"
    picture = tag(
        "svg",
        *tiles,
        _legend(colours, ends, what, height + 14),
        _mark() if simulated else "",
        viewBox=f"0 0 {width} {height + 104}",
        role="img",
        aria_label=summary,
    )
    map_label = f"Map: {what}"
    return tag(
        "figure",
        tag("figcaption", caption),
        tag("div", picture, class_="report-scroll", tabindex="0", role="region", aria_label=map_label),
        tag("details", tag("summary", "The numbers of the map"), _numbers(values, what)),
        class_="tiles",
    )


def _placed(rows: Mapping[str, object]) -> dict[str, Tile]:
    """All tiles of the layout, and a row below it for countries that it lacks."""
    known = dict(layout())
    below = 2 + max(tile.row for tile in known.values())
    extra = [code for code in rows if code not in known]
    return known | {code: Tile(column, below) for column, code in enumerate(extra)}


def _tile(
    code: str, place: Tile, row: object, colours: mpl.colors.Colormap, ends: tuple[float, float]
) -> Markup:
    left, top = place.column * _STEP, place.row * _STEP
    box = {"x": left, "y": top, "width": _SIZE, "height": _SIZE, "rx": 3}
    if row is None:
        return tag("rect", fill=_EMPTY, **box)
    if pd.isna(row.estimate):
        fill, text_colour, outline = _PAPER, _INK, {"stroke": _INK, "stroke_dasharray": "3 2"}
    else:
        share = (row.estimate - ends[0]) / (ends[1] - ends[0])
        colour = colours(min(max(share, 0.0), 1.0))
        fill, text_colour, outline = to_hex(colour), ink(colour), {}
    middle = {"x": left + _SIZE / 2, "y": top + _SIZE / 2 + _FONT / 3, "text-anchor": "middle"}
    text = tag("text", code, fill=text_colour, font_size=_FONT, font_family="sans-serif", **middle)
    return tag("g", tag("title", _told(row)), tag("rect", fill=fill, **box, **outline), text, class_="tile")


def _told(row: object) -> str:
    if pd.isna(row.estimate):
        return f"{row.country}: no score ({getattr(row, 'status', 'no value').replace('_', ' ')})"
    span = span_or_why(row, _NUMBERS)
    return f"{row.country}: {number(row.estimate, _NUMBERS)} ({span}), n = {row.n:,}"


def _legend(colours: mpl.colors.Colormap, ends: tuple[float, float], what: str, top: int) -> Markup:
    step = 10
    swatches = [
        tag("rect", x=at * step, y=top, width=step, height=14, fill=to_hex(colours(at / (_SWATCHES - 1))))
        for at in range(_SWATCHES)
    ]
    words = {"fill": _INK, "font_size": _FONT, "font_family": "sans-serif"}
    width = _SWATCHES * step
    marks = [
        tag("text", number(ends[0], _NUMBERS), x=0, y=top + 32, **words),
        tag("text", number(ends[1], _NUMBERS), x=width, y=top + 32, **words, **{"text-anchor": "end"}),
        tag("text", what, x=0, y=top + 54, **words),
        tag("text", "grey: not in the study; dashed: no score", x=0, y=top + 74, **words),
    ]
    return together([*swatches, *marks])


def _mark() -> Markup:
    style = {"fill": figures.WARNING, "font_size": _FONT, "font_weight": "bold", "font_family": "sans-serif"}
    return tag("text", figures.SIMULATED, x=0, y=_FONT, **style)


def _numbers(values: pd.DataFrame, what: str) -> Markup:
    rows = [
        [row.country, number(row.estimate), span_or_why(row), f"{row.n:,}"]
        for row in values.sort_values("country").itertuples()
    ]
    header = ["country", what, "95 % interval", "n"]
    return table("By country, in alphabetical order", header, rows, label=f"Numbers: {what}")
