"""What a simulated study is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from helpers.stats.results import Estimate


@dataclass(frozen=True, kw_only=True)
class Case:
    """One kind of study and the intervals computed from the same simulated data.

    Attributes:
        quantity: what is estimated.
        condition: the simulated study in words.
        n: its size, in the unit that the condition names.
        truth: the true value.
        draw: makes the arguments of the intervals from a random generator.
        intervals: by name, functions of what `draw` returns.
        recommended: the names of those that the helpers choose or recommend.
        highest: the highest coverage that still counts as on target.
        simulations: how many studies are drawn.
    """

    quantity: str
    condition: str
    n: int
    truth: float
    draw: Callable[[np.random.Generator], tuple[Any, ...]]
    intervals: dict[str, Callable[..., Estimate]]
    recommended: tuple[str, ...]
    highest: float = 0.97
    simulations: int = 2000
