"""Self-consistency: every question asked several times, and how far the replies agree.

Sampled replies of one judge differ. Their majority or mean is steadier than one of them (Wang et al. 2023,
"Self-consistency improves chain of thought reasoning in language models"); their agreement says how much one
alone may be trusted.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from helpers import schemas
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.protocols import Protocol, with_sampling
from helpers.judging.report import Report
from helpers.judging.run import Pace, ask_cases, reported, rows_of


def judge_repeatedly(
    protocol: Protocol,
    cases: pd.DataFrame,
    clips: Clips,
    judge: Judge,
    log: Path,
    *,
    samples: int = 5,
    temperature: float = 0.7,
    seed: int = 0,
    pace: Pace | None = None,
) -> tuple[pd.DataFrame, Report]:
    """Ask everything several times, and keep the majority of answers or the mean of grades.

    Samples without a value have no vote. Without any, the row has the first sample's status. Answers that tie
    have no majority: the row is unscored. A grade is "not applicable" where most samples say so, else the
    mean rounded to a whole number, halves to the even one.

    Args:
        protocol: how clips are judged.
        cases: what is asked, as `protocols.cases_of` returns it.
        clips: the study's clips.
        judge: who judges.
        log: where calls are kept.
        samples: how often each question is asked, at least 2.
        temperature: at which replies differ.
        seed: the first sample's; the others count up from it.
        pace: how fast, how long and how much.

    Returns:
        The rows of the protocol's table, whose `settings` hold `samples`: how many there were, how many had a
        value, their mean (yes as 1) and their agreement, the share of pairs of samples that say the same;
        and the report, which counts every sample.

    Raises:
        CannotAskError, DataError: as `run.judge_clips`.
        ValueError: fewer than 2 samples.
    """
    if samples < 2:
        raise ValueError(f"samples: found {samples}, expected at least 2")
    ways = [with_sampling(protocol, seed=seed + at, temperature=temperature) for at in range(samples)]
    outcomes = ask_cases([(way, cases) for way in ways], clips, judge, log, pace)
    drawn = [rows_of(way, cases, found, judge) for way, found in zip(ways, outcomes, strict=True)]
    value = "answer" if protocol.table == "answers" else "score"
    rows = [
        _combined([frame.iloc[at].to_dict() for frame in drawn], value, protocol.table)
        for at in range(len(drawn[0]))
    ]
    frame = pd.DataFrame(rows, columns=drawn[0].columns)
    every = [outcome for found in outcomes for outcome in found]
    return schemas.check(protocol.table, frame, f"{protocol.table} of {judge.rater_id}"), reported(
        {protocol.name: every}
    )


def _combined(rows: Sequence[dict[str, Any]], value: str, table: str) -> dict[str, Any]:
    """One row for all samples of a question; its words are those of a sample that says the same."""
    scored = [row for row in rows if row["status"] == "ok"]
    if not scored:
        return _noted(rows[0], {"asked": len(rows), "scored": 0})
    values = [None if pd.isna(row[value]) else row[value] for row in scored]
    given = [float(one) for one in values if one is not None]
    mean = sum(given) / len(given) if given else None
    note = {"asked": len(rows), "scored": len(scored), "mean": mean, "agreement": _agreement(values)}
    if table == "answers":
        if 2 * sum(values) == len(values):
            return _noted(scored[0], note) | {"answer": None, "status": "unscored", "reasoning": None}
        chosen = 2 * sum(values) > len(values)
    else:
        chosen = None if 2 * len(given) < len(values) else round(mean)
    nearest = min(scored, key=lambda row: _distance(row[value], chosen))
    return _noted(nearest, note) | {value: chosen}


def _distance(found: Any, chosen: Any) -> float:
    if chosen is None or pd.isna(found):
        return 0.0 if chosen is None and pd.isna(found) else float("inf")
    return abs(float(found) - float(chosen))


def _agreement(values: Sequence[Any]) -> float | None:
    """The share of pairs that say the same; None for a single value."""
    pairs = len(values) * (len(values) - 1)
    return sum(n * (n - 1) for n in Counter(values).values()) / pairs if pairs else None


def _noted(row: dict[str, Any], note: dict[str, Any]) -> dict[str, Any]:
    return row | {"settings": json.dumps(json.loads(row["settings"]) | {"samples": note}, ensure_ascii=False)}
