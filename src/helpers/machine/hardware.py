"""Processor, memory, disk and GPU."""

import os
from pathlib import Path

from helpers.machine.finding import Finding
from helpers.paths import shown
from helpers.planning.limits import free_gb

MEMINFO = Path("/proc/meminfo")
# Below these a demo study does not run well.
LEAST_MEMORY_GB, LEAST_DISK_GB = 4, 5


def hardware(studies: Path, *, gpu_needed: bool = False) -> list[Finding]:
    """What the machine is.

    Args:
        studies: the folder that studies are kept in.
        gpu_needed: the study makes clips that a processor would not finish.
    """
    cores, memory, disk = len(os.sched_getaffinity(0)), memory_gb(), free_gb(studies)
    return [
        Finding(what="cores", found=str(cores), use="decoding, metrics without a model, statistics"),
        Finding(
            what="memory",
            found="unknown" if memory is None else f"{memory:.1f} GB free",
            there=None if memory is None else memory >= LEAST_MEMORY_GB,
            use=f"statistics of a million answers take 2 GB; models on the CPU more; {LEAST_MEMORY_GB} GB do",
            get="close other programs",
        ),
        Finding(
            what="disk",
            found=f"{disk:.1f} GB free for {shown(studies)}",
            there=disk >= LEAST_DISK_GB,
            use="clips, decoded frames, tables; weights lie in the hub's cache",
            get="`python -m helpers.plan STUDY.yaml` says how much a study takes",
        ),
        gpu(needed=gpu_needed),
    ]


def memory_gb() -> float | None:
    """Memory that is free for programs; None where the system does not say it as Linux does."""
    if not MEMINFO.exists():
        return None
    lines = dict(line.split(":") for line in MEMINFO.read_text(encoding="utf-8").splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024 / 1e9


def gpu(*, needed: bool = False) -> Finding:
    """The GPUs that torch can use."""
    about = {
        "what": "GPU",
        "use": "making clips, local judges, metrics with large models",
        "get": "judge through a server or a service instead, or import finished clips",
        "needed": needed,
    }
    try:
        import torch
    except ImportError:
        return Finding(found="torch is not installed", there=False, **about)
    if not torch.cuda.is_available():
        return Finding(found=f"none that torch {torch.__version__} can use", there=False, **about)
    cards = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    free = torch.cuda.mem_get_info()[0] / 1e9
    names = ", ".join(f"{card.name} with {card.total_memory / 1e9:.0f} GB" for card in cards)
    return Finding(found=f"{names}; {free:.0f} GB free on the first", there=True, **about)
