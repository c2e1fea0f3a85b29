"""What is said to a model: messages made of parts."""

from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Text:
    """A piece of text.

    Raises:
        ValueError: blank text, or half of a surrogate pair, which no server accepts.
    """

    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"found the blank text {self.text!r} in a message; expected some text")
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"character {error.start + 1} of a message is half a surrogate pair "
                f"({self.text[error.start]!r}); expected text that UTF-8 can hold"
            ) from None

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        return {"type": "text", "text": self.text}


# Every kind of part has a `content` that identifies it; for a picture that is its hash, not its bytes.
Part = Text


@dataclass(frozen=True)
class Message:
    """What one side says: parts in the order in which the model reads them."""

    role: Role
    parts: tuple[Part, ...]

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        return {"role": self.role, "parts": [part.content() for part in self.parts]}


def system(text: str) -> Message:
    """What holds for the whole conversation."""
    return Message("system", (Text(text),))


def user(*parts: str | Part) -> Message:
    """What is asked. Strings become text parts."""
    return Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def assistant(text: str) -> Message:
    """What the model answered earlier, as in an example."""
    return Message("assistant", (Text(text),))
