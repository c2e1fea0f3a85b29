"""Snakemake on a SLURM cluster that is silent at times: `python -m helpers.slurm` with `snakemake`'s options.

A cluster's controller does not always answer, such as while it restarts. snakemake-executor-plugin-slurm 2.8
then forgets the jobs that it waits for, so that the run never ends, and gives up a job that it cannot submit.
Here a job whose state is not known is still waited for, and none is submitted to a cluster that is silent.
"""

import logging
import subprocess
import sys
import threading
from types import ModuleType, SimpleNamespace
from typing import Any

SECONDS = 10


def be_patient(plugin: ModuleType, seconds: float = SECONDS) -> None:
    """Let the executor outlast times in which the cluster is silent.

    Args:
        plugin: the module `snakemake_executor_plugin_slurm`, whose `query_job_status`, `Executor.run_job` and
            `Executor.cancel` are replaced.
        seconds: how long to wait before the cluster is asked again whether a job can be submitted.
    """
    states, submit, cancel = plugin.query_job_status, plugin.Executor.run_job, plugin.Executor.cancel
    stopped = threading.Event()

    async def query_job_status(command: str, logger: logging.Logger) -> tuple[dict[str, str], float]:
        """The state of each job, and the seconds that the answer took; no states where there is no answer."""
        reasons: list[str] = []
        found, took = await states(command, SimpleNamespace(debug=reasons.append))
        if found is None:
            why = reasons[-1].strip() if reasons else command
            print(f"The cluster does not say how the jobs are: {why}", flush=True)
        return found or {}, took or 0.0

    def run_job(executor: Any, job: Any) -> None:
        while not _answers():
            print(f"The cluster does not answer; {job.name} is submitted once it does", flush=True)
            if stopped.wait(seconds):
                return
        submit(executor, job)

    def stop(executor: Any) -> None:
        stopped.set()
        cancel(executor)

    plugin.query_job_status, plugin.Executor.run_job, plugin.Executor.cancel = query_job_status, run_job, stop


def _answers() -> bool:
    """Whether the cluster answers a question that costs it nothing."""
    try:
        subprocess.run(["scontrol", "show", "config"], capture_output=True, check=True, timeout=SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return True


def main() -> None:
    """Run Snakemake with this process's arguments."""
    try:
        import snakemake_executor_plugin_slurm
    except ModuleNotFoundError:
        sys.exit("found no executor for SLURM, expected the extra: pip install -e '.[slurm]'")
    from snakemake.cli import main as snakemake

    be_patient(snakemake_executor_plugin_slurm)
    snakemake()


if __name__ == "__main__":
    main()
