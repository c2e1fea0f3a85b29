import dataclasses

import pytest

from helpers.chat.forms import Form
from helpers.chat.log import Record
from helpers.chat.messages import user
from helpers.chat.plan import plan
from helpers.chat.request import Request, Sampling
from helpers.chat.results import next_step, results


class Verdict(Form):
    answer: bool


ASKED = Request(model="judge", messages=(user("Is it so?"),), schema=Verdict)
YES, BAD, WORSE = '{"answer": true}', "perhaps", "hm"


def records(*outcomes: tuple[str, str], cut=False) -> dict[str, Record]:
    """The record of the first call, and of the second, which is the repair of the first."""
    kept, asked = {}, ASKED
    for outcome, text in outcomes:
        reason = "" if outcome == "replied" else "because"
        kept[asked.key] = Record(
            key=asked.key, outcome=outcome, text=text, reason=reason, cut=cut, at="2026", model="judge-2026"
        )
        if text == BAD:
            asked = next_step(ASKED, kept)
    return kept


@pytest.mark.parametrize(
    ("outcomes", "status", "reading", "raw", "repair", "reason"),
    [
        ([("replied", YES)], "ok", "strict", YES, None, ""),
        ([("replied", f"Well: {YES}")], "ok", "tolerant", f"Well: {YES}", None, ""),
        ([("replied", BAD), ("replied", YES)], "ok", "repaired", BAD, YES, ""),
        ([("replied", BAD), ("replied", WORSE)], "unscored", None, BAD, WORSE, "no JSON object"),
        ([("replied", BAD), ("blocked", "I")], "blocked", None, BAD, "I", "because"),
        ([("replied", BAD), ("failed", "")], "failed", None, BAD, None, "because"),
        ([("replied", BAD)], "missing", None, BAD, None, "repair is not asked yet"),
        ([("blocked", "")], "blocked", None, "", None, "because"),
        ([("failed", "")], "failed", None, None, None, "because"),
        ([], "missing", None, None, None, "not asked yet"),
    ],
)
def test_every_course_of_events_has_its_status(outcomes, status, reading, raw, repair, reason):
    (result,) = results([ASKED], records(*outcomes))
    assert (result.status, result.reading, result.raw, result.repair) == (status, reading, raw, repair)
    assert reason in result.reason
    assert bool(result.reason) == (status != "ok")
    assert (result.value == Verdict(answer=True)) == (status == "ok")


@pytest.mark.parametrize(
    ("outcomes", "asks"),
    [
        ([], "the question"),
        ([("failed", "")], "the question"),
        ([("replied", BAD)], "its repair"),
        ([("replied", BAD), ("failed", "")], "its repair"),
        ([("replied", BAD), ("replied", WORSE)], "nothing"),
        ([("blocked", "")], "nothing"),
        ([("replied", YES)], "nothing"),
    ],
)
def test_only_what_is_not_final_is_asked_and_a_repair_once(outcomes, asks):
    step = next_step(ASKED, records(*outcomes))
    what = "the question" if step == ASKED else "its repair" if isinstance(step, Request) else "nothing"
    assert what == asks


def test_a_reply_that_was_cut_off_is_sent_back_for_that():
    step = next_step(ASKED, records(("replied", f"{YES} But"), cut=True))
    assert "cut off before it was complete" in step.messages[-1].parts[-1].text


def test_a_plan_counts_what_is_left_and_puts_what_failed_last():
    asked = [
        Request(model="m", messages=(user("x" * 4 * n),), sampling=Sampling(max_tokens=10))
        for n in (1, 2, 3, 4)
    ]
    kept = {
        asked[0].key: Record(key=asked[0].key, outcome="failed", reason="500", at="2026"),
        asked[2].key: Record(key=asked[2].key, outcome="replied", text="fine", at="2026"),
    }
    todo = plan([*asked, asked[1]], kept)
    assert todo.to_ask == (asked[1], asked[3], asked[0])
    assert (todo.requests, todo.failed, todo.sent, todo.received) == (4, 1, 2 + 4 + 1, 30)
    assert str(todo) == (
        "3 calls, about 37 tokens (about 7 sent, at most 30 received); 1 of them failed before; "
        "1 of 4 requests are done"
    )


def test_a_plan_of_a_study_reads_well():
    asked = [
        dataclasses.replace(ASKED, schema=None, sampling=Sampling(seed=n, max_tokens=100))
        for n in range(9_289)
    ]
    assert str(plan(asked, {})).startswith("9,289 calls, about 956,767 tokens")
