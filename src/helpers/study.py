"""A study: one YAML file that says what to run, and the folder that holds what the run makes."""

from pathlib import Path
from typing import Any, Self

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from helpers import tables
from helpers.checking import DataError, nearest
from helpers.configuration import read_yaml
from helpers.generation import catalogue
from helpers.generation.hosted_model import HostedModel
from helpers.generation.journal import check_models
from helpers.generation.selection import PromptChoice
from helpers.judging.named import NamedJudge, part_name
from helpers.paths import NOTEBOOKS, ROOT, STUDIES, shown

Parameter = bool | int | float | str | None | list[Any]


class Study(BaseModel):
    """The content of a study file.

    Attributes:
        name: the study's folder below `studies/`; lower-case letters, digits and hyphens.
        seed: the seed that every notebook with a `seed` parameter receives.
        parameters: for each notebook (its file name without `.ipynb`), values that replace its defaults.
        models: names of open text-to-video models in `data/models.yaml`.
        own_models: further ones, described as there, such as a checkpoint in a folder.
        hosted: models behind a service, with what a second of a clip costs.
        prompts: which of the study's prompts to show; all of them where it is left out.
        seeds: each prompt is shown once for each; by default the study's seed.
        judges: models that judge the clips.
        simulated: the study exists to show how things work. Example clips (noise, drawings) enter its
            tables, and the notebooks about statistics use simulated tables, whose truth is known, even where
            the study has its own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    seed: int = Field(ge=0, lt=2**32)
    parameters: dict[str, dict[str, Parameter]] = {}
    models: list[str] = []
    own_models: list[catalogue.Model] = []
    hosted: list[HostedModel] = []
    prompts: PromptChoice | None = None
    seeds: list[int] = []
    judges: list[NamedJudge] = []
    simulated: bool = False

    @field_validator("parameters")
    @classmethod
    def _known_notebooks(cls, parameters: dict) -> dict:
        known = [notebook.stem for notebook in NOTEBOOKS.glob("*.ipynb")]
        for name in parameters:
            if name not in known:
                raise ValueError(f"there is no notebook '{name}'{nearest(name, known)}")
        return parameters

    @field_validator("judges")
    @classmethod
    def _each_judge_once(cls, judges: list[NamedJudge]) -> list[NamedJudge]:
        seen: dict[str, str] = {}
        for judge in judges:
            part = part_name(judge.name)
            if seen.get(part) == judge.name:
                raise ValueError(f"found the judge '{judge.name}' twice, expected each name once")
            if part in seen:
                raise ValueError(
                    f"found the judges '{seen[part]}' and '{judge.name}', whose files would be called the "
                    "same; expected names that differ in their letters and digits"
                )
            seen[part] = judge.name
        return judges

    @field_validator("seeds")
    @classmethod
    def _each_seed_once(cls, seeds: list[int]) -> list[int]:
        if any(not 0 <= seed < 2**63 for seed in seeds) or len(set(seeds)) < len(seeds):
            raise ValueError("expected different whole numbers from 0 to 2^63 - 1")
        return seeds

    @model_validator(mode="after")
    def _each_model_once(self) -> Self:
        described = [model.name for model in [*self.own_models, *self.hosted]]
        for name in described:
            if described.count(name) > 1:
                raise ValueError(f"two of own_models and hosted are named '{name}'; expected different names")
        check_models([*self.models, *described])
        return self

    @property
    def folder(self) -> Path:
        """Where everything that the study makes is kept."""
        return STUDIES / self.name

    @property
    def analysed(self) -> Path | None:
        """The folder whose tables the notebooks about statistics analyse; None if they shall simulate."""
        return None if self.simulated else self.folder

    @property
    def examples(self) -> Path:
        """Where notebooks put example clips and their tables.

        A simulated study's own folder; in any other, a folder in it whose tables nothing else reads.
        """
        return self.folder if self.simulated else self.folder / "examples"

    @property
    def figures(self) -> Path:
        """Where its figures are saved."""
        return self.folder / "figures"

    @property
    def notebooks(self) -> Path:
        """Where its executed notebooks are saved."""
        return self.folder / "notebooks"

    @property
    def all_seeds(self) -> list[int]:
        """The seeds that every prompt is shown with."""
        return self.seeds or [self.seed]

    def chosen_models(
        self, names: list[str] | None = None
    ) -> tuple[list[catalogue.Model], list[HostedModel]]:
        """The models that make clips: open ones, and those behind a service.

        Args:
            names: of those, only these.

        Raises:
            DataError: the study names no model, one of `names` is not among its models, or neither it nor
                the catalogue knows one.
        """
        own = {model.name: model for model in self.own_models}
        hosted = {model.name: model for model in self.hosted}
        known = [*dict.fromkeys([*self.models, *own, *hosted])]
        if not known:
            raise DataError(
                f"the study '{self.name}' has no models; expected `models`, `own_models` or `hosted`"
            )
        for name in names or []:
            if name not in known:
                raise DataError(
                    f"the study '{self.name}' has no model '{name}'{nearest(name, known)} "
                    f"(expected one of {', '.join(known)})"
                )
        wanted = [name for name in known if name in (names or known)]
        try:
            models = [own.get(name) or catalogue.load().model(name) for name in wanted if name not in hosted]
        except ValueError as error:
            raise DataError(f"the study '{self.name}': {error}") from None
        return models, [hosted[name] for name in wanted if name in hosted]

    def chosen_judges(self, names: list[str] | None = None) -> list[NamedJudge]:
        """The judges of the clips.

        Args:
            names: of those, only these.

        Raises:
            DataError: the study names no judge, or one of `names` is not among its judges.
        """
        known = [judge.name for judge in self.judges]
        if not known:
            raise DataError(f"the study '{self.name}' has no judges; expected `judges`")
        for name in names or []:
            if name not in known:
                raise DataError(
                    f"the study '{self.name}' has no judge '{name}'{nearest(name, known)} "
                    f"(expected one of {', '.join(known)})"
                )
        return [judge for judge in self.judges if judge.name in (names or known)]

    def chosen_prompts(self) -> pd.DataFrame:
        """The prompts to show, as rows of the study's table `prompts`.

        Raises:
            DataError: no such table (the message says what writes it), as `tables.read`, or a choice that no
                prompt fits.
        """
        if not tables.exists(self.folder, "prompts"):
            notebook = "12_culturevidbench_prompts.ipynb"
            raise DataError(
                f"{shown(self.folder)}: found no table 'prompts'; expected one, as notebooks 11, 12 and 13 "
                "write it. For prompts such as CultureVidBench's, STUDY.yaml being your study file:\n"
                f"  python -m helpers.execute notebooks/{notebook} {shown(self.notebooks / notebook)} "
                "--study STUDY.yaml\nor, with every other notebook: make study STUDY=STUDY.yaml"
            )
        prompts = tables.read(self.folder, "prompts")
        return prompts if self.prompts is None else self.prompts.of(prompts)


def load(path: Path | str) -> Study:
    """Read and check a study file.

    Args:
        path: a YAML file; a relative path starts at the current folder or else at the project's root.

    Raises:
        DataError: as `configuration.read_yaml`.
    """
    path = Path(path) if Path(path).exists() else ROOT / path
    return read_yaml(path, Study, what="a study file")
