import os
import subprocess
import sys
import threading
import time

import pytest

from helpers import gpus

HOLDS = """import sys, time
from pathlib import Path
from helpers.gpus import one_gpu
with one_gpu(Path(sys.argv[1]), pause=0.05) as name:
    print(name, flush=True)
    time.sleep(60)"""


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")


def hold(locks):
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, str(locks)], stdout=subprocess.PIPE, text=True)
    return holder, holder.stdout.readline().strip()


def test_each_process_gets_a_gpu_of_its_own_and_the_next_waits_for_one_that_ends(tmp_path):
    (first, a), (second, b) = hold(tmp_path), hold(tmp_path)
    assert (a, b) == ("3", "5")
    threading.Timer(0.4, second.kill).start()
    began = time.monotonic()
    with gpus.one_gpu(tmp_path, pause=0.05) as name:
        assert name == os.environ["CUDA_VISIBLE_DEVICES"] == "5"
        assert time.monotonic() - began > 0.3
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "3,5"
    first.kill()
    for holder in (first, second):
        holder.communicate()


@pytest.mark.parametrize(("variable", "value"), [("SLURM_JOB_ID", "7"), ("CUDA_VISIBLE_DEVICES", "")])
def test_leaves_alone_what_a_scheduler_or_nobody_has_given(tmp_path, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    before = os.environ["CUDA_VISIBLE_DEVICES"]
    with gpus.one_gpu(tmp_path) as name:
        assert name is None
        assert os.environ["CUDA_VISIBLE_DEVICES"] == before
    assert not list(tmp_path.iterdir())


def test_asks_the_driver_where_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho GPU-aa\necho GPU-bb\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert gpus.visible_gpus() == ["GPU-aa", "GPU-bb"]
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert gpus.visible_gpus() == []
