"""A small study through a real SLURM, which loses a job and then its node: the tables are the local run's."""

import time
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import slurm_cluster
from small_project import CLIPS, QUESTIONS, SmallProject, add_judged_study, calls, ended
from stub_server import Answer, StubServer, completion

STUDY = """simulated: true
simulated_models: [{{name: Simulated A, faithfulness: 0.8}}, {{name: Simulated B, faithfulness: 0.4}}]
shards: {{generation: 2}}
metrics: [motion]
judges:
  - {{name: Judge A, kind: server, model: m, base_url: {address}/v1, concurrency: 2}}
"""
STAGES = ("judging-judge-a", "metrics-motion-1-of-1")
TARGETS = [f"studies/small/stages/{stage}.txt" for stage in STAGES]
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


def test_a_cluster_that_loses_a_job_and_its_node_gives_the_local_tables(
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
    local.run(targets=TARGETS)
    assert calls(server) == CALLS

    delay = 0.7
    with slurm_cluster.Cluster(tmp_path / "slurm") as slurm:
        running = cluster.start("slurm", TARGETS, ["--slurm-init-seconds-before-status-checks", "2"])
        try:
            until(lambda: calls(server) >= CALLS + 4)
            slurm.command("scancel", slurm.running()["rule_judging-judge-a"])
            until(lambda: "rule_judging-judge-a" not in slurm.running())
            asked = calls(server)
            until(lambda: calls(server) >= asked + 4)
            slurm.lose_node()
            assert "rule_judging-judge-a" not in slurm.running()
            slurm.start_node()
            slurm.start_waiting()
            until(lambda: "rule_judging-judge-a" in slurm.running())
            said = ended(running)
        finally:
            running.kill()
    assert "Trying to restart job" in said
    assert calls(server) <= 2 * CALLS + 4, "only calls in flight were made again"
    compare(local, cluster)


def hash_of(text: str) -> int:
    return sum(text.encode()) % 2


def compare(local: SmallProject, cluster: SmallProject) -> None:
    mine, theirs = local.tables(), cluster.tables()
    assert mine.keys() == theirs.keys()
    made = "tables/videos/generated.parquet"
    assert {name for name in mine if mine[name] != theirs[name]} <= {made}
    # How long each clip took stands in its settings, and in nothing else.
    clips = [pd.read_parquet(project.folder / made).drop(columns="settings") for project in (local, cluster)]
    pd.testing.assert_frame_equal(*clips)
    assert len(clips[0]) == 2 * CLIPS


def until(true, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come to that"
        time.sleep(0.1)
