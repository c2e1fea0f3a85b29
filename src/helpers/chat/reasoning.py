"""What a model writes while it thinks, which is no answer yet."""

import re

_NAMES = "think|thinking|thought|reasoning|reflection"
_OPENS = re.compile(rf"<(?:{_NAMES})>|\[think(?:ing)?\]|◁think▷|<\|begin_of_thought\|>", re.IGNORECASE)
_CLOSES = re.compile(rf"</(?:{_NAMES})>|\[/think(?:ing)?\]|◁/think▷|<\|end_of_thought\|>", re.IGNORECASE)


class UnfinishedError(ValueError):
    """A reply that ends within its reasoning."""


def parted(text: str) -> tuple[str, str]:
    """The reasoning of a reply, and what follows it.

    The opening mark is often part of the prompt, so that only the closing one shows. Of several closing ones
    the last counts.

    Raises:
        UnfinishedError: reasoning that opens and does not close.
    """
    end = max((match.end() for match in _CLOSES.finditer(text)), default=0)
    thought, said = text[:end], text[end:]
    if _OPENS.search(said):
        raise UnfinishedError("the reply ends within its reasoning")
    return _CLOSES.sub("", _OPENS.sub("", thought)).strip(), said.strip()
