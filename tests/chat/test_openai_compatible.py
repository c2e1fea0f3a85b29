import base64
import json
import re
import time
from email.utils import formatdate

import pytest

from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.caller import Patience
from helpers.chat.clips import HeldFrames
from helpers.chat.messages import assistant, system, user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request, Sampling

YES = '{"answer": "yes", "weight": 7}'


@pytest.fixture
def backend(server):
    return OpenAICompatible(base_url=f"{server.address}/v1", timeout=10.0)


@pytest.fixture
def ask(backend, make_requests, tmp_path, hasty):
    """Ask one question (or so many) and return the results."""

    def ask(number=1, **about):
        about = {"backend": backend, "log": tmp_path / "log.jsonl", "patience": hasty} | about
        return ask_many(make_requests(number), **about)

    return ask


def test_sends_what_the_request_says(server, backend, tmp_path, verdict):
    request = Request(
        model="judge",
        messages=(system("Be brief."), user("A?"), assistant("B."), user("C", "D?")),
        schema=verdict,
        sampling=Sampling(temperature=0.5, top_p=0.9, max_tokens=77, seed=3),
        extra={"chat_template_kwargs": {"enable_thinking": False}},
    )
    (result,) = ask_many([request], backend, tmp_path / "log.jsonl")
    body = server.asked[0].body
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][-1]["content"].startswith("C\n\nD?\n\nReply with one JSON object")
    sent = {name: body[name] for name in ("model", "temperature", "top_p", "max_tokens", "seed")}
    assert sent == {"model": "judge", "temperature": 0.5, "top_p": 0.9, "max_tokens": 77, "seed": 3}
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["answer", "weight"]
    assert (result.status, result.model, result.value.weight) == ("ok", "judge-2026", 7)


def test_pictures_travel_as_data_urls_between_texts_and_stay_out_of_the_log(
    server, backend, tmp_path, verdict, picture
):
    clip = HeldFrames((picture, picture), (0.0, 0.5), fps=24, total=24)
    request = Request(
        model="judge",
        messages=(system("Be brief."), user(clip, "Is it so?"), assistant("Yes."), user(picture, "And now?")),
        schema=verdict,
    )
    log = tmp_path / "log.jsonl"
    assert ask_many([request], backend, log)[0].status == "ok"
    first, second, third, last = (message["content"] for message in server.asked[0].body["messages"])
    assert (first, third) == ("Be brief.", "Yes.")
    url = "data:image/png;base64," + base64.b64encode(picture.data).decode()
    image = {"type": "image_url", "image_url": {"url": url}}
    times = [{"type": "text", "text": f"t = {time} s"} for time in ("0.00", "0.50")]
    assert second == [times[0], image, times[1], image, {"type": "text", "text": "Is it so?"}]
    assert last[0] == image
    assert last[1]["text"].startswith("And now?\n\nReply with one JSON object")
    assert len(last) == 2
    assert log.stat().st_size < 500


@pytest.mark.parametrize("address", ["https://api.openai.com/v1", "https://api.openai.com/v1/"])
def test_openai_itself_gets_the_name_that_its_newer_models_demand(address):
    request = Request(model="m", messages=(user("x"),), sampling=Sampling(temperature=None))
    arguments = json.loads(OpenAICompatible(base_url=address)._body(request))
    assert "max_tokens" not in arguments
    assert "temperature" not in arguments
    assert arguments["max_completion_tokens"] == 1024


def test_no_other_key_of_the_users_reaches_a_server(server, ask, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-canary-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert ask()[0].status == "ok"
    assert "canary" not in str(server.asked[0].headers)


# What a server may reply, whether it can be read, and after how many calls it is settled.
REPLIES = {
    "plain": (YES, "ok", "strict", 1),
    "fenced": (f"```json\n{YES}\n```", "ok", "tolerant", 1),
    "prose around": (f"Sure! {YES} Anything else?", "ok", "tolerant", 1),
    "reasoning before": (f"<think>{YES}? Yes.</think>{YES}", "ok", "tolerant", 1),
    "truncated": (YES[:-5], "unscored", None, 2),
    "wrong types": (YES.replace("7", '"7"'), "unscored", None, 2),
    "two candidates": (f"{YES} {YES.replace('yes', 'no')}", "unscored", None, 2),
    "empty": ("", "unscored", None, 2),
    "null": (None, "unscored", None, 2),
    "half a surrogate pair": ("\ud83d", "unscored", None, 2),
    "another script": ("はい", "unscored", None, 2),
}


@pytest.mark.parametrize(("text", "status", "reading", "calls"), REPLIES.values(), ids=REPLIES)
def test_a_reply_is_read_or_unscored_with_its_text_kept(
    server, completion, ask, text, status, reading, calls
):
    server.answer = lambda asked: completion(text)
    (result,) = ask()
    assert (result.status, result.reading, len(server.asked)) == (status, reading, calls)
    assert result.raw == (text or "").replace("\ud83d", "�")
    assert (result.repair is not None) == (calls == 2)
    assert ask() == [result]
    assert len(server.asked) == calls


def test_a_reply_that_cannot_be_read_is_repaired_once(server, completion, ask):
    server.answer = lambda asked: completion(YES if asked.is_repair else "Yes, surely")
    (result,) = ask()
    assert (result.status, result.reading, result.raw) == ("ok", "repaired", "Yes, surely")
    assert "Yes, surely" in server.asked[1].text


@pytest.mark.parametrize("finish", ["length", "abort", "error", "tool_calls"])
def test_a_reply_that_did_not_come_to_its_end_is_not_trusted(server, completion, ask, finish):
    server.answer = lambda asked: completion(f"{YES} But then", finish=finish)
    (result,) = ask()
    assert (result.status, result.reason) == ("unscored", "the reply was cut off before it was complete")


def test_ten_megabytes_are_refused_and_the_first_million_characters_kept(server, completion, ask, tmp_path):
    server.answer = lambda asked: completion("lorem " * 1_750_000)
    (result,) = ask()
    assert (result.status, len(server.asked), len(result.raw)) == ("unscored", 2, 1_000_000)
    first = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])
    assert first["length"] == 10_500_000
    assert len(json.dumps(server.asked[1].body)) < 10_000


BLOCKS = {
    "refusal": lambda completion, answer: completion(None, refusal="I can't help with that \ud83d."),
    "filter": lambda completion, answer: completion("Half a", finish="content_filter"),
    "Azure": lambda completion, answer: answer(
        {"error": {"code": "content_filter", "message": "The response was filtered"}}, status=400
    ),
    "OpenRouter": lambda completion, answer: answer(
        {"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["x"], "flagged_input": "…"}}},
        status=403,
    ),
    "OpenRouter with 200": lambda completion, answer: answer(
        {"error": {"code": 403, "message": "flagged", "metadata": {"flagged_input": "…"}}}
    ),
}


@pytest.mark.parametrize("make", BLOCKS.values(), ids=BLOCKS)
def test_a_refusal_or_filter_is_blocked_and_final(server, completion, answer, ask, make):
    server.answer = lambda asked: make(completion, answer)
    (result,) = ask()
    assert result.status == "blocked"
    assert result.reason
    assert ask() == [result]
    assert len(server.asked) == 1


FAULTS = {
    "429": {"status": 429, "body": {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}},
    "429 after": {"status": 429, "headers": {"Retry-After": "0.2"}},
    "500": {"status": 500, "body": "Internal Server Error", "headers": {"Content-Type": "text/plain"}},
    "503": {"status": 503, "body": {"error": None}},
    "reset": {"reset": True},
    "HTML with 200": {"body": "<html><body>Busy</body></html>", "headers": {"Content-Type": "text/html"}},
    "HTML as JSON": {"body": "<html><body>Busy</body></html>"},
    "truncated body": {"body": '{"choices": [', "missing": 0},
    "missing body": {"body": '{"choices": [', "missing": 100},
    "empty body": {"body": ""},
    "no choices": {"body": {"choices": []}},
    "choices of another type": {"body": {"choices": [{"message": {"content": 7}}]}},
    "a list": {"body": []},
    "error with 200": {"body": {"error": {"code": 502, "message": "provider down"}}},
    "deep": {"body": "[" * 100_000},
}


def test_passing_faults_are_tried_again_and_failed_at_last_but_not_for_good(server, completion, answer, ask):
    def fault(asked):
        return answer(**list(FAULTS.values())[int(re.search(r"Question (\d+)", asked.text)[1])])

    number = len(FAULTS)
    server.answer = lambda asked: fault(asked)
    failed = dict(zip(FAULTS, ask(number), strict=True))
    assert {result.status for result in failed.values()} == {"failed"}
    assert not [name for name, result in failed.items() if "given up after 3 tries" not in result.reason]
    assert len(server.asked) == 3 * number

    server.asked.clear()
    server.answer = lambda asked: fault(asked) if asked.before == 0 else completion()
    mended = dict(zip(FAULTS, ask(number), strict=True))
    assert not [name for name, result in mended.items() if result.status != "ok"]
    assert len(server.asked) == 2 * number


def test_a_hang_is_given_up_and_tried_again(server, completion, ask):
    hanging = OpenAICompatible(base_url=f"{server.address}/v1", timeout=0.15)
    server.answer = lambda asked: completion(delay=0.5 if asked.before == 0 else 0)
    started = time.monotonic()
    assert ask(backend=hanging)[0].status == "ok"
    assert len(server.asked) == 2
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("header", ["seconds", "milliseconds", pytest.param("date", marks=pytest.mark.slow)])
def test_waits_as_long_as_the_server_asks(server, completion, answer, ask, header):
    def respond(asked):
        value = {
            "seconds": {"Retry-After": "0.4"},
            "milliseconds": {"retry-after-ms": "400", "Retry-After": "30"},
            "date": {"Retry-After": formatdate(time.time() + 1.99, usegmt=True)},
        }[header]
        return answer(status=429, headers=value) if asked.before == 0 else completion()

    server.answer = respond
    assert ask(patience=Patience(tries=2, first=0.01, longest=20))[0].status == "ok"
    assert server.asked[1].at - server.asked[0].at >= 0.39


def test_a_request_that_the_server_does_not_take_fails_alone(server, completion, answer, ask):
    def respond(asked):
        long = {"error": {"message": "maximum context length is 10", "code": "context_length_exceeded"}}
        return answer(long, status=400) if "Question 1?" in asked.text else completion()

    server.answer = respond
    results = ask(3)
    assert [result.status for result in results] == ["ok", "failed", "ok"]
    assert results[1].reason == "400: maximum context length is 10"
    assert len(server.asked) == 3


FATAL = {
    "wrong key": (401, {"message": "Incorrect API key provided", "code": "invalid_api_key"}, {}),
    "no model": (404, {"message": "The model `judge` does not exist", "code": "model_not_found"}, {}),
    "no credit": (402, {"message": "Insufficient credits"}, {}),
    "no quota": (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, {}),
    "no access": (403, {"message": "Country not supported"}, {}),
    "a day's wait": (429, {"message": "Daily limit"}, {"Retry-After": "86400"}),
}


@pytest.mark.parametrize(("status", "error", "headers"), FATAL.values(), ids=FATAL)
def test_what_no_request_can_pass_is_said_once_and_ends_the_run(
    server, completion, answer, ask, capsys, status, error, headers
):
    server.answer = lambda asked: (
        completion()
        if "Question 0?" in asked.text
        else answer({"error": error}, status=status, headers=headers, delay=0.2)
    )
    with pytest.raises(CannotAskError) as problem:
        ask(200, concurrency=4)
    assert str(problem.value).count(error["message"]) == 1
    assert f"{status}: " in str(problem.value)
    assert "1 of 200 requests are done and kept in" in str(problem.value)
    assert len(server.asked) <= 1 + 2 * 4
    shown = capsys.readouterr()
    assert error["message"] not in shown.out + shown.err
    assert shown.out.count("\n") == 1


def test_a_dead_endpoint_is_said_at_once_and_once(server, ask, make_requests):
    server.server_close()
    started = time.monotonic()
    with pytest.raises(CannotAskError, match=r"127.0.0.1:\d+/v1: no connection"):
        ask(100, backend=OpenAICompatible(base_url=f"{server.address}/v1"), patience=Patience())
    assert time.monotonic() - started < 3


def test_no_key_is_said_before_anything_is_asked(server, ask, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ValueError, match="NO_SUCH_KEY is not set"):
        ask(backend=OpenAICompatible(base_url=f"{server.address}/v1", key_variable="NO_SUCH_KEY"))
    assert not server.asked


def test_the_key_is_sent_as_a_bearer(server, ask, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-canary-0123456789\n")
    ask(backend=OpenAICompatible(base_url=f"{server.address}/v1", key_variable="SOME_KEY"))
    assert server.asked[0].headers["authorization"] == "Bearer sk-canary-0123456789"
