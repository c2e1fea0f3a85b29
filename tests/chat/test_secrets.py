"""A key shows up nowhere, even where a server repeats it in whatever it sends."""

import logging
import re
import traceback

import pytest

from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.gemini import Gemini
from helpers.chat.openai_compatible import OpenAICompatible

CANARY = "sk-canary-5f3c9a7e1d2b"
YES = '{"answer": "yes", "weight": 7}'


@pytest.fixture(params=["OpenAI", "Gemini"])
def backend(request, server, monkeypatch):
    monkeypatch.setenv("CANARY_KEY", CANARY)
    if request.param == "Gemini":
        return Gemini(base_url=server.address, key_variable="CANARY_KEY", timeout=0.2)
    return OpenAICompatible(base_url=f"{server.address}/v1", key_variable="CANARY_KEY", timeout=0.2)


ECHO = f"Wrong key {CANARY}, sent as Bearer {CANARY}"
ERROR = {"error": {"code": 400, "message": ECHO, "status": ECHO, "type": ECHO, "details": [{"x": ECHO}]}}
ANSWERS = (
    lambda reply, answer: reply(f'{{"answer": "yes", "weight": "{CANARY}"}}'),
    lambda reply, answer: reply(ECHO, blocked=True),
    lambda reply, answer: answer(ERROR, status=400),
    lambda reply, answer: answer(ERROR, status=429),
    lambda reply, answer: answer(ECHO, status=500, headers={"Content-Type": "text/plain"}),
    lambda reply, answer: answer([ECHO], status=500),
    lambda reply, answer: answer(f"<p>{ECHO}</p>", headers={"Content-Type": "text/html"}),
    lambda reply, answer: answer({"choices": ECHO, "candidates": ECHO}),
    lambda reply, answer: answer(delay=0.3),
    lambda reply, answer: answer(reset=True),
)


def everything(problem: BaseException | None) -> str:
    """The exception, those it came from, and what they and their frames hold, as a notebook may print it."""
    shown = ""
    while problem is not None:
        shown += "".join(traceback.format_exception(problem)) + repr(vars(problem)) + str(problem.args)
        shown += str([frame.f_locals for frame, _ in traceback.walk_tb(problem.__traceback__)])
        problem = problem.__cause__ or problem.__context__
    return shown


@pytest.fixture
def traces(backend, make_requests, tmp_path, hasty, caplog, capfd):
    """Ask, and return every text that is left behind."""

    def traces(number):
        problem, results = None, []
        with caplog.at_level(logging.DEBUG):
            try:
                results = ask_many(make_requests(number), backend, tmp_path / "log.jsonl", patience=hasty)
            except CannotAskError as error:
                problem = error
        kept = (tmp_path / "log.jsonl").read_text()
        shown = capfd.readouterr()
        return kept, shown.out, shown.err, caplog.text, repr(results), repr(backend), everything(problem)

    return traces


def test_a_key_is_in_no_message_record_or_log_line(server, backend, completion, candidate, answer, traces):
    def reply(text, blocked=False):
        if isinstance(backend, Gemini):
            return candidate(text, finish="SAFETY" if blocked else "STOP")
        return completion(text, finish="content_filter" if blocked else "stop")

    server.answer = lambda asked: ANSWERS[int(re.search(r"Question (\d+)", asked.text)[1])](reply, answer)
    left = traces(len(ANSWERS))
    assert all(CANARY in str(asked.headers) for asked in server.asked)
    assert "[key]" in left[0]
    assert not [text for text in left if CANARY in text]


def test_a_key_is_not_in_the_exception_that_says_it_is_wrong(server, answer, traces):
    server.answer = lambda asked: answer(ERROR, status=401)
    left = traces(1)
    assert "401: Wrong key [key]" in left[-1]
    assert not [text for text in left if CANARY in text]
