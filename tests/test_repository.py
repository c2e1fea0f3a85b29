"""The promises that the repository makes about itself."""

import re
import subprocess
import tomllib

import nbformat
import pytest
import yaml

from helpers import parameters
from helpers.paths import NOTEBOOKS, ROOT

NOTEBOOK_FILES = sorted(NOTEBOOKS.glob("*.ipynb"))
LONGEST_CELL = 25


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return {normal(name): version for name, version in (line.split("==") for line in lines)}


@pytest.fixture(scope="module")
def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def test_every_requirement_is_locked_and_its_version_written_only_in_the_lock(locked):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {normal(re.match(r"[\w.-]+", requirement).group()) for requirement in required}
    assert names <= set(locked)
    assert not [requirement for requirement in required if "==" in requirement]


def test_the_conda_environment_points_to_the_lock_and_pins_python_alone():
    content = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, pip = content["dependencies"]
    assert conda == ["python=3.11", "pip"]
    assert pip == {"pip": ["-r requirements.lock", "-e ."]}


def test_nothing_over_a_megabyte_is_tracked(tracked):
    assert not [path.name for path in tracked if path.stat().st_size > 1_000_000]


def test_ci_and_the_readme_name_the_two_commands():
    for path in (ROOT / ".ci" / "run", ROOT / "README.md"):
        text = path.read_text()
        assert "make book" in text
        assert "make test" in text


def test_make_help_names_every_target():
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M).group(1).split()
    assert [line.split()[1] for line in shown.splitlines()] == phony


@pytest.mark.parametrize("path", NOTEBOOK_FILES, ids=lambda path: path.stem)
class TestNotebook:
    @pytest.fixture
    def cells(self, path):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        return notebook.cells

    @pytest.fixture
    def code(self, cells):
        return [cell for cell in cells if cell.cell_type == "code"]

    @pytest.fixture
    def prose(self, cells):
        return [cell.source for cell in cells if cell.cell_type == "markdown"]

    def test_holds_no_output(self, code):
        assert not [cell for cell in code if cell.outputs or cell.execution_count]

    def test_is_headed_by_one_question(self, prose):
        headings = re.findall(r"^# (.*)$", "\n".join(prose), re.M)
        assert len(headings) == 1
        assert headings[0].endswith("?")

    def test_declares_literal_parameters_with_a_comment_a_line(self, path, code):
        assert "study" in parameters.defaults(path)
        cell = next(cell for cell in code if "parameters" in cell.metadata.get("tags", []))
        assert all("#" in line for line in cell.source.splitlines())

    def test_says_what_it_reads_writes_and_takes(self, prose):
        opening = "\n".join(prose[:2]).lower()
        assert all(word in opening for word in ("reads", "writes", "takes about"))

    def test_leaves_logic_to_the_helpers(self, code):
        assert not [cell.source for cell in code if re.search(r"^\s*(def|class) ", cell.source, re.M)]
        assert max(len(cell.source.splitlines()) for cell in code) <= LONGEST_CELL

    def test_ends_with_what_we_learnt_exercises_and_versions(self, prose, code):
        text = "\n".join(prose)
        assert "## What we learnt" in text
        assert "exercise" in text.lower()
        assert "versions(" in code[-1].source


def test_the_book_documents_every_public_module():
    pages = "".join(page.read_text() for page in (ROOT / "book" / "api").glob("*.md"))
    listed = set(re.findall(r"automodule:: helpers\.(\S+)", pages))
    inner = {"people.answers", "people.prolific", "people.qualtrics", "people.respondents"}
    inner |= {"simulate.latent", "simulate.triplets"}
    inner |= {"chat.caller", "chat.log", "chat.loops"}
    modules = {
        ".".join(path.relative_to(ROOT / "src" / "helpers").with_suffix("").parts)
        for path in (ROOT / "src" / "helpers").rglob("*.py")
        if path.name != "__init__.py" and not path.name.startswith("_") and "claims" not in path.parts
    }
    assert modules - inner == listed - {"evidence.claims"}
