"""The sections of the notebook that explores: what the explorer's list holds, and one clip of it."""

import os

import pandas as pd
from IPython.display import HTML

from helpers import figures
from helpers.explore.clip_page import exhibit
from helpers.explore.clips import Clips, ordered
from helpers.reports.frameworks import title
from helpers.reports.sections import lacking

# What the explorer's list may be sorted by, in words.
_SORTED_BY = {
    "score": "a score",
    "from_people": "a score by judge and people",
    "from_judges": "a score by two judges",
}


def attended() -> bool:
    """Whether a person runs this notebook in Jupyter, and so can press its buttons.

    Jupyter's server tells its kernels which notebook they belong to; a notebook that is executed for the book
    has no such server.
    """
    return "JPY_SESSION_NAME" in os.environ


def counts(clips: Clips) -> HTML:
    """How many clips each country has, and of how many there is what the list is sorted by."""
    table = clips.table
    if table.empty:
        return lacking(clips.judged.lacking)
    known = table[list(_SORTED_BY)].notna().rename(columns=_SORTED_BY)
    rows = known.assign(country=table["country"], clips=True).groupby("country").sum().reset_index()
    rows = rows[["country", "clips", *_SORTED_BY.values()]]
    caption = f"{_told(clips)}: {len(table):,} clips in {len(rows)} countries, and how many of them have each"
    return figures.table(rows, caption=caption)


def first_clips(clips: Clips, order: str, most: int) -> HTML:
    """The beginning of the explorer's list.

    Args:
        clips: a benchmark's.
        order: one of `helpers.explore.clips.ORDERS`.
        most: rows.
    """
    if clips.table.empty:
        return lacking(clips.judged.lacking)
    rows = ordered(clips.table, order).head(most)
    rows = rows[["model", "country", "group", "variant", *_SORTED_BY]].assign(group=rows["group"].map(title))
    names = {"from_people": "from people", "from_judges": "from other judges"}
    caption = (
        f"{_told(clips)}, {order}: {len(rows)} of {len(clips.table):,} clips. Scores and distances, 0 to 1"
    )
    formats = dict.fromkeys(("score", *names.values()), "{:.2f}")
    return figures.table(rows.rename(columns=names), caption=caption, formats=formats)


def one_clip(clips: Clips, order: str, video_id: str = "") -> HTML:
    """A clip's page.

    Args:
        clips: a benchmark's.
        order: of the list.
        video_id: the clip; the first of the list where left out.

    Raises:
        ValueError: no such clip.
    """
    known: pd.Series = ordered(clips.table, order)["video_id"]
    if known.empty:
        return lacking(clips.judged.lacking)
    if video_id and not known.eq(video_id).any():
        raise ValueError(f"found no clip '{video_id}' of {clips.judged.framework.title} in the study")
    return exhibit(clips, video_id or known.iloc[0])


def _told(clips: Clips) -> str:
    by = f" by {clips.judge.title}" if clips.judge else ""
    return f"{clips.judged.page.told}: {clips.judged.framework.title}{by}"
