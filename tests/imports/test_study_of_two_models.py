"""From a study file to two models side by side: the way that a user goes, with a kill in the middle."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import tables
from helpers.benchmarks import starter
from helpers.imports import example
from helpers.paths import NOTEBOOKS, STUDIES
from stand_in_models import CALLS

STUDY = """\
name: {name}
seed: 7
prompts: {{benchmark: [culturevidbench], first: 12}}
own_models:
  - name: Tiny Wan
    family: wan
    id: {checkpoint}
    settings:
      - call: {call}
        fps: 8
"""
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A study file and its folder: a tiny random checkpoint and 12 prompts."""
    from helpers.simulate.checkpoints.text_to_video import BUILDERS

    name = f"two-models-{os.getpid()}"
    folder = STUDIES / name
    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(12)
    tables.write(folder, "prompts", prompts, part="culturevidbench")
    file = tmp_path / "study.yaml"
    checkpoint = BUILDERS["wan"](tmp_path / "checkpoint")
    file.write_text(STUDY.format(name=name, checkpoint=checkpoint, call=CALLS["wan"]))
    yield file, folder
    shutil.rmtree(folder)


def rows(folder: Path) -> dict[str, dict]:
    journals = (folder / "logs" / "videos").glob("generated-*.jsonl")
    lines = [line for journal in journals for line in journal.read_text().splitlines(keepends=True)]
    parsed = [json.loads(line) for line in lines if line.endswith("\n")]
    return {row["video_id"]: row for row in parsed}


@pytest.mark.slow
def test_a_study_is_killed_resumed_and_joined_by_an_imported_model(
    study: tuple[Path, Path], tmp_path: Path
) -> None:
    file, folder = study
    command = [sys.executable, "-m", "helpers.generation", str(file)]
    first = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while len(rows(folder)) < 4 and first.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    before = rows(folder)
    assert 4 <= len(before) < 12

    assert subprocess.run(command, env=ENVIRONMENT, check=False).returncode == 0
    after = rows(folder)
    assert len(after) == 12
    assert {name: after[name] for name in before} == before
    assert {row["status"] for row in after.values()} == {"ok"}
    assert not list(folder.rglob("*.part*"))

    clips = tmp_path / "brought along"
    example.write_example(clips, tables.read(folder, "prompts"))
    notebook = NOTEBOOKS / "22_import_and_check.ipynb"
    executed = tmp_path / "22.ipynb"
    execute = [sys.executable, "-m", "helpers.execute", str(notebook), str(executed)]
    options = ["--study", str(file), "-p", "folder", str(clips)]
    subprocess.run(execute + options, env=ENVIRONMENT, check=True)
    checked = tables.read(folder, "videos")
    assert set(checked["model"]) == {"Tiny Wan"}, "a check brings nothing in"
    subprocess.run([*execute, *options, "-p", "keep", "True"], env=ENVIRONMENT, check=True)
    videos = tables.read(folder, "videos")
    counts = videos.groupby(["model", "status"]).size().to_dict()
    assert counts == {
        (example.MODEL, "failed"): 2,
        (example.MODEL, "missing"): 1,
        (example.MODEL, "ok"): 10,
        ("Tiny Wan", "ok"): 12,
    }
    assert "by 2 models" in executed.read_text()
    assert (folder / "figures" / "22-side-by-side.png").stat().st_size > 10_000
