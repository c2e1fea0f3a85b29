"""What to do when memory runs out: one declared step after another, and no going back up within a run."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from helpers.generation.catalogue import Catalogue, Model, Rung
from helpers.generation.outcomes import OutOfMemoryError

Result = TypeVar("Result")
AS_DECLARED = "as declared"


class Ladder:
    """The means against running out of memory that a model may use, from what its entry declares downwards.

    Attributes:
        rung: the present one. It stays for the clips that follow: what did not fit once will not fit again.
    """

    def __init__(self, declared: Rung, steps: Sequence[Rung]) -> None:
        self.rung = declared
        self._steps = [step for step in steps if _adds(declared, step)]

    def climb(self, make: Callable[[Rung], Result], free: Callable[[], None]) -> Result:
        """Make something, one step further down each time that memory runs out.

        Args:
            make: called with the present rung.
            free: called before the next try, to give back what the failed one left.

        Raises:
            OutOfMemoryError: it ran out on the last rung too.
        """
        while True:
            try:
                return make(self.rung)
            except OutOfMemoryError as error:
                problem = str(error)
            free()
            if not self._steps:
                raise OutOfMemoryError(f"out of memory on the last rung, {self.rung.name}: {problem}")
            self.rung = _under(self.rung, self._steps.pop(0))


def ladder_of(model: Model, catalogue: Catalogue) -> Ladder:
    """A model's own ladder, or else everyone's."""
    declared = Rung(name=AS_DECLARED, tiling=model.tiling, offload=model.offload)
    return Ladder(declared, catalogue.ladder if model.ladder is None else model.ladder)


def _under(present: Rung, step: Rung) -> Rung:
    """The present rung with what a step sets."""
    return present.model_copy(update=step.model_dump(exclude_none=True))


def _adds(declared: Rung, step: Rung) -> bool:
    """Whether a step saves memory that the declared settings do not save already."""
    order = ("none", "model", "sequential")
    tiles = bool(step.tiling) and not declared.tiling
    offloads = step.offload is not None and order.index(step.offload) > order.index(
        declared.offload or "none"
    )
    return tiles or offloads
