"""Pieces of a report's page: whatever is put into one is escaped, and nothing is fetched from elsewhere.

`tag` builds every piece. Text becomes `markupsafe.Markup` only through it, so that a prompt, a reply or a
name that holds HTML shows as text.
"""

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from IPython.display import HTML
from markupsafe import Markup

NONE = "–"
_FOLDER = Path(__file__).parent
# The elements of HTML used here that have no end tag; SVG has none such.
_VOID = {"img"}


def tag(name: str, *inside: Any, **attributes: Any) -> Markup:
    """An element of a page.

    Args:
        name: of the element, in the code's own words, never a reader's.
        inside: text, which is escaped, and further elements.
        attributes: an underscore at the end is dropped and others become hyphens (`class_`, `data_model`);
            values are escaped, and those that are None or False leave the attribute out.
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), "" if value is True else value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    start = Markup("<{}{}>").format(Markup(name), written)
    return start if name in _VOID else Markup("{}{}</{}>").format(start, together(inside), Markup(name))


def together(parts: Iterable[Any], between: str = "") -> Markup:
    """Pieces one after another; text among them is escaped."""
    return Markup(between).join(parts)


def table(
    caption: Any, header: Iterable[Any], rows: Iterable[Iterable[Any]], *, label: str, **attributes: Any
) -> Markup:
    """A table that scrolls sideways where the page is narrow.

    Args:
        caption: what it shows, with its n.
        header: texts, or finished cells (`th`).
        rows: of each the first entry heads its row; entries are texts or finished cells (`td`, `th`).
        label: what a screen reader calls the region that scrolls.
        attributes: of the table.
    """
    head = tag("tr", *(_cell(each, "th", scope="col") for each in header))
    lines = []
    for first, *others in rows:
        cells = [_cell(first, "th", scope="row"), *(_cell(each, "td") for each in others)]
        lines.append(tag("tr", *cells))
    inner = tag(
        "table",
        # In a block of its own, which stays in sight where the table is wider than the page.
        tag("caption", tag("span", caption)),
        tag("thead", head),
        tag("tbody", *lines),
        **({"class_": "report-table"} | attributes),
    )
    return tag("div", inner, class_="report-scroll", tabindex="0", role="region", aria_label=label)


def _cell(inside: Any, name: str, **attributes: Any) -> Markup:
    finished = isinstance(inside, Markup) and inside.startswith(("<td", "<th"))
    return inside if finished else tag(name, inside, **attributes)


def number(value: Any, form: str = "{:.2f}") -> str:
    """A number for a reader; a dash where there is none."""
    return NONE if value is None or math.isnan(value) else form.format(value).replace("-", "−")


def interval(low: float, high: float, form: str = "{:.2f}") -> str:
    """An interval as "0.41 to 0.63"; empty where there is none."""
    return "" if math.isnan(low) else f"{number(low, form)} to {number(high, form)}"


def span_or_why(row: Any, form: str = "{:.2f}") -> str:
    """An interval in words, or why there is none.

    Args:
        row: with low, high and, if known, status, as `helpers.scores.cells.score_cells` writes it.
        form: of the numbers.
    """
    why = getattr(row, "status", "").removeprefix("ok").partition("without ")[0].strip("; ")
    return interval(row.low, row.high, form) or why.replace("_", " ") or "no interval"


def counted(n: int, what: str) -> str:
    """A number of things ("1 clip", "1 country", "1,200 clips")."""
    one = f"{what.removesuffix('ies')}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{n:,} {what if n != 1 else one}"


def whisker(estimate: float, low: float, high: float, ends: tuple[float, float] = (0.0, 1.0)) -> Markup:
    """A point and its interval drawn on a scale, for the eye only: the numbers stand beside it as text."""
    if math.isnan(estimate):
        return Markup("")
    at = [round(100 * (value - ends[0]) / (ends[1] - ends[0]), 1) for value in (estimate, low, high)]
    parts = [tag("line", x1=0, x2=100, y1=7, y2=7, class_="whisker-scale")]
    if not math.isnan(low):
        parts.append(tag("line", x1=at[1], x2=at[2], y1=7, y2=7, class_="whisker-interval"))
    parts.append(tag("circle", cx=at[0], cy=7, r=3.5))
    return tag("svg", *parts, class_="whisker", viewBox="-5 0 110 14", aria_hidden="true", focusable="false")


def score_cell(row: Any, ends: tuple[float, float] | None = None, form: str = "{:.2f}") -> Markup:
    """A table's cell for one score: drawn if it has ends, then the number, its interval and n.

    Args:
        row: with estimate, low, high, n, asked and status; None where there is none.
        ends: of the scale; None draws nothing.
        form: of the numbers.
    """
    if row is None or math.isnan(row.estimate):
        why = "" if row is None else row.status.replace("_", " ")
        return tag("td", NONE, tag("span", why, class_="said") if why else "", data_value="")
    span = span_or_why(row, form)
    drawn = whisker(row.estimate, row.low, row.high, ends) if ends else ""
    value = tag("span", number(row.estimate, form), class_="estimate")
    lines = [span, f"n {row.n:,} of {row.asked:,}"]
    said = [tag("span", line, class_="said") for line in lines if line]
    return tag("td", drawn, value, *said, data_value=f"{row.estimate:.6f}")


def notice(*inside: Any) -> Markup:
    """A sentence that a reader must not overlook."""
    return tag("p", *inside, class_="report-notice")


def shown(*parts: Any, script: str | None = None) -> HTML:
    """Pieces as a notebook shows them, with the style that they need.

    Args:
        parts: pieces of a page.
        script: name of the file in this folder that makes them sort or filter; without it, or where scripts
            do not run, everything is there to be read.
    """
    running = Markup("<script>{}</script>").format(Markup(_file(script))) if script else Markup("")
    style = Markup("<style>{}</style>").format(Markup(_file("reports.css")))
    return HTML(str(style + tag("div", *parts, class_="report tex2jax_ignore mathjax_ignore") + running))


@cache
def _file(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
