"""What can be shown of judging: the question as it is sent, how replies are read, and what a run took."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from helpers.chat.boxed import Boxed
from helpers.chat.forms import Form
from helpers.chat.log import Record
from helpers.chat.messages import Text
from helpers.chat.parsing import UnreadableError, parse
from helpers.chat.request import Request
from helpers.judging.clips import StoredFrames


def conversation(request: Request) -> str:
    """A request as the judge reads it, with a remark in brackets for whatever is no text."""
    parts = [part for message in request.sent for part in message.parts]
    return "\n\n".join(part.text if isinstance(part, Text) else f"[{_remark(part)}]" for part in parts)


def _remark(part: object) -> str:
    if isinstance(part, StoredFrames):
        return f"{len(part.indices)} frames of the clip, at most {part.longest} pixels wide or high"
    return "the clip, as a file" if hasattr(part, "fps") else "a photograph"


def readings(replies: Mapping[str, str], schema: type[Form] | Boxed) -> pd.DataFrame:
    """How replies are read, before any repair is asked for.

    Args:
        replies: texts, by what is particular about each.
        schema: the form that they must fit.

    Returns:
        Columns reply, reading (strict, tolerant or refused) and why (a refusal's reason).
    """
    rows = []
    for name, text in replies.items():
        try:
            rows.append((name, parse(text, schema).reading, ""))
        except UnreadableError as problem:
            rows.append((name, "refused", str(problem)))
    return pd.DataFrame(rows, columns=["reply", "reading", "why"])


def usage(requests: Iterable[Request], records: Mapping[str, Record]) -> pd.Series:
    """What a run took.

    Args:
        requests: what was asked, repairs not included.
        records: the calls on record, as `helpers.chat.log.read_log` returns them.

    Returns:
        requests, calls (repairs included), and for the mean request its tokens sent as text and as pictures
        and, for the mean reply, received; by the server's count where
        there is one, else by the rule of thumb.
    """
    requests, records = list(requests), list(records.values())
    parts = [part for request in requests for message in request.sent for part in message.parts]
    text = sum(part.tokens for part in parts if isinstance(part, Text))
    pictures = sum(part.tokens for part in parts if not isinstance(part, Text))
    received = [len(one.text.encode()) / 4 if one.received is None else one.received for one in records]
    return pd.Series(
        {
            "requests": len(requests),
            "calls": len(records),
            "text": text / len(requests),
            "pictures": pictures / len(requests),
            "received": sum(received) / len(records),
        }
    )


def expectations(yes: tuple[float, float]) -> pd.DataFrame:
    """What a judge without faults gives under controls; how much room it has is a decision, made here.

    Args:
        yes: the lowest and highest share of yes about the clips as they are, as far as it is known.

    Returns:
        protocol, control, group and measure (which of `control_results.run_controls`' rows), title, good_low
        and good_high. Shares and drops of shares; grades are brought to 0-1.
    """
    score, grades = "culturescore", "culturevidbench"
    rows = [
        (score, "as judged", "all", "level", "as judged: says yes", *yes),
        (score, "shuffled prompts", "all", "level", "another scene: says yes", 0, 0.08),
        (score, "blank clip", "all", "level", "blank clip: says yes", 0, 0.08),
        (score, "negated question", "all", "sum", "yes + negated yes", 0.92, 1.08),
        (score, "the same call twice", "all", "agreement", "asked twice: agrees", 0.9, 1),
        (score, "reversed clip", "behavior", "drop", "reversed: behavior drops", 0.2, 0.8),
        (grades, "blank clip", "all", "level", "blank clip: grade (0 to 1)", 0, 0.08),
        (grades, "country swapped", "cultural_consistency", "drop", "other country: drop", 0.25, 1),
        (grades, "criteria backwards", "element_alignment", "drop", "asked last: drop", -0.08, 0.08),
        (grades, "reversed clip", "action_alignment", "drop", "reversed: action drops", 0.1, 0.6),
        (grades, "sound swapped", "audio_alignment", "drop", "other sound: drop", 0.25, 1),
        (grades, "sound swapped", "visual_quality", "drop", "other sound: picture", -0.08, 0.08),
    ]
    names = ["protocol", "control", "group", "measure", "title", "good_low", "good_high"]
    return pd.DataFrame(rows, columns=names)


def against_expected(results: pd.DataFrame, panels: pd.DataFrame) -> pd.DataFrame:
    """What controls gave, beside what a judge without faults gives.

    Args:
        results: as `helpers.judging.control_results.run_controls` returns them, with a column judge.
        panels: as `expectations` returns them.

    Returns:
        The rows of the panels, in their order, with the panels' columns and met: whether the interval, or
        without one the estimate, reaches what is expected; missing where nothing was measured.
    """
    keys = ["protocol", "control", "group", "measure"]
    rows = panels.merge(results, on=keys, how="left")
    low, high = (rows[end].fillna(rows["estimate"]) for end in ("low", "high"))
    met = low.le(rows["good_high"]) & high.ge(rows["good_low"])
    return rows.assign(met=pd.array(np.where(rows["estimate"].isna(), None, met), dtype="boolean"))
