"""The real Snakefile on a copy of the project with two small notebooks: only what changed runs again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.paths import ROOT

pytestmark = pytest.mark.slow

TOC = """format: jb-book
root: intro
chapters:
- file: notebooks/01_one
- file: notebooks/02_two
"""


# The second notebook writes a table that the first one reads.
WRITE = """import pandas as pd
from helpers import study as studies
from helpers.tables import write
rows = pd.DataFrame({"prompt_id": ["a"], "country": ["Japan"], "variant": ["base"], "text": ["A fan."]})
write(studies.load(study).folder, "prompts", rows.assign(benchmark="culturescore"), part="culturescore")
print(seed)"""
READ = """from helpers import figures, study, tables
print("read:", tables.read(study.load("workflow/config/demo.yaml").folder, "prompts")["text"].item())"""


class Project:
    """A small copy of the project, and what a run of its workflow did."""

    def __init__(self, root: Path, make_notebook):
        self.root = root
        for name in ("src", "workflow"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "_config.yml", root)
        (root / "notebooks").mkdir()
        (root / "book" / "_static").mkdir(parents=True)
        shutil.copy(ROOT / "book" / "_static" / "book.css", root / "book" / "_static")
        (root / "book" / "_toc.yml").write_text(TOC)
        (root / "book" / "intro.md").write_text("# Intro\n")
        (root / "book" / "references.bib").write_text("")
        parameters = "study = 'workflow/config/demo.yaml'\nseed = 1"
        for name, code, tables in (
            ("01_one", READ, {"reads_tables": ["prompts"]}),
            ("02_two", WRITE, {"writes_tables": ["prompts/culturescore"]}),
        ):
            metadata = {"world_on_screen": tables}
            made = make_notebook(code, parameters=parameters, metadata=metadata, name=name)
            shutil.move(made, root / "notebooks")

    def run(self) -> set[str]:
        """Run the workflow as `make book` does; the rules that ran."""
        tools = Path(sys.executable).parent
        environment = os.environ | {
            "PYTHONPATH": str(self.root / "src"),
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        }
        command = ["snakemake", "--snakefile", "workflow/Snakefile", "--cores", "2"]
        command += ["--config", "study=workflow/config/demo.yaml"]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = done.stderr.splitlines()
        return {line.split()[-1].rstrip(":") for line in lines if line.startswith(("rule ", "localrule "))}


def test_only_what_changed_runs_again(tmp_path, make_notebook):
    root = tmp_path / "project"
    root.mkdir()
    project = Project(root, make_notebook)
    assert project.run() == {"01_one", "02_two", "book"}
    pages = root / "studies" / "demo" / "book" / "_build" / "html" / "notebooks"
    page = pages / "02_two.html"
    assert "20261130" in page.read_text()
    assert "read: A fan." in (pages / "01_one.html").read_text()

    assert project.run() == set()

    notebook = root / "notebooks" / "02_two.ipynb"
    content = json.loads(notebook.read_text())
    content["cells"][-1]["source"] = WRITE.replace("fan", "kite") + "\nprint('changed')"
    notebook.write_text(json.dumps(content))
    assert project.run() == {"01_one", "02_two", "book"}, "what reads its table follows"
    assert "changed" in page.read_text()
    assert "read: A kite." in (pages / "01_one.html").read_text()

    helper = root / "src" / "helpers" / "figures.py"
    helper.write_text(helper.read_text() + "\n")
    assert project.run() == {"01_one", "book"}

    config = root / "workflow" / "config" / "demo.yaml"
    config.write_text(config.read_text() + "parameters:\n  01_one: {seed: 3}\n")
    assert project.run() == {"01_one", "book"}
