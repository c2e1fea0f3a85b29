"""The lessons run with the light requirements alone, and their solutions are right."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import light_lessons
from helpers.lessons.students import STUDENTS, lessons
from helpers.paths import ROOT

BINDER = ROOT / "binder"
HEAVY = {"torch", "torchvision", "transformers", "diffusers", "av", "jupyter-book", "papermill", "snakemake"}


def run(files: list[Path], studies: Path) -> dict[str, list[str]]:
    command = [sys.executable, "-W", "error", light_lessons.__file__, str(studies), *map(str, files)]
    found = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"MPLBACKEND": "agg"}
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return json.loads(found.stdout)


@pytest.mark.slow
def test_every_solution_passes_its_check(tmp_path):
    answers = run(lessons(), tmp_path)
    assert answers == {lesson.name: ["Right."] * 3 for lesson in lessons()}
    assert len(list(tmp_path.rglob("*.png"))) >= len(answers)


@pytest.mark.slow
def test_a_students_notebook_runs_to_its_end_before_anything_is_answered(tmp_path):
    answers = run([STUDENTS / lesson.name for lesson in lessons()], tmp_path)
    assert list(answers) == [lesson.name for lesson in lessons()]
    for said in answers.values():
        assert len(said) == 3
        assert all(each.startswith("No answer yet") for each in said)


def test_the_light_set_takes_its_versions_from_the_lock_and_leaves_out_what_is_heavy():
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    assert "--constraint ../requirements.lock" in lines
    names = [line for line in lines if line[:1].isalpha()]
    assert not [name for name in names if re.search(r"[=<>~@]", name)]
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    locked = {light_lessons.normal(line.split("==")[0]) for line in lock}
    light = light_lessons.light()
    assert {light_lessons.normal(name) for name in names} <= light <= locked
    assert not HEAVY & light


def test_what_is_not_in_the_light_set_cannot_be_imported_there():
    code = "import sys, light_lessons; sys.meta_path.insert(0, light_lessons.Blocker()); import papermill"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(light_lessons.__file__).parent
    )
    assert "No module named 'papermill' in the light set" in found.stderr


def test_binder_installs_the_project_with_its_own_python():
    assert (BINDER / "runtime.txt").read_text().strip() == "python-3.11"
    script = BINDER / "postBuild"
    assert os.access(script, os.X_OK)
    assert "pip install --quiet --no-deps --editable ." in script.read_text()


@pytest.mark.slow
def test_the_lessons_run_in_an_environment_made_from_the_light_set_alone(tmp_path):
    def quiet(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)

    quiet(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = str(tmp_path / "venv" / "bin" / "python")
    quiet(python, "-m", "pip", "install", "--quiet", "--requirement", str(BINDER / "requirements.txt"))
    code = "import sys, light_lessons as l; from pathlib import Path; from helpers import paths; "
    code += "paths.STUDIES = Path(sys.argv[1]); print(*(l.said(Path(f)) for f in sys.argv[2:]))"
    where = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}", "MPLBACKEND": "agg"}
    found = subprocess.run(
        [python, "-c", code, str(tmp_path), *map(str, lessons())],
        capture_output=True,
        text=True,
        env=os.environ | where,
    )
    assert found.stdout.count("Right.") == 3 * len(lessons()), found.stderr[-2000:]
