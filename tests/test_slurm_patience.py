"""A cluster that is silent for a while is asked again."""

import asyncio
import logging
import sys
from types import SimpleNamespace

import pytest

from helpers import slurm

LOG = logging.getLogger(__name__)


def patient(ages=(), states=()):
    """An executor with these answers, made patient; `asked` is what it was asked about the states."""
    asked, ages, states = [], iter(ages), iter(states)

    async def query(*question):
        asked.append(question)
        return next(states)

    plugin = SimpleNamespace(get_min_job_age=lambda: next(ages), query_job_status=query, asked=asked)
    slurm.be_patient(plugin, seconds=0.01)
    return plugin


def test_the_state_of_jobs_is_asked_until_it_is_known(capsys):
    plugin = patient(states=[(None, None), (None, None), ({"7": "RUNNING"}, 0.2)])
    assert asyncio.run(plugin.query_job_status("squeue --name x", LOG)) == ({"7": "RUNNING"}, 0.2)
    assert plugin.asked == [("squeue --name x", LOG)] * 3
    assert (
        capsys.readouterr().out.splitlines()
        == ["The cluster does not say how the jobs are (`squeue --name x`); asking again in 0.01 s."] * 2
    )


def test_no_jobs_are_an_answer():
    plugin = patient(states=[({}, 0.1)])
    assert asyncio.run(plugin.query_job_status("squeue", LOG)) == ({}, 0.1)


def test_how_long_jobs_are_remembered_is_asked_until_it_is_known(capsys):
    assert patient(ages=[None, 0]).get_min_job_age() == 0
    assert "asking again" in capsys.readouterr().out


def test_without_the_executor_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "snakemake_executor_plugin_slurm", None)
    with pytest.raises(SystemExit, match=r"pip install -e '.\[slurm\]'"):
        slurm.main()
