"""A study ended by force while a stage is at work: the same command goes on to the same tables."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from small_notebooks import write_notebook
from small_project import CLIPS, QUESTIONS, SmallProject, add_judged_study, calls, write_clips
from stub_server import StubServer, completion, running

pytestmark = pytest.mark.slow
STUDY = """clips: [{{folder: clips, model: Camera}}]
judges: [{{name: Judge A, kind: server, model: m, base_url: {address}/v1, concurrency: 2}}]
"""
CALLS = CLIPS * QUESTIONS
TARGETS = ["studies/small/notebooks/52_counts.ipynb"]
# As the book does, which wants every stage's record too.
TARGETS += [f"studies/small/stages/{stage}.txt" for stage in ("imports", "judging-judge-a")]
FULL = "No space left on device"


@pytest.fixture(scope="module")
def server() -> Iterator[StubServer]:
    """One for all tests: its address stands in the study's tables."""
    with running() as stub:
        yield stub


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, server: StubServer) -> tuple[SmallProject, dict]:
    """A study whose judge takes some seconds, and its tables where nothing disturbs it."""
    folder = tmp_path_factory.mktemp("recovery")
    server.answer = lambda asked: completion(r"\boxed{yes}", delay=0.3)
    project = SmallProject(folder / "project", STUDY.format(address=server.address))
    add_judged_study(project, partial(write_notebook, folder))
    write_clips(project.root / "clips")
    project.run(targets=TARGETS)
    return project, project.tables()


@pytest.fixture
def project(whole: tuple[SmallProject, dict], server: StubServer) -> SmallProject:
    """The study as before its first run."""
    project, _ = whole
    shutil.rmtree(project.folder)
    server.asked.clear()
    return project


def working(command: str, project: SmallProject) -> list[int]:
    """The processes in the project's folder whose command line has these words."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if command in line and (process / "cwd").resolve() == project.root:
                found.append(int(process.name))
        except OSError:
            continue
    return found


def kill(run: subprocess.Popen) -> None:
    run.kill()
    run.communicate(timeout=60)


def until(true, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come to that"
        time.sleep(0.05)


def test_a_study_goes_on_after_each_kind_of_end(project: SmallProject, whole, server: StubServer):
    """A notebook is killed, then Snakemake, then a stage; another run is refused; then all is well."""
    first = project.start(targets=TARGETS)
    until(lambda: working("ipykernel", project))
    os.kill(working("helpers.execute", project)[0], signal.SIGKILL)
    said, _ = first.communicate(timeout=120)
    assert first.returncode == 1
    assert "11_prompts" in said
    until(lambda: not working("ipykernel", project), 10)

    second = project.start(targets=TARGETS)
    until(lambda: calls(server) >= 4)
    refused = project.start(targets=TARGETS)
    said, _ = refused.communicate(timeout=60)
    assert refused.returncode == 75
    assert "another run is going on" in said
    kill(second)
    until(lambda: not working("helpers.stages", project), 10)

    asked = calls(server)
    third = project.start(targets=TARGETS)
    until(lambda: calls(server) >= asked + 4)
    os.kill(working("helpers.stages", project)[0], signal.SIGKILL)
    said, _ = third.communicate(timeout=120)
    assert third.returncode == 1
    assert "judging-judge-a" in said

    assert "Nothing to be done" not in project.run(targets=TARGETS)
    assert calls(server) <= CALLS + 2 * 2, "only the two calls in flight were made again, each time"
    assert project.tables() == whole[1]
    assert "Nothing to be done" in project.run(targets=TARGETS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_stops_a_study_that_goes_on_once_there_is_room(
    project: SmallProject, whole, server: StubServer
):
    project.folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(project.folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    filler = project.folder / "filler"
    try:
        first = project.start(targets=TARGETS)
        until(lambda: calls(server) >= 4)
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
        said, _ = first.communicate(timeout=300)
        assert first.returncode == 1
        assert FULL in said
        filler.unlink()
        project.run(targets=TARGETS)
        assert calls(server) <= CALLS + 2, "what was recorded before is not asked again"
        assert project.tables() == whole[1]
    finally:
        subprocess.run(["umount", "--lazy", str(project.folder)], check=True)


def test_failed_results_let_a_study_go_on_and_are_tried_again_on_request(
    project: SmallProject, server: StubServer
):
    clip = project.root / "clips" / "cs-0.mp4"
    clip.write_bytes(b"no clip")
    said = project.run(targets=TARGETS)
    assert "imports: not everything has a result" in said
    assert "make study RETRY=1" in said
    assert "Nothing to be done" in project.run(targets=TARGETS)
    clip.unlink()
    asked = calls(server)
    assert "helpers.imports" in project.run(targets=TARGETS, RETRY="1")
    assert calls(server) == asked

    (project.folder / "tables" / "answers" / "judge-a.parquet").unlink()
    assert "helpers.judging" in project.run(targets=TARGETS), "a lost table is made again"
    assert calls(server) == asked
