"""The page "Your own clips, two judges and a survey": its files and commands, on tiny clips."""

import csv
import re
import shutil
import socket
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml

from helpers.benchmarks import starter
from helpers.generation.selection import PromptChoice
from helpers.parameters import checked
from helpers.paths import NOTEBOOKS, ROOT
from helpers.video.write import write_clip
from page_examples import Example, carry_out, example_of, is_as_said
from small_project import SmallProject

with socket.create_server(("127.0.0.1", 0)) as free:  # where no judge's server is
    NOBODY = f"localhost:{free.getsockname()[1]}"
PAGE = (ROOT / "book" / "own_clips.md").read_text(encoding="utf-8").replace("localhost:8000", NOBODY)
STUDY = "own/lumen.yaml"
ALONE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "GEMINI_API_KEY": ""}
# What asks a judge, builds the book or takes long is not run here.
NOT_RUN = re.compile(r"^make |22_import|34_judge|helpers\.judging \S+$", re.MULTILINE)
ABOUT = ("Status", "Finished", "Duration (in seconds)", "ResponseId", "cohort", "sheet")
ASKED = ("Q_consent", "Q_native", "Q_check")
# As the page's words about Qualtrics have them, not as its mapping has them.
CODES = (*(f"a_{number}" for number in range(1, 7)), "b_1", "b_2")
WRONG = """
from pathlib import Path
from helpers.imports import __main__ as taking_in
from helpers.judging import __main__ as asking
from helpers.people import __main__ as reading
Path("own/odd/Lumen 1").mkdir(parents=True)
Path("own/odd/Lumen 1/0017.mp4").write_bytes(b"")
said = Path("own/lumen.yaml").read_text()
Path("own/odd.yaml").write_text(said.replace("folder: own/clips\\njudges", "folder: own/odd\\njudges"))
taking_in.main(["own/odd.yaml"])
asking.main(["own/lumen.yaml"])
mapping = Path("own/mapping.yaml").read_text()
Path("own/mapping.yaml").write_text(mapping.replace("element_alignment: a_1", "element_alignment: aa_1"))
reading.main(["own/lumen.yaml"])
Path("own/clips/Lumen 2/starter-nigeria-games.mp4").unlink()
taking_in.main(["own/lumen.yaml"])
exec(Path("own/make_sheets.py").read_text())
"""


@pytest.fixture(scope="module")
def example() -> Example:
    return example_of(PAGE)


def part(example: Example, page: str, study: str) -> Example:
    """What of a part of the page can be run, with this study file."""
    steps = tuple(step for step in example_of(page).steps if not NOT_RUN.search(step.commands))
    return Example({**example.files, STUDY: study}, steps)


def run(project: SmallProject, example: Example) -> None:
    printed = carry_out(example, project.root, project.environment | ALONE)
    for step, found in zip(example.steps, printed, strict=True):
        # A bar of progress is drawn again and again.
        found = "".join(line for line in found.splitlines(keepends=True) if "reading names" not in line)
        assert step.said is None or is_as_said(found, step.said), f"{step.commands}\n{found}"


def film(folder, study: dict) -> None:
    """A clip of noise for each prompt that the page's study chooses, by two models."""
    prompts = starter.prompts().query("benchmark == 'culturevidbench'")
    noise = np.random.default_rng(1)
    for model in ("Lumen 1", "Lumen 2"):
        (folder / model).mkdir(parents=True)
        for prompt in PromptChoice(**study["prompts"]).of(prompts)["prompt_id"]:
            pictures = noise.integers(0, 256, (4, 16, 16, 3), dtype=np.uint8)
            write_clip(folder / model / f"{prompt}.mp4", pictures, 8)


def answer(folder) -> None:
    """An export as the page describes it, one person a sheet."""
    sheets = pd.read_csv(folder / "sheets.csv")
    places = sheets[["step", "position"]].drop_duplicates().itertuples(index=False)
    graded = [f"s{step}_c{position}_{code}" for step, position in places for code in CODES]
    header = [*ABOUT, *ASKED, *graded]
    with (folder / "survey.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(header)
        write(header)
        write(['{"ImportId": "none"}'] * len(header))
        for number, sheet in enumerate(sheets["rater_id"].unique()):
            about = ["IP Address", "True", 900, f"R_{number}", sheet.rpartition("-")[0], sheet]
            grades = ["Not applicable" if "_b_" in name else "Good" for name in graded]
            write([*about, "I agree", "Yes", "Blue", *grades])


@pytest.mark.slow
def test_the_pages_path_from_prompts_to_answers(tmp_path, example):
    project = SmallProject(tmp_path / "project", "")
    shutil.copytree(NOTEBOOKS, project.root / "notebooks", dirs_exist_ok=True)
    whole = yaml.safe_load(example.files[STUDY])
    film(project.root / "own" / "clips", whole)
    before, after = PAGE.split("\n## 7. ")
    first = yaml.safe_dump({key: value for key, value in whole.items() if key != "surveys"})
    run(project, part(example, before, first))
    answer(project.root / "own")
    run(project, part(example, after, example.files[STUDY]))
    done = subprocess.run(
        [sys.executable, "-c", WRONG],
        cwd=project.root,
        env=project.environment | ALONE,
        capture_output=True,
        text=True,
        timeout=120,
    )
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for said in rows:
        if "MissingInputException" not in said:  # Snakemake's
            assert said in done.stdout + done.stderr


def test_the_parameters_of_its_commands_are_the_notebooks_own(example):
    commands = [step.commands.replace("\\\n", " ") for step in example.steps]
    named = {
        re.search(r"notebooks/(\w+)\.ipynb", line)[1]: dict(re.findall(r"-p (\w+) (\S+)", line))
        for each in commands
        for line in each.splitlines()
        if "helpers.execute" in line
    }
    assert {"22_import_and_check", "34_judge_controls"} <= set(named)
    for notebook, values in named.items():
        checked(NOTEBOOKS / f"{notebook}.ipynb", {name: _value(text) for name, text in values.items()})


def _value(text: str) -> str | int:
    return int(text) if text.isdecimal() else text
