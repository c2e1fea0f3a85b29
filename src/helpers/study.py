"""A study: one YAML file that says what to run, and the folder that holds what the run makes."""

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Self

import pandas as pd
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from helpers import study_rules, tables
from helpers.checking import DataError, nearest
from helpers.commands import leave
from helpers.configuration import read_yaml
from helpers.generation import catalogue
from helpers.generation.hosted_model import HostedModel
from helpers.generation.journal import check_models
from helpers.generation.selection import PromptChoice
from helpers.imports.named import ClipFolder
from helpers.judging.named import NamedJudge
from helpers.metrics.named import NamedMetric
from helpers.paths import STUDIES, found_at, shown
from helpers.people.named import NamedSurvey
from helpers.simulate.dials import SimulatedModel, SimulatedPeople


class Shards(BaseModel):
    """Into how many jobs, each on a GPU or node of its own, the workflow cuts a stage."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    generation: int = Field(1, ge=1, le=1000)
    metrics: int = Field(1, ge=1, le=1000)


class Study(BaseModel):
    """The content of a study file.

    Attributes:
        name: the study's folder below `studies/`; lower-case letters, digits and hyphens, at most 100.
        seed: the seed that every notebook with a `seed` parameter receives.
        parameters: for each notebook (its file name without `.ipynb`), values that replace its defaults.
        models: names of open text-to-video models in `data/models.yaml`.
        own_models: further ones, described as there, such as a checkpoint in a folder.
        hosted: models behind a service, with what a second of a clip costs.
        prompts: which of the study's prompts to show; all of them where it is left out.
        seeds: each prompt is shown once for each; by default the study's seed.
        clips: folders of finished clips.
        simulated_models: made-up models whose clips are drawings of known faithfulness.
        judges: models that judge the clips.
        metrics: what is computed about the clips.
        simulated_people: raters whose replies are drawn.
        surveys: what people said of the clips.
        resamples: how many resamples of the bootstrap every notebook with such a parameter takes; by default
            each its own number.
        shards: into how many jobs the workflow cuts a stage.
        outputs: the notebooks that run for the study's book, by names or patterns (`8*`); by default all.
        simulated: the study exists to show how things work. Example clips (noise, drawings) enter its
            tables, and the notebooks about statistics use simulated tables, whose truth is known, even where
            the study has its own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=100)
    seed: int = Field(ge=0, lt=2**32)
    parameters: Annotated[dict[str, dict[str, Any]], AfterValidator(study_rules.parameters)] = {}
    models: list[str] = []
    own_models: Annotated[list[catalogue.Model], AfterValidator(study_rules.models)] = []
    hosted: Annotated[list[HostedModel], AfterValidator(study_rules.models)] = []
    prompts: PromptChoice | None = None
    seeds: Annotated[list[int], AfterValidator(study_rules.seeds)] = []
    clips: Annotated[list[ClipFolder], AfterValidator(study_rules.folders)] = []
    simulated_models: Annotated[list[SimulatedModel], AfterValidator(study_rules.models)] = []
    judges: Annotated[list[NamedJudge], AfterValidator(study_rules.judges)] = []
    metrics: Annotated[list[NamedMetric], AfterValidator(study_rules.metrics)] = []
    simulated_people: SimulatedPeople | None = None
    surveys: Annotated[list[NamedSurvey], AfterValidator(study_rules.surveys)] = []
    resamples: int | None = Field(None, ge=100, le=1_000_000)
    shards: Shards = Shards()
    outputs: Annotated[list[str], AfterValidator(study_rules.outputs)] = []
    simulated: bool = False

    @model_validator(mode="after")
    def _each_model_once(self) -> Self:
        described = [model.name for model in [*self.own_models, *self.hosted, *self.simulated_models]]
        for name in described:
            if described.count(name) > 1:
                raise ValueError(f"two models are described as '{name}'; expected different names")
        for name in self.models:
            if name not in described:
                catalogue.load().model(name)
        check_models([*self.models, *described])
        return self

    @model_validator(mode="after")
    def _each_rater_apart(self) -> Self:
        study_rules.check_raters(self.judges, self.surveys, self.simulated_people)
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

    def shows(self, notebook: str) -> bool:
        """Whether a notebook (its file name without `.ipynb`) runs for the study's book."""
        return not self.outputs or any(fnmatch(notebook, pattern) for pattern in self.outputs)

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
            DataError: the study names no model, or one of `names` is not among its models.
        """
        own = {model.name: model for model in self.own_models}
        hosted = {model.name: model for model in self.hosted}
        drawn = [model.name for model in self.simulated_models]
        known = {name: [name] for name in [*self.models, *own, *hosted, *drawn]}
        keys = "`models`, `own_models`, `hosted` or `simulated_models`"
        wanted = self._chosen("model", known, names, keys)
        models = [
            own.get(name) or catalogue.load().model(name)
            for name in wanted
            if name not in hosted and name not in drawn
        ]
        return models, [hosted[name] for name in wanted if name in hosted]

    def chosen_simulated(self, names: list[str] | None = None) -> list[SimulatedModel]:
        """The simulated models, or those of them that are among `names`."""
        return [model for model in self.simulated_models if not names or model.name in names]

    def chosen_judges(self, names: list[str] | None = None) -> list[NamedJudge]:
        """The judges of the clips.

        Args:
            names: of those, only these.

        Raises:
            DataError: the study names no judge, or one of `names` is not among its judges.
        """
        return self._chosen("judge", {judge.name: [judge] for judge in self.judges}, names, "`judges`")

    def chosen_metrics(self, names: list[str] | None = None) -> list[NamedMetric]:
        """What is computed about the clips.

        Args:
            names: of those, only these, by what their parts of the table are called.

        Raises:
            DataError: the study names none, or one of `names` is not among them.
        """
        return self._chosen("metric", {metric.part: [metric] for metric in self.metrics}, names, "`metrics`")

    def chosen_clips(self, folders: list[str] | None = None) -> list[ClipFolder]:
        """The folders of finished clips.

        Args:
            folders: of those, only these.

        Raises:
            DataError: the study names none, or one of `folders` is not among them.
        """
        return self._chosen("folder", {clips.folder: [clips] for clips in self.clips}, folders, "`clips`")

    def chosen_surveys(self, names: list[str] | None = None) -> list[NamedSurvey]:
        """What people said, as far as it is in files.

        Args:
            names: of those, only these.

        Raises:
            DataError: the study names none, or one of `names` is not among them.
        """
        known: dict[str, list[NamedSurvey]] = {}
        for survey in self.surveys:
            known.setdefault(survey.name, []).append(survey)
        return self._chosen("survey", known, names, "`surveys`")

    def _chosen(
        self, what: str, known: dict[str, list[Any]], names: list[str] | None, keys: str
    ) -> list[Any]:
        """The entries of some keys that are wanted, in their order."""
        if not known:
            raise DataError(f"the study '{self.name}' has no {keys.split('`')[1]}; expected {keys}")
        for name in names or []:
            if name not in known:
                raise DataError(
                    f"the study '{self.name}' has no {what} '{name}'{nearest(name, known)} "
                    f"(expected one of {', '.join(known)})"
                )
        return [entry for name, entries in known.items() if name in (names or known) for entry in entries]

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
                "--study STUDY.yaml\nor, with every other notebook: make study CONFIG=STUDY.yaml"
            )
        return self.chosen_of(tables.read(self.folder, "prompts"))

    def chosen_of(self, prompts: pd.DataFrame) -> pd.DataFrame:
        """Those rows of a table of prompts that the study's key `prompts` chooses.

        Raises:
            DataError: a choice that no prompt fits.
        """
        try:
            return prompts if self.prompts is None else self.prompts.of(prompts)
        except DataError as error:
            raise DataError(f"the study '{self.name}': {error}") from None


def load(path: Path | str) -> Study:
    """Read and check a study file.

    Args:
        path: a YAML file; a relative path starts at the current folder or else at the project's root.

    Raises:
        DataError: as `configuration.read_yaml`.
    """
    return read_yaml(found_at(path), Study, what="a study file")


def main(arguments: list[str] | None = None) -> int:
    """The command line `python -m helpers.study STUDY.yaml`: check the file and say the study's folder."""
    parser = argparse.ArgumentParser(prog="python -m helpers.study", description="Check a study file.")
    parser.add_argument("study", type=Path, help="the study's YAML file")
    try:
        print(load(parser.parse_args(arguments).study).folder)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    leave(main)
