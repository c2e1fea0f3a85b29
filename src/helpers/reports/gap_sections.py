"""The sections that compare two models: each country's gap, and how far countries lie apart."""

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from IPython.display import HTML

from helpers import figures
from helpers.reports.changes import ModelChange, Run, chosen_models, model_change
from helpers.reports.elements import NONE, counted, interval, number, shown, table, tag
from helpers.reports.judged import Judged
from helpers.reports.tiles import tile_map
from helpers.results import plots
from helpers.results.page import lacking
from helpers.stats.results import Estimate
from helpers.stats.spread_change import FEWEST_PROMPTS, SpreadChange


def gap_changes(runs: tuple[Run, Run] | str, before: str, after: str) -> ModelChange | str:
    """Countries' gaps by two models, judged by the second run's judge where both lie in one study.

    Args:
        runs: as `two_runs` gives them.
        before: the earlier model; where left out, as `changes.chosen_models` chooses.
        after: the later one; the same.
    """
    if isinstance(runs, str):
        return runs
    first, second = runs
    if first.judged is second.judged:
        first = second
    benchmark = second.judged.framework.title
    for name, run in ((before, first), (after, second)):
        known = sorted(run.cases["model"].astype(str).unique())
        if name and name not in known:
            return f"{benchmark} has no judged clips of '{name}'; there are {', '.join(known)}."
    try:
        if not (before and after):
            before, after = chosen_models(first, second, before, after)
        return model_change(first, second, before, after)
    except ValueError as error:
        return f"Nothing can be said of gaps in {benchmark}: {error}."


def gap_figure(judged: Judged, change: ModelChange | str, folder: Path) -> HTML:
    """Gaps before and after, by country.

    Args:
        judged: the later run's judgements.
        change: as `gap_changes` returns it.
        folder: where the figure is saved.
    """
    if isinstance(change, str):
        return lacking(change)
    names = [change.before, change.after]
    gaps = [
        {"country": country, "model": name} | each.row()
        for name, found in zip(names, (change.gaps.before, change.gaps.after), strict=True)
        for country, each in found.items()
    ]
    label = "gap to the mean over countries (0 to 1)"
    spread = "" if isinstance(change.spread, str) else f". {_spread_told(change.spread, names)}"
    return figures.show(
        plots.dots(pd.DataFrame(gaps), down="country", by="model", label=label, zero=0),
        folder / f"85-{judged.framework.name}-gaps.png",
        caption=f"{_told(judged, change)}: each country's mean minus the mean over countries, "
        f"95 % t intervals{spread}",
        alt=f"Dot plot, a line a country with a point and its interval for {names[0]} and another for "
        f"{names[1]}, and a line at zero{spread}.",
        simulated=judged.page.simulated,
    )


def gap_spread(judged: Judged, change: ModelChange | str) -> HTML:
    """Whether the countries as a whole came closer: a sentence, and how far apart they lie in a table.

    Args:
        judged: the later run's judgements.
        change: as `gap_changes` returns it.
    """
    if isinstance(change, str):
        return lacking(change)
    if isinstance(change.spread, str):
        return lacking(f"How far countries of {judged.framework.title} lie apart: {change.spread}.")
    spread = change.spread
    sides = (spread.before, spread.after)
    rows = [
        ["of the means as observed", *(number(each.details["observed"]) for each in sides), NONE],
        ["that noise alone gives", *(number(each.details["noise"]) for each in sides), NONE],
        [
            "without noise",
            *(_with_interval(each) for each in sides),
            _with_interval(spread.change, "{:+.2f}"),
        ],
    ]
    left_out = (
        f"; left out: {counted(spread.left_out, 'countries')} with fewer than {FEWEST_PROMPTS} prompts"
        if spread.left_out
        else ""
    )
    caption = (
        f"{_told(judged, change)}: standard deviation between {spread.countries} countries, 0 to 1, from "
        f"{spread.change.n:,} prompts{left_out}. 95 % intervals: basic bootstrap of prompts within countries"
    )
    header = ["spread of countries", change.before, change.after, "change"]
    label = f"Spread of countries, {judged.framework.title}"
    return shown(
        tag("p", tag("b", _answer(change, spread.change))), table(caption, header, rows, label=label)
    )


def gap_map(judged: Judged, change: ModelChange | str) -> HTML:
    """The change of each country's gap as a tile map."""
    if isinstance(change, str):
        return lacking(change)
    rows = [
        {"country": country, "estimate": each.estimate, "low": each.low, "high": each.high, "n": each.n}
        for country, each in change.gaps.change.items()
    ]
    values = pd.DataFrame(rows)
    reach = max(values["estimate"].abs().max(), 0.01)
    sure = values[values["low"].gt(0) | values["high"].lt(0)]
    caption = (
        f"{_told(judged, change)}: change of each country's gap. The 95 % interval leaves out zero in "
        f"{len(sure)} of {len(values)} countries, before any adjustment for their number"
    )
    picture = tile_map(
        values,
        what="change of the gap",
        caption=caption,
        ends=(-reach, reach),
        kind="diverging",
        simulated=judged.page.simulated,
    )
    return shown(picture)


def _told(judged: Judged, change: ModelChange) -> str:
    """How captions of gaps begin: whose data, which models, whose scores, how many prompts."""
    shared = f"{change.prompts:,} prompts of {len(change.gaps.change)} countries"
    return (
        f"{judged.page.told}: {judged.framework.title}, from {change.before} to {change.after}, judged by "
        f"{change.judge}, n = {shared} that both have"
    )


def _spread_told(spread: SpreadChange, names: Sequence[str]) -> str:
    sides = ", ".join(
        f"{_with_interval(each)} for {name}"
        for each, name in zip((spread.before, spread.after), names, strict=True)
    )
    return (
        f"Standard deviation between {spread.countries} countries without noise: {sides}; change "
        f"{_with_interval(spread.change, '{:+.2f}')}"
    )


def _answer(change: ModelChange, found: Estimate) -> str:
    """What the change of the spread says, in a sentence."""
    models = f"from {change.before} to {change.after}"
    if math.isnan(found.low):
        return f"Too little varies to tell whether countries came closer {models}."
    if found.low <= 0 <= found.high:
        return f"These clips do not tell whether countries came closer {models}: the change may be zero."
    return f"Countries lie {'closer together' if found.high < 0 else 'further apart'} {models}."


def _with_interval(found: Estimate, form: str = "{:.2f}") -> str:
    return f"{number(found.estimate, form)} ({interval(found.low, found.high, form) or 'no interval'})"
