"""The run of judging: clip by clip, resumable, with a row for everything that was to be asked.

Whatever keeps a question from its answer is a status of its row, with the reason: a clip that was never made,
that vanished, changed or does not decode; a reply that cannot be read; a refusal; a call that failed. Only
what stops every call, such as a wrong key, ends the run; see `helpers.chat.ask.CannotAskError`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers import schemas
from helpers.chat.ask import ask_many
from helpers.chat.budget import Budget
from helpers.chat.caller import Patience
from helpers.chat.clips import WholeClip
from helpers.chat.log import Record, read_log
from helpers.chat.pictures import FilePicture
from helpers.chat.plan import Plan, plan
from helpers.chat.request import Request
from helpers.chat.results import Result, next_step, results
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.protocols import SHOWN, SOUND_OF, Protocol
from helpers.judging.report import Report, kind_of, report
from helpers.judging.stored import StoredFrames
from helpers.paths import without_folder


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast, how long and how much may be asked; see `helpers.chat.ask.ask_many`.

    Attributes:
        concurrency: the most calls in flight at once.
        budget: the most that a run may use.
        patience: how long to keep trying a call that may yet succeed.
    """

    concurrency: int = 16
    budget: Budget | None = None
    patience: Patience | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of one case.

    Attributes:
        request: what was or would be asked; None where it cannot be put together.
        result: the reply's value, or why there is none.
        kind: what it is counted under beside its status.
    """

    request: Request | None
    result: Result
    kind: str


def judge_clips(
    protocol: Protocol, cases: pd.DataFrame, clips: Clips, judge: Judge, log: Path, pace: Pace | None = None
) -> tuple[pd.DataFrame, Report]:
    """Judge clips under one protocol, or go on where an earlier run stopped.

    Args:
        protocol: how they are judged.
        cases: what is asked, as `protocols.cases_of` returns it.
        clips: the study's clips.
        judge: who judges.
        log: where calls are kept.
        pace: how fast, how long and how much.

    Returns:
        The rows of the protocol's table, checked, one for each case (and criterion), in the order of the
        cases; and the report.

    Raises:
        CannotAskError: no request will be answered; nothing that was answered is lost.
        DataError: the log is not one, or another run is writing to it.
    """
    (outcomes,) = ask_cases([(protocol, cases)], clips, judge, log, pace)
    return rows_of(protocol, cases, outcomes, judge), reported({protocol.name: outcomes})


def ask_cases(
    work: Sequence[tuple[Protocol, pd.DataFrame]],
    clips: Clips,
    judge: Judge,
    log: Path,
    pace: Pace | None = None,
    say: Callable[[object], None] = print,
) -> list[list[Outcome]]:
    """What comes of cases under several protocols, asked in one run with one budget.

    Calls are made clip by clip. A clip's file is looked at only if something about it is still open: an
    answer that is on record stays, since the record says which file it is about. So it does where a reference
    photograph is gone.

    Args:
        work: protocols, each with its cases.
        clips: the study's clips.
        judge: who judges.
        log: where calls are kept.
        pace: how fast, how long and how much.
        say: takes the lines about calls and tokens, as in `ask_many`.

    Returns:
        For each protocol the outcome of each case.

    Raises:
        CannotAskError, DataError: as `judge_clips`.
    """
    pace = pace or Pace()
    asked = _all_asked(work, clips, judge)
    records = read_log(log)
    clips.photographs.keep(picture for one in asked if not one.why for picture in _photographs(one.request))
    still_open = [one for one in asked if not one.why and one.request and not _is_done(one.request, records)]
    bad = clips.check(video_id for one in still_open for video_id in one.clips)
    wanted = [one for one in still_open if bad.keys().isdisjoint(one.clips)]
    if wanted:
        requests = [one.request for one in _clip_by_clip(wanted)]
        with clips.read_ahead(part for request in requests for part in request.messages[-1].parts):
            ask_many(
                requests,
                judge.backend,
                log,
                concurrency=pace.concurrency,
                budget=pace.budget,
                patience=pace.patience,
                say=say,
            )
        records = read_log(log)
    outcomes = iter([_outcome(one, records, clips) for one in asked])
    return [[next(outcomes) for _ in range(len(cases))] for _, cases in work]


def plan_of(work: Sequence[tuple[Protocol, pd.DataFrame]], clips: Clips, judge: Judge, log: Path) -> Plan:
    """How many calls and about how many tokens `ask_cases` would take; nothing is asked, no clip is read."""
    asked = _all_asked(work, clips, judge)
    records = read_log(log)
    known = [one for one in asked if one.request is not None]
    return plan([one.request for one in known if not one.why or _is_done(one.request, records)], records)


def _all_asked(work: Sequence[tuple[Protocol, pd.DataFrame]], clips: Clips, judge: Judge) -> list["_Asked"]:
    return [_asked(case, protocol, clips, judge) for protocol, cases in work for case in cases.itertuples()]


@dataclass(frozen=True)
class _Asked:
    """A case's request, the clips that it needs, and why it cannot be sent or put together."""

    request: Request | None
    clips: tuple[str, ...]
    why: str = ""


def _asked(case: Any, protocol: Protocol, clips: Clips, judge: Judge) -> _Asked:
    video_id, other = getattr(case, SHOWN, case.video_id), getattr(case, SOUND_OF, None)
    needed = (video_id,) if other is None else (video_id, other)
    if any(clips.problem(name) for name in needed):
        return _Asked(None, needed)
    try:
        request = protocol.request(case, clips, judge)
    except (ValueError, OSError) as error:
        return _Asked(None, needed, str(error))
    gone = [picture.path for picture in _photographs(request) if not picture.path.exists()]
    return _Asked(request, needed, f"{gone[0]}: No such file; it was there before" if gone else "")


def _photographs(request: Request | None) -> list[FilePicture]:
    parts = request.messages[-1].parts if request else ()
    return [part for part in parts if isinstance(part, FilePicture)]


def _is_done(request: Request, records: Mapping[str, Record]) -> bool:
    return isinstance(next_step(request, records), Result)


def _clip_by_clip(asked: Sequence[_Asked]) -> list[_Asked]:
    """Questions about the same clip side by side, the clips in the order of their first question."""
    places: dict[str, int] = {}
    for one in asked:
        places.setdefault(one.clips[0], len(places))
    return sorted(asked, key=lambda one: places[one.clips[0]])


def _outcome(asked: _Asked, records: Mapping[str, Record], clips: Clips) -> Outcome:
    """What came of a case; its reason names files as the study's tables do."""
    found = _found(asked, records, clips)
    reason = without_folder(found.result.reason, clips.folder)
    return replace(found, result=replace(found.result, reason=reason))


def _found(asked: _Asked, records: Mapping[str, Record], clips: Clips) -> Outcome:
    if asked.request is not None:
        (result,) = results([asked.request], records)
        if result.status not in ("failed", "missing"):
            return Outcome(request=asked.request, result=result, kind=kind_of(result))
    for problem in filter(None, map(clips.problem, asked.clips)):
        key = asked.request.key if asked.request else ""
        result = Result(key=key, status=problem.status, reason=problem.reason)
        return Outcome(request=asked.request, result=result, kind=f"clip {problem.kind}")
    if asked.why:
        key = asked.request.key if asked.request else ""
        result = Result(key=key, status="missing", reason=asked.why)
        return Outcome(request=asked.request, result=result, kind="cannot be asked")
    return Outcome(request=asked.request, result=result, kind=kind_of(result))


def rows_of(
    protocol: Protocol, cases: pd.DataFrame, outcomes: Sequence[Outcome], judge: Judge
) -> pd.DataFrame:
    """The rows of the protocol's table, checked; their `settings` say how each was asked.

    Args:
        protocol: how the clips are judged.
        cases: what was asked.
        outcomes: what came of each case, as `ask_cases` returns it.
        judge: who judged.
    """
    rows = protocol.rows(cases, [outcome.result for outcome in outcomes], judge)
    settings, repeats = [], []
    for case, outcome in zip(cases.itertuples(), outcomes, strict=True):
        settings.append(json.dumps(_settings(case, outcome, protocol, judge), ensure_ascii=False))
        repeats.append(len(protocol.asked(case, judge)) or 1)
    rows = rows.assign(settings=np.repeat(np.array(settings, dtype=object), repeats), raw=_text(rows["raw"]))
    return schemas.check(protocol.table, rows, f"{protocol.table} of {judge.rater_id}")


def _text(values: pd.Series) -> pd.Series:
    """A reply of no characters is kept as none; the status and the settings say what it was."""
    return values.replace("", None)


def _settings(case: Any, outcome: Outcome, protocol: Protocol, judge: Judge) -> dict[str, Any]:
    result, about = outcome.result, {"protocol": protocol.name} | protocol.wording(case, judge)
    if outcome.request is not None:
        about |= _shown(outcome.request)
        about |= {"model": result.model or judge.model, "key": result.key}
    if result.reading is not None:
        about["reading"] = result.reading
    return about | ({"reason": result.reason} if result.reason else {})


def _shown(request: Request) -> dict[str, Any]:
    """What of the clip was sent."""
    for part in request.messages[-1].parts:
        if isinstance(part, StoredFrames):
            sent = {"rule": part.rule.name, "indices": part.indices, "longest": part.longest}
            return {"frames": sent | {"quality": part.quality}}
        if isinstance(part, WholeClip):
            return {"clip": {"fps": part.fps, "frames": part.frames, "sound": part.sound}}
    return {}


def reported(outcomes: Mapping[str, Sequence[Outcome]], not_asked: Mapping[str, int] | None = None) -> Report:
    """The report of a run.

    Args:
        outcomes: what came of each case, by protocol.
        not_asked: as in `Report`.
    """
    found = [(name, one.result.status, one.kind) for name, group in outcomes.items() for one in group]
    return report(found, not_asked)
