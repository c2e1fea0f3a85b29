"""A run in a process of its own, ended by force again and again."""

import random
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from helpers.chat.ask import ask_many
from helpers.chat.forms import Form
from helpers.chat.log import Record, read_log
from helpers.chat.messages import user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request
from helpers.chat.results import next_step, results

NUMBER, CONCURRENCY, KILLS = 300, 4, 20
SCRIPT = f"""
import sys
from pathlib import Path
from helpers.chat.ask import ask_many
from helpers.chat.forms import Form
from helpers.chat.messages import user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request

class Verdict(Form):
    answer: bool

texts = [f"Question {{i}}?" for i in range({NUMBER})]
asked = [Request(model="judge", messages=(user(text),), schema=Verdict) for text in texts]
ask_many(asked, OpenAICompatible(base_url=sys.argv[1]), Path(sys.argv[2]), concurrency={CONCURRENCY})
"""
UNREADABLE = "Hard to say"


class Verdict(Form):
    answer: bool


REQUESTS = [Request(model="judge", messages=(user(f"Question {i}?"),), schema=Verdict) for i in range(NUMBER)]


def respond(completion, delay):
    """Yes or no by the question's number; every seventh only when asked to repair, every 49th never."""

    def reply(asked):
        number, repair = what(asked)
        unreadable = number % 49 == 0 or (number % 7 == 0 and not repair)
        text = UNREADABLE if unreadable else f'{{"answer": {"true" if number % 2 else "false"}}}'
        return completion(text, delay=delay)

    return reply


def what(asked) -> tuple[int, bool]:
    return int(re.search(r"Question (\d+)", asked.text)[1]), asked.is_repair


def calls_by_key() -> dict[str, tuple[int, bool]]:
    """Which question, and whether its repair, each possible key stands for."""
    calls = {}
    for number, request in enumerate(REQUESTS):
        reply = Record(key=request.key, outcome="replied", text=UNREADABLE, at="2026")
        calls[request.key] = (number, False)
        calls[next_step(request, {request.key: reply}).key] = (number, True)
    return calls


@pytest.fixture
def start(server, tmp_path):
    log, running = tmp_path / "log.jsonl", []

    def start():
        command = [sys.executable, "-c", SCRIPT, f"{server.address}/v1", str(log)]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return running[-1]

    start.log = log
    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def unbroken(server, completion, tmp_path):
    server.answer = respond(completion, 0)
    answers = ask_many(
        REQUESTS, OpenAICompatible(base_url=f"{server.address}/v1"), tmp_path / "unbroken.jsonl"
    )
    assert {answer.status for answer in answers} == {"ok", "unscored"}
    server.asked.clear()
    return answers


@pytest.mark.slow
def test_kill_9_at_twenty_points_loses_nothing_and_asks_twice_only_what_was_in_flight(
    server, completion, start, unbroken
):
    rng, calls = random.Random(0), calls_by_key()
    reached, reply = threading.Event(), respond(completion, 0.02)
    target = 0

    def answer(asked):
        if len(server.asked) >= target:
            reached.set()
        return reply(asked)

    server.answer = answer
    in_flight = dict.fromkeys(calls.values(), 0)
    kept = b""
    for kill in range(KILLS):
        before, target = len(server.asked), len(server.asked) + rng.randint(1, 24)
        reached.clear()
        process = start()
        assert reached.wait(60), f"kill {kill}: {process.communicate()}"
        time.sleep(rng.uniform(0, 0.03))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        time.sleep(0.05)  # requests that were sent reach the server
        recorded = {calls[key] for key in read_log(start.log)}
        flying = {what(asked) for asked in server.asked[before:]} - recorded
        assert len(flying) <= CONCURRENCY
        for call in flying:
            in_flight[call] += 1
        content = start.log.read_bytes()
        content = content[: content.rfind(b"\n") + 1]
        assert content.startswith(kept)
        kept = content

    target = NUMBER * 10
    process = start()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert start.log.read_bytes().startswith(kept)
    assert results(REQUESTS, read_log(start.log)) == unbroken
    asked = [what(asked) for asked in server.asked]
    assert sum(in_flight.values()) > KILLS / 2
    assert not [call for call in set(asked) if asked.count(call) != 1 + in_flight[call]]


@pytest.mark.slow
def test_an_interrupt_stops_at_once_and_the_same_command_goes_on(server, completion, start, unbroken):
    server.answer = respond(completion, 0.05)
    process = start()
    while len(server.asked) < 20:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert "KeyboardInterrupt" in err
    assert "never" not in err  # neither "was never awaited" nor "was never retrieved"
    server.answer = respond(completion, 0)
    assert start().wait(60) == 0
    assert results(REQUESTS, read_log(start.log)) == unbroken


@pytest.mark.slow
def test_two_runs_at_once_do_not_ask_twice(server, completion, start):
    server.answer = respond(completion, 0.05)
    first, second = start(), start()
    errors = [process.communicate(timeout=60)[1] for process in (first, second)]
    assert sorted([first.returncode, second.returncode]) == [0, 1]
    assert "another run is writing to it" in "".join(errors)
    asked = [what(asked) for asked in server.asked]
    assert len(asked) == len(set(asked))
