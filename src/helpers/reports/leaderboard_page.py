"""Leaderboards as pages: a table that sorts at a click or a key press, and is whole without a script."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from IPython.display import HTML
from markupsafe import Markup

from helpers.reports.elements import NONE, number, shown, span_or_why, table, tag, together
from helpers.reports.frameworks import title
from helpers.reports.judged import Judged
from helpers.reports.leaderboards import Board
from helpers.results.ranks import METHOD
from helpers.scores.coverage import few_prompts


def leaderboard_page(judged: Judged, boards: Sequence[Board]) -> HTML:
    """The leaderboards of a benchmark, one table each."""
    return shown(*(leaderboard_table(judged, board) for board in boards), script="sortable.js")


def leaderboard_table(judged: Judged, board: Board) -> Markup:
    """One leaderboard: a row a model, a column a score.

    Each cell has the score, its interval, the places that the model may hold and n of N. Columns sort by the
    score; a model without a score stays at the end.
    """
    framework, rows = board.framework, board.rows
    cells = {(row.model, row.score): row for row in rows.itertuples()}
    header = [_header("model"), *(_header(name, name == framework.headline) for name in framework.columns)]
    body = [
        [judged.label(model), *(_cell(cells[model, name]) for name in framework.columns)]
        for model in rows["model"].unique()
    ]
    who = board.panel.title
    if board.panel.people:
        one = board.panel.raters == 1
        who = f"{board.panel.raters:,} {who.replace('people', 'person') if one else who}"
    variant = f", prompts: {title(board.variant)}" if board.variant else ""
    caption = (
        f"{judged.page.told}. {framework.title}{variant}, judged by {who}: {framework.unit}, 95 % intervals "
        f"over {board.clusters}; {board.clips:,} clips. Rank ranges: "
        f"{METHOD.format(unit=board.clusters.split()[-1])}."
    )
    label = f"Leaderboard {framework.title}, {title(board.variant or '')} {board.panel.title}"
    leaderboard = table(caption, header, body, label=label, class_="report-table sortable")
    return together([leaderboard, _shown_few(judged, board)])


def _shown_few(judged: Judged, board: Board) -> Markup:
    """A sentence about models that were shown much fewer prompts than another one; empty without such."""
    few = few_prompts(board.prompts, board.all_prompts)
    if not few:
        return Markup("")
    named = [f"{judged.label(model)} ({count})" for model, count in few.items()]
    told = (
        f"Shown few of this table's prompts: {', '.join(named)}. Scores on so few prompts are not to be read "
        "beside those of the other models, which were shown others besides."
    )
    return tag("p", told, class_="report-few")


def _header(name: str, first: bool = False) -> Markup:
    return tag("th", title(name), scope="col", aria_sort="descending" if first else None)


def _cell(row: Any) -> Markup:
    if pd.isna(row.estimate):
        return tag("td", NONE, tag("span", row.status.replace("_", " "), class_="said"), data_value="")
    without = row.status.partition("without ")[2]
    lines = [
        span_or_why(row),
        places(row.best, row.worst, row.of),
        f"n {row.n:,} of {row.asked:,}",
        f"without {title(without)}" if without else "",
    ]
    said = [tag("span", line, class_="said") for line in lines if line]
    value = tag("span", number(row.estimate), class_="estimate")
    return tag("td", value, *said, data_value=f"{row.estimate:.6f}")


def places(best: float, worst: float, of: float) -> str:
    """A rank range in words ("rank 2 to 4 of 7")."""
    if pd.isna(best):
        return ""
    span = f"{best:.0f}" if best == worst else f"{best:.0f} to {worst:.0f}"
    return f"rank {span} of {of:.0f}"
