import base64
import re

import pytest

from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.clips import HeldFrames
from helpers.chat.gemini import Gemini
from helpers.chat.messages import assistant, system, user
from helpers.chat.request import Request, Sampling

YES = '{"answer": "yes", "weight": 7}'


@pytest.fixture
def backend(server, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "canary-0123456789")
    return Gemini(base_url=server.address, timeout=10.0)


@pytest.fixture
def ask(backend, make_requests, tmp_path, hasty):
    def ask(number=1, **about):
        about = {"backend": backend, "log": tmp_path / "log.jsonl", "patience": hasty} | about
        return ask_many(make_requests(number), **about)

    return ask


def error(status: int, message: str, *details: dict, name: str = "") -> dict:
    """An error as the API writes it (google.rpc.Status in JSON)."""
    content = {"code": status, "message": message, "status": name}
    if details:
        content["details"] = [
            item | {"@type": f"type.googleapis.com/google.rpc.{item['@type']}"} for item in details
        ]
    return {"status": status, "body": {"error": content}}


def test_sends_what_the_request_says(server, backend, tmp_path, verdict):
    request = Request(
        model="gemini-judge",
        messages=(system("Be brief."), user("A?"), assistant("B."), user("C", "D?")),
        schema=verdict,
        sampling=Sampling(temperature=0.5, top_p=0.9, max_tokens=77, seed=3),
        extra={"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
    )
    (result,) = ask_many([request], backend, tmp_path / "log.jsonl")
    (asked,) = server.asked
    assert asked.path.endswith("/models/gemini-judge:generateContent")
    assert asked.headers["x-goog-api-key"] == "canary-0123456789"
    assert [content["role"] for content in asked.body["contents"]] == ["user", "model", "user"]
    assert asked.text.startswith("C\n\nD?\n\nReply with one JSON object")
    assert asked.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    config = asked.body["generationConfig"]
    assert (config["temperature"], config["topP"], config["maxOutputTokens"], config["seed"]) == (
        0.5,
        0.9,
        77,
        3,
    )
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["required"] == ["answer", "weight"]
    assert config["thinkingConfig"] == {"thinkingBudget": 0}
    assert (result.status, result.model, result.value.weight) == ("ok", "judge-2026", 7)


def test_pictures_travel_as_bytes_between_texts(server, backend, tmp_path, picture):
    clip = HeldFrames((picture, picture), (0.0, 0.5), fps=24, total=24)
    request = Request(model="gemini-judge", messages=(user(picture, clip, "Is it so?"),), sampling=Sampling())
    ask_many([request], backend, tmp_path / "log.jsonl")
    (content,) = server.asked[0].body["contents"]
    # Protobuf's JSON mapping takes both alphabets of base64 and both spellings of a field's name.
    image = {
        "inlineData": {"data": base64.urlsafe_b64encode(picture.data).decode(), "mime_type": "image/png"}
    }
    assert content["parts"] == [
        image,
        {"text": "t = 0.00 s"},
        image,
        {"text": "t = 0.50 s"},
        image,
        {"text": "Is it so?"},
    ]


def test_free_text_needs_no_schema(server, candidate, backend, make_requests, tmp_path):
    server.answer = lambda asked: candidate("A fair in Peru.")
    (result,) = ask_many(make_requests(1, schema=None), backend, tmp_path / "log.jsonl")
    assert (result.status, result.value) == ("ok", "A fair in Peru.")
    assert "responseMimeType" not in server.asked[0].body["generationConfig"]


REPLIES = {
    "plain": (YES, "ok", "strict", 1),
    "fenced": (f"```json\n{YES}\n```", "ok", "tolerant", 1),
    "wrong types": (YES.replace("7", '"7"'), "unscored", None, 2),
    "no parts": (None, "unscored", None, 2),
}


@pytest.mark.parametrize(("text", "status", "reading", "calls"), REPLIES.values(), ids=REPLIES)
def test_a_reply_is_read_or_unscored_with_its_text_kept(server, candidate, ask, text, status, reading, calls):
    server.answer = lambda asked: candidate(text)
    (result,) = ask()
    assert (result.status, result.reading, result.raw) == (status, reading, text or "")
    assert ask() == [result]
    assert len(server.asked) == calls


def test_thoughts_are_no_part_of_the_reply_but_of_its_tokens(server, answer, ask, capsys):
    parts = [{"text": "Surely no", "thought": True}, {"text": YES}]
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 900}
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
    server.answer = lambda asked: answer(body)
    assert ask()[0].raw == YES
    assert "1 call, 915 tokens: 1 ok" in capsys.readouterr().out


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "CONTINUATION"])
def test_a_reply_cut_off_at_its_longest_length_is_not_trusted(server, candidate, ask, finish):
    server.answer = lambda asked: candidate(f"{YES} But then", finish=finish)
    assert ask()[0].reason == "the reply was cut off before it was complete"
    assert len(server.asked) == 2


@pytest.mark.parametrize("finish", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"])
def test_a_stopped_reply_is_blocked_and_final(server, candidate, ask, finish):
    server.answer = lambda asked: candidate("Half a", finish=finish)
    (result,) = ask()
    assert (result.status, result.raw, result.reason) == (
        "blocked",
        "Half a",
        f"{finish}: the reply was stopped",
    )
    assert ask() == [result]
    assert len(server.asked) == 1


def test_a_blocked_prompt_is_blocked(server, answer, ask):
    server.answer = lambda asked: answer({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    (result,) = ask()
    assert (result.status, result.reason) == ("blocked", "PROHIBITED_CONTENT: the prompt was blocked")


FAULTS = {
    "429": error(429, "slow down", name="RESOURCE_EXHAUSTED"),
    "429 RetryInfo": error(429, "slow down", {"@type": "RetryInfo", "retryDelay": "0.05s"}),
    "503": error(503, "The model is overloaded", name="UNAVAILABLE"),
    "500 as text": {"status": 500, "body": "oops", "headers": {"Content-Type": "text/plain"}},
    "reset": {"reset": True},
    "HTML with 200": {"body": "<html>Busy</html>", "headers": {"Content-Type": "text/html"}},
    "truncated body": {"body": '{"candidates": [', "missing": 10},
    "another type": {"body": {"candidates": 7}},
    "a list": {"body": []},
}


def test_passing_faults_are_tried_again_and_failed_at_last_but_not_for_good(server, candidate, answer, ask):
    def fault(asked):
        return answer(**list(FAULTS.values())[int(re.search(r"Question (\d+)", asked.text)[1])])

    number = len(FAULTS)
    server.answer = lambda asked: fault(asked)
    failed = dict(zip(FAULTS, ask(number), strict=True))
    assert {result.status for result in failed.values()} == {"failed"}
    assert not [name for name, result in failed.items() if "given up after 3 tries" not in result.reason]
    assert len(server.asked) == 3 * number

    server.asked.clear()
    server.answer = lambda asked: fault(asked) if asked.before == 0 else candidate()
    mended = dict(zip(FAULTS, ask(number), strict=True))
    assert not [name for name, result in mended.items() if result.status != "ok"]
    assert len(server.asked) == 2 * number


def test_waits_as_long_as_the_server_asks(server, candidate, answer, ask):
    fault = error(429, "slow down", {"@type": "RetryInfo", "retryDelay": "0.4s"})
    server.answer = lambda asked: answer(**fault) if asked.before == 0 else candidate()
    assert ask()[0].status == "ok"
    assert server.asked[1].at - server.asked[0].at >= 0.39


def test_a_hang_is_given_up_and_tried_again(server, candidate, ask):
    server.answer = lambda asked: candidate(delay=0.5 if asked.before == 0 else 0)
    assert ask(backend=Gemini(base_url=server.address, timeout=0.15))[0].status == "ok"
    assert len(server.asked) == 2


DAY = {
    "@type": "QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
FATAL = {
    "wrong key": error(400, "API key not valid", {"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}),
    "no access": error(403, "The caller does not have permission", name="PERMISSION_DENIED"),
    "no model": error(404, "models/judge is not found", name="NOT_FOUND"),
    "a day's quota": error(
        429, "You exceeded your current quota", DAY, {"@type": "RetryInfo", "retryDelay": "0.01s"}
    ),
    "an hour's wait": error(429, "Later", {"@type": "RetryInfo", "retryDelay": "3600s"}),
}


@pytest.mark.parametrize("fault", FATAL.values(), ids=FATAL)
def test_what_no_request_can_pass_is_said_once_and_ends_the_run(server, answer, ask, capsys, fault):
    server.answer = lambda asked: answer(**fault)
    message = fault["body"]["error"]["message"]
    with pytest.raises(CannotAskError) as problem:
        ask(50, concurrency=4)
    assert str(problem.value).count(message) == 1
    assert len(server.asked) <= 8
    shown = capsys.readouterr()
    assert message not in shown.out + shown.err


def test_a_request_that_the_server_does_not_take_fails_alone(server, candidate, answer, ask):
    fault = error(400, "The input token count exceeds the maximum", name="INVALID_ARGUMENT")
    server.answer = lambda asked: answer(**fault) if "Question 1?" in asked.text else candidate()
    results = ask(3)
    assert [result.status for result in results] == ["ok", "failed", "ok"]
    assert results[1].reason == "400: The input token count exceeds the maximum"


def test_a_dead_endpoint_is_said_at_once_and_once(server, ask):
    server.server_close()
    with pytest.raises(CannotAskError, match=r"no connection"):
        ask(100)
