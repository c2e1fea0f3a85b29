"""A judge as a study file names it; nothing here loads a library that asks models."""

import re
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from helpers.chat.backend import Backend
from helpers.chat.keys import check_address, check_variable
from helpers.chat.request import Sampling
from helpers.judging.judge import Judge
from helpers.tables import KINDS


def part_name(rater_id: str) -> str:
    """What a judge's part of a table and its log are called.

    Raises:
        ValueError: a name without Latin letters or digits.
    """
    name = re.sub(r"[^a-z0-9]+", "-", rater_id.lower()).strip("-")
    if not name:
        raise ValueError(f"found the judge's name '{rater_id}', expected one with Latin letters or digits")
    return name


class NamedJudge(BaseModel):
    """A judge of a study.

    Attributes:
        name: its rater_id in the study's tables; with a Latin letter or digit, and not a kind of rater.
        kind: `server` is one that speaks OpenAI's chat completions (vLLM, OpenAI and others), `gemini` is
            Google's, `local` a model on this machine.
        model: the model's name as the server knows it; for a local one its id or folder.
        revision: a local model's commit.
        base_url: a server's address, up to and including `/v1`.
        key_variable: the environment variable that holds the key, where there is one.
        whole: clips are sent as files rather than as frames.
        hears: the files have their sound.
        max_tokens: the longest reply.
        concurrency: the most calls in flight at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    kind: Literal["server", "gemini", "local"]
    model: str = Field(min_length=1)
    revision: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    whole: bool = False
    hears: bool = False
    max_tokens: int = Field(2048, ge=1)
    concurrency: int = Field(16, ge=1)

    @field_validator("name")
    @classmethod
    def _tells_it_apart(cls, name: str) -> str:
        part_name(name)
        if name in KINDS:
            raise ValueError(f"found '{name}', which is a kind of rater; expected a name of the judge's own")
        return name

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        check_variable(self.key_variable)
        if self.base_url is not None:
            check_address(self.base_url)
        if (self.base_url is None) != (self.kind != "server"):
            expected = "an address up to and including /v1" if self.kind == "server" else "none"
            raise ValueError(
                f"base_url: found {self.base_url!r}, expected {expected} for a {self.kind} judge"
            )
        if self.kind != "local" and self.revision is not None:
            raise ValueError("revision: only a local model has one; a server's is said by its model's name")
        if self.kind == "local" and (self.whole or self.key_variable):
            raise ValueError(
                "a local judge is sent frames and has no key; expected neither whole nor key_variable"
            )
        if self.hears and not self.whole:
            raise ValueError("hears: frames have no sound; expected whole: true beside it")
        return self

    def judge(self) -> Judge:
        """The judge, ready to be asked; no model is loaded and no server reached yet."""
        backend = self._backend()
        return Judge(
            rater_id=self.name,
            model=backend.name if self.kind == "local" else self.model,
            backend=backend,
            whole=self.whole,
            hears=self.hears,
            sampling=Sampling(max_tokens=self.max_tokens),
        )

    def _backend(self) -> Backend:
        """Each kind's library is loaded only where it is wanted."""
        if self.kind == "local":
            from helpers.chat.local import Local

            return Local(self.model, self.revision)
        if self.kind == "gemini":
            from helpers.chat.gemini import Gemini

            return Gemini(**({"key_variable": self.key_variable} if self.key_variable else {}))
        from helpers.chat.openai_compatible import OpenAICompatible

        return OpenAICompatible(base_url=self.base_url, key_variable=self.key_variable)
