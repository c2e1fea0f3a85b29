"""A study's plan on one screen: tables of clips, judges and metrics, the totals, and what they rest on."""

import os
import textwrap
from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from helpers.generation import plan as generation
from helpers.paths import found_at
from helpers.people.surveys import unread
from helpers.planning import asking, measuring
from helpers.planning.asking import Asked
from helpers.planning.limits import Need, first_limit, free_gb
from helpers.planning.measuring import Measured
from helpers.planning.whole import StudyPlan
from helpers.study import Study

WIDTH = 110
NOTEBOOKS = "notebooks: the time that they and the book take is in no sum"
# Smaller numbers of hours and gigabytes are no news.
LEAST = 0.01
# Paths stay whole, to be copied.
_LINES = textwrap.TextWrapper(WIDTH, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)


def text(plan: StudyPlan, *, gpus: int = 1) -> str:
    """A plan for the terminal.

    Args:
        plan: the plan.
        gpus: how many GPUs share the work.
    """
    cores = len(os.sched_getaffinity(0))
    need, free = plan.need, free_gb(plan.study.folder)
    blocks = [
        _about(plan),
        _block("clips", plan.footage.rows, plan.footage.notes),
        _block("judges", _judges(plan.asked), plan.cautions),
        _block("metrics", *_metrics(plan.measured)),
        _people(plan.study),
        _totals(plan, need),
        f"first limit: {_first_limit(plan, first_limit(need, gpus=gpus, cores=cores, free_gb=free))}",
        "\n".join(f"assumed: {line}" for line in _assumptions(plan)),
    ]
    return "\n\n".join(_wrapped(block) for block in blocks if block)


def _first_limit(plan: StudyPlan, otherwise: str) -> str:
    """What stops the study outright, or else the limit of time or room."""
    if plan.refused:
        return "a stage would be refused: " + "; ".join(plan.refused)
    if not plan.footage.rows["clips"].sum():
        return "unknown: there are no clips yet that could be counted"
    return otherwise


def _wrapped(block: str) -> str:
    """Lines that are longer than a screen is wide, continued a little to the right; tables stay whole."""
    return "\n".join(_LINES.fill(line) if "  " not in line.strip() else line for line in block.splitlines())


def _about(plan: StudyPlan) -> str:
    counts = plan.wanted.prompts["benchmark"].value_counts(sort=False)
    prompts = ", ".join(f"{count:,} of {name}" for name, count in counts.items())
    seeds = len(plan.study.all_seeds)
    times = f", {seeds} seeds" if seeds > 1 else ""
    first = f"{plan.study.name}: {len(plan.wanted.prompts):,} prompts ({prompts}){times}"
    return "\n".join([first, *plan.wanted.assumed])


def _judges(asked: Iterable[Asked]) -> pd.DataFrame:
    rows = [
        {
            "judge": one.judge,
            "benchmark": one.benchmark,
            "calls": one.calls,
            "left": one.left,
            "sent, M tokens": one.sent / 1e6,
            "back, M": one.received / 1e6,
            "GPU hours": one.gpu_hours,
            "hours": one.hours,
            "money": one.money,
            "currency": one.currency,
        }
        for one in asked
    ]
    return pd.DataFrame(rows)


def _metrics(measured: Iterable[Measured]) -> tuple[pd.DataFrame, list[str]]:
    """What each has to do, and in words what a clip costs it."""
    rows = pd.DataFrame([asdict(one) for one in measured]).drop(columns="cost", errors="ignore")
    return rows, [f"{one.metric}, for each clip: {one.cost}" for one in measured]


_TITLES = {
    "gpu_hours": "GPU hours",
    "disk_gb": "disk GB",
    "weights_gb": "weights GB",
    "gpu_gb": "on GPU GB",
}


def _block(title: str, frame: pd.DataFrame, notes: Iterable[str] = ()) -> str:
    """A table under its title, without columns in which nothing stands."""
    lines = list(notes)
    if len(frame):
        kept = frame.dropna(axis="columns", how="all").rename(columns=_TITLES)
        formats = {column: _number for column in kept if kept[column].map(_is_number).all()}
        shown_rows = kept.to_string(index=False, formatters=formats, na_rep="", max_colwidth=60)
        lines = [*shown_rows.splitlines(), *lines]
    return "\n".join([title, *(f"  {line}" for line in lines)]) if lines else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or value is None or hasattr(value, "dtype")


def _number(value: float | None) -> str:
    """Whole numbers as they are, others with what matters of them."""
    if value is None or pd.isna(value):
        return ""
    if float(value).is_integer():
        return f"{value:,.0f}"
    if value < LEAST:
        return f"< {LEAST:g}"
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


def _people(study: Study) -> str:
    lines = []
    open_ones = unread(study.surveys, study.folder)
    for survey in study.surveys:
        gone = [name for name in survey.files if not found_at(name).exists()]
        state = f"{gone[0]} is not there" if gone else "to be read" if survey in open_ones else "read"
        lines.append(f"  {survey.name} ({survey.format}): {state}")
    if study.simulated_people:
        lines.append(f"  simulated: {study.simulated_people.raters} for each country")
    return "\n".join(["people", *lines]) if lines else ""


def _totals(plan: StudyPlan, need: Need) -> str:
    rows, asked = plan.footage.rows, plan.asked
    clips, left = int(rows["clips"].sum()), int(rows["left"].sum())
    calls, calls_left = sum(one.calls for one in asked), sum(one.left for one in asked)
    sent, back, most = (sum(getattr(one, name) for one in asked) for name in ("sent", "received", "most"))
    frames = int(plan.footage.videos["frames"].fillna(0).sum())
    lines = [
        f"{clips:,} clips, {left:,} left; {calls:,} calls, {calls_left:,} left; about "
        f"{_number(sent / 1e6)} M tokens sent and {_number(back / 1e6)} M back (at most "
        f"{_number(most / 1e6)} M); {frames:,} frames, each to be decoded once",
        f"{_number(need.generating + need.judging)} GPU hours ({_number(need.generating)} to generate, "
        f"{_number(need.judging)} to judge); {_number(need.decoding)} hours of a core to decode"
        + (f"; {_number(need.waiting)} hours of waiting for services" if need.waiting else ""),
        f"{_number(need.disk_gb)} GB of disk ({_number(need.clips_gb)} clips, {_number(need.weights_gb)} "
        f"weights to download, {_number(need.frames_gb)} decoded frames), "
        f"{_number(free_gb(plan.study.folder))} GB free; money: {_money(plan)}",
    ]
    unknown = rows.loc[rows["left"].gt(0) & rows["gpu_hours"].isna() & rows["money"].isna(), "model"].unique()
    if len(unknown):
        lines.append(f"without GPU hours: {', '.join(unknown)} (not made on a GPU here, or of unknown size)")
    return "\n".join(["in all, of what is left", *(f"  {line}" for line in lines)])


def _money(plan: StudyPlan) -> str:
    """What services ask for, by currency, and who is not counted."""
    known = [(row.currency, row.money) for row in plan.footage.rows.itertuples() if pd.notna(row.money)]
    known += [(one.currency, one.money) for one in plan.asked if one.money is not None]
    sums = pd.DataFrame(known, columns=["currency", "money"]).groupby("currency")["money"].sum()
    priced = plan.study.hosted or any(judge.price for judge in plan.study.judges)
    none = "nothing to pay for" if priced else "no price is stated"
    said = ", ".join(f"{money:,.2f} {currency}" for currency, money in sums.items()) or none
    free = {one.judge for one in plan.asked if one.hours is not None and one.money is None}
    return said + (f"; without a price: {', '.join(sorted(free))}" if free and len(sums) else "")


def _assumptions(plan: StudyPlan) -> list[str]:
    """What the numbers above rest on, each where it was used."""
    lines = []
    if plan.footage.rows["gpu_hours"].gt(0).any():
        lines += generation.ASSUMPTIONS
    if any(one.sent for one in plan.asked):
        lines += asking.ASSUMPTIONS
    return [*lines, *measuring.ASSUMPTIONS[: 2 if plan.measured else 1], NOTEBOOKS]
