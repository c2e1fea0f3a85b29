"""A study judged in a process of its own, ended by force at thirty points."""

import random
import re
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

from helpers import tables
from helpers.chat.log import read_log
from helpers.judging.study import judge_study, log_of
from judging.replies import fitting

CLIPS, CONCURRENCY, KILLS = 40, 4, 30
REQUESTS = CLIPS * 3 + CLIPS + CLIPS
SCRIPT = f"""
import sys
from pathlib import Path
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.judging.judge import Judge
from helpers.judging.run import Pace
from helpers.judging.study import judge_study

backend = OpenAICompatible(base_url=sys.argv[1])
judge = Judge(rater_id="Judge A", model="judge", backend=backend)
judge_study(Path(sys.argv[2]), judge, pace=Pace(concurrency={CONCURRENCY}))
"""


@pytest.fixture
def large_study(study):
    """Forty clips of each benchmark: the small study's, cut to other lengths."""
    from judging.conftest import row, write

    videos = tables.read(study, "videos")
    more = []
    for video in videos.itertuples():
        for take in range(CLIPS // 2 - 1):
            name = f"{video.video_id}-{take}"
            write(study / f"videos/{name}.mp4", 1000 + len(more), frames=8)
            more.append(row(study, name, video.prompt_id) | {"frames": 8, "seed": take})
    tables.write(study, "videos", pd.concat([videos, pd.DataFrame(more)], ignore_index=True))
    return study


def what(asked) -> tuple:
    """A call, whatever process made it: its clip, its question and whether it is a repair."""
    pictures = [part["image_url"]["url"] for part in asked.parts if part["type"] == "image_url"]
    question = re.sub(r"\s+", " ", asked.text)
    return hash(tuple(pictures)), question, asked.is_repair


def respond(completion, delay):
    """Every fifth reply can be read only after a repair, by its question's words."""

    def reply(asked):
        untidy = sum(map(ord, asked.text)) % 5 == 0 and not asked.is_repair
        return completion("Hard to say" if untidy else fitting(asked.text), delay=delay)

    return reply


@pytest.mark.slow
def test_nothing_is_lost_and_only_what_was_in_flight_is_asked_twice(server, completion, large_study, judge):
    study, rng = large_study, random.Random(0)
    server.answer = respond(completion, 0)
    judge_study(study, judge)
    unbroken = {name: tables.read(study, name) for name in ("answers", "ratings", "raters")}
    calls = len(server.asked)
    assert calls > REQUESTS
    for name in unbroken:
        tables.table_path(study, name, "judge-a").unlink()
    log_of(study, judge).unlink()
    server.asked.clear()

    reached, reply, target = threading.Event(), respond(completion, 0.02), 0

    def answer(asked):
        if len(server.asked) >= target:
            reached.set()
        return reply(asked)

    def start() -> subprocess.Popen:
        command = [sys.executable, "-c", SCRIPT, f"{server.address}/v1", str(study)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    server.answer = answer
    kept, doubled = b"", 0
    for kill in range(KILLS):
        target = len(server.asked) + rng.randint(1, 8)
        reached.clear()
        process = start()
        try:
            assert reached.wait(120), f"kill {kill}: {process.communicate(timeout=5)}"
            time.sleep(rng.uniform(0, 0.03))
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        time.sleep(0.1)  # requests that were sent reach the server
        content = log_of(study, judge).read_bytes() if log_of(study, judge).exists() else b""
        content = content[: content.rfind(b"\n") + 1]
        assert content.startswith(kept)
        kept = content
        flying = len(server.asked) - doubled - len(read_log(log_of(study, judge)))
        assert 0 <= flying <= CONCURRENCY
        doubled += flying
        assert not tables.exists(study, "answers")

    target = 10**9
    process = start()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert len(server.asked) == calls + doubled
    asked = [what(asked) for asked in server.asked]
    assert len(set(asked)) == calls
    for name, rows in unbroken.items():
        pd.testing.assert_frame_equal(tables.read(study, name), rows)
