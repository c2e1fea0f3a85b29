"""Measuring side by side: time, peak memory, and a row for the table of results."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helpers.paths import ROOT


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement.

    Attributes:
        what: what was measured, in words.
        value: the measured number.
        unit: its unit.
        target: what it is meant to reach, in words; empty where there is no target.
        met: whether it does; None where there is no target.
    """

    what: str
    value: float
    unit: str
    target: str = ""
    met: bool | None = None


def at_least(what: str, value: float, target: float, unit: str) -> Row:
    return Row(what=what, value=value, unit=unit, target=f"at least {target:g}", met=bool(value >= target))


def at_most(what: str, value: float, target: float, unit: str) -> Row:
    return Row(what=what, value=value, unit=unit, target=f"at most {target:g}", met=bool(value <= target))


def seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """Processor time of the shortest of several runs: whatever else the machine does can only add to it.

    With one thread, as here, it is the time that one waits on an idle machine.
    """
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def peak_megabytes(code: str) -> float:
    """The largest resident memory of a fresh Python process that runs the code (Linux)."""
    # getrusage would not do: a new process inherits its parent's peak there.
    code += "\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-2]) / 1024
