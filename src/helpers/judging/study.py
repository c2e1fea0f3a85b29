"""Judging a study: its tables in, the judge's answers and ratings out, each in a part of its own."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from helpers import schemas, tables
from helpers.chat.plan import Plan
from helpers.checking import DataError
from helpers.judging.clips import Clips
from helpers.judging.earlier import with_earlier
from helpers.judging.judge import Judge
from helpers.judging.named import part_name
from helpers.judging.protocols import Protocol, cases_of, not_asked, protocols
from helpers.judging.report import Report
from helpers.judging.run import Outcome, Pace, ask_cases, plan_of, reported, rows_of
from helpers.paths import shown
from helpers.video.cache import Cache

WRITTEN = ("answers", "ratings", "raters")
NEEDED = {"culturescore": "questions", "landmarks": "landmarks"}


def log_of(study: Path, judge: Judge) -> Path:
    """Where a judge's calls are kept."""
    return study / "logs" / "judging" / f"{part_name(judge.rater_id)}.jsonl"


def clips_of(study: Path, videos: pd.DataFrame) -> Clips:
    """A study's clips, whose decoded frames are shared with its metrics."""
    return Clips(videos, study, cache=Cache(study / "cache" / "frames"))


def study_tables(study: Path) -> dict[str, pd.DataFrame]:
    """The tables that say what is to be judged: prompts, videos and, where they are there, the others.

    Raises:
        DataError: as `tables.read`; prompts of a benchmark without the table that it needs.
    """
    found = {name: tables.read(study, name) for name in ("prompts", "videos")}
    for benchmark, name in NEEDED.items():
        if tables.exists(study, name):
            found[name] = tables.read(study, name)
        elif found["prompts"]["benchmark"].eq(benchmark).any():
            raise DataError(
                f"{shown(tables.table_path(study, name))}: no such file; "
                f"expected the table '{name}', since the study has prompts of {benchmark}"
            )
        else:
            found[name] = pd.DataFrame(columns=list(schemas.TABLES[name].columns))
    return found


def judge_study(
    study: Path,
    judge: Judge,
    *,
    ways: Sequence[Protocol] | None = None,
    clips: Clips | None = None,
    pace: Pace | None = None,
    say: Callable[[object], None] = print,
) -> Report:
    """Judge all clips of a study under the protocols of their benchmarks, and write what came of it.

    The same command goes on where an earlier run stopped, in whatever way it did. It writes the parts
    `answers/<judge>`, `ratings/<judge>` and `raters/<judge>` of the study's tables, and keeps each call in
    `logs/judging/<judge>.jsonl`. Rows of protocols that are not among `ways` stay; so does a row with a value
    where nothing can be asked any more, such as after a reference photograph was deleted.

    Args:
        study: the study's folder, with the tables prompts and videos, and questions or landmarks where its
            benchmarks need them.
        judge: who judges.
        ways: the protocols; by default the three as in the papers.
        clips: the study's clips; by default at 768 pixels, with the study's own cache of frames.
        pace: how fast, how long and how much.
        say: takes the lines about calls and tokens, as in `helpers.chat.ask.ask_many`.

    Returns:
        The report, which is printed too.

    Raises:
        CannotAskError: no request will be answered: it says what is kept and how to go on. No table is
            written then.
        DataError: a table that is absent or does not fit its schema, another rater of the same name, or
            another judge with a part of the same name; nothing is asked then.
        ValueError: two protocols of one benchmark, which would write the same rows.
    """
    found = study_tables(study)
    clips = clips or clips_of(study, found["videos"])
    part = part_name(judge.rater_id)
    _check_raters(study, judge)
    work = _work(found, ways)
    outcomes = ask_cases(work, clips, judge, log_of(study, judge), pace, say)
    done = list(zip(work, outcomes, strict=True))
    run = {protocol.name for protocol in ways or protocols()}
    models, kept = Counter(), 0
    for table in ("answers", "ratings"):
        rows = [
            rows_of(protocol, cases, outcome, judge)
            for (protocol, cases), outcome in done
            if protocol.table == table
        ]
        if rows:
            everything, stay = with_earlier(
                study, table, part, pd.concat(rows, ignore_index=True), run, clips.not_made
            )
            tables.write(study, table, everything, part=part)
            models += _models(everything)
            kept += stay
    tables.write(study, "raters", rater_row(judge), part=part)
    said = replace(_report(found, done), models=models, kept=kept)
    print(said)
    return said


def plan_study(study: Path, judge: Judge, *, ways: Sequence[Protocol] | None = None) -> Plan:
    """What `judge_study` has left to ask; nothing is asked.

    Raises:
        DataError, ValueError: as `judge_study`.
    """
    found = study_tables(study)
    _check_raters(study, judge)
    return plan_of(_work(found, ways), clips_of(study, found["videos"]), judge, log_of(study, judge))


def _work(
    found: Mapping[str, pd.DataFrame], ways: Sequence[Protocol] | None
) -> list[tuple[Protocol, pd.DataFrame]]:
    """The protocols that a study has cases for, each with its cases."""
    names = [protocol.name for protocol in ways or ()]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"ways: found two protocols of {name}, which would write the same rows; "
                "expected one, and the other under a judge with another rater_id"
            )
    work = [(protocol, cases_of(protocol, found)) for protocol in ways or protocols()]
    return [(protocol, cases) for protocol, cases in work if len(cases)]


def rater_row(judge: Judge) -> pd.DataFrame:
    """A judge's row of the table raters."""
    return pd.DataFrame({"rater_id": [judge.rater_id], "kind": [judge.kind]})


def _report(
    found: Mapping[str, pd.DataFrame], done: Sequence[tuple[tuple[Protocol, pd.DataFrame], list[Outcome]]]
) -> Report:
    prompts, videos = found["prompts"], found["videos"]
    unknown = int((~videos["prompt_id"].isin(prompts["prompt_id"])).sum())
    left = {"clips of a prompt that the table prompts lacks": unknown} if unknown else {}
    for (protocol, _), _ in done:
        left |= not_asked(protocol, found)
    return reported({protocol.name: outcome for (protocol, _), outcome in done}, left)


def _models(rows: pd.DataFrame) -> Counter[str]:
    """The models whose replies stand in rows."""
    replied = rows.loc[rows["status"].isin(["ok", "unscored"]), "settings"].dropna()
    return Counter(filter(None, (json.loads(text).get("model") for text in replied)))


def _check_raters(study: Path, judge: Judge) -> None:
    """Refuse before anything is paid for what could not be written after it."""
    part = part_name(judge.rater_id)
    for table in WRITTEN:
        own = tables.table_path(study, table, part)
        for path in tables.files(study, table):
            if path == tables.table_path(study, table):
                raise DataError(
                    f"{shown(path)}: found the table '{table}' in one file; expected parts in "
                    f"{shown(own.parent)}, of which the judge writes one"
                )
            there = set(tables.read_part(path, ["rater_id"])["rater_id"])
            if path == own and there - {judge.rater_id}:
                raise DataError(
                    f"{shown(path)}: found the rater {sorted(there)}, expected '{judge.rater_id}'; "
                    "give one of them a name that differs in its letters and digits"
                )
            if path != own and judge.rater_id in there:
                raise DataError(
                    f"{shown(path)}: found the rater '{judge.rater_id}', which is the judge's name too; "
                    "give one of them another name"
                )
