"""A study: one YAML file that says what to run, and the folder that holds what the run makes."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from helpers.checking import nearest
from helpers.configuration import read_yaml
from helpers.paths import NOTEBOOKS, ROOT, STUDIES

Parameter = bool | int | float | str | None | list[Any]


class Study(BaseModel):
    """The content of a study file.

    Attributes:
        name: the study's folder below `studies/`; lower-case letters, digits and hyphens.
        seed: the seed that every notebook with a `seed` parameter receives.
        parameters: for each notebook (its file name without `.ipynb`), values that replace its defaults.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    seed: int = Field(ge=0, lt=2**32)
    parameters: dict[str, dict[str, Parameter]] = {}

    @field_validator("parameters")
    @classmethod
    def _known_notebooks(cls, parameters: dict) -> dict:
        known = [notebook.stem for notebook in NOTEBOOKS.glob("*.ipynb")]
        for name in parameters:
            if name not in known:
                raise ValueError(f"there is no notebook '{name}'{nearest(name, known)}")
        return parameters

    @property
    def folder(self) -> Path:
        """Where everything that the study makes is kept."""
        return STUDIES / self.name

    @property
    def figures(self) -> Path:
        """Where its figures are saved."""
        return self.folder / "figures"

    @property
    def notebooks(self) -> Path:
        """Where its executed notebooks are saved."""
        return self.folder / "notebooks"


def load(path: Path | str) -> Study:
    """Read and check a study file.

    Args:
        path: a YAML file; a relative path starts at the current folder or else at the project's root.

    Raises:
        DataError: as `configuration.read_yaml`.
    """
    path = Path(path) if Path(path).exists() else ROOT / path
    return read_yaml(path, Study, what="a study file")
