"""How a run of orders went."""

from collections import Counter
from dataclasses import dataclass, field

from helpers.chat.ask import AGAIN


@dataclass
class Summary:
    """How a run went.

    Attributes:
        statuses: of the clips that this run brought to an end.
        done_before: clips that were there already.
        left: clips that are still to come: on order, or not ordered yet.
        problems: why clips are not ok, or odd, by `video_id`.
        stopped: why the run ended before all clips were ordered; empty where it did not.
    """

    statuses: Counter = field(default_factory=Counter)
    done_before: int = 0
    left: int = 0
    problems: dict[str, str] = field(default_factory=dict)
    stopped: str = ""

    @property
    def exit_code(self) -> int:
        """0 where every clip is ok now, else 1."""
        return int(bool(self.left) or any(status != "ok" for status in self.statuses))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        lines = [f"clips of this run: {counts or 'none'}; done before: {self.done_before}"]
        if self.stopped:
            lines.append(f"stopped: {self.stopped}")
        if self.left:
            lines.append(f"{self.left} clips are still to come; {AGAIN}")
        return "\n".join(lines + [f"  {name}: {problem}" for name, problem in self.problems.items()])
