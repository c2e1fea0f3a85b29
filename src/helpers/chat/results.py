"""What came of each request, worked out from the calls that are on record; nothing here asks a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from helpers.chat.boxed import Verdict
from helpers.chat.forms import Form
from helpers.chat.log import Record
from helpers.chat.parsing import UnreadableError, parse
from helpers.chat.request import Request

Status = Literal["ok", "unscored", "failed", "blocked", "missing"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of one request.

    Attributes:
        key: the request's key.
        status: ok; unscored (replied twice, and neither reply could be read); blocked (a refusal or a content
            filter); failed (no reply; the next run asks again); missing (not asked yet).
        value: an instance of the request's form, a boxed answer, or text where neither was asked; None unless
            ok.
        raw: the reply as it came.
        repair: the reply to the repair request, where one was asked for.
        reading: how the value was read: strict, tolerant (something around it was dropped) or repaired.
        reason: why the status is not ok; empty where it is.
        model: the model that answered, by the server's account.
    """

    key: str
    status: Status
    value: Form | Verdict | str | None = None
    raw: str | None = None
    repair: str | None = None
    reading: Literal["strict", "tolerant", "repaired"] | None = None
    reason: str = ""
    model: str | None = None


def next_step(request: Request, records: Mapping[str, Record]) -> Result | Request:
    """The final result if the records hold it, or else the request that has to be sent next.

    That is the request itself, or after a reply that cannot be read its repair, once. A failed call counts as
    not made.
    """
    first = records.get(request.key)
    if first is None or first.outcome == "failed":
        return request
    about = {"key": request.key, "raw": first.text, "model": first.model}
    if first.outcome == "blocked":
        return Result(status="blocked", reason=first.reason, **about)
    try:
        parsed = parse(first.text, request.schema, cut=first.cut)
        return Result(status="ok", value=parsed.value, reading=parsed.reading, **about)
    except UnreadableError as problem:
        repair = request.repaired(first.text, str(problem))
    second = records.get(repair.key)
    if second is None or second.outcome == "failed":
        return repair
    about["repair"] = second.text
    if second.outcome == "blocked":
        return Result(status="blocked", reason=second.reason, **about)
    try:
        parsed = parse(second.text, request.schema, cut=second.cut)
        return Result(status="ok", value=parsed.value, reading="repaired", **about)
    except UnreadableError as problem:
        return Result(status="unscored", reason=str(problem), **about)


def results(requests: Sequence[Request], records: Mapping[str, Record]) -> list[Result]:
    """What came of each request, in the order of the requests.

    Args:
        requests: what was asked.
        records: the calls on record, as `read_log` returns them.
    """
    return [_result(request, records) for request in requests]


def _result(request: Request, records: Mapping[str, Record]) -> Result:
    step = next_step(request, records)
    if isinstance(step, Result):
        return step
    first, last = records.get(request.key), records.get(step.key)
    about = {"key": request.key, "raw": first.text if first and first.outcome == "replied" else None}
    if last is not None:
        return Result(status="failed", reason=last.reason, **about)
    return Result(
        status="missing", reason="not asked yet" if first is None else "its repair is not asked yet", **about
    )
