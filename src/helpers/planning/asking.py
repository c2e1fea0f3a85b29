"""What a study's judges would be asked: calls, tokens, hours and money, before a clip is there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import tables
from helpers.generation.plan import SUSTAINED
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.named import NamedJudge
from helpers.judging.protocols import Protocol, cases_of, protocols
from helpers.judging.run import plan_of
from helpers.judging.study import log_of
from helpers.study import Study

# Tokens of a usual reply: a paragraph before a yes or no, and two or three sentences for each grade.
REPLY = {"culturescore": 350, "culturevidbench": 900, "landmarks": 300}
# Bytes a second that a GPU's memory gives: about 60 % of an H100's data sheet (3.35e12).
MEMORY = 2e12
# Seconds that a service takes for a call.
CALL = 15.0
PHOTOGRAPH = 576  # tokens of a reference photograph of 768 x 768 pixels
# Cases of a protocol whose requests are put together to count their tokens.
SAMPLE = 24
_BILLIONS = re.compile(r"(?<![\w.])A?(\d+(?:\.\d+)?)B(?!\w)", re.IGNORECASE)
ASSUMPTIONS = (
    "tokens: one for 4 bytes of text or 32 x 32 pixels; a usual reply has "
    + ", ".join(f"{tokens} ({name})" for name, tokens in REPLY.items())
    + "; new tries and repairs come on top",
    "judges' GPU hours, where the model's name gives its size: 2 x parameters operations a token at "
    f"{SUSTAINED / 1e12:.0f}e12 a second, and for each token written its 16-bit weights read once for all "
    f"calls in flight, at {MEMORY / 1e12:g}e12 bytes a second; a server that remembers a clip's beginning "
    "takes less",
    f"a service takes {CALL:g} s a call",
)


@dataclass(frozen=True)
class Asked:
    """What one judge has to do under one protocol.

    Attributes:
        judge, benchmark: whom, under which protocol.
        calls: of all clips, those to come included.
        left: calls without a final reply.
        sent, received: about how many tokens the calls that are left send, and usually get back.
        most: how many they get back at most.
        gpu_hours: on one GPU; None where the model's size is not known, or no GPU here answers.
        hours: the waiting where a service answers; None elsewhere.
        money: what a service asks for; None without a price.
        currency: of the money.
    """

    judge: str
    benchmark: str
    calls: int
    left: int
    sent: float
    received: float
    most: float
    gpu_hours: float | None
    hours: float | None
    money: float | None
    currency: str | None


def asked_of(
    named: NamedJudge, found: Mapping[str, pd.DataFrame], there: pd.DataFrame, study: Study
) -> list[Asked]:
    """What a judge has to do, protocol by protocol.

    Args:
        named: the judge.
        found: the tables prompts, questions, landmarks and videos; the videos as if all were made.
        there: the rows of the table videos of clips that are there.
        study: the study.

    Raises:
        DataError, ValueError: as `judging.study.plan_study`.
    """
    judge = asked_judge(named, study)
    clips = Clips(found["videos"], study.folder)
    rows = []
    for protocol in protocols():
        cases = cases_of(protocol, found)
        if cases.empty:
            continue
        done = 0 if there.empty else _done(protocol, {**found, "videos": there}, judge, study.folder)
        left = len(cases) - done
        a_call = _tokens(protocol, cases, clips, judge, study.folder)
        rows.append(_row(named, protocol.name, len(cases), left, a_call))
    return rows


def asked_judge(named: NamedJudge, study: Study) -> Judge:
    """The judge as judging asks it; no model is loaded and no server reached."""
    if named.kind != "simulated":
        return named.judge()
    if not tables.exists(study.folder, "videos"):  # nothing that a reply could be about
        return named.judge(_Nobody())
    from helpers.simulate.study_judge import backend_of

    return named.judge(backend_of(study, named))


@dataclass(frozen=True)
class _Nobody:
    """Stands where a backend would."""

    name: str = "nobody"


def _done(protocol: Protocol, found: Mapping[str, pd.DataFrame], judge: Judge, study: Path) -> int:
    """How many questions about clips that are there have their final reply."""
    log = log_of(study, judge)
    if not log.exists():
        return 0
    found_plan = plan_of([(protocol, cases_of(protocol, found))], Clips(found["videos"], study), judge, log)
    return found_plan.requests - len(found_plan.to_ask)


def _tokens(protocol: Protocol, cases: pd.DataFrame, clips: Clips, judge: Judge, study: Path) -> float:
    """Tokens that a call sends, over cases spread over all."""
    some = cases.iloc[np.unique(np.linspace(0, len(cases) - 1, SAMPLE).astype(int))]
    nothing = study / "logs" / "no such log"
    sent = plan_of([(protocol, some)], clips, judge, nothing)
    extra = 0
    if not sent.to_ask and "reference_image" in some:  # the photographs are still to come
        sent = plan_of([(protocol, some.drop(columns="reference_image"))], clips, judge, nothing)
        extra = PHOTOGRAPH
    return sent.sent / max(len(sent.to_ask), 1) + extra


def _row(named: NamedJudge, benchmark: str, calls: int, left: int, a_call: float) -> Asked:
    sent, received = left * a_call, left * min(REPLY[benchmark], named.max_tokens)
    price, size = named.price, billions(named.model or "")
    served = named.kind in ("server", "local") and size is not None
    simulated = named.kind == "simulated"
    return Asked(
        judge=named.name,
        benchmark=benchmark,
        calls=calls,
        left=left,
        sent=0.0 if simulated else sent,
        received=0.0 if simulated else received,
        most=0.0 if simulated else left * named.max_tokens,
        gpu_hours=gpu_hours(*size, sent, received, named.concurrency) if served else None,
        hours=None if served or simulated else left * CALL / named.concurrency / 3600,
        money=None if price is None else price.of(sent, received),
        currency=None if price is None else price.currency,
    )


def billions(model: str) -> tuple[float, float] | None:
    """A model's parameters, all and those that each token uses, in billions, as its name gives them.

    "Qwen3-VL-30B-A3B" has 30, of which each token uses 3. None for a name that gives none.
    """
    found = [(match[0].upper().startswith("A"), float(match[1])) for match in _BILLIONS.finditer(model)]
    whole = [size for active, size in found if not active]
    if not whole:
        return None
    return whole[0], next((size for active, size in found if active), whole[0])


def gpu_hours(every: float, active: float, sent: float, received: float, at_once: int) -> float:
    """Hours of one GPU for calls to a model, from first principles, as `ASSUMPTIONS` says.

    Args:
        every: parameters in billions.
        active: those of them that a token uses.
        sent: tokens read.
        received: tokens written.
        at_once: calls in flight.
    """
    computing = 2 * active * 1e9 * (sent + received) / SUSTAINED
    reading = received / at_once * 2 * every * 1e9 / MEMORY
    return (computing + reading) / 3600
