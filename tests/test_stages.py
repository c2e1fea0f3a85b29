import os
import shlex
from pathlib import Path

import pandas as pd
import pytest

from helpers import dependencies, stages, study_stages
from helpers import study as studies
from helpers.checking import DataError
from helpers.paths import NOTEBOOKS, ROOT

WHOLE = """name: small
seed: 7
models: [Wan 2.2]
shards: {generation: 2, metrics: 2}
clips: [{folder: /data/clips, model: Camera}]
judges:
  - {name: Own, kind: server, model: m, base_url: http://localhost:8000/v1}
  - {name: Here, kind: local, model: m}
metrics: [motion, {kind: patches, backbone: hog}]
surveys: [{name: ours, format: table, table: answers, file: answers.csv}]
"""
EVERY = sorted(NOTEBOOKS.glob("*.ipynb"))


def study_of(tmp_path, text):
    path = tmp_path / "small.yaml"
    path.write_text(text)
    return studies.load(path)


def test_a_study_has_the_stages_that_it_names_something_for(tmp_path):
    found = {stage.name: stage for stage in study_stages.stages_of(study_of(tmp_path, WHOLE))}
    assert list(found) == [
        "generation-1-of-2",
        "generation-2-of-2",
        "imports",
        "judging-own",
        "judging-here",
        "metrics-motion-1-of-2",
        "metrics-motion-2-of-2",
        "metrics-patch-hog-1-of-2",
        "metrics-patch-hog-2-of-2",
        "people",
    ]
    assert [name for name, stage in found.items() if stage.gpu] == [
        "generation-1-of-2",
        "generation-2-of-2",
        "judging-here",
    ]
    assert found["judging-own"].judge.name == "Own", "its server has to answer first"
    assert study_stages.stages_of(study_of(tmp_path, "name: small\nseed: 7\n")) == []


@pytest.mark.parametrize(
    ("was", "becomes", "changed"),
    [
        ("model: m, base_url", "model: other, base_url", {"judging-own"}),
        ("http://localhost:8000/v1", "http://elsewhere:8000/v1", set()),
        ("metrics: [motion,", "metrics: [motion, visible_text,", set()),
        ("[Wan 2.2]", "[LTX-2]", {"generation-1-of-2", "generation-2-of-2"}),
    ],
)
def test_a_stage_runs_again_for_what_the_study_file_says_of_it_alone(tmp_path, was, becomes, changed):
    before = {stage.name: stage.settings for stage in study_stages.stages_of(study_of(tmp_path, WHOLE))}
    after = study_stages.stages_of(study_of(tmp_path, WHOLE.replace(was, becomes)))
    assert {
        stage.name for stage in after if before.get(stage.name, stage.settings) != stage.settings
    } == changed


def test_stages_come_after_the_prompts_and_judges_after_the_clips(tmp_path):
    study = study_of(tmp_path, WHOLE)
    found = study_stages.stages_of(study)
    by_name = {stage.name: stage for stage in found}
    prompts, before = dependencies.stage_tables(by_name["generation-1-of-2"], EVERY, study.folder, found)
    folder = "studies/small/tables"
    assert {f"{folder}/prompts/{name}.parquet" for name in ("culturescore", "landmarks")} < set(prompts)
    assert before == [f"{folder}/videos/generated.parquet"], "notebook 21 writes it too"
    clips, before = dependencies.stage_tables(by_name["judging-own"], EVERY, study.folder, found)
    records = {f"studies/small/stages/{name}.txt" for name in ("generation-1-of-2", "imports")}
    assert records < set(clips)
    assert before == []


@pytest.fixture
def clips(tmp_path) -> Path:
    folder = tmp_path / "clips"
    (folder / "inner").mkdir(parents=True)
    for name in (b"a.mp4", b"inner/b\n.mp4", b"\xff.mp4"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"clip")
    (tmp_path / "list.csv").write_text("path,model,prompt_id\nclips/a.mp4,A,p\n")
    return folder


def _settings(tmp_path, source) -> dict[str, object]:
    text = WHOLE.replace("{folder: /data/clips, model: Camera}", source)
    found = study_stages.stages_of(study_of(tmp_path, text))
    return {stage.name: dependencies.stage_settings(stage) for stage in found}


def _replace_at_its_size(folder: Path) -> None:
    was = (folder / "a.mp4").stat()
    (folder / "a.mp4").write_bytes(b"CLIP")
    os.utime(folder / "a.mp4", ns=(was.st_atime_ns, was.st_mtime_ns + 1))


@pytest.mark.parametrize(
    ("source", "change", "again"),
    [
        ("{{folder: {0}/clips, model: A}}", lambda folder: (folder / "c.mp4").touch(), True),
        ("{{folder: {0}/clips, model: A}}", lambda folder: (folder / "inner" / "b\n.mp4").unlink(), True),
        ("{{folder: {0}/clips, model: A}}", _replace_at_its_size, True),
        ("{{folder: {0}/clips, model: A}}", lambda folder: (folder / "notes.txt").touch(), False),
        ("{{folder: {0}/list.csv}}", _replace_at_its_size, True),
        ("{{folder: {0}/list.csv}}", lambda folder: (folder / "a.mp4").unlink(), True),
        ("{{folder: {0}/list.csv}}", lambda folder: (folder / "c.mp4").touch(), False),
        ("{{folder: {0}/list.csv}}", lambda folder: (folder.parent / "list.csv").unlink(), True),
    ],
)
def test_clips_that_come_go_or_change_are_taken_in_again_and_nothing_else_runs(
    tmp_path, clips, source, change, again
):
    before = _settings(tmp_path, source.format(tmp_path))
    assert _settings(tmp_path, source.format(tmp_path)) == before
    change(clips)
    after = _settings(tmp_path, source.format(tmp_path))
    assert {name for name in before if before[name] != after[name]} == ({"imports"} if again else set())


def test_a_folder_of_clips_that_is_not_there_yet_is_no_error(tmp_path):
    missing = f"{{folder: {tmp_path}/none, model: A}}"
    before = _settings(tmp_path, missing)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "p.mp4").touch()
    assert _settings(tmp_path, missing)["imports"] != before["imports"]


def test_notebooks_read_tables_after_the_stages_that_write_them(tmp_path):
    study = study_of(tmp_path, WHOLE)
    found = study_stages.stages_of(study)
    notebooks = {path.stem: path for path in EVERY}
    read = dependencies.tables_read(notebooks["63_popularity_and_regions"], EVERY, study.folder, found)
    assert {stage.name for stage in found if f"studies/small/stages/{stage.name}.txt" in read} == {
        stage.name for stage in found
    }
    own = dependencies.tables_read(notebooks["22_import_and_check"], EVERY, study.folder, found)
    assert "studies/small/stages/generation-1-of-2.txt" in own
    assert "studies/small/stages/imports.txt" not in own, "that stage adds to what the notebook writes"


def test_a_part_that_a_stage_has_written_is_no_input_beside_its_record(tmp_path, make_notebook):
    study = study_of(tmp_path, WHOLE)
    reader = make_notebook("1", metadata={"world_on_screen": {"reads_tables": ["answers"]}})
    folder = tmp_path / "study"
    for part in ("own", "somebody"):
        file = folder / "tables" / "answers" / f"{part}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    read = dependencies.tables_read(reader, [reader], folder, study_stages.stages_of(study))
    assert str(folder / "tables/answers/somebody.parquet") in read
    assert str(folder / "tables/answers/own.parquet") not in read
    assert str(folder / "stages/judging-own.txt") in read


def test_a_stage_depends_on_its_modules_and_not_on_those_of_other_stages(tmp_path):
    by_name = {stage.name: stage for stage in study_stages.stages_of(study_of(tmp_path, WHOLE))}
    judging = dependencies.stage_inputs(by_name["judging-own"])
    assert {"src/helpers/judging/__main__.py", "src/helpers/chat/openai_compatible.py"} < set(judging)
    assert not [name for name in judging if name.startswith(("src/helpers/people/", "src/helpers/imports/"))]
    for stage in by_name.values():
        if stage.name != "people":
            assert all((ROOT / name).is_file() for name in dependencies.stage_inputs(stage))


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """A stage whose command writes a table's part and ends with a given status."""

    def stage(code):
        def command(arguments):
            part = tmp_path / "tables" / "answers" / "a.parquet"
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(b"rows")
            assert arguments == ["study.yaml", "--judge", "A"]
            return code

        monkeypatch.setattr("helpers.judging.__main__.main", command)
        about = {"reads": ("videos",), "writes": ("answers/a", "ratings/a")}
        return study_stages.Stage(
            name="judging-a", module="helpers.judging", arguments=("--judge", "A"), **about
        )

    return stage


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 2), (130, 130)])
def test_results_with_a_status_are_results_and_a_refusal_is_none(scripted, tmp_path, capsys, code, ends):
    stage = scripted(code)
    assert stages.run("study.yaml", stage, tmp_path) == ends
    record = stage.record(tmp_path)
    assert record.exists() is (ends == 0)
    assert ("RETRY=1" in capsys.readouterr().out) is (code == 1)
    if record.exists():
        # sha256 of the four bytes "rows", by coreutils' sha256sum
        known = "bc51e9e65d79e1c90ba544ab2eae1044ccdf8c1af7a559ba375cba4276f7d99e"
        assert record.read_text() == f"exit status {code}\n{known}  tables/answers/a.parquet\n"


@pytest.mark.parametrize(
    ("code", "damage", "retry", "stays"),
    [
        (0, None, True, True),
        (1, None, False, True),
        (1, None, True, False),
        (0, "lost", False, False),
        (0, "of the same size", False, False),
    ],
)
def test_a_record_is_forgotten_where_its_stage_has_to_run_again(
    scripted, tmp_path, monkeypatch, code, damage, retry, stays
):
    stage = scripted(code)
    stages.run("study.yaml", stage, tmp_path)
    part = tmp_path / "tables" / "answers" / "a.parquet"
    if damage == "lost":
        part.unlink()
    elif damage:
        part.write_bytes(b"ruin")
    monkeypatch.setattr(stages, "stages_of", lambda study: [stage])
    study = studies.Study(name="small", seed=7)
    monkeypatch.setattr(studies.Study, "folder", tmp_path)
    stages.forget(study, retry=retry)
    assert stage.record(tmp_path).exists() is stays


@pytest.mark.parametrize("damage", ["no table", "half a table", "a changed journal", "an empty record"])
def test_a_stage_that_keeps_a_journal_runs_again_where_table_journal_or_record_is_damaged(
    tmp_path, monkeypatch, damage
):
    table, journal = tmp_path / "tables" / "videos" / "a.parquet", tmp_path / "logs" / "a.jsonl"

    def command(arguments):
        for file in (table, journal):
            file.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"video_id": ["a"]}).to_parquet(table)
        journal.write_bytes(b"rows")
        return 0

    monkeypatch.setattr("helpers.generation.__main__.main", command)
    about = {"reads": (), "writes": ("videos/a",), "keeps": ("logs/a.jsonl",)}
    stage = study_stages.Stage(name="generation", module="helpers.generation", **about)
    monkeypatch.setattr(stages, "stages_of", lambda study: [stage])
    monkeypatch.setattr(studies.Study, "folder", tmp_path)
    study, record = studies.Study(name="small", seed=7), stage.record(tmp_path)
    stages.run("study.yaml", stage, tmp_path)
    stages.forget(study)
    assert record.exists()
    match damage:
        case "no table":
            table.unlink()
        case "half a table":
            os.truncate(table, table.stat().st_size // 2)
        case "a changed journal":
            journal.write_bytes(b"more rows")
        case "an empty record":
            record.write_text("")
    stages.forget(study)
    assert not record.exists()


def test_the_command_that_is_printed_can_be_pasted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("helpers.judging.__main__.main", lambda arguments: 0)
    arguments = ("--judge", "Simulated judge 1")
    stage = study_stages.Stage(
        name="judging-a", module="helpers.judging", arguments=arguments, reads=(), writes=()
    )
    stages.run("my study.yaml", stage, tmp_path)
    first = capsys.readouterr().out.splitlines()[0]
    assert shlex.split(first) == ["python", "-m", "helpers.judging", "my study.yaml", *arguments]


def test_the_command_line_lists_stages_and_refuses_others(tmp_path, capsys):
    study_of(tmp_path, WHOLE)
    path = str(tmp_path / "small.yaml")
    assert stages.main([path]) == 0
    assert "judging-own" in capsys.readouterr().out.splitlines()
    assert stages.main([path, "judging-on"]) == 2
    assert "did you mean 'judging-own'" in capsys.readouterr().err
    with pytest.raises(DataError, match="expected one of none"):
        stages.stage_of(studies.Study(name="small", seed=7), "imports")
