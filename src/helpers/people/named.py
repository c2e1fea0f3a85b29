"""A survey as a study file names it; nothing here opens a file."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

# What a file of answers that is a table already may hold.
ASKED_OF_PEOPLE = ("raters", "assignments", "relevance", "answers", "ratings", "rankings")
_NEEDED = {"qualtrics": ("mapping", "sheets"), "table": ("table",)}
_ALLOWED = {"qualtrics": ("mapping", "sheets", "prolific"), "table": ("table",)}


class NamedSurvey(BaseModel):
    """What people said, in a file.

    Relative paths start at the current folder or else at the project's root.

    Attributes:
        name: what its parts of the study's tables are called, after `survey-`.
        file: the export.
        format: `qualtrics` is Qualtrics' CSV export; `table` a CSV file with the columns of one of the
            study's tables, for whatever else people were asked with.
        mapping: Qualtrics: the YAML file that says what its columns mean, see `helpers.people.mapping`.
        sheets: Qualtrics: a CSV or Parquet file with the columns of the table `assignments`: what was shown
            to whom.
        prolific: Qualtrics: Prolific's demographic export, where people came from there.
        table: `table`: which one the file holds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    file: str = Field(min_length=1)
    format: Literal["qualtrics", "table"]
    mapping: str | None = None
    sheets: str | None = None
    prolific: str | None = None
    table: Literal[ASKED_OF_PEOPLE] | None = None

    @model_validator(mode="after")
    def _fits_its_format(self) -> Self:
        for key in _NEEDED[self.format]:
            if getattr(self, key) is None:
                raise ValueError(f"a survey of the format {self.format} needs the key '{key}'")
        for key in ("mapping", "sheets", "prolific", "table"):
            if getattr(self, key) is not None and key not in _ALLOWED[self.format]:
                raise ValueError(f"found the key '{key}', which a survey of the format {self.format} has not")
        return self

    @property
    def part(self) -> str:
        """What its parts of the study's tables are called."""
        return f"survey-{self.name}"

    @property
    def files(self) -> list[str]:
        """Every file that it names."""
        return [path for path in (self.file, self.mapping, self.sheets, self.prolific) if path is not None]
