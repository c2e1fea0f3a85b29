"""Which limit a study meets first: room on the disk, or time."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from helpers.weights import in_cache


@dataclass(frozen=True, kw_only=True)
class Need:
    """What is left of a study takes.

    Attributes:
        generating: hours of one GPU.
        judging: hours of one GPU.
        waiting: hours for services.
        decoding: hours of one core.
        clips_gb: of clips.
        weights_gb: to download.
        frames_gb: the cache of decoded frames.
    """

    generating: float = 0.0
    judging: float = 0.0
    waiting: float = 0.0
    decoding: float = 0.0
    clips_gb: float = 0.0
    weights_gb: float = 0.0
    frames_gb: float = 0.0

    @property
    def disk_gb(self) -> float:
        """Everything that has to fit on the disk."""
        return self.clips_gb + self.weights_gb + self.frames_gb

    def wall(self, gpus: int, cores: int) -> dict[str, float]:
        """Hours that one waits for each kind of work, the longest first."""
        hours = {
            "generating": self.generating / gpus,
            "judging": self.judging / gpus,
            "waiting for services": self.waiting,
            "decoding": self.decoding / cores,
        }
        return dict(sorted(hours.items(), key=lambda item: -item[1]))


def first_limit(need: Need, *, gpus: int, cores: int, free_gb: float) -> str:
    """What stops or delays a study first, in a sentence.

    Args:
        need: what is left takes.
        gpus: GPUs that share the work.
        cores: of this machine.
        free_gb: room on the disk of the study's folder.
    """
    if need.disk_gb > free_gb:
        room = free_gb - need.weights_gb - need.frames_gb
        fits = room > 0 and need.clips_gb > 0
        fit = f"{room / need.clips_gb:.0%} of the clips that are left fit" if fits else "no clip fits"
        return f"the disk: {need.disk_gb:,.1f} GB are wanted and {free_gb:,.1f} GB free; {fit}"
    (what, hours), *_ = need.wall(gpus, cores).items()
    if hours < 1 / 60:
        return "none: what is left takes less than a minute of waiting, and it fits on the disk"
    said = f"{hours:,.1f} hours" if hours < 48 else f"{hours / 24:,.1f} days"
    on = {"decoding": f" on {cores} core{'s' * (cores > 1)}", "waiting for services": ""}
    return f"time: {what} takes {said}{on.get(what, f' on {gpus} GPU{chr(115) * (gpus > 1)}')}"


def free_gb(folder: Path) -> float:
    """Room on the disk that a folder is, or will be, on."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free / 1e9


def weights_to_download(models: dict[str, float]) -> float:
    """GB of weights that are neither a folder nor in the hub's cache.

    Args:
        models: each model's id or folder, and how much it is.
    """
    return sum(gb for model, gb in models.items() if not Path(model).exists() and not in_cache(model))
