"""One line of what was looked for."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that was looked for on this machine.

    Attributes:
        what: what was looked for.
        found: what is there, in words.
        there: whether it is; None where there is nothing to be had or not.
        use: what it is for.
        get: how to get it where it is not there.
        needed: whether the study at hand cannot do without it.
    """

    what: str
    found: str
    there: bool | None = None
    use: str = ""
    get: str = ""
    needed: bool = False

    @property
    def mark(self) -> str:
        """A sign for the line's beginning: whether it is there, and whether it has to be."""
        if self.there is None:
            return " "
        return "+" if self.there else "!" if self.needed else "-"
