"""The run around the calls, with a backend in this process."""

import asyncio
import contextlib
import dataclasses
import io
import json
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.backend import Reply
from helpers.chat.budget import Budget
from helpers.chat.caller import MOST_FAILED_IN_A_ROW
from helpers.chat.log import read_log
from helpers.chat.problems import FatalError, LostError, PassingError, RefusedError, UnreachableError
from helpers.chat.results import results

YES = '{"answer": "yes", "weight": 7}'


@dataclass
class Scripted:
    """Answers by a function of the request's first text and the number of earlier calls with it."""

    script: object = lambda text, before: YES
    name: str = "scripted"
    timeout: float = 5.0
    opened: int = 0
    asked: list = field(default_factory=list)
    most_at_once: int = 0
    now: int = 0

    @asynccontextmanager
    async def connect(self):
        self.opened += 1
        yield self.call

    async def call(self, request):
        text = request.messages[-1].parts[0].text
        before = self.asked.count(text)
        self.asked.append(text)
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            await asyncio.sleep(0.001)
            said = self.script(text, before)
        finally:
            self.now -= 1
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(text=said, sent=90, received=10)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "logs" / "judge.jsonl"


def test_results_come_in_the_order_of_the_requests_and_equal_ones_are_asked_once(make_requests, log):
    asked = [*make_requests(30), *reversed(make_requests(30))]
    backend = Scripted(lambda text, before: YES.replace("7", text[9:-1]))
    answers = ask_many(asked, backend, log)
    assert [answer.value.weight for answer in answers] == [*range(30), *reversed(range(30))]
    assert len(backend.asked) == 30
    assert results(asked, read_log(log)) == answers


@pytest.mark.parametrize("concurrency", [1, 5])
def test_keeps_to_its_concurrency(make_requests, log, concurrency):
    backend = Scripted()
    ask_many(make_requests(40), backend, log, concurrency=concurrency)
    assert backend.most_at_once == concurrency


def test_says_what_it_will_do_and_what_it_did(make_requests, log, capsys):
    script = lambda text, before: RefusedError("400: no") if text == "Question 3?" else YES  # noqa: E731
    ask_many(make_requests(10), Scripted(script), log)
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("10 calls, about ")
    assert (
        last
        == "10 calls, 900 tokens: 9 ok · 1 failed; for those that failed, run the same command again to go on"
    )


def test_a_finished_run_opens_no_connection_and_asks_nothing(make_requests, log, capsys):
    backend = Scripted()
    first = ask_many(make_requests(10), backend, log)
    capsys.readouterr()
    assert ask_many(make_requests(10), backend, log) == first
    assert (backend.opened, len(backend.asked)) == (1, 10)
    assert capsys.readouterr().out.startswith("0 calls, about 0 tokens")


def test_no_requests_make_no_calls(log):
    assert ask_many([], Scripted(), log) == []


def test_works_inside_a_running_loop_as_in_a_notebook(make_requests, log):
    async def cell():
        return ask_many(make_requests(3), Scripted(), log)

    assert [answer.status for answer in asyncio.run(cell())] == ["ok"] * 3


def test_what_failed_before_comes_last_so_that_it_holds_nobody_up(make_requests, log, hasty):
    backend = Scripted(lambda text, before: RefusedError("400: no"))
    ask_many(make_requests(4), backend, log)
    backend.asked.clear()
    ask_many(make_requests(6), backend, log, concurrency=1)
    assert backend.asked == [f"Question {number}?" for number in (4, 5, 0, 1, 2, 3)]


def test_a_budget_of_calls_is_kept_to_the_call_and_the_same_command_goes_on(make_requests, log, capsys):
    backend = Scripted(lambda text, before: "perhaps" if before == 0 and text == "Question 1?" else YES)
    for run, (calls, ok) in enumerate([(4, 3), (8, 7), (11, 10)], start=1):
        answers = ask_many(make_requests(10), backend, log, concurrency=3, budget=Budget(calls=4))
        counts = [answer.status for answer in answers]
        assert (len(backend.asked), counts.count("ok")) == (calls, ok), run
        assert counts.count("ok") + counts.count("missing") == 10
        out = capsys.readouterr().out
        assert ("run the same command again to go on" in out) == (run < 3)
    assert "10 ok" in out


def test_a_budget_of_tokens_is_never_overdrawn(make_requests, log, capsys):
    asked = make_requests(50)
    most = asked[0].most_tokens
    ask_many(asked, Scripted(), log, budget=Budget(tokens=most + 500))
    used = 100 * len(read_log(log))
    assert used <= most + 500
    # All but what one more call might take is used, although each took far less than it might have.
    assert used > 500 - 100
    assert f"{used:,} of the budget's {most + 500:,} tokens are used" in capsys.readouterr().out


def test_calls_without_an_answer_count_against_the_budget_as_they_may_be_charged(make_requests, log, hasty):
    asked = make_requests(1)
    backend = Scripted(lambda text, before: LostError("reset"))
    (answer,) = ask_many(asked, backend, log, budget=Budget(tokens=2 * asked[0].most_tokens), patience=hasty)
    assert (len(backend.asked), answer.status) == (2, "missing")

    for free in (PassingError("429: slow down"), UnreachableError("no connection")):
        backend = Scripted(lambda text, before, free=free: PassingError("500") if before == 0 else free)
        with contextlib.suppress(CannotAskError):
            ask_many(asked, backend, log, budget=Budget(tokens=asked[0].most_tokens), patience=hasty)
        assert len(backend.asked) == 3


def test_a_server_that_counts_no_tokens_is_reckoned_by_the_rule_of_thumb(make_requests, log, capsys):
    asked = make_requests(1)
    ask_many(asked, Scripted(lambda text, before: Reply(text=YES)), log)
    assert f"1 call, {asked[0].sent_tokens + len(YES) // 4} tokens" in capsys.readouterr().out


def test_half_a_character_from_a_server_that_counts_no_tokens_is_a_reply(make_requests, log):
    asked = make_requests(2)
    ask_many(asked, Scripted(lambda text, before: Reply(text="no \ud800")), log)
    assert {record.text for record in read_log(log).values()} == {"no \N{REPLACEMENT CHARACTER}"}


def test_many_failures_in_a_row_end_the_run_with_their_reason(make_requests, log):
    backend = Scripted(lambda text, before: RefusedError("400: temperature is not supported"))
    with pytest.raises(CannotAskError, match=r"20 calls in a row failed.*temperature is not supported"):
        ask_many(make_requests(500), backend, log, concurrency=4)
    assert MOST_FAILED_IN_A_ROW <= len(backend.asked) <= MOST_FAILED_IN_A_ROW + 2 * 4


def test_failures_between_replies_end_nothing(make_requests, log):
    script = lambda text, before: RefusedError("400: too long") if int(text[9:-1]) % 10 else YES  # noqa: E731
    answers = ask_many(make_requests(200), Scripted(script), log, concurrency=1)
    assert [answer.status for answer in answers].count("ok") == 20


def test_a_server_that_restarts_is_waited_for_and_one_that_stays_away_ends_the_run(make_requests, log, hasty):
    gone = UnreachableError("no connection")
    backend = Scripted(lambda text, before: gone if text == "Question 5?" and before < 2 else YES)
    assert {answer.status for answer in ask_many(make_requests(10), backend, log, patience=hasty)} == {"ok"}

    backend = Scripted(lambda text, before: gone if int(text[9:-1]) >= 15 else YES)
    with pytest.raises(CannotAskError, match=r"no connection, in 3 tries"):
        ask_many(make_requests(100), backend, log, patience=hasty, concurrency=1)
    assert len(read_log(log)) == 15


def test_a_fatal_problem_keeps_what_was_answered(make_requests, log):
    backend = Scripted(lambda text, before: FatalError("401: no") if text == "Question 7?" else YES)
    with pytest.raises(CannotAskError, match=r"scripted: 401: no\n7 of 10 requests are done"):
        ask_many(make_requests(10), backend, log, concurrency=1)
    backend.script = lambda text, before: YES
    ask_many(make_requests(10), backend, log)
    assert sorted(backend.asked) == sorted([f"Question {number}?" for number in range(10)] + ["Question 7?"])


def test_an_unforeseen_error_is_not_swallowed_and_closes_the_log(make_requests, log):
    backend = Scripted(lambda text, before: ZeroDivisionError("bug"))
    with pytest.raises(ZeroDivisionError):
        ask_many(make_requests(10), backend, log)
    assert len(ask_many(make_requests(10), Scripted(), log)) == 10


def test_another_schema_of_the_same_words_is_another_question(make_requests, log):
    backend = Scripted()
    asked = make_requests(1)
    ask_many([*asked, *(dataclasses.replace(request, schema=None) for request in asked)], backend, log)
    assert len(backend.asked) == 2


def test_the_log_tells_model_tokens_time_and_moment(make_requests, log):
    ask_many(make_requests(1), Scripted(), log)
    line = json.loads(log.read_text())
    assert (line["sent"], line["received"], line["outcome"], line["text"]) == (90, 10, "replied", YES)
    assert 0 < line["seconds"] < 5
    assert line["at"].endswith("+00:00")


def test_shows_a_progress_bar_in_a_terminal_only(make_requests, log, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, shown in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        ask_many(make_requests(3 if shown else 2), Scripted(), log)
        assert ("request" in stream.getvalue()) == shown


def test_refuses_a_concurrency_of_nothing(make_requests, log):
    with pytest.raises(ValueError, match="concurrency: found 0"):
        ask_many(make_requests(1), Scripted(), log, concurrency=0)
