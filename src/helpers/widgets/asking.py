"""What can be asked on a page: one thing chosen, several ticked, or clips ranked.

A reply is a short text, as it stands in the journal and in the tables' column `raw`; the empty text is no
reply. Each kind of question shows rows of options, says which of them a reply lights, and what pressing one
makes of it.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from helpers.criteria import Criterion

NOT_APPLICABLE, NONE = "NA", "none"


@dataclass(frozen=True)
class Option:
    """Something that can be pressed.

    Attributes:
        reply: what it stands for in a reply.
        label: what is read on it.
        key: the key that presses it.
    """

    reply: str
    label: str
    key: str


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """One thing that is asked.

    Attributes:
        heading: its name or wording.
        help: what else is said about it.
        details: what is said only to those who ask for more.
    """

    heading: str
    help: str = ""
    details: str = ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of its rows of options; a single row has none."""
        return ("",)

    @property
    @abstractmethod
    def options(self) -> tuple[Option, ...]:
        """The options of every row."""

    @abstractmethod
    def press(self, reply: str, row: int, pressed: str) -> str:
        """The reply after an option, by what it stands for, was pressed in a row (from 0)."""

    def lit(self, reply: str, row: int) -> tuple[str, ...]:
        """The options of a row that a reply lights."""
        return tuple(reply.split(",")) if reply else ()

    def is_complete(self, reply: str) -> bool:
        """Whether nothing is left open."""
        return reply != ""

    @abstractmethod
    def is_valid(self, reply: str) -> bool:
        """Whether a reply can have come from this question, complete or not."""


@dataclass(frozen=True, kw_only=True)
class Choice(Question):
    """One of several options.

    Attributes:
        among: the options, at least one.
    """

    among: tuple[Option, ...]

    @property
    def options(self) -> tuple[Option, ...]:
        """As given."""
        return self.among

    def press(self, reply: str, row: int, pressed: str) -> str:
        """The option pressed last holds."""
        return pressed

    def is_valid(self, reply: str) -> bool:
        """One option, or nothing."""
        return reply in {"", *(option.reply for option in self.among)}


@dataclass(frozen=True, kw_only=True)
class Ticks(Question):
    """All clips that fit, or none of them: "1,3", "none".

    Attributes:
        clips: how many.
    """

    clips: int

    @property
    def options(self) -> tuple[Option, ...]:
        """The clips, then "none"."""
        clips = [Option(str(clip), f"Clip {clip}", str(clip)) for clip in range(1, self.clips + 1)]
        return (*clips, Option(NONE, "None of the clips", "n"))

    def press(self, reply: str, row: int, pressed: str) -> str:
        """Pressing again takes a tick back; a tick and "none" exclude each other."""
        ticked = {option for option in self.lit(reply, row) if (option == NONE) == (pressed == NONE)}
        return ",".join(sorted(ticked ^ {pressed}, key=[option.reply for option in self.options].index))

    def is_valid(self, reply: str) -> bool:
        """Clips in their order, "none", or nothing."""
        known = [option.reply for option in self.options if option.reply != NONE]
        return reply in ("", NONE, ",".join(clip for clip in known if clip in self.lit(reply, 0)))


@dataclass(frozen=True, kw_only=True)
class Ranks(Question):
    """Each clip's rank, 1 for the best, no ties: "2,1,3"; blank while open ("2,,3").

    Attributes:
        clips: how many.
    """

    clips: int

    @property
    def rows(self) -> tuple[str, ...]:
        """One a clip."""
        return tuple(f"Clip {clip}" for clip in range(1, self.clips + 1))

    @property
    def options(self) -> tuple[Option, ...]:
        """The ranks."""
        ranks = [str(rank) for rank in range(1, self.clips + 1)]
        return tuple(Option(rank, f"{rank} (best)" if rank == "1" else rank, rank) for rank in ranks)

    def press(self, reply: str, row: int, pressed: str) -> str:
        """A rank that another clip had moves to this one."""
        ranks = ["" if rank == pressed else rank for rank in self._ranks(reply)]
        ranks[row] = pressed
        return ",".join(ranks)

    def lit(self, reply: str, row: int) -> tuple[str, ...]:
        """The rank of the row's clip."""
        return (self._ranks(reply)[row],)

    def is_complete(self, reply: str) -> bool:
        """Whether every clip has its rank."""
        return all(self._ranks(reply))

    def is_valid(self, reply: str) -> bool:
        """One place a clip, no rank twice, or nothing."""
        ranks = self._ranks(reply)
        given = [rank for rank in ranks if rank]
        known = {option.reply for option in self.options}
        return len(ranks) == self.clips and len(set(given)) == len(given) and set(given) <= known

    def _ranks(self, reply: str) -> list[str]:
        return reply.split(",") if reply else [""] * self.clips


YES_NO = (Option("yes", "Yes", "y"), Option("no", "No", "n"))


def grade(criterion: Criterion, rubric: str) -> Choice:
    """The question for a score under a criterion, "NA" only where the criterion allows it.

    Args:
        criterion: what is graded.
        rubric: its wording as it is shown; lines that start with a score and a colon become details.
    """
    options = [Option(str(score), str(score), str(score)) for score in criterion.scores]
    asked, scale = re.match(r"(.*?)((?:^\d:.*)?)\Z", rubric, re.DOTALL | re.MULTILINE).groups()
    if criterion.not_applicable:
        options.append(Option(NOT_APPLICABLE, "not applicable", "n"))
        asked = f"{asked.strip()} Not applicable: {criterion.not_applicable}."
    return Choice(heading=criterion.title, help=asked.strip(), details=scale, among=tuple(options))
