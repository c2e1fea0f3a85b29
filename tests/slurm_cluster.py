"""A cluster of one machine: SLURM's own daemons in a folder, started and stopped by tests."""

import fcntl
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

DAEMONS = ("munged", "slurmctld", "slurmd")
# The only place where a job's step looks: Snakemake's executor takes SLURM_CONF out of its environment.
SHARED = Path("/etc/slurm/slurm.conf")
# A job that goes back into the queue rests until its credential has expired. By then SLURM no longer tells
# the lost node to end it, which would end its next start.
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=15
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ReturnToService=2
SlurmdTimeout=5
SlurmdParameters=config_overrides
KillWait=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """Why there can be no cluster here, or None."""
    absent = [name for name in DAEMONS if not shutil.which(name, path=_path())]
    if absent:
        return f"found no {', '.join(absent)}; expected Debian's slurm-wlm and munge"
    if os.geteuid() != 0:
        return "a cluster's daemons are started by root"
    return f"{SHARED} is there: this machine belongs to a cluster already" if SHARED.exists() else None


class Cluster:
    """The cluster; as a context it is started and ended."""

    def __init__(self, folder: Path, cpus: int = 16) -> None:
        """Say where it lives.

        Args:
            folder: of its files.
            cpus: how many its node claims to have; the machine itself may have fewer.
        """
        self.folder, self.cpus = folder, cpus
        self._daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "Cluster":
        # Another test's cluster, in another process, has to end first: both would take the same place.
        self._place = os.open(SHARED.parent, os.O_RDONLY)
        fcntl.flock(self._place, fcntl.LOCK_EX)
        try:
            self._begin()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, _type, error: BaseException | None, _traceback) -> None:
        if error is not None:
            error.add_note(self._report())
        try:
            self.command("scancel", "--me")
            _wait(lambda: not self.running(), "the jobs' end")
        finally:
            self._end()

    def _report(self) -> str:
        """How the daemons and the jobs are, and what the controller logged."""
        daemons = [f"{name}: exit status {daemon.poll()}" for name, daemon in self._daemons.items()]
        jobs = self.command("squeue", "--states=all", "--format=%i %T %r %k")
        return "\n".join([*daemons, jobs, (self.folder / "slurmctld.log").read_text()])

    def _begin(self) -> None:
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "munge" / "key").write_bytes(os.urandom(128))
        (self.folder / "munge" / "key").chmod(0o600)
        ports = {"controller_port": _free_port(), "node_port": _free_port()}
        host = socket.gethostname().split(".")[0]
        text = CONFIGURATION.format(folder=self.folder, host=host, cpus=self.cpus, **ports)
        (self.folder / "slurm.conf").write_text(text)
        SHARED.unlink(missing_ok=True)  # where a test was killed
        SHARED.symlink_to(self.folder / "slurm.conf")
        munge = self.folder / "munge"
        options = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
        self._start("munged", "--foreground", "--force", f"--socket={munge / 'socket'}", *options)
        _wait(lambda: (munge / "socket").exists(), "munge")
        self._start("slurmctld", "-D")
        self.start_node()

    def _end(self) -> None:
        SHARED.unlink(missing_ok=True)
        try:
            for daemon in reversed(self._daemons.values()):
                daemon.terminate()
                daemon.wait(timeout=30)
        finally:
            os.close(self._place)

    def start_node(self) -> None:
        """Start the node's daemon, for the first time or again, and wait until the cluster has the node."""
        self._start("slurmd", "-D")
        _wait(lambda: self.command("sinfo", "-h", "-o", "%T").strip() == "idle", "an idle node")

    @contextmanager
    def silent(self) -> Iterator[None]:
        """A time in which the controller answers nothing."""
        controller = psutil.Process(self._daemons["slurmctld"].pid)
        controller.suspend()
        try:
            yield
        finally:
            controller.resume()

    def lose_node(self) -> None:
        """End the node's daemon and jobs by force, and wait until the cluster has given them up."""
        self._daemons["slurmd"].kill()
        self._daemons["slurmd"].wait()
        steps = [process for process in psutil.process_iter() if process.name().startswith("slurmstepd")]
        for process in [part for step in steps for part in (step, *step.children(recursive=True))]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        _wait(lambda: self.command("sinfo", "-h", "-o", "%T").startswith("down"), "the node to be missed")

    def running(self) -> dict[str, str]:
        """The jobs that run: each one's number by its comment, such as "rule_judging-judge-a"."""
        lines = self.command("squeue", "-h", "--states=R,CG", "-o", "%k|%i").splitlines()
        return dict(line.split("|") for line in lines)

    def command(self, *command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout

    def _start(self, name: str, *options: str) -> None:
        with (self.folder / f"{name}.out").open("a") as log:
            self._daemons[name] = subprocess.Popen(
                [shutil.which(name, path=_path()), *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def _wait(true, what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.2)
