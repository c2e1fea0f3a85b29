"""A study's clips measured by the command line: rows, shards, resuming, refusals."""

import shutil
import subprocess
import sys

import pytest

from helpers import study as studies
from helpers import tables
from helpers.metrics import __main__ as command
from helpers.shards import block

LIGHT = "[motion, {kind: patches, backbone: hog}, keypoints]"


@pytest.fixture
def study(landmark_study):
    return landmark_study


@pytest.fixture
def study_file(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)

    def write(metrics: str = LIGHT) -> str:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: study\nseed: 1\nmetrics: {metrics}\n", encoding="utf-8")
        return str(path)

    return write


def values(study):
    table = tables.read(study, "metric_values")
    return table.pivot_table(index="video_id", columns="metric", values="value")


def test_a_metric_has_rows_for_the_clips_it_can_say_something_about(study, study_file, capsys):
    assert command.main([study_file()]) == 0
    found = values(study)
    landmarks = [f"{model}/{name}" for model in "ab" for name in ("bust", "cat", "cup")]
    assert found.index[found["patch_hog"].notna()].tolist() == landmarks
    assert found.index[found["keypoint_alignment_xfeat"].notna()].tolist() == landmarks
    assert found["motion"].notna().all()
    assert len(found) == 8
    assert set(tables.read(study, "metric_values")["status"]) == {"ok"}
    said = capsys.readouterr().out
    assert "patch_hog: 6 of 6 clips" in said
    for line in (
        "not asked of 1 clips without a file",
        "not asked of 1 clips whose prompt names no landmark",
        "not asked of 1 clips of a landmark without a photograph",
    ):
        assert line in said


def test_shards_write_the_same_bytes_as_one_run_in_any_order(study, study_file, tmp_path):
    file = study_file()
    folder = study / "tables" / "metric_values"
    assert command.main([file]) == 0
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.unlink()
    (study / "logs" / "metrics").rename(tmp_path / "earlier")
    for number in (3, 1, 2):
        assert command.main([file, "--shard", f"{number}/3"]) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole
    # Cut otherwise, nothing is measured again, and no row is there twice.
    before = {path: path.read_bytes() for path in (study / "logs" / "metrics").rglob("*-of-3.jsonl")}
    assert command.main([file, "--shard", "1/2"]) == 0
    assert command.main([file]) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == whole
    assert all(path.read_bytes() == content for path, content in before.items())
    later = [path for path in (study / "logs" / "metrics").rglob("*.jsonl") if path not in before]
    assert later
    assert not any(path.read_bytes() for path in later)


def test_shards_that_run_at_the_same_time_leave_every_row(study, study_file):
    file = study_file("[motion]")
    code = """
import sys
from pathlib import Path
from helpers import study
from helpers.metrics.__main__ import main
study.STUDIES = Path(sys.argv[1])
sys.exit(main(sys.argv[2:]))
"""
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(study.parent), file, "--shard", f"{number}/3"])
        for number in (1, 2, 3)
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert len(values(study)) == 8


def test_a_clip_that_cannot_be_measured_is_a_row_and_status_1_until_it_can(study, study_file, capsys):
    file = study_file("[{kind: patches, backbone: hog}]")
    clip = study / "videos" / "a-cup.mp4"
    content = clip.read_bytes()
    clip.write_bytes(content[:50])
    assert command.main([file]) == 1
    status = tables.read(study, "metric_values").set_index("video_id")["status"].to_dict()
    assert status.pop("a/cup") == "failed"
    assert list(status.values()) == ["ok"] * 5
    assert "1 failed: " in capsys.readouterr().out
    clip.write_bytes(content)
    assert command.main([file, "--dry-run"]) == 0
    assert "1 of 6 clips left" in capsys.readouterr().out
    assert command.main([file]) == 0
    assert set(tables.read(study, "metric_values")["status"]) == {"ok"}


def test_a_category_reaches_the_regions_and_makes_its_values_due_again(study, study_file, monkeypatch):
    from helpers.metrics.regions import Grid

    asked = []
    find = Grid.find
    monkeypatch.setattr(
        Grid, "find", lambda self, picture, category=None: asked.append(category) or find(self, picture)
    )
    file = study_file("[{kind: keypoints, regions: grid}]")
    assert command.main([file]) == 0
    assert asked == ["church"] * 3
    places = tables.read(study, "landmarks")
    tables.write(study, "landmarks", places.assign(category="tower"))
    assert command.main([file]) == 0
    assert asked[3:] == ["tower"] * 3


def test_a_model_that_is_not_there_is_refused_and_the_next_metric_measured(study, study_file, capsys):
    file = study_file("[{kind: videoscore, model: /nowhere/model, device: cpu}, motion]")
    assert command.main([file]) == 2
    assert "videoscore: /nowhere/model" in capsys.readouterr().err
    assert set(tables.read(study, "metric_values")["metric"]) == {"motion", "flicker"}


@pytest.mark.parametrize(
    ("arguments", "metrics", "message"),
    [
        (["--metric", "patch_hog"], LIGHT, "did you mean 'patch-hog'"),
        ([], "[]", "has no metrics; expected `metrics`"),
        ([], "[motion, {kind: motion}]", "two metrics 'motion'"),
    ],
)
def test_a_refusal_is_a_message_and_status_2(study_file, capsys, arguments, metrics, message):
    assert command.main([study_file(metrics), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_only_the_metrics_asked_for(study, study_file):
    assert command.main([study_file(), "--metric", "motion"]) == 0
    assert [path.stem for path in tables.files(study, "metric_values")] == ["motion"]


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/0", "a/b"])
def test_a_shard_that_is_none_is_refused(study_file, shard):
    with pytest.raises(SystemExit, match="2"):
        command.main([study_file(), "--shard", shard])


@pytest.mark.parametrize(("items", "of"), [(0, 3), (2, 3), (10, 3), (10, 1), (7, 7)])
def test_blocks_hold_each_item_once_and_in_order(items, of):
    blocks = [block(range(items), number, of) for number in range(1, of + 1)]
    assert [one for part in blocks for one in part] == list(range(items))
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1


def test_why_clips_have_no_value_is_said_once_for_all_metrics_of_a_run(study, study_file, capsys):
    for name in ("a-cup", "a-cat"):
        (study / "videos" / f"{name}.mp4").write_bytes(b"no clip")
    assert command.main([study_file("[motion]")]) == 1
    said = capsys.readouterr().out
    # Both models' clips of a place are one file.
    assert "motion: 4 of 8 clips" in said
    assert "flicker: 4 of 8 clips" in said
    assert said.count("2 failed: ") == 2
    for name in ("a-cup", "a-cat"):
        assert said.count(f"{name}.mp4") == 1


def test_a_study_without_landmarks_says_so(study, study_file, capsys):
    shutil.rmtree(study / "tables" / "landmarks", ignore_errors=True)
    (study / "tables" / "landmarks.parquet").unlink(missing_ok=True)
    assert command.main([study_file("[{kind: patches, backbone: hog}]")]) == 0
    assert "clips of landmarks, of which there is no table" in capsys.readouterr().out
