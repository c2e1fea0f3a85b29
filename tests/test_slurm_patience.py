"""A run on a cluster outlasts times in which the cluster is silent."""

import asyncio
import logging
import sys
import threading
from types import SimpleNamespace

import pytest

from helpers import slurm

LOG = logging.getLogger(__name__)
JOB = SimpleNamespace(name="judging")


@pytest.fixture
def plugin():
    """An executor that notes what reaches it, and whose questions are answered from `answers`."""
    answers, reached = [], []

    async def query_job_status(command, logger):
        answer, reason = answers.pop(0)
        logger.debug(reason)
        return answer

    class Executor:
        def run_job(self, job):
            reached.append(job.name)

        def cancel(self):
            reached.append("cancelled")

    made = SimpleNamespace(
        query_job_status=query_job_status, Executor=Executor, answers=answers, reached=reached
    )
    slurm.be_patient(made, seconds=0.05)
    return made


@pytest.fixture
def controller(tmp_path, monkeypatch):
    """A file; while it is there, `scontrol` fails."""
    silent = tmp_path / "silent"
    program = tmp_path / "scontrol"
    program.write_text(f"#!/bin/sh\n[ ! -e {silent} ]\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return silent


def test_jobs_of_unknown_state_are_still_waited_for(plugin, capsys):
    plugin.answers += [((None, None), "query failed: no contact\n"), (({"7": "RUNNING"}, 0.2), "fine")]
    assert asyncio.run(plugin.query_job_status("squeue", LOG)) == ({}, 0.0)
    assert capsys.readouterr().out == "The cluster does not say how the jobs are: query failed: no contact\n"
    assert asyncio.run(plugin.query_job_status("squeue", LOG)) == ({"7": "RUNNING"}, 0.2)
    assert not capsys.readouterr().out


def test_a_job_is_submitted_once_the_cluster_answers(plugin, controller, capsys):
    controller.touch()
    submitting = threading.Thread(target=plugin.Executor().run_job, args=[JOB])
    submitting.start()
    submitting.join(timeout=0.5)
    assert plugin.reached == []
    controller.unlink()
    submitting.join(timeout=30)
    assert plugin.reached == ["judging"]
    assert "judging is submitted once it does" in capsys.readouterr().out


def test_who_stops_the_run_does_not_wait_for_the_cluster(plugin, controller):
    controller.touch()
    executor = plugin.Executor()
    submitting = threading.Thread(target=executor.run_job, args=[JOB])
    submitting.start()
    executor.cancel()
    submitting.join(timeout=30)
    assert not submitting.is_alive()
    assert plugin.reached == ["cancelled"]


def test_without_the_executor_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "snakemake_executor_plugin_slurm", None)
    with pytest.raises(SystemExit, match=r"pip install -e '.\[slurm\]'"):
        slurm.main()
