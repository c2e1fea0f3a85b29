"""The pages "Add your own": each example is carried out, and prints what the page says."""

import socket

import pytest

from helpers.paths import ROOT
from page_examples import carry_out, example_of, is_as_said
from small_project import SmallProject

PAGES = ROOT / "book" / "add"
# The port that the page about judges uses.
PORT = "8765"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> SmallProject:
    return SmallProject(tmp_path_factory.mktemp("add") / "project", "")


@pytest.mark.parametrize("name", ["model", "judge", "metric", "benchmark", "survey"])
def test_the_example_of_a_page_prints_what_the_page_says(project, name):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        page = page.replace(PORT, str(free.getsockname()[1]))
    example = example_of(page)
    printed = carry_out(
        example, project.root, project.environment | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    )
    assert len(example.steps) >= 3
    for step, found in zip(example.steps, printed, strict=True):
        assert step.said is None or is_as_said(found, step.said), (
            f"{step.commands}\n{found}\nsaid:\n{step.said}"
        )
