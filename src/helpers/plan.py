"""What a study would cost: `python -m helpers.plan STUDY.yaml [--gpus N]`, before anything of it ran.

One screen: clips, calls, tokens, GPU hours, disk, money where the study states a price, what is there
already, which limit comes first, and what all this assumes. Nothing is loaded, decoded, asked or written. The
exit status is 0, 2 where a stage of the study would be refused.
"""

import argparse
import os
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from helpers import study as studies
from helpers.checking import DataError
from helpers.generation import plan as generation
from helpers.paths import found_at, shown
from helpers.people.surveys import unread
from helpers.planning import asking, measuring
from helpers.planning.asking import Asked, asked_of, billions
from helpers.planning.footage import Footage, footage_of
from helpers.planning.limits import Need, first_limit, free_gb, weights_to_download
from helpers.planning.measuring import Measured, decoding_hours, measured_of
from helpers.planning.wanted import Wanted, wanted_of
from helpers.study import Study

WIDTH = 110
# The cache of decoded frames that a study fills at most (`video.cache.Cache`).
FRAMES_GB = 4 * 2**30 / 1e9
# Of a clip, by the rules of the three protocols.
MOST_FRAMES = 16


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """What a study would do.

    Attributes:
        study: the study.
        wanted: what its clips are to show.
        footage: its clips.
        asked: its judges' work.
        measured: its metrics' work.
        refused: why a judge cannot be asked, in words.
    """

    study: Study
    wanted: Wanted
    footage: Footage
    asked: tuple[Asked, ...]
    measured: tuple[Measured, ...]
    refused: tuple[str, ...]

    @property
    def need(self) -> Need:
        """What is left takes, in all."""
        rows = self.footage.rows
        weights = self._weights() | self._judges_weights()
        looks = any(one.left for one in (*self.asked, *self.measured))
        return Need(
            generating=rows["gpu_hours"].astype(float).sum(),
            judging=sum(one.gpu_hours or 0 for one in self.asked),
            waiting=sum(one.hours or 0 for one in self.asked),
            decoding=decoding_hours(self.footage.videos) if looks else 0.0,
            clips_gb=rows["disk_gb"].astype(float).sum(),
            weights_gb=weights_to_download(weights),
            frames_gb=min(FRAMES_GB, _frames_gb(self.footage.videos)) if looks else 0.0,
        )

    def _weights(self) -> dict[str, float]:
        """Each model that is to make clips, and how much its weights are."""
        rows = self.footage.rows
        wanted = set(rows.loc[rows["left"].gt(0) & rows["weights_gb"].notna(), "model"])
        if not wanted:  # a study may have no models
            return {}
        models, _ = self.study.chosen_models()
        return {model.id: model.size.weights_gb for model in models if model.name in wanted and model.size}

    def _judges_weights(self) -> dict[str, float]:
        """Each local judge's model, as far as its name gives its size, with 2 bytes a parameter."""
        local = {judge.model: billions(judge.model) for judge in self.study.judges if judge.kind == "local"}
        return {model: 2 * size[0] for model, size in local.items() if size}


def plan_of(study: Study) -> StudyPlan:
    """Look at a study's file and tables, and work out what is left to do.

    Raises:
        DataError: the study's prompts or clips cannot be counted; see `wanted_of` and `footage_of`.
    """
    wanted = wanted_of(study)
    footage = footage_of(study, wanted.prompts)
    found = {
        "prompts": wanted.prompts,
        "questions": wanted.questions,
        "landmarks": wanted.landmarks,
        "videos": footage.videos,
    }
    there = footage.videos[footage.videos["path"].ne("to come")]
    asked, refused = [], []
    for judge in study.judges:
        try:
            asked += asked_of(judge, found, there, study)
        except ValueError as error:
            refused.append(f"{judge.name}: {error}")
    return StudyPlan(
        study=study,
        wanted=wanted,
        footage=footage,
        asked=tuple(asked),
        measured=tuple(measured_of(metric, found, study.folder) for metric in study.metrics),
        refused=tuple(refused),
    )


def _frames_gb(videos: pd.DataFrame) -> float:
    """All frames that a judge or a metric may look at, uncompressed."""
    shown = videos["frames"].clip(upper=MOST_FRAMES)
    return float((videos["width"] * videos["height"] * shown).sum()) * 3 / 1e9


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
        _block("judges", _judges(plan.asked), plan.refused),
        _block("metrics", pd.DataFrame([asdict(one) for one in plan.measured])),
        _people(plan.study),
        _totals(plan, need),
        f"first limit: {first_limit(need, gpus=gpus, cores=cores, free_gb=free)}",
        "\n".join(f"assumed: {line}" for line in _assumptions(plan)),
    ]
    return "\n\n".join(_wrapped(block) for block in blocks if block)


def _wrapped(block: str) -> str:
    """Lines that are longer than a screen is wide, continued a little to the right; tables stay whole."""
    return "\n".join(
        textwrap.fill(line, WIDTH, subsequent_indent="    ") if "  " not in line.strip() else line
        for line in block.splitlines()
    )


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
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2g}"


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
    said = ", ".join(f"{money:,.2f} {currency}" for currency, money in sums.items()) or "no price is stated"
    free = {one.judge for one in plan.asked if one.hours is not None and one.money is None}
    return said + (f"; without a price: {', '.join(sorted(free))}" if free and len(sums) else "")


def _assumptions(plan: StudyPlan) -> list[str]:
    """What the numbers above rest on, each where it was used."""
    lines = []
    if plan.footage.rows["gpu_hours"].gt(0).any():
        lines += generation.ASSUMPTIONS
    if any(one.sent for one in plan.asked):
        lines += asking.ASSUMPTIONS
    return lines + list(measuring.ASSUMPTIONS[: 2 if plan.measured else 1])


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    parser = argparse.ArgumentParser(prog="python -m helpers.plan", description="What a study would cost.")
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument("--gpus", type=_gpus, default=1, metavar="N", help="how many GPUs share the work (1)")
    options = parser.parse_args(arguments)
    try:
        plan = plan_of(studies.load(options.study))
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{shown(options.study)}\n{text(plan, gpus=options.gpus)}")
    return 2 if plan.refused else 0


def _gpus(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}'; expected a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
