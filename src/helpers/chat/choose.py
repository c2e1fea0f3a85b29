"""Who replies in a notebook: a server where one is given, a stand-in that costs nothing otherwise."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from helpers.chat.ask import ask_many
from helpers.chat.backend import Backend
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request
from helpers.chat.results import Result


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Asks a server, or the stand-in that a step brings along.

    Attributes:
        server: the server, or None.
        log: where the server's calls are kept. What a stand-in replies is kept nowhere.
    """

    server: Backend | None
    log: Path

    def __call__(self, requests: Iterable[Request], stand_in: Callable[[], Backend]) -> list[Result]:
        """One result for each request, as `ask_many` returns them.

        Args:
            requests: what to ask.
            stand_in: makes who replies where there is no server. It is called only then, and in silence,
                since nothing is spent.
        """
        if self.server is not None:
            return ask_many(requests, self.server, self.log)
        with tempfile.TemporaryDirectory() as folder:
            return ask_many(requests, stand_in(), Path(folder) / "log.jsonl", say=_nothing)


def asker(endpoint: str, env_variable: str, log: Path) -> Asker:
    """The asker that a notebook's parameters name.

    Args:
        endpoint: an OpenAI-compatible server's address up to `/v1`; empty for none.
        env_variable: the environment variable that holds its key; empty where it asks for none.
        log: the JSONL file in which its calls are kept.

    Raises:
        ValueError: an address that is none, or a variable's name that may be a key.
    """
    if not endpoint:
        return Asker(server=None, log=log)
    return Asker(server=OpenAICompatible(base_url=endpoint, key_variable=env_variable or None), log=log)


def _nothing(_: object) -> None:
    """Where the words about calls and tokens of a stand-in go."""
