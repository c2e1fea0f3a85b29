"""Judges named in a study file, asked by the command line."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers import study as studies
from helpers import tables
from helpers.checking import DataError
from helpers.imports.keeping import keep
from helpers.imports.videos import import_videos
from helpers.judging import __main__ as command
from helpers.paths import ROOT
from helpers.scores.culturescore import asked_questions, culturescore
from helpers.simulate.clips import simulate_clips
from judging.replies import fitting

REAL = ROOT.parent / "shared" / "data" / "videos"


@pytest.fixture
def study_file(study, server, monkeypatch):
    """A study file for the small study, whose judges stand behind the local server."""
    monkeypatch.setattr(studies, "STUDIES", study.parent)

    def write(judges: str = "") -> str:
        path = study.parent / "study.yaml"
        default = f"[{{name: Judge A, kind: server, model: judge, base_url: '{server.address}/v1'}}]"
        path.write_text(f"name: study\nseed: 1\njudges: {judges or default}\n", encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def good(server, completion):
    server.answer = lambda asked: completion(fitting(asked.text))
    return server


def test_a_budget_stops_a_run_and_the_same_command_goes_on(good, study, study_file, capsys):
    file = study_file()
    assert command.main([file, "--dry-run"]) == 0
    assert "10 calls" in capsys.readouterr().out
    assert not good.asked
    assert command.main([file, "--calls", "4"]) == 1
    assert tables.read(study, "answers")["status"].isin(["ok", "missing"]).all()
    assert command.main([file]) == 0
    assert len(good.asked) == 10
    assert set(tables.read(study, "ratings")["status"]) == {"ok"}
    assert command.main([file]) == 0
    assert len(good.asked) == 10


def test_only_the_judges_asked_for(good, study, study_file):
    at = f"kind: server, model: judge, base_url: '{good.address}/v1'"
    file = study_file(f"[{{name: A, {at}}}, {{name: B, {at}}}]")
    assert command.main([file, "--judge", "B"]) == 0
    assert tables.read(study, "raters")["rater_id"].tolist() == ["B"]


@pytest.mark.parametrize(
    ("arguments", "judges", "message"),
    [
        (["--judge", "Judge"], "", "has no judge 'Judge'; did you mean 'Judge A'"),
        ([], "[]", "has no judges; expected `judges`"),
        ([], "[{name: G, kind: gemini, model: g, key_variable: NO_SUCH_KEY}]", "NO_SUCH_KEY"),
        ([], "[{name: L, kind: local, model: /nowhere/model}]", "there is no folder"),
    ],
)
def test_a_refusal_is_a_message_and_status_2(study_file, capsys, arguments, judges, message):
    assert command.main([study_file(judges), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_judge_that_is_refused_does_not_keep_the_next_from_being_asked(good, study, study_file, capsys):
    at = f"kind: server, model: judge, base_url: '{good.address}/v1'"
    file = study_file(f"[{{name: A, {at}, key_variable: NO_SUCH_KEY}}, {{name: B, {at}}}]")
    assert command.main([file]) == 2
    assert "A: " in capsys.readouterr().err
    assert tables.read(study, "raters")["rater_id"].tolist() == ["B"]


def test_what_stops_a_dry_run_is_a_message(study, study_file, capsys, monkeypatch):
    def broken(*_):
        raise ValueError("found a judge that cannot be")

    monkeypatch.setattr(command, "plan_study", broken)
    assert command.main([study_file(), "--dry-run"]) == 2
    assert "Judge A: found a judge that cannot be" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("{name: A, kind: server, model: m}", "base_url: missing, expected an address"),
        ("{name: A, kind: gemini, model: m, base_url: 'http://x/v1'}", "base_url: found 'http://x/v1', exp"),
        ("{name: A, kind: local}", "model: missing, expected a model's name"),
        ("{name: A, kind: local, model: m, whole: true}", "frames"),
        ("{name: A, kind: gemini, model: m, hears: true}", "hears"),
        ("{name: A, kind: gemini, model: m, revision: main}", "revision"),
        ("{name: A, kind: server, model: m, base_url: 'http://h/v1?api_key=abc'}", "base_url|secret|key"),
        ("{name: A, kind: local, model: m}, {name: A, kind: local, model: n}", "'A' twice"),
        ("{name: A, kind: lokal, model: m}", "local"),
        ("{name: Judge A, kind: local, model: m}, {name: judge-a, kind: local, model: n}", "'judge-a'"),
        ("{name: 日本, kind: local, model: m}", "Latin letters"),
        ("{name: human, kind: local, model: m}", "kind of rater"),
    ],
)
def test_a_judge_that_cannot_be_is_refused_with_its_line(study_file, judge, message):
    with pytest.raises(DataError, match=message):
        studies.load(study_file(f"[{judge}]"))


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    """A study of imported clips and of clips simulated from a photograph, one benchmark each."""
    if not REAL.exists():
        pytest.skip(f"{REAL.name}: the real CogVideoX clips are not here")
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    study = tmp_path / "mixed"
    rough = np.random.default_rng(0).integers(0, 256, (30, 40, 3), np.uint8)
    study.mkdir()
    Image.fromarray(rough).resize((320, 240)).save(study / "place.jpg")
    landmarks = pd.DataFrame(
        {"landmark_id": ["place"], "name": ["A place"], "country": ["Japan"], "reference_image": "place.jpg"}
    )
    prompts = pd.DataFrame(
        [
            {"prompt_id": "0", "benchmark": "culturescore", "country": "Japan", "category": "greetings",
             "variant": "base", "text": "People in Japan bow", "scenario_id": "scene"},
            {"prompt_id": "9", "benchmark": "culturevidbench", "country": "Italy", "aspect": "food",
             "element": "pasta", "variant": "plain", "text": "A cook in Italy makes pasta"},
            {"prompt_id": "place-detailed", "benchmark": "landmarks", "country": "Japan",
             "variant": "detailed", "text": "Show A place", "landmark_id": "place"},
        ]
    )  # fmt: skip
    questions = pd.DataFrame(
        {"question_id": ["q1", "q2"], "scenario_id": "scene", "dimension": ["identity", "behavior"],
         "text": ["Is it right?", "Does it move right?"], "verified": True}
    )  # fmt: skip
    tables.write(study, "landmarks", landmarks)
    tables.write(study, "questions", questions)
    tables.write(study, "prompts", prompts)
    keep(import_videos(REAL, prompts, pattern="cogvideox_{prompt_id}", model="CogVideoX"), study)
    here = landmarks.assign(reference_image=str(study / "place.jpg"))
    made = simulate_clips(here, study / "videos", kinds=("identity", "detail_loss"), strengths=(1.0,), seed=1)
    tables.write(study, "videos", made.tables["videos"].assign(prompt_id="place-detailed"), part="simulated")
    return study


@pytest.mark.slow
def test_one_study_file_judges_real_and_simulated_clips_is_killed_and_goes_on(
    mixed, server, completion, tmp_path
):
    server.answer = lambda asked: completion(fitting(asked.text))
    file = tmp_path / "mixed.yaml"
    file.write_text(
        "name: mixed\nseed: 1\njudges:\n"
        f"  - {{name: A, kind: server, model: judge, base_url: '{server.address}/v1', concurrency: 1}}\n"
    )
    script = (
        f"from pathlib import Path; from helpers import study; study.STUDIES = Path({str(tmp_path)!r})\n"
        f"from helpers.judging.__main__ import main; main([{str(file)!r}])"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.DEVNULL)
    while not server.asked:
        assert process.poll() is None
    process.kill()
    process.wait()
    assert command.main([str(file)]) == 0
    answers, ratings = tables.read(mixed, "answers"), tables.read(mixed, "ratings")
    assert answers["status"].tolist() == ["ok"] * 2
    assert ratings["status"].eq("ok").all()
    assert set(ratings["video_id"].str.partition("/")[0]) >= {"cogvideox"}
    everything = {
        name: tables.read(mixed, name) for name in ("prompts", "questions", "videos", "answers", "raters")
    }
    scores = culturescore(asked_questions(everything, "judge")).table
    assert scores.set_index("score").loc["identity", ["n", "asked"]].tolist() == [1, 1]
