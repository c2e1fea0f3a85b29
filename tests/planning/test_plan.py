"""What a study would cost, before and after a part of it ran."""

import pandas as pd
import pytest

from helpers import plan as command
from helpers import study as studies
from helpers import tables
from helpers.benchmarks import starter
from helpers.generation import journal
from helpers.planning import asking, limits, measuring
from helpers.planning.footage import footage_of
from helpers.planning.wanted import wanted_of
from helpers.simulate.clips.carriers import write_carriers

PRICE = "{per_second: 0.5, currency: USD, date: 2026-11-01, source: a list}"
FULL = f"""
models: [Wan 2.2]
seeds: [0, 1]
hosted:
  - {{name: Veo 3.1 Fast, service: veo, id: veo, seconds: 6, price: {PRICE}}}
simulated_models: [{{name: Simulated A, faithfulness: 0.7}}]
judges:
  - {{name: Judge, kind: server, model: Qwen3-VL-32B, base_url: "http://localhost:1/v1", max_tokens: 500}}
  - name: Service
    kind: gemini
    model: gemini-3.1-pro
    whole: true
    price: {{per_million_sent: 2, per_million_received: 12, currency: USD, date: 2026-11-01, source: a list}}
  - {{name: Simulated judge, kind: simulated}}
metrics: [motion, {{kind: patches, backbone: hog}}]
surveys: [{{name: people, file: gone.csv, format: table, table: ratings}}]
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path / "studies")

    def make(text: str = "") -> tuple[str, studies.Study]:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: small\nseed: 1\n{text}", encoding="utf-8")
        return str(path), studies.load(path)

    return make


def test_before_any_stage_ran_the_plan_says_what_it_assumes(write, capsys, tmp_path):
    file, _ = write(FULL + "prompts: {benchmark: culturevidbench, country: Japan}\n")
    assert command.main([file]) == 0
    said = capsys.readouterr().out
    assert "no prompts are written yet: the starter's" in said
    assert "first limit: " in said
    assert "assumed: " in said
    assert "gone.csv is not there" in said
    assert not (tmp_path / "studies").exists()  # nothing was written
    lines = said.splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 130


def test_everything_is_counted_by_hand(write):
    _, study = write(FULL + "prompts: {benchmark: culturevidbench, first: 10}\n")
    plan = command.plan_of(study)
    rows = plan.footage.rows.set_index("model")
    assert rows["clips"].to_dict() == {"Wan 2.2": 20, "Veo 3.1 Fast": 20, "Simulated A": 20}
    assert rows["left"].sum() == 60
    assert rows.loc["Veo 3.1 Fast", "money"] == 20 * 6 * 0.5
    # One reply on eight criteria for each clip.
    assert {one.judge: one.calls for one in plan.asked} == {"Judge": 60, "Service": 60, "Simulated judge": 60}
    by = {one.judge: one for one in plan.asked}
    assert by["Judge"].most == 60 * 500
    assert by["Judge"].received == 60 * 500  # its replies are cut at 500
    assert by["Service"].money == pytest.approx(2e-6 * by["Service"].sent + 12e-6 * 60 * 900)
    assert by["Simulated judge"].sent == 0
    assert [(one.metric, one.clips) for one in plan.measured] == [("motion", 60), ("patch_hog", 0)]
    wan = plan.footage.videos.query("model == 'Wan 2.2'")
    assert (wan["frames"] == 81).all()


def test_an_own_metrics_missing_file_is_refused_with_the_line_that_names_it(write, capsys):
    own = "  - kind: own\n    name: mine\n    file: own/no.py\n    measurer: Mine\n"
    file, _ = write(f"prompts: {{benchmark: culturevidbench, first: 1}}\nmetrics:\n  - motion\n{own}")
    assert command.main([file]) == 2
    assert f"{file}: line 8: own/no.py: no such file; expected a Python file" in capsys.readouterr().err


def test_questions_and_landmarks_are_asked_about_too(write):
    _, study = write(FULL.replace("Wan 2.2", "CogVideoX1.5-5B"))
    plan = command.plan_of(study)
    prompts, questions = starter.prompts(), starter.questions()
    scenes = prompts.query("benchmark == 'culturescore'").merge(questions, on="scenario_id")
    calls = {one.benchmark: one.calls for one in plan.asked if one.judge == "Judge"}
    assert calls["culturescore"] == len(scenes) * 2 * 3
    # Before there are photographs a request holds one all the same.
    landmark = next(one for one in plan.asked if (one.judge, one.benchmark) == ("Judge", "landmarks"))
    assert landmark.sent / landmark.left > asking.PHOTOGRAPH
    assert plan.measured[1].clips == landmark.calls


def test_the_files_that_notebooks_will_read_are_counted(write, tmp_path):
    scenes = pd.DataFrame(
        {
            "scenario_id": ["a", "b"],
            "country": "Japan",
            "category": "family",
            "prompt": ["One scene.", "Another."],
        }
    )
    scenes.to_csv(tmp_path / "scenes.csv", index=False)
    (tmp_path / "list.txt").write_text("010101\tkimono\tA woman in a kimono.\n", encoding="utf-8")
    _, study = write(
        "parameters:\n"
        f"  11_culturescore_prompts: {{scenes: {tmp_path / 'scenes.csv'}}}\n"
        f"  12_culturevidbench_prompts: {{prompt_list: {tmp_path / 'list.txt'}}}\n"
        "  13_landmarks: {gldv2_folder: somewhere, size: 40}\n"
    )
    wanted = wanted_of(study)
    assert wanted.prompts["benchmark"].value_counts().to_dict() == {
        "landmarks": 80,
        "culturescore": 6,
        "culturevidbench": 1,
    }
    assert len(wanted.questions) == 18


def test_landmarks_of_a_country_are_planned_before_they_are_drawn(write, capsys):
    choice = "prompts: {benchmark: landmarks, country: [Egypt, Peru]}\n"
    _, study = write(choice)
    prompts = wanted_of(study).prompts
    assert prompts["country"].value_counts().to_dict() == {"Egypt": 6, "Peru": 2}
    drawn = "parameters: {13_landmarks: {gldv2_folder: somewhere, size: 40}}\n"
    wanted = wanted_of(write(choice + drawn)[1])
    assert len(wanted.prompts) == 80
    assert "as if all stood in a country that the study chooses" in wanted.assumed[0]
    file, _ = write(drawn + "prompts: {benchmark: landmarks, country: [Egypt, Peruu]}\n")
    assert command.main([file]) == 2
    assert "no prompt has 'Peruu'" in capsys.readouterr().err


@pytest.fixture
def half_done(write):
    """Ten of twenty prompts have a clip, and one of two folders was imported."""
    file, study = write("simulated_models: [{name: Simulated A, faithfulness: 0.7}]\nmetrics: [motion]\n")
    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(20)
    tables.write(study.folder, "prompts", prompts)
    videos = write_carriers(prompts.head(10), ["Simulated A"], study.folder, seed=0)
    videos["video_id"] = [journal.video_id("Simulated A", prompt, 1) for prompt in videos["prompt_id"]]
    tables.write(study.folder, "videos", videos, part="generated")
    values = {"video_id": videos["video_id"].head(4), "metric": "motion", "value": 1.0, "status": "ok"}
    tables.write(study.folder, "metric_values", pd.DataFrame(values), part="motion")
    return file, study


def test_what_is_there_is_not_counted_as_left(half_done, capsys):
    file, study = half_done
    plan = command.plan_of(study)
    assert plan.wanted.assumed == ()
    assert plan.footage.rows.iloc[0][["clips", "left"]].tolist() == [20, 10]
    assert len(plan.footage.videos) == 20
    (motion,) = plan.measured
    assert (motion.clips, motion.left) == (20, 16)
    assert command.main([file]) == 0
    assert "20 clips, 10 left" in capsys.readouterr().out


def test_replies_on_record_are_not_asked_for_again(half_done, server, monkeypatch):
    from helpers.judging.__main__ import main as judge
    from judging.replies import fitting
    from stub_server import completion

    file, study = half_done
    text = f"judges: [{{name: Judge, kind: server, model: m, base_url: '{server.address}/v1'}}]\n"
    path = study.folder.parent.parent / "study.yaml"
    path.write_text(path.read_text() + text, encoding="utf-8")
    server.answer = lambda asked: completion(fitting(asked.text))
    assert judge([file, "--calls", "3"]) == 1
    (asked,) = command.plan_of(studies.load(path)).asked
    assert (asked.calls, asked.left) == (20, 17)


def test_a_folder_of_clips_is_counted_before_and_after_its_import(write, tmp_path):
    from helpers.imports.__main__ import main as bring_in

    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(3)
    write_carriers(prompts, ["brought"], tmp_path, seed=0)
    folder = tmp_path / "videos" / "brought"
    file, study = write(f"clips: [{{folder: {folder}, model: Brought}}]\nmetrics: [motion]\n")
    tables.write(study.folder, "prompts", prompts)
    before = command.plan_of(study)
    assert before.footage.rows.iloc[0][["clips", "left"]].tolist() == [3, 3]
    assert before.measured[0].clips == 3
    assert bring_in([file]) == 0
    after = footage_of(study, prompts)
    assert after.rows.iloc[0][["clips", "left"]].tolist() == [3, 0]
    assert set(after.videos["path"]) == {str(path) for path in folder.glob("*.mp4")}


def test_clips_that_are_named_after_prompts_are_counted_as_of_these(write, tmp_path, capsys):
    judge = "{name: J, kind: server, model: m, base_url: 'http://localhost:1/v1'}"
    file, _ = write(f"clips: [{{folder: {tmp_path / 'mine'}, model: Mine}}]\njudges: [{judge}]\n")
    assert command.main([file]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert f"first limit: a stage would be refused: {tmp_path / 'mine'}: no such folder" in said
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "other.mp4").touch()
    assert command.main([file]) == 1
    assert "none of its 1 clips shows a prompt of the study" in " ".join(capsys.readouterr().out.split())
    for name in starter.prompts().query("benchmark == 'culturevidbench'")["prompt_id"].head(2):
        (tmp_path / "mine" / f"{name}.mp4").touch()
    plan = command.plan_of(studies.load(file))
    assert [(one.benchmark, one.calls) for one in plan.asked] == [("culturevidbench", 2)]
    assert "2 of its 3 clips show a prompt" in plan.footage.notes[0]


def test_a_plan_finds_the_clips_that_an_import_finds(write, tmp_path, capsys):
    from helpers.imports.__main__ import main as bring_in

    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(5)
    write_carriers(prompts, ["drawn"], tmp_path, seed=0)
    clips = sorted((tmp_path / "videos" / "drawn").glob("*.mp4"))
    mine = tmp_path / "mine"
    for number, (clip, text) in enumerate(zip(clips, prompts["text"], strict=True)):
        there = mine / ("alpha-v2" if number < 3 else "wan-2.2") / f"{text}_{number}.mp4"
        there.parent.mkdir(parents=True, exist_ok=True)
        clip.rename(there)
    file, study = write(
        f'clips: [{{folder: {mine}, pattern: "{{model}}/{{text}}_{{seed}}", names: {{alpha-v2: Alpha}}, '
        "copies: true}]\n"
    )
    tables.write(study.folder, "prompts", prompts)
    plan = command.plan_of(study)
    rows = plan.footage.rows.set_index("model")
    assert rows["clips"].to_dict() == {"Alpha": 3, "Wan 2.2": 2}
    assert set(rows["benchmark"]) == {"culturevidbench"}
    size = sum(path.stat().st_size for path in mine.rglob("*.mp4"))
    assert rows["disk_gb"].sum() == pytest.approx(size / 1e9)
    assert "5 of its 5 clips show a prompt" in plan.footage.notes[0]
    assert bring_in([file]) == 0
    capsys.readouterr()
    after = footage_of(study, prompts)
    assert after.rows.set_index("model")["left"].to_dict() == {"Alpha": 0, "Wan 2.2": 0}
    assert set(zip(after.videos["model"], after.videos["prompt_id"], strict=True)) == set(
        zip(plan.footage.videos["model"], plan.footage.videos["prompt_id"], strict=True)
    )


def test_a_simulated_judge_of_clips_of_ones_own_is_said_to_know_nothing(write, tmp_path, capsys):
    from helpers.imports.__main__ import main as bring_in
    from helpers.judging.__main__ import main as judge

    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(2)
    write_carriers(prompts, ["brought"], tmp_path, seed=0)
    folder = tmp_path / "videos" / "brought"
    file, study = write(
        f"clips: [{{folder: {folder}, model: Brought}}]\n"
        "judges: [{name: Simulated judge, kind: simulated}]\n"
    )
    tables.write(study.folder, "prompts", prompts)
    (said,) = command.plan_of(study).cautions
    assert "Simulated judge: CAUTION: a simulated judge knows nothing of 2 of the clips" in said
    assert bring_in([file]) == 0
    capsys.readouterr()
    for arguments in (["--dry-run"], []):
        assert judge([file, *arguments]) == 0
        said = capsys.readouterr().out
        assert "2 calls to a simulated judge: replies are drawn, and nothing is sent" in said
        assert "knows nothing of 2 of the clips, which no simulated model made (Brought)" in said
    assert "2 calls, 0 tokens: 2 ok" in said


def test_a_study_that_would_be_refused_is_refused_here_too(write, capsys):
    file, _ = write("models: [LTX-2.3]\nprompts: {benchmark: culturescore}\n")
    assert command.main([file]) == 2
    assert "no settings for culturescore" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main([file, "--gpus", "0"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Qwen/Qwen3-VL-32B-Instruct", (32.0, 32.0)),
        ("Qwen3-VL-30B-A3B", (30.0, 3.0)),
        ("Qwen2.5-VL-7B", (7.0, 7.0)),
        ("gemini-3.1-pro", None),
        ("GPT-5B2", None),
    ],
)
def test_a_models_size_is_read_from_its_name(name, expected):
    assert asking.billions(name) == expected


def test_a_judges_hours_by_hand():
    # 10e9 parameters, 1e6 tokens read: 2e16 operations. 1,000 tokens written by 10 calls at once: 2e12 bytes.
    hours = asking.gpu_hours(10, 10, 1e6 - 1000, 1000, 10)
    assert hours * 3600 == pytest.approx(2e16 / 400e12 + 2e12 / asking.MEMORY)


def test_the_first_limit():
    room = {"gpus": 1, "cores": 2, "free_gb": 100.0}
    disk = limits.Need(clips_gb=150, weights_gb=25)
    assert limits.first_limit(disk, **room).endswith("50% of the clips that are left fit")
    assert "no clip fits" in limits.first_limit(limits.Need(clips_gb=1, weights_gb=120), **room)
    long = limits.Need(generating=96, judging=10, decoding=50)
    assert limits.first_limit(long, **room) == "time: generating takes 4.0 days on 1 GPU"
    assert limits.first_limit(long, **room | {"gpus": 4}) == "time: decoding takes 25.0 hours on 2 cores"
    assert limits.first_limit(limits.Need(), **room).startswith("none")


def test_decoding_counts_pixels():
    videos = pd.DataFrame({"width": [1280, 1280], "height": [720, 720], "frames": [121, 121]})
    assert measuring.decoding_hours(videos) * 3600 == pytest.approx(0.4, rel=0.01)
