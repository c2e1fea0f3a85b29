"""A stand-in for a language model: it replies what a script says, and no model is asked.

Notebooks run their model steps with it where no server is given. Requests, log, checks and repairs are the
real ones; only the replies are written beforehand.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from helpers.chat.backend import Call, Reply
from helpers.chat.messages import Text
from helpers.chat.problems import RefusedError
from helpers.chat.request import Request


@dataclass(frozen=True)
class Scripted:
    """A backend that replies by script.

    Attributes:
        replies: for the text of each question, what is replied to it, and after that what is replied to the
            repair request; the last reply stands for all that follow.
        name: as messages call it.
        timeout: seconds; nothing takes long.
    """

    replies: Mapping[str, Sequence[str]] = field(repr=False)
    name: str = "a scripted stand-in, no model"
    timeout: float = 10.0

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Nothing to open; see `Backend`."""
        yield self._reply

    async def _reply(self, request: Request) -> Reply:
        asked, *repairs = _texts(request)
        replies = self.replies.get(asked)
        if replies is None:
            raise RefusedError("the script has no reply to this question")
        return Reply(text=replies[min(len(repairs), len(replies) - 1)], model="scripted")


def script(requests: Sequence[Request], replies: Sequence[Any]) -> dict[str, list[str]]:
    """The replies to some requests, in the form that `Scripted` takes.

    Args:
        requests: what will be asked.
        replies: for each request a string, an object that is written as JSON, or a list of these: the reply,
            then the reply to its repair.

    Raises:
        ValueError: another number of replies than requests.
    """
    return {
        _texts(request)[0]: [
            turn if isinstance(turn, str) else json.dumps(turn, ensure_ascii=False)
            for turn in (reply if isinstance(reply, list) else [reply])
        ]
        for request, reply in zip(requests, replies, strict=True)
    }


def scripted(requests: Sequence[Request], replies: Sequence[Any]) -> Callable[[], Scripted]:
    """What makes a stand-in with `script`'s replies, as `helpers.chat.choose.Asker` takes it.

    Args:
        requests: as `script`.
        replies: as `script`; their number is checked when the stand-in is made.
    """
    return lambda: Scripted(script(requests, replies))


def _texts(request: Request) -> list[str]:
    """The question and, in a repair request, what came after it; pictures aside."""
    return [part.text for part in request.messages[-1].parts if isinstance(part, Text)]
