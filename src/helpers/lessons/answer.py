"""What an exercise asks for."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAnswer:
    """What an exercise asks for.

    Attributes:
        parts: the right numbers, or words in lower case.
        tolerance: how far a number may be off, in its own unit.
        slips: what to say about wrong answers that are to be expected: messages, each with the wrong parts.
    """

    parts: tuple[float | str, ...]
    tolerance: float = 0.005
    slips: Mapping[str, tuple[float | str, ...]] = field(default_factory=dict)
