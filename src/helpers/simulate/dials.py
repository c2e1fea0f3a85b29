"""The dials of simulated models, judges and people, as a study file names them; nothing is drawn here."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

WORD = "simulated"
# What the parts of a study's tables with simulated people are called.
PEOPLE_PART = "simulated-people"


def check_name(name: str) -> str:
    """Refuse a name that does not say what it is, since it stands alone in tables, figures and pages.

    Raises:
        ValueError: a name without the word "simulated".
    """
    if WORD not in name.lower():
        raise ValueError(f"found '{name}', expected a name with the word '{WORD}' in it")
    return name


class SimulatedModel(BaseModel):
    """A model whose clips are drawings of known faithfulness: an entry of `simulated_models`.

    Attributes:
        name: as tables and pages show it; with "simulated" in it.
        faithfulness: about the share of questions whose true answer is yes, and the mean place of a grade on
            its scale, before variant, country, dimension and chance act.
        country_spread: how differently it shows countries: the standard deviation of their effects, in
            log-odds. The size is arbitrary. A country's place is drawn once for all models of a study.
        error: what is wrong with the part of a landmark's picture that is not faithful.
        sound: whether its clips have a tone where the prompt's aspect is heard.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    name: str
    faithfulness: float = Field(gt=0, lt=1)
    country_spread: float = Field(0.4, ge=0, le=3)
    error: Literal["detail_loss", "warped_structure"] = "warped_structure"
    sound: bool = False

    _says_so = field_validator("name")(check_name)


class SimulatedPeople(BaseModel):
    """The people of a study whose replies are drawn: its key `simulated_people`.

    Attributes:
        raters: people for each country, and as many who see the landmarks of all countries.
        sensitivity: probability of a yes where the truth is yes.
        specificity: probability of a no where the truth is no.
        reliability: share of a grade's variance that is the clip's and not the person's.
        leniency_spread: standard deviation of people's leniency, in log-odds.
        missing: share of the replies that are not given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    raters: int = Field(3, ge=1, le=100)
    sensitivity: float = Field(0.9, ge=0, le=1)
    specificity: float = Field(0.9, ge=0, le=1)
    reliability: float = Field(0.7, ge=0, le=1)
    leniency_spread: float = Field(0.3, ge=0)
    missing: float = Field(0.01, ge=0, le=1)


@dataclass(frozen=True, kw_only=True)
class Dials:
    """What is wrong with a judge; left alone, nothing is.

    Attributes:
        sensitivity: probability of finding what a clip shows.
        specificity: probability of not finding what it does not show.
        leniency: log-odds towards finding it, and points added to grades.
        yes_bias: log-odds towards the word "yes", whatever it would mean.
        spread: standard deviation of grades, in points, before rounding.
        first_bonus: points added to the criterion that is asked first.
        sees_order: probability of noticing that a behaviour runs backwards.
        untidy: share of replies that can be read only after a repair.
        unreadable: share of replies that cannot be read at all.
        refusals: share of refusals.
    """

    sensitivity: float = 1.0
    specificity: float = 1.0
    leniency: float = 0.0
    yes_bias: float = 0.0
    spread: float = 0.0
    first_bonus: float = 0.0
    sees_order: float = 1.0
    untidy: float = 0.0
    unreadable: float = 0.0
    refusals: float = 0.0

    def __post_init__(self) -> None:
        for name in ("sensitivity", "specificity", "sees_order", "untidy", "unreadable", "refusals"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: found {getattr(self, name)}, expected a number from 0 to 1")
