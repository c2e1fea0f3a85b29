"""A small copy of the project in a folder of its own: the real workflow, small notebooks and clips."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from helpers.paths import ROOT
from helpers.video.write import write_clip
from stub_server import StubServer

CLIPS, QUESTIONS = 6, 3
PROMPTS = f"""import pandas as pd
from helpers import study as studies
from helpers.tables import write
folder = studies.load(study).folder
prompts = pd.DataFrame({{"prompt_id": [f"cs-{{at}}" for at in range({CLIPS})]}})
prompts = prompts.assign(benchmark="culturescore", country="Japan", variant="base", category="family")
prompts["scenario_id"] = prompts["prompt_id"].str.replace("cs", "scene")
write(folder, "prompts", prompts.assign(text="A fan, " + prompts["prompt_id"]), part="culturescore")
questions = prompts[["scenario_id"]].merge(pd.DataFrame({{"number": range({QUESTIONS})}}), how="cross")
questions["question_id"] = questions["scenario_id"] + "-q" + questions["number"].astype(str)
questions = questions.assign(dimension="identity", text="Is there a fan? " + questions["question_id"])
write(folder, "questions", questions.drop(columns="number"), part="culturescore")"""
COUNTS = """from helpers import study as studies, tables
answers = tables.read(studies.load(study).folder, "answers")
print("answers:", len(answers), answers["status"].value_counts().to_dict())"""
TOC = "format: jb-book\nroot: intro\nchapters:\n"


class SmallProject:
    """The copy; `workflow/run.sh` runs its study `small` as `make study` does."""

    def __init__(self, root: Path, study: str) -> None:
        """Lay it out.

        Args:
            root: its folder, which is made.
            study: what its study file says besides its name and seed.
        """
        self.root = root
        self.folder = root / "studies" / "small"
        self.config = root / "workflow" / "config" / "small.yaml"
        self.environment = environment_of(root)
        for name in ("src", "workflow"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        (root / "data").symlink_to(ROOT / "data")
        for name in ("_config.yml", "pyproject.toml"):
            shutil.copy(ROOT / name, root)
        self.config.write_text(f"name: small\nseed: 7\n{study}")
        (root / "notebooks").mkdir()
        (root / "book" / "_static").mkdir(parents=True)
        shutil.copy(ROOT / "book" / "_static" / "book.css", root / "book" / "_static")
        (root / "book" / "intro.md").write_text("# Intro\n")
        (root / "book" / "references.bib").write_text("")
        (root / "book" / "_toc.yml").write_text(TOC)

    def add_notebook(self, made: Path) -> None:
        """Take in a notebook, and name it in the book's contents."""
        shutil.move(made, self.root / "notebooks")
        with (self.root / "book" / "_toc.yml").open("a") as contents:
            contents.write(f"- file: notebooks/{made.stem}\n")

    def start(
        self, profile: str = "local", targets: Iterable[str] = (), options: Iterable[str] = (), **environment
    ) -> subprocess.Popen:
        """Run the workflow; its process is Snakemake's own."""
        return subprocess.Popen(
            ["workflow/run.sh", "workflow/config/small.yaml", profile, *targets, *options],
            cwd=self.root,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments, **about) -> str:
        """Run the workflow to its end, as `start`; what it printed."""
        return ended(self.start(*arguments, **about))

    def tables(self) -> dict[str, bytes]:
        """The study's tables, byte by byte."""
        return tables_of(self.folder)


def environment_of(root: Path) -> dict[str, str]:
    """The variables with which a copy of the project uses its own code, and this Python."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PYTHONPATH": str(root / "src"), "PATH": path}


def tables_of(folder: Path) -> dict[str, bytes]:
    """The tables in a study's folder, byte by byte."""
    files = sorted((folder / "tables").rglob("*.parquet"))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def ended(running: subprocess.Popen) -> str:
    """Wait for a run that must succeed; what it printed."""
    with running:
        try:
            said, _ = running.communicate(timeout=600)
        except subprocess.TimeoutExpired as late:
            running.kill()
            raise AssertionError(
                f"it does not end; so far it printed\n{(late.output or b'').decode()}"
            ) from None
    assert running.returncode == 0, said
    return said


def calls(server: StubServer) -> int:
    """How often a model was asked; whether the server is there is asked too."""
    return sum(asked.method == "POST" for asked in list(server.asked))


def add_judged_study(project: SmallProject, make_notebook: Callable[..., Path]) -> None:
    """Two notebooks: one writes prompts and questions, the other counts the answers."""
    parameters = "study = 'workflow/config/small.yaml'\nseed = 1"
    written = ["prompts/culturescore", "questions/culturescore"]
    for name, code, tables in (
        ("11_prompts", PROMPTS, {"writes_tables": written}),
        ("52_counts", COUNTS, {"reads_tables": ["answers"]}),
    ):
        metadata = {"world_on_screen": tables}
        project.add_notebook(make_notebook(code, parameters=parameters, metadata=metadata, name=name))


def write_clips(folder: Path) -> None:
    """Clips of noise, one a prompt and named after it."""
    folder.mkdir()
    for number in range(CLIPS):
        pictures = np.random.default_rng(number).integers(0, 256, (24, 48, 64, 3), dtype=np.uint8)
        write_clip(folder / f"cs-{number}.mp4", pictures, 8)
