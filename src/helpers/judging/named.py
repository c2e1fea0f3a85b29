"""A judge as a study file names it; nothing here loads a library that asks models."""

import re
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from helpers.chat.backend import Backend
from helpers.chat.keys import check_address, check_variable
from helpers.chat.request import Sampling
from helpers.judging.judge import Judge
from helpers.judging.price import TokenPrice
from helpers.schemas import KINDS


def part_name(rater_id: str) -> str:
    """What a judge's part of a table and its log are called.

    Raises:
        ValueError: a name without Latin letters or digits.
    """
    name = re.sub(r"[^a-z0-9]+", "-", rater_id.lower()).strip("-")
    if not name:
        raise ValueError(f"found the judge's name '{rater_id}', expected one with Latin letters or digits")
    return name


def _found(value: object) -> str:
    return "missing" if value is None else f"found {value!r}"


class NamedJudge(BaseModel):
    """A judge of a study.

    Attributes:
        name: its rater_id in the study's tables; with a Latin letter or digit, and not a kind of rater.
        kind: `server` is one that speaks OpenAI's chat completions (vLLM, OpenAI and others), `gemini` is
            Google's, `local` a model on this machine, and `simulated` nobody: its replies are drawn.
        model: the model's name as the server knows it; for a local one its id or folder. A simulated judge
            has none, and a name that says what it is.
        revision: a local model's commit.
        base_url: a server's address, up to and including `/v1`; or a list of those of several servers of
            the same model, among which calls are shared out.
        key_variable: the environment variable that holds the key, where there is one.
        whole: clips are sent as files rather than as frames.
        hears: the files have their sound.
        max_tokens: the longest reply.
        concurrency: the most calls in flight at once.
        dials: what is wrong with a simulated judge, as `helpers.simulate.dials.Dials` lists it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    name: str = Field(min_length=1)
    kind: Literal["server", "gemini", "local", "simulated"]
    model: str | None = Field(None, min_length=1)
    revision: str | None = None
    base_url: str | Annotated[tuple[str, ...], Field(strict=False)] | None = None
    key_variable: str | None = None
    whole: bool = False
    hears: bool = False
    max_tokens: int = Field(2048, ge=1)
    concurrency: int = Field(16, ge=1)
    price: TokenPrice | None = None
    dials: dict[str, float] = {}

    @field_validator("name")
    @classmethod
    def _tells_it_apart(cls, name: str) -> str:
        part_name(name)
        if name in KINDS:
            raise ValueError(f"found '{name}', which is a kind of rater; expected a name of the judge's own")
        return name

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self._check_simulated()
        check_variable(self.key_variable)
        for address in self.addresses:
            check_address(address)
        if self.base_url == () or len(set(self.addresses)) < len(self.addresses):
            raise ValueError(f"base_url: found {self.base_url}, expected one or several different ones")
        if (self.base_url is None) != (self.kind != "server"):
            expected = "an address up to and including /v1" if self.kind == "server" else "none"
            found = _found(self.base_url)
            raise ValueError(f"base_url: {found}, expected {expected} for a {self.kind} judge")
        if self.kind != "local" and self.revision is not None:
            raise ValueError("revision: only a local model has one; a server's is said by its model's name")
        if self.kind == "local" and (self.whole or self.key_variable):
            raise ValueError(
                "a local judge is sent frames and has no key; expected neither whole nor key_variable"
            )
        if self.hears and not self.whole:
            raise ValueError("hears: frames have no sound; expected whole: true beside it")
        return self

    @property
    def addresses(self) -> list[str]:
        """Those of a server judge's servers."""
        return [self.base_url] if isinstance(self.base_url, str) else list(self.base_url or ())

    def _check_simulated(self) -> None:
        simulated = self.kind == "simulated"
        if simulated == (self.model is not None):
            expected = "none" if simulated else "a model's name"
            raise ValueError(f"model: {_found(self.model)}, expected {expected} for a {self.kind} judge")
        if simulated and "simulated" not in self.name.lower():
            raise ValueError(f"name: found '{self.name}', expected one with the word 'simulated' in it")
        if self.dials and not simulated:
            raise ValueError(f"dials: only a simulated judge has them, found them for a {self.kind} judge")

    def judge(self, backend: Backend | None = None) -> Judge:
        """The judge, ready to be asked; no model is loaded and no server reached yet.

        Args:
            backend: who answers; needed for a simulated judge, whose replies are made elsewhere.
        """
        backend = backend or self._backend()
        return Judge(
            rater_id=self.name,
            model=backend.name if self.model is None or self.kind == "local" else self.model,
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
        if self.kind == "simulated":
            raise ValueError(f"{self.name}: expected a backend that makes its replies, found none")
        from helpers.chat.least_busy import LeastBusy
        from helpers.chat.openai_compatible import OpenAICompatible

        servers = [
            OpenAICompatible(base_url=address, key_variable=self.key_variable) for address in self.addresses
        ]
        return servers[0] if len(servers) == 1 else LeastBusy(servers=tuple(servers))
