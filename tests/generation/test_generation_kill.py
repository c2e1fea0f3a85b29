"""A run in a process of its own, ended by force again and again."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from helpers import tables
from helpers.generation import journal
from helpers.video.probe import probe
from stand_in_models import described, jobs_for

NUMBER, KILLS = 30, 20
SCRIPT = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, "tests")
from helpers.generation.run import generate
from stand_in_models import StandInModel, described, jobs_for

class Slow(StandInModel):
    def generate(self, prompt, *rest):
        with open(sys.argv[2], "a") as calls:
            print(prompt, file=calls, flush=True)
        time.sleep(0.03)
        return super().generate(prompt, *rest)

print(generate(Path(sys.argv[1]), jobs_for(described(), number={NUMBER}), load=Slow(), quiet=True))
"""


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.slow
def test_kill_9_at_twenty_points_leaves_no_half_clip_and_repeats_only_the_one_in_flight(tmp_path):
    rng = random.Random(0)
    study, calls = tmp_path / "study", tmp_path / "calls"
    jobs = {job.prompt: job for job in jobs_for(described(), number=NUMBER)}
    in_flight, kills = Counter(), 0

    def start():
        command = [sys.executable, "-c", SCRIPT, str(study), str(calls)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    while kills < KILLS:
        process, before = start(), len(lines(calls))
        target = before + rng.randint(1, 2)
        while len(lines(calls)) < target and process.poll() is None:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.06))
        process.kill()
        killed = process.wait() == -signal.SIGKILL
        process.communicate()
        assert killed, "every kill is meant to hit a run that is at work"
        kills += 1

        rows = journal.read(study)
        for path in (study / "videos").rglob("*.mp4"):
            if not path.name.startswith("."):
                assert probe(path).status == "ok", f"a half clip under its name: {path}"
        for row in rows.values():
            assert (study / row.path).stat().st_size == row.bytes
        recorded = set(rows)
        flying = {prompt for prompt in lines(calls)[before:] if jobs[prompt].video_id not in recorded}
        assert len(flying) <= 1
        in_flight.update(flying)

    process = start()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    table = tables.read(study, "videos")
    assert table["status"].tolist() == ["ok"] * NUMBER
    assert set(table["video_id"]) == {job.video_id for job in jobs.values()}
    assert sorted(path.name for path in (study / "videos").rglob("*") if path.is_file()) == sorted(
        Path(path).name for path in table["path"]
    )
    asked = Counter(lines(calls))
    assert in_flight.total() > KILLS / 2
    assert asked == Counter({prompt: 1 + in_flight[prompt] for prompt in jobs})
