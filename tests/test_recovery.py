"""A study ended by force while a stage is at work: the same command goes on to the same tables."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from small_project import CLIPS, QUESTIONS, SmallProject, add_judged_study, calls, write_clips
from stub_server import StubServer, completion

pytestmark = pytest.mark.slow
STUDY = """clips: [{{folder: clips, model: Camera}}]
judges: [{{name: Judge A, kind: server, model: m, base_url: {address}/v1, concurrency: 2}}]
"""
CALLS = CLIPS * QUESTIONS
TARGETS = ["studies/small/notebooks/52_counts.ipynb"]
# As the book does, which wants every stage's record too.
TARGETS += [f"studies/small/stages/{stage}.txt" for stage in ("imports", "judging-judge-a")]
FULL = "No space left on device"


@pytest.fixture
def project(tmp_path: Path, make_notebook, server: StubServer) -> SmallProject:
    """A study whose judge takes some seconds."""
    server.answer = lambda asked: completion(r"\boxed{yes}", delay=0.3)
    project = SmallProject(tmp_path / "project", STUDY.format(address=server.address))
    add_judged_study(project, make_notebook)
    write_clips(project.root / "clips")
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


def kill(running: subprocess.Popen) -> None:
    running.kill()
    running.communicate(timeout=60)


def until(true, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come to that"
        time.sleep(0.05)


def test_a_study_goes_on_after_each_kind_of_end(project: SmallProject, server: StubServer):
    """Snakemake is killed, then a stage, then a notebook; another run is refused; then all is well."""
    running = project.start(targets=TARGETS)
    until(lambda: working("ipykernel", project))
    kill(running)
    until(lambda: not working("helpers.execute", project) and not working("ipykernel", project), 10)

    running = project.start(targets=TARGETS)
    until(lambda: calls(server) >= 4)
    refused = project.start(targets=TARGETS)
    said, _ = refused.communicate(timeout=60)
    assert refused.returncode == 75
    assert "another run is going on" in said
    kill(running)
    until(lambda: not working("helpers.stages", project), 10)

    asked = calls(server)
    running = project.start(targets=TARGETS)
    until(lambda: calls(server) >= asked + 4)
    os.kill(working("helpers.stages", project)[0], signal.SIGKILL)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 1
    assert "judging-judge-a" in said

    running = project.start(targets=TARGETS)
    until(lambda: working("helpers.execute notebooks/52_counts", project))
    os.kill(working("helpers.execute notebooks/52_counts", project)[0], signal.SIGKILL)
    running.communicate(timeout=120)
    assert running.returncode == 1

    assert "Nothing to be done" not in project.run(targets=TARGETS)
    assert calls(server) <= CALLS + 2 * 2, "only the two calls in flight were made again, each time"
    assert "Nothing to be done" in project.run(targets=TARGETS)
    tables = project.tables()
    undisturbed(project)
    assert project.tables() == tables


def undisturbed(project: SmallProject) -> None:
    """Make the study anew, in one go."""
    project.folder.rename(project.folder.with_name("disturbed"))
    project.run(targets=TARGETS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_stops_a_study_that_goes_on_once_there_is_room(project: SmallProject, server: StubServer):
    project.folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(project.folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    filler = project.folder / "filler"
    try:
        running = project.start(targets=TARGETS)
        until(lambda: calls(server) >= 4)
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
        said, _ = running.communicate(timeout=300)
        assert running.returncode == 1
        assert FULL in said
        filler.unlink()
        project.run(targets=TARGETS)
        assert calls(server) <= CALLS + 2, "what was recorded before is not asked again"
        tables = project.tables()
    finally:
        subprocess.run(["umount", "--lazy", str(project.folder)], check=True)
    project.run(targets=TARGETS)
    assert project.tables() == tables


def test_failed_results_let_a_study_go_on_and_are_tried_again_on_request(
    project: SmallProject, server: StubServer
):
    (project.root / "clips" / "cs-0.mp4").write_bytes(b"no clip")
    said = project.run(targets=TARGETS)
    assert "imports: not everything has a result" in said
    assert "make study RETRY=1" in said
    assert "Nothing to be done" in project.run(targets=TARGETS)
    (project.root / "clips" / "cs-0.mp4").unlink()
    asked = calls(server)
    assert "helpers.imports" in project.run(targets=TARGETS, RETRY="1")
    assert calls(server) == asked

    (project.folder / "tables" / "answers" / "judge-a.parquet").unlink()
    assert "helpers.judging" in project.run(targets=TARGETS), "a lost table is made again"
    assert calls(server) == asked
