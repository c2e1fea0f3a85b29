"""Folders of finished clips that a study file names, brought in by the command line."""

import shutil

import pandas as pd
import pytest

from helpers import study as studies
from helpers import tables
from helpers.benchmarks import starter
from helpers.checking import DataError
from helpers.imports import __main__ as command
from helpers.simulate.clips.carriers import write_carriers


@pytest.fixture
def prompts() -> pd.DataFrame:
    return starter.prompts().query("benchmark == 'culturevidbench'").head(3)


@pytest.fixture
def clips(prompts, tmp_path):
    """Clips by two made-up models, each in a folder of its own, named after their prompts."""
    write_carriers(prompts, ["first", "second"], tmp_path, seed=0)
    return tmp_path / "videos"


@pytest.fixture
def write(tmp_path, monkeypatch, prompts):
    monkeypatch.setattr(studies, "STUDIES", tmp_path / "studies")
    tables.write(tmp_path / "studies" / "small", "prompts", prompts)

    def make(clips: str) -> tuple[str, studies.Study]:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: small\nseed: 1\nclips: {clips}\n", encoding="utf-8")
        return str(path), studies.load(path)

    return make


def test_two_folders_come_in_and_the_same_command_changes_nothing(write, clips):
    entries = (
        f"{{folder: {clips / 'first'}, model: One}}",
        f"{{folder: {clips}, pattern: '{{model}}/{{prompt_id}}', names: {{second: Two, first: Again}}}}",
    )
    file, study = write(f"[{', '.join(entries)}]")
    assert command.main([file]) == 0
    videos = tables.read(study.folder, "videos")
    assert videos["model"].value_counts().to_dict() == {"One": 3, "Two": 3, "Again": 3}
    assert command.main([file]) == 0
    pd.testing.assert_frame_equal(tables.read(study.folder, "videos"), videos)


def test_clips_that_came_since_are_no_longer_missing(write, clips, prompts, tmp_path):
    late = clips / "first" / f"{prompts['prompt_id'].iloc[0]}.mp4"
    shutil.move(late, tmp_path / "late.mp4")
    file, study = write(f"[{{folder: {clips / 'first'}, model: One}}]")
    assert command.main([file]) == 0
    assert tables.read(study.folder, "videos")["status"].value_counts().to_dict() == {"ok": 2, "missing": 1}
    shutil.move(tmp_path / "late.mp4", late)
    assert command.main([file]) == 0
    assert tables.read(study.folder, "videos")["status"].eq("ok").all()


def test_a_clip_that_was_cut_off_is_told_by_the_status_and_in_the_list(write, clips, capsys):
    cut = sorted((clips / "first").glob("*.mp4"))[0]
    cut.write_bytes(cut.read_bytes()[:300])
    entries = [f"{{folder: {clips / name}, model: {name}}}" for name in ("first", "second")]
    file, study = write(f"[{', '.join(entries)}]")
    assert command.main([file]) == 1
    problems = pd.read_csv(study.folder / "logs" / "import_problems.csv")
    assert set(problems.loc[problems["file"].eq(cut.name), "source"]) == {str(clips / "first")}
    assert set(problems["source"]) >= {str(clips / "first")}
    assert "1 failed" in capsys.readouterr().out


def test_one_folder_that_is_not_there_keeps_no_other_out(write, clips, capsys):
    file, study = write(f"[{{folder: /nowhere, model: A}}, {{folder: {clips / 'first'}, model: One}}]")
    assert command.main([file]) == 2
    assert "/nowhere" in capsys.readouterr().err
    assert len(tables.read(study.folder, "videos")) == 3


def test_a_manifest_and_copies(write, clips, prompts, tmp_path):
    rows = [(f"videos/first/{name}.mp4", "One", name) for name in prompts["prompt_id"]]
    pd.DataFrame(rows, columns=["path", "model", "prompt_id"]).to_csv(tmp_path / "clips.csv", index=False)
    file, study = write(f"[{{folder: {tmp_path / 'clips.csv'}, copies: true}}]")
    assert command.main([file]) == 0
    videos = tables.read(study.folder, "videos")
    assert all((study.folder / path).exists() for path in videos["path"])
    assert not any(path.startswith("/") for path in videos["path"])


def test_only_the_folder_asked_for(write, clips, capsys):
    file, _ = write(f"[{{folder: /nowhere, model: A}}, {{folder: {clips / 'first'}, model: One}}]")
    assert command.main([file, "--folder", str(clips / "first")]) == 0
    assert command.main([file, "--folder", str(clips / "frist")]) == 2
    assert f"did you mean '{clips / 'first'}'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{folder: a, pattern: '{model}/{prompt_id}', model: A}", "found both {model}"),
        ("{folder: a, pattern: '{prompt_id}'}", "found neither {model}"),
        ("{folder: a, pattern: '{model}'}", "expected either {prompt_id} or {text}"),
        ("{folder: a.csv, model: A}", "a manifest names model and prompt"),
        ("{folder: a, modle: A}", "line 3: unknown key 'clips.0.modle'; did you mean 'model'?"),
        ("{folder: a, model: A}, {folder: a, model: B}", "found the folder 'a' twice"),
    ],
)
def test_entries_that_make_no_sense(write, entry, message):
    with pytest.raises(DataError) as error:
        write(f"[{entry}]")
    assert message in str(error.value)


def test_a_study_without_folders(write, capsys):
    file, _ = write("[]")
    assert command.main([file]) == 2
    assert "has no clips; expected `clips`" in capsys.readouterr().err
