"""Snakemake on a SLURM cluster that is silent at times: `python -m helpers.slurm` with `snakemake`'s options.

A cluster's controller does not always answer, such as while it restarts. snakemake-executor-plugin-slurm 2.8
then forgets the jobs that it waits for, or turns to `sacct`, which without accounting answers nothing at all;
either way the run never ends. Here both of its questions are asked until they are answered.
"""

import asyncio
import logging
import sys
import time
from types import ModuleType

SECONDS = 10


def be_patient(plugin: ModuleType, seconds: float = SECONDS) -> None:
    """Let the executor ask again where the cluster is silent.

    Args:
        plugin: the module `snakemake_executor_plugin_slurm`, two functions of which are replaced. One tells
            how long the cluster remembers an ended job, in seconds, or None; the other each job's state and
            how long the answer took, or None twice.
        seconds: from one question to the next.
    """
    remembers, states = plugin.get_min_job_age, plugin.query_job_status

    def get_min_job_age() -> int:
        while (age := remembers()) is None:
            _say("how long it remembers a job (`scontrol show config`)", seconds)
            time.sleep(seconds)
        return age

    async def query_job_status(command: str, logger: logging.Logger) -> tuple[dict[str, str], float]:
        while (answer := await states(command, logger)) == (None, None):
            _say(f"how the jobs are (`{command}`)", seconds)
            await asyncio.sleep(seconds)
        return answer

    plugin.get_min_job_age, plugin.query_job_status = get_min_job_age, query_job_status


def _say(what: str, seconds: float) -> None:
    print(f"The cluster does not say {what}; asking again in {seconds:g} s.", flush=True)


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
