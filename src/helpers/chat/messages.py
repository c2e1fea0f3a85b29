"""What is said to a model: messages made of parts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from helpers.chat.clips import ClipFrames, WholeClip
from helpers.chat.pictures import FilePicture, Picture

BYTES_PER_TOKEN = 4
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

    @property
    def tokens(self) -> float:
        """About how many tokens it takes: one for every four bytes, a rule of thumb."""
        return len(self.text.encode()) / BYTES_PER_TOKEN

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        return {"type": "text", "text": self.text}


# Every kind of part has a `content` that identifies it; for pictures and clips that is a hash, not the bytes.
Part = Text | Picture | FilePicture | ClipFrames | WholeClip


@dataclass(frozen=True)
class Message:
    """What one side says: parts in the order in which the model reads them.

    Raises:
        ValueError: no part, or a picture in what is not the user's message, which no server takes.
    """

    role: Role
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("found a message without parts; expected some text")
        if self.role != "user" and not self.is_text:
            raise ValueError(f"found a picture in a message of role {self.role}; expected it in the user's")

    @property
    def is_text(self) -> bool:
        """Whether it is text alone."""
        return all(isinstance(part, Text) for part in self.parts)

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


def spelt_out(parts: tuple[Part, ...]) -> list[Text | Picture | WholeClip]:
    """Parts for those who know no frames of clips: texts, pictures and whole clips, read from their files.

    Each frame follows its time. Texts that stand side by side become one.

    Raises:
        ValueError: a picture or clip that cannot be read.
    """
    flat: list[Part] = []
    for part in parts:
        flat += _timed(part) if isinstance(part, ClipFrames) else [part]
    return joined(flat)


def joined(parts: Iterable[Part]) -> list[Text | Picture | ClipFrames | WholeClip]:
    """The parts, with texts that stand side by side made one, and pictures read from their files.

    A blank line comes between texts: chat templates put nothing there.

    Raises:
        ValueError: a picture that cannot be read.
    """
    groups = groupby(parts, key=lambda part: isinstance(part, Text))
    return [
        part.read() if isinstance(part, FilePicture) else part
        for are_text, group in groups
        for part in ([Text("\n\n".join(text.text for text in group))] if are_text else group)
    ]


def _timed(frames: ClipFrames) -> Iterator[Text | Picture]:
    for picture, time in zip(frames.pictures, frames.times, strict=True):
        yield Text(f"t = {time:.2f} s")
        yield picture
