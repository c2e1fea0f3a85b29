"""Studies through a real SLURM: a small one that loses a job and its node, and the demo study's stages.

The tables are those of the local run.
"""

import shutil
import subprocess
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import psutil
import pytest

import slurm_cluster
from helpers import study as studies
from helpers.paths import ROOT, STUDIES, shown
from helpers.study_stages import stages_of
from small_project import (
    CLIPS,
    QUESTIONS,
    SmallProject,
    add_judged_study,
    calls,
    ended,
    environment_of,
    tables_of,
)
from stub_server import Answer, StubServer, completion

STUDY = """simulated: true
simulated_models: [{{name: Simulated A, faithfulness: 0.8}}, {{name: Simulated B, faithfulness: 0.4}}]
shards: {{generation: 2}}
metrics: [motion]
judges:
  - {{name: Judge A, kind: server, model: m, base_url: {address}/v1, concurrency: 2}}
"""
CALLS = 2 * CLIPS * QUESTIONS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        slurm_cluster.missing() is not None, reason=slurm_cluster.missing() or "there is a SLURM"
    ),
    pytest.mark.skipif(
        find_spec("snakemake_executor_plugin_slurm") is None, reason="the extra `slurm` is not installed"
    ),
]


def test_a_cluster_that_loses_a_job_and_its_node_and_falls_silent_gives_the_local_tables(
    tmp_path: Path, make_notebook, server: StubServer
):
    delay = 0.05

    def answer(asked):
        if asked.method == "GET":
            return Answer({"data": []})
        number = asked.text.partition("scene-")[2].partition("\n")[0]
        return completion(rf"\boxed{{{'yes' if hash_of(number) else 'no'}}}", delay=delay)

    server.answer = answer
    projects = {name: SmallProject(tmp_path / name, STUDY.format(address=server.address)) for name in "lc"}
    for project in projects.values():
        add_judged_study(project, make_notebook)
    local, cluster = projects["l"], projects["c"]
    local.run()
    assert calls(server) == CALLS

    delay = 0.7
    options = ["--slurm-init-seconds-before-status-checks", "2"]
    with (
        slurm_cluster.Cluster(tmp_path / "slurm") as slurm,
        cluster.start("slurm", options=options) as running,
    ):
        try:
            until(lambda: calls(server) >= CALLS + 4)
            slurm.command("scancel", slurm.running()["rule_judging-judge-a"])
            until(lambda: "rule_judging-judge-a" not in slurm.running())
            asked = calls(server)
            until(lambda: calls(server) >= asked + 4)
            slurm.lose_node()
            assert "rule_judging-judge-a" not in slurm.running()
            asked = calls(server)
            slurm.start_node()
            until(lambda: calls(server) >= asked + 2)
            # Not sooner: SLURM 22.05's controller can crash where it awakes to a job that asks for its step.
            with slurm.silent():
                until(lambda: is_asked_about(running))
                time.sleep(12)  # the executor waits 10 s for an answer
            said = ended(running)
        finally:
            running.kill()
    assert "The cluster does not say" in said
    assert "Trying to restart job" in said
    assert calls(server) <= 2 * CALLS + 4, "only calls in flight were made again"
    page = cluster.folder / "book" / "_build" / "html" / "notebooks" / "52_counts.html"
    assert f"answers: {CALLS}" in page.read_text()
    assert cluster.tables().keys() == local.tables().keys()
    assert compare(local.tables(), local.folder, cluster.folder) == 2 * CLIPS


def hash_of(text: str) -> int:
    return sum(text.encode()) % 2


def test_the_demo_study_has_the_tables_of_make_book(tmp_path: Path):
    if not (STUDIES / "demo" / "book.built").exists():
        pytest.skip("the demo study is not built: `make book`")
    project = tmp_path / "project"
    for name in ("src", "workflow", "notebooks", "book"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "data").symlink_to(ROOT / "data")
    demo = studies.load("workflow/config/demo.yaml")
    stages = stages_of(demo)
    records = [shown(stage.record(demo.folder)) for stage in stages]
    with slurm_cluster.Cluster(tmp_path / "slurm", cpus=2):
        done = subprocess.run(
            ["workflow/run.sh", "workflow/config/demo.yaml", "slurm", *records],
            cwd=project,
            env=environment_of(project),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2400,
        )
    assert done.returncode == 0, done.stdout
    written = {
        file.relative_to(demo.folder).as_posix() for stage in stages for file in stage.written(demo.folder)
    }
    assert compare(written, demo.folder, project / "studies" / "demo") > 100


def compare(names: Iterable[str], local: Path, cluster: Path) -> int:
    """Compare tables of two folders of one study, byte by byte; how many clips were made."""
    mine, theirs = tables_of(local), tables_of(cluster)
    made = sorted(name for name in names if name.startswith("tables/videos/generated"))
    assert {name for name in names if mine[name] != theirs[name]} <= set(made)
    # How long each clip took stands in its settings, and in nothing else.
    clips = [
        pd.concat([pd.read_parquet(study / name) for name in made]).drop(columns="settings")
        for study in (local, cluster)
    ]
    pd.testing.assert_frame_equal(*clips)
    return len(clips[0])


def is_asked_about(running: subprocess.Popen) -> bool:
    """Whether a run is asking the cluster something."""
    programs = [child.name() for child in psutil.Process(running.pid).children(recursive=True)]
    return not {"scontrol", "squeue"}.isdisjoint(programs)


def until(true, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come to that"
        time.sleep(0.1)
