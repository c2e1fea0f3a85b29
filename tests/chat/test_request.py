import dataclasses
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.chat.forms import Form, json_schema
from helpers.chat.messages import Text, assistant, system, user
from helpers.chat.request import LONGEST_QUOTE, Request, Sampling


class Verdict(Form):
    answer: bool
    evidence: str


class Swapped(Form):
    evidence: str
    answer: bool


Swapped.__name__ = "Verdict"

BASE = Request(model="judge", messages=(system("Be brief."), user("Is it so?")), schema=Verdict)


def test_the_key_is_a_sha256_and_the_same_in_another_process():
    code = (
        "from helpers.chat.request import Request\nfrom helpers.chat.messages import user\n"
        "print(Request(model='m', messages=[user('Ça va?')]).key)"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = Request(model="m", messages=[user("Ça va?")]).key
    assert there.strip() == here
    assert len(bytes.fromhex(here)) == 32


@pytest.mark.parametrize(
    "change",
    [
        {"model": "judge-2"},
        {"messages": (system("Be brief."), user("Is it so? "))},
        {"messages": (user("Be brief."), user("Is it so?"))},
        {"messages": (system("Be brief."), user("Is it", " so?"))},
        {"messages": (user("Be brief.\n\nIs it so?"),)},
        {"schema": None},
        {"schema": Swapped},
        {"sampling": Sampling(temperature=0.7)},
        {"sampling": Sampling(temperature=None)},
        {"sampling": Sampling(top_p=0.8)},
        {"sampling": Sampling(seed=1)},
        {"sampling": Sampling(max_tokens=2048)},
        {"extra": {"chat_template_kwargs": {"enable_thinking": False}}},
    ],
    ids=str,
)
def test_whatever_changes_the_reply_changes_the_key(change):
    assert dataclasses.replace(BASE, **change).key != BASE.key


def test_equal_requests_have_equal_keys():
    again = Request(model="judge", messages=[system("Be brief."), user("Is it so?")], schema=Verdict)
    assert again.key == BASE.key
    assert dataclasses.replace(BASE, sampling=Sampling(temperature=0)).key == BASE.key
    extras = [dataclasses.replace(BASE, extra=extra) for extra in ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
    assert extras[0].key == extras[1].key


def test_a_request_that_only_writes_its_form_out_is_another_one_as_no_server_enforces_it():
    assert Request(model="judge", messages=BASE.sent).key != BASE.key


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_texts_never_share_a_key(one, other):
    try:
        keys = [Request(model="m", messages=(user(text),)).key for text in (one, other)]
    except ValueError:
        return
    assert (keys[0] == keys[1]) == (one == other)


def test_the_form_is_told_to_the_model_as_the_last_part_of_the_last_message():
    *before, last = BASE.sent
    assert tuple(before) == BASE.messages[:-1]
    assert last.parts[0] == Text("Is it so?")
    shown = last.parts[-1].text
    assert json.loads(shown[shown.index("{") :]) == json_schema(Verdict)


def test_a_repair_quotes_the_reply_and_the_reason_and_has_a_key_of_its_own():
    repair = BASE.repaired('{"answer": maybe}', "the JSON is wrong")
    assert repair.key != BASE.key
    asked = repair.messages[-1].parts[-1].text
    assert '{"answer": maybe}' in asked
    assert "the JSON is wrong" in asked
    assert "(nothing)" in BASE.repaired("", "the reply is empty").messages[-1].parts[-1].text
    assert [message.role for message in repair.sent] == ["system", "user"]


def test_a_repair_of_a_huge_reply_stays_small():
    repair = BASE.repaired("a" * 10_000_000 + "z", "too long")
    assert len(repair.messages[-1].parts[-1].text) < LONGEST_QUOTE + 1000
    assert "az" in repair.messages[-1].parts[-1].text


def test_tokens_are_estimated_by_bytes_so_that_other_scripts_count_more():
    plain = Request(model="m", messages=(user("x" * 400),), sampling=Sampling(max_tokens=50))
    assert (plain.sent_tokens, plain.most_tokens) == (100, 150)
    assert Request(model="m", messages=(user("日" * 400),)).sent_tokens == 300


@pytest.mark.parametrize("messages", [(), (system("x"),), (user("x"), assistant("y"))], ids=len)
def test_refuses_a_conversation_that_does_not_end_with_the_user(messages):
    with pytest.raises(ValueError, match="last one to be the user's"):
        Request(model="m", messages=messages)


@pytest.mark.parametrize(("text", "expected"), [(" \n", "blank"), ("ab\ud800c", "character 3 .*surrogate")])
def test_refuses_text_that_cannot_be_sent(text, expected):
    with pytest.raises(ValueError, match=expected):
        user(text)


@pytest.mark.parametrize(
    "bad", [{"temperature": -1}, {"temperature": 3}, {"top_p": 0}, {"max_tokens": 0}], ids=str
)
def test_refuses_impossible_sampling(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Sampling(**bad)


def test_nan_has_no_key():
    with pytest.raises(ValueError, match="JSON compliant"):
        dataclasses.replace(BASE, extra={"penalty": float("nan")}).key  # noqa: B018
