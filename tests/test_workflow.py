"""The real Snakefile on a copy of the project with two small notebooks: only what changed runs again."""

import os
from pathlib import Path

import pytest

from small_project import SmallProject, add_judged_study, calls, write_clips
from stub_server import StubServer, completion

pytestmark = pytest.mark.slow
STUDY = """clips: [{{folder: clips, model: Camera}}]
judges: [{{name: Judge A, kind: server, model: m, base_url: {address}/v1, concurrency: 2}}]
"""


def ran(project: SmallProject) -> set[str]:
    """Run the workflow as `make study` does, but so that it says which rules it runs; those."""
    lines = project.run(options=["--quiet", "host"]).splitlines()
    return {line.split()[-1].rstrip(":") for line in lines if line.startswith(("rule ", "localrule "))}


def change(file: Path, was: str, becomes: str) -> None:
    text = file.read_text()
    assert was in text
    file.write_text(text.replace(was, becomes))


def test_only_what_changed_runs_again(tmp_path, make_notebook, server: StubServer):
    server.answer = lambda _: completion(r"\boxed{yes}")
    project = SmallProject(tmp_path / "project", STUDY.format(address=server.address))
    add_judged_study(project, make_notebook)
    write_clips(project.root / "clips")
    everything = {"11_prompts", "imports", "judging-judge-a", "52_counts", "book"}
    assert ran(project) == everything
    page = project.folder / "book" / "_build" / "html" / "notebooks" / "52_counts.html"
    assert "answers: 18" in page.read_text()
    asked = calls(server)

    assert ran(project) == set()

    with (project.root / "src" / "helpers" / "imports" / "copies.py").open("a") as helper:
        helper.write("\n")
    assert ran(project) == {"imports", "judging-judge-a", "52_counts", "book"}, "what reads its clips follows"
    assert calls(server) == asked, "nobody is asked twice"

    change(project.config, "concurrency: 2", "concurrency: 3")
    with project.config.open("a") as config:
        config.write("parameters:\n  52_counts: {seed: 3}\n")
    assert ran(project) == {"52_counts", "book"}

    change(project.root / "notebooks" / "11_prompts.ipynb", "Is there a fan?", "Is there a kite?")
    assert ran(project) == everything
    assert calls(server) == 2 * asked

    # A clip goes, and a file comes whose name is no text.
    (project.root / "clips" / "cs-5.mp4").unlink()
    Path(os.fsdecode(os.fsencode(project.root / "clips") + b"/\xff.mp4")).write_bytes(b"a clip")
    assert ran(project) == {"imports", "judging-judge-a", "52_counts", "book"}
    assert calls(server) == 2 * asked
    assert ran(project) == set()

    with project.config.open("a") as config:
        config.write("outputs: [11*]\n")
    assert ran(project) == {"book"}
    assert not page.exists()


def test_a_damaged_table_is_noticed_also_where_the_book_is_built(tmp_path, make_notebook, server: StubServer):
    server.answer = lambda _: completion(r"\boxed{yes}")
    project = SmallProject(tmp_path / "project", STUDY.format(address=server.address))
    add_judged_study(project, make_notebook)
    write_clips(project.root / "clips")
    ran(project)
    answers = project.folder / "tables" / "answers" / "judge-a.parquet"
    whole = answers.read_bytes()
    answers.write_bytes(whole[: len(whole) // 2])
    running = project.start(options=["--quiet", "host"])
    assert "answers/judge-a.parquet" in running.communicate(timeout=600)[0], "it says what is wrong"
    answers.unlink()
    assert ran(project) == {"judging-judge-a", "52_counts", "book"}
    assert answers.read_bytes() == whole
    assert ran(project) == set()
