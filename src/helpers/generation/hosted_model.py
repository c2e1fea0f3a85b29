"""A model behind a service, as a study file describes it; nothing here loads a service's library.

What a second costs is never guessed: the study file states it, with the day and the place it was read.
"""

from datetime import date
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from helpers.chat.keys import check_address, check_variable

KEY_VARIABLES = {"veo": "GOOGLE_API_KEY", "sora": "OPENAI_API_KEY"}


class Price(BaseModel):
    """What a service asks for.

    Attributes:
        per_second: for a second of a clip.
        currency: its code, such as USD.
        date: the day on which this was read.
        source: where it was read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_second: float = Field(ge=0, allow_inf_nan=False)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    date: date
    source: str = Field(min_length=1)


class HostedModel(BaseModel):
    """A model behind a service.

    Attributes:
        name: as the papers print it, shortened.
        service: `veo` is Google's (through google-genai), `sora` OpenAI's and whatever speaks like it.
        id: the service's name of the model, such as veo-3.1-fast-generate-001.
        seconds: how long a clip is to last.
        arguments: everything else that is asked for, by the names of the service's library: for Veo the
            fields of `GenerateVideosConfig` (aspect_ratio, resolution, generate_audio, enhance_prompt, …),
            for Sora `size`. What is left out is the service's choice, and may change.
        price: what a second costs.
        key_variable: the environment variable that holds the key; GOOGLE_API_KEY or OPENAI_API_KEY where it
            is left out. Not used where `project` is given.
        project: a Google Cloud project, to log in by application default credentials instead of a key.
        location: the project's location.
        base_url: the service's address, where it is not the usual one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    service: Literal["veo", "sora"]
    id: str = Field(min_length=1)
    seconds: int = Field(ge=1, le=120)
    arguments: dict[str, Any] = {}
    price: Price
    key_variable: str | None = None
    project: str | None = None
    location: str = "us-central1"
    base_url: str | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        check_variable(self.key_variable)
        if self.base_url is not None:
            check_address(self.base_url)
        if self.project is not None and self.service != "veo":
            raise ValueError("project: only Veo has projects")
        if self.project is not None and self.key_variable is not None:
            raise ValueError("found both project and key_variable, expected one of them")
        return self

    @property
    def key(self) -> str | None:
        """The variable that holds the key; None where a project's credentials are used."""
        return None if self.project else self.key_variable or KEY_VARIABLES[self.service]

    @property
    def cost(self) -> float:
        """What one clip costs, in the price's currency."""
        return self.seconds * self.price.per_second
