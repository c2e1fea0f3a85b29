"""How a survey's columns map to the study's tables: a small YAML file, checked before any response is read.

Column names are templates: `{step}` stands for the number of the prompt that a rater sees, `{position}` for
the clip's place beside the others of that prompt, as in the assignment sheet, and `{criterion}` for a
criterion's code. "{step}_{position}_R_{criterion}" thus names columns such as "12_3_R_1". For example:

    name: triplets
    rater: PROLIFIC_PID
    country_column: cohort
    sheet_column: sheet
    consent: {column: Q_consent, accept: [I agree]}
    attention: [{column: Q_check, accept: [Strongly disagree]}]
    relevance: "{step}_relevant"
    accuracy: {columns: "{step}_true", none: None of the clips}
    ranking: "{step}_rank_{position}"
    clips: {Video A: 1, Video B: 2, Video C: 3}
"""

from pathlib import Path
from string import Formatter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from helpers.checking import nearest
from helpers.configuration import read_yaml
from helpers.geography import standard_name
from helpers.schemas import MAY_BE_NA, SCALES

# Who a person is and where they sit: never read, whatever a mapping says.
PERSONAL = (
    "IPAddress",
    "RecipientLastName",
    "RecipientFirstName",
    "RecipientEmail",
    "ExternalReference",
    "LocationLatitude",
    "LocationLongitude",
)


def _may_be_mapped(column: str) -> str:
    if column in PERSONAL:
        raise ValueError(f"'{column}' identifies a person and is never read")
    return column


Column = Annotated[str, Field(min_length=1), AfterValidator(_may_be_mapped)]
Words = Annotated[list[str], Field(min_length=1)]


class _Part(BaseModel):
    """A part of a mapping: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Accepted(_Part):
    """A question with answers that count as passed: consent, an attention check."""

    column: Column
    accept: Words


class Duration(_Part):
    """The time that a whole response took, and the seconds below which it does not count."""

    column: Column = "Duration (in seconds)"
    at_least: float = Field(gt=0)


class Accuracy(_Part):
    """The select-all-that-apply question about the clips of a step.

    Attributes:
        columns: a template with `{position}` where each choice has its own column, without it where one
            column joins the choices by commas.
        none: the choice "none of the clips".
        blank: what an empty cell means. Qualtrics writes the same for "saw it and ticked nothing" and "never
            answered", so only the study's design can tell; "none" is right where the question was compulsory
            and had no choice for none.
    """

    columns: Column
    none: str | None = None
    blank: Literal["missing", "none"] = "missing"


class Ratings(_Part):
    """Graded criteria, one column for each clip and criterion.

    Attributes:
        columns: a template with `{step}`, `{position}` and `{criterion}`.
        criteria: each criterion's code in the column names.
        labels: the score that each answer text means; numbers need no entry.
        not_applicable: answers that mean "not applicable"; only text rendering and audio alignment allow it.
    """

    columns: Column
    criteria: dict[str, str] = Field(min_length=1)
    labels: dict[str, int] = {}
    not_applicable: list[str] = ["NA"]

    @model_validator(mode="after")
    def _known_criteria(self) -> Self:
        for criterion in self.criteria:
            if criterion not in SCALES:
                raise ValueError(f"no criterion '{criterion}'{nearest(criterion, SCALES)}")
        return self

    def may_be_na(self, criterion: str) -> bool:
        """Whether "not applicable" is an answer to this criterion."""
        return criterion in MAY_BE_NA


class Prolific(_Part):
    """The columns of Prolific's demographic export, as it names them unless a mapping says otherwise.

    Attributes:
        participant, status, nationality, residence, language: columns of the export.
        languages: primary languages that count as the cohort's own; its official language where left out.
    """

    participant: Column = "Participant id"
    status: Column = "Status"
    nationality: Column = "Nationality"
    residence: Column = "Country of residence"
    language: Column = "Language"
    languages: list[str] = []


class Mapping(_Part):
    """What a mapping file says of one survey.

    Attributes:
        name: the survey's name; raters are numbered after it ("japan-1", "japan-2").
        rater: the column that tells respondents apart, usually Prolific's PROLIFIC_PID. Only whether two rows
            share it, and its match in Prolific's export, are used; it is not kept.
        country, country_column: the cohort, the country whose clips are judged: one for all, or a column.
        sheet_column: the column that names a respondent's assignment sheet; left out where all had one.
        blinded, blinded_column: whether the country was hidden: one for all, or a column of
            true and false (or blinded and informed; anything else is unknown).
        consent, attention, duration: what a response must pass; attention checks are recorded, not applied.
        native: a question whose answer says that a person is native to the cohort's country. With Prolific's
            export a native has to pass its screens too.
        yes, no: the answers that mean yes and no.
        clips: the position that each choice text means ("Video A": 1); numbers need no entry.
        relevance, accuracy, ranking, ratings: where the answers stand; what the survey did not ask is left
            out. `ranking` is a template with `{step}` and `{position}`.
        prolific: the columns of Prolific's export, where one is read with the survey.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    rater: Column
    country: str | None = None
    country_column: Column | None = None
    sheet_column: Column | None = None
    blinded: bool | None = None
    blinded_column: Column | None = None
    consent: Accepted | None = None
    attention: list[Accepted] = []
    native: Accepted | None = None
    duration: Duration | None = None
    yes: Words = ["Yes", "1"]
    no: Words = ["No", "2"]
    clips: dict[str, int] = {}
    relevance: Column | None = None
    accuracy: Accuracy | None = None
    ranking: Column | None = None
    ratings: Ratings | None = None
    prolific: Prolific = Prolific()

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if (self.country is None) == (self.country_column is None):
            raise ValueError("found both or neither of country and country_column, expected one of them")
        if self.country is not None and standard_name(self.country) != self.country:
            raise ValueError(f"country: found '{self.country}', expected '{standard_name(self.country)}'")
        if self.blinded is not None and self.blinded_column is not None:
            raise ValueError("found both blinded and blinded_column, expected one of them")
        for label in self.clips:
            if "," in label:
                raise ValueError(f"clips: '{label}' holds a comma, which also separates joined choices")
        for name, template, expected in (
            ("relevance", self.relevance, {"step"}),
            ("accuracy.columns", self.accuracy and self.accuracy.columns, {"step"}),
            ("ranking", self.ranking, {"step", "position"}),
            ("ratings.columns", self.ratings and self.ratings.columns, {"step", "position", "criterion"}),
        ):
            allowed = expected | ({"position"} if name == "accuracy.columns" else set())
            if template is not None and not expected <= (found := placeholders(template)) <= allowed:
                raise ValueError(
                    f"{name}: found the placeholders {sorted(found)} in '{template}', "
                    f"expected {sorted(expected)}"
                )
        return self


def placeholders(template: str) -> set[str]:
    """The names that stand in braces in a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def load_mapping(path: Path | str) -> Mapping:
    """Read and check a mapping file; every value is text, as in the export.

    Args:
        path: a YAML file with the keys of `Mapping`.

    Raises:
        DataError: no such file, no YAML, unknown or missing keys, values that do not fit; all problems in one
            message that names the keys and offers the nearest valid ones.
    """
    return read_yaml(path, Mapping, what="a survey mapping", as_text=True)
