"""One question to one model, and the key under which its reply is kept."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from helpers.chat.boxed import Boxed
from helpers.chat.forms import Form, json_schema
from helpers.chat.messages import Message, Text
from helpers.templates import template

TEXTS = Path(__file__).parent / "texts"
# A repair shows the model its own reply; of a very long one it sees both ends.
LONGEST_QUOTE = 4_000


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How the reply is drawn.

    Attributes:
        temperature: 0 takes the likeliest token each time. None leaves it to the server, which some reasoning
            models demand.
        top_p: in (0, 1], the share of the probability that is drawn from; None leaves it to the server.
        max_tokens: the longest reply in tokens, including hidden reasoning; a longer one is cut off.
        seed: where the server takes one. Independent replies to the same question differ in their seeds.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int = 1024
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature: found {self.temperature}, expected a number from 0 to 2, or None")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p: found {self.top_p}, expected a number above 0 and up to 1, or None")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens: found {self.max_tokens}, expected at least 1")

    def given(self) -> dict[str, Any]:
        """The settings that are not left to the server; equal numbers look equal (0 and 0.0)."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return {
            name: float(value) if name in ("temperature", "top_p") else value
            for name, value in values.items()
        }


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to one model.

    Attributes:
        model: the model's name as the server knows it.
        messages: the conversation; the last message is the user's.
        schema: the form that the reply must fit, an answer in a box, or None for free text.
        sampling: how the reply is drawn.
        extra: fields of the request's body that only some servers know, such as
            `{"chat_template_kwargs": {"enable_thinking": False}}`.
    """

    model: str
    messages: tuple[Message, ...]
    schema: type[Form] | Boxed | None = None
    sampling: Sampling = Sampling()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages or self.messages[-1].role != "user":
            roles = ", ".join(message.role for message in self.messages) or "no message"
            raise ValueError(f"found the messages {roles}; expected the last one to be the user's")

    @property
    def form(self) -> type[Form] | None:
        """The form that the reply must fit, where it is to be JSON."""
        return None if isinstance(self.schema, Boxed) else self.schema

    @cached_property
    def sent(self) -> tuple[Message, ...]:
        """The messages as the model reads them: the form's description ends the last one.

        It is always there, since a server that ignores the schema would leave the model to guess its form.
        """
        if self.schema is None:
            return self.messages
        if isinstance(self.schema, Boxed):
            return _with_text(self.messages, self.schema.description)
        schema = json.dumps(json_schema(self.schema), ensure_ascii=False)
        return _with_text(self.messages, template(TEXTS / "form.txt").fill(schema=schema))

    @cached_property
    def key(self) -> str:
        """SHA-256, in hexadecimal, of all that determines the reply: messages, schema, model and sampling.

        The server's address is no part of it, so that a run goes on after the server has moved to another
        port; the model's name must therefore say which weights are meant.
        """
        content = {
            "model": self.model,
            "messages": [message.content() for message in self.sent],
            "schema": json_schema(self.form) if self.form else None,
            "sampling": self.sampling.given(),
            "extra": dict(self.extra),
        }
        # The order of a schema's fields, in which models fill them in, counts through the form's description.
        return hashlib.sha256(json.dumps(content, allow_nan=False, sort_keys=True).encode()).hexdigest()

    @cached_property
    def sent_tokens(self) -> int:
        """About how many tokens are sent, by rules of thumb.

        Text counts one for every four bytes, a picture one for every 32 × 32 pixels.
        """
        return math.ceil(sum(part.tokens for message in self.sent for part in message.parts))

    @property
    def most_tokens(self) -> int:
        """About how many tokens the call takes at most."""
        return self.sent_tokens + self.sampling.max_tokens

    def repaired(self, reply: str, reason: str) -> "Request":
        """The same question once more, with the reply that could not be used and the reason why.

        It is one user's message rather than a new turn, since some chat templates take neither an empty reply
        nor two messages of one side in a row.
        """
        if len(reply) > LONGEST_QUOTE:
            half = LONGEST_QUOTE // 2
            reply = f"{reply[:half]} […] {reply[-half:]}"
        text = template(TEXTS / "repair.txt").fill(
            reason=reason, reply=reply if reply.strip() else "(nothing)"
        )
        return replace(self, messages=_with_text(self.messages, text))


def _with_text(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    *before, last = messages
    return (*before, replace(last, parts=(*last.parts, Text(text))))
