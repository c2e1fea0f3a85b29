"""What a judge behind a service costs, as a study file states it; nothing here is guessed."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field


class TokenPrice(BaseModel):
    """What a service asks for.

    Attributes:
        per_million_sent: for a million tokens that it reads.
        per_million_received: for a million that it writes, hidden reasoning included.
        currency: its code, such as USD.
        date: the day on which this was read.
        source: where it was read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_million_sent: float = Field(ge=0, allow_inf_nan=False)
    per_million_received: float = Field(ge=0, allow_inf_nan=False)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    date: date
    source: str = Field(min_length=1)

    def of(self, sent: float, received: float) -> float:
        """What so many tokens cost."""
        return (sent * self.per_million_sent + received * self.per_million_received) / 1e6
