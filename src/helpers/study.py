"""A study: one YAML file that says what to run, and the folder that holds what the run makes."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from helpers.checking import DataError, nearest
from helpers.paths import NOTEBOOKS, ROOT, STUDIES, shown

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
        DataError: no such file, no YAML, unknown or missing keys, or values that do not fit; the message
            names the file, the line, the value, what was expected and the nearest valid key.
    """
    path = Path(path) if Path(path).exists() else ROOT / path
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"{shown(path)}: no such file; expected a study file (YAML)") from None
    try:
        tree = yaml.compose(content, Loader=yaml.SafeLoader)
        values = yaml.safe_load(content)
    except yaml.YAMLError as error:
        line = error.problem_mark.line + 1 if getattr(error, "problem_mark", None) else 1
        raise DataError(f"{shown(path)}: line {line} is not YAML; expected `key: value` lines") from None
    if not isinstance(values, dict):
        raise DataError(f"{shown(path)}: found {values!r}, expected the keys {', '.join(Study.model_fields)}")
    try:
        return Study(**values)
    except ValidationError as error:
        problems = [_explain(problem, tree) for problem in error.errors()]
        raise DataError("\n".join(f"{shown(path)}: {problem}" for problem in problems)) from None


def _explain(problem: dict, tree: yaml.Node) -> str:
    """One pydantic problem as a sentence with its line."""
    location = problem["loc"]
    key = ".".join(str(part) for part in location)
    line = f"line {_line(tree, location)}, key '{key}'"
    if problem["type"] == "extra_forbidden":
        known = list(Study.model_fields)
        return f"{line}: unknown{nearest(key, known)} (expected one of {', '.join(known)})"
    if problem["type"] == "missing":
        return f"key '{key}' is missing; expected {Study.model_fields[key].annotation.__name__}"
    return f"{line}: found {problem['input']!r}; {problem['msg'].removeprefix('Value error, ')}"


def _line(node: yaml.Node, location: tuple) -> int:
    """The line (from 1) of the innermost key of a location that the YAML tree holds."""
    line = node.start_mark.line + 1
    for part in location:
        if not isinstance(node, yaml.MappingNode):
            break
        found = [(key, value) for key, value in node.value if key.value == str(part)]
        if not found:
            break
        key, node = found[0]
        line = key.start_mark.line + 1
    return line
