"""What every computed metric declares of itself: its name, range, direction, inputs, source and cost.

A family of metrics is a module of this package with a tuple `METRICS`; it imports its heavy libraries only
when it measures, so that tables of the metrics need none of them.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

import numpy as np
import pandas as pd

from helpers.checking import nearest
from helpers.video.sampling import Rule

Need = Literal["reference", "prompt"]
Direction = Literal["higher is better", "lower is better", "neither"]

FAMILIES = ("patches", "keypoints", "text_video", "quality", "visible_text", "motion")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric's declaration.

    Attributes:
        name: what the table `metric_values` calls it.
        title: what captions call it.
        low: the least value that its definition allows; -inf where it is unbounded.
        high: the greatest.
        direction: which values are better, or neither where a metric only describes.
        needs: what it reads beside the clip: a reference photograph, the prompt.
        frames: which frames it looks at.
        source: where it is defined: paper and equation.
        cost: what one clip costs, in words.
        beside: where it has no meaning for some clips, a metric of the same measurer that has one for all: a
            clip with a row of that one and none of this was measured, and lacks nothing. None elsewhere.
    """

    name: str
    title: str
    low: float
    high: float
    direction: Direction
    needs: frozenset[Need] = frozenset()
    frames: Rule
    source: str
    cost: str
    beside: str | None = None

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"{self.name}: found the range {self.low} to {self.high}, expected low < high")

    @property
    def range(self) -> str:
        """The range in words ("-1 to 1", "0 and above")."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return f"{self.low:g} to {self.high:g}"
        if np.isfinite(self.low):
            return f"{self.low:g} and above"
        return f"{self.high:g} and below" if np.isfinite(self.high) else "any number"


def declared() -> dict[str, Metric]:
    """Every declared metric by its name, family by family.

    Raises:
        ValueError: two metrics share a name.
    """
    found: dict[str, Metric] = {}
    for family in FAMILIES:
        for metric in import_module(f"helpers.metrics.{family}").METRICS:
            if metric.name in found:
                raise ValueError(f"two metrics are called '{metric.name}'; expected each name once")
            found[metric.name] = metric
    return found


def metric(name: str) -> Metric:
    """A metric by its name.

    Raises:
        ValueError: there is none; the message offers the nearest.
    """
    known = declared()
    if name not in known:
        raise ValueError(f"there is no metric '{name}'{nearest(name, known)}")
    return known[name]


def table() -> pd.DataFrame:
    """The declarations as rows: metric, title, range, direction, needs, frames, source, cost."""
    rows = [
        {
            "metric": one.name,
            "title": one.title,
            "range": one.range,
            "direction": one.direction,
            "needs": ", ".join(sorted(one.needs)) or "the clip alone",
            "frames": one.frames.name,
            "source": one.source,
            "cost": one.cost,
        }
        for one in declared().values()
    ]
    return pd.DataFrame(rows)
