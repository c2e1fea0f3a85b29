"""A study: one YAML file that says what to run, and the folder that holds what the run makes."""

from dataclasses import fields
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
from helpers.imports.named import ClipFolder
from helpers.judging.named import NamedJudge, part_name
from helpers.metrics.named import NamedMetric, check_names
from helpers.paths import NOTEBOOKS, STUDIES, found_at, shown
from helpers.people.named import NamedSurvey
from helpers.simulate.dials import Dials, SimulatedModel, SimulatedPeople

Parameter = bool | int | float | str | None | list[Any]


class Shards(BaseModel):
    """Into how many jobs, each on a GPU or node of its own, the workflow cuts a stage."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    generation: int = Field(1, ge=1, le=1000)
    metrics: int = Field(1, ge=1, le=1000)


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
        clips: folders of finished clips.
        simulated_models: made-up models whose clips are drawings of known faithfulness.
        judges: models that judge the clips.
        metrics: what is computed about the clips.
        simulated_people: raters whose replies are drawn.
        surveys: what people said of the clips.
        resamples: how many resamples of the bootstrap every notebook with such a parameter takes; by default
            each its own number.
        shards: into how many jobs the workflow cuts a stage.
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
    clips: list[ClipFolder] = []
    simulated_models: list[SimulatedModel] = []
    judges: list[NamedJudge] = []
    metrics: list[NamedMetric] = []
    simulated_people: SimulatedPeople | None = None
    surveys: list[NamedSurvey] = []
    resamples: int | None = Field(None, ge=100, le=1_000_000)
    shards: Shards = Shards()
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

    @field_validator("judges")
    @classmethod
    def _known_dials(cls, judges: list[NamedJudge]) -> list[NamedJudge]:
        known = [dial.name for dial in fields(Dials)]
        for judge in judges:
            for name in judge.dials:
                if name not in known:
                    raise ValueError(f"{judge.name}: there is no dial '{name}'{nearest(name, known)}")
            Dials(**judge.dials)
        return judges

    @field_validator("metrics")
    @classmethod
    def _each_metric_once(cls, metrics: list[NamedMetric]) -> list[NamedMetric]:
        check_names(metrics)
        return metrics

    @field_validator("clips")
    @classmethod
    def _each_folder_once(cls, clips: list[ClipFolder]) -> list[ClipFolder]:
        folders = [clip.folder for clip in clips]
        if twice := [folder for folder in folders if folders.count(folder) > 1]:
            raise ValueError(f"found the folder '{twice[0]}' twice, expected each once")
        return clips

    @field_validator("surveys")
    @classmethod
    def _each_survey_once(cls, surveys: list[NamedSurvey]) -> list[NamedSurvey]:
        names = [(survey.name, survey.table) for survey in surveys]
        whole = [survey.name for survey in surveys if survey.table is None]
        for name, table in names:
            if names.count((name, table)) > 1 or (table and name in whole):
                raise ValueError(
                    f"found the survey '{name}' twice, expected each name once (or, where its format is "
                    "table, once for each table)"
                )
        return surveys

    @field_validator("seeds")
    @classmethod
    def _each_seed_once(cls, seeds: list[int]) -> list[int]:
        if any(not 0 <= seed < 2**63 for seed in seeds) or len(set(seeds)) < len(seeds):
            raise ValueError("expected different whole numbers from 0 to 2^63 - 1")
        return seeds

    @model_validator(mode="after")
    def _each_model_once(self) -> Self:
        described = [model.name for model in [*self.own_models, *self.hosted, *self.simulated_models]]
        for name in described:
            if described.count(name) > 1:
                raise ValueError(f"two models are described as '{name}'; expected different names")
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
        drawn = [model.name for model in self.simulated_models]
        known = [*dict.fromkeys([*self.models, *own, *hosted, *drawn])]
        if not known:
            raise DataError(
                f"the study '{self.name}' has no models; expected `models`, `own_models`, `hosted` or "
                "`simulated_models`"
            )
        for name in names or []:
            if name not in known:
                raise DataError(
                    f"the study '{self.name}' has no model '{name}'{nearest(name, known)} "
                    f"(expected one of {', '.join(known)})"
                )
        wanted = [name for name in known if name in (names or known)]
        try:
            models = [
                own.get(name) or catalogue.load().model(name)
                for name in wanted
                if name not in hosted and name not in drawn
            ]
        except ValueError as error:
            raise DataError(f"the study '{self.name}': {error}") from None
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

    def chosen_metrics(self, names: list[str] | None = None) -> list[NamedMetric]:
        """What is computed about the clips.

        Args:
            names: of those, only these, by what their parts of the table are called.

        Raises:
            DataError: the study names none, or one of `names` is not among them.
        """
        return self._chosen("metrics", {metric.part: [metric] for metric in self.metrics}, names)

    def chosen_clips(self, folders: list[str] | None = None) -> list[ClipFolder]:
        """The folders of finished clips.

        Args:
            folders: of those, only these.

        Raises:
            DataError: the study names none, or one of `folders` is not among them.
        """
        return self._chosen("clips", {clips.folder: [clips] for clips in self.clips}, folders)

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
        return self._chosen("surveys", known, names)

    def _chosen(self, key: str, known: dict[str, list[Any]], names: list[str] | None) -> list[Any]:
        """The entries of a key that are wanted, in their order."""
        if not known:
            raise DataError(f"the study '{self.name}' has no {key}; expected `{key}`")
        for name in names or []:
            if name not in known:
                raise DataError(
                    f"the study '{self.name}' has no '{name}' among its {key}{nearest(name, known)} "
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
        prompts = tables.read(self.folder, "prompts")
        return prompts if self.prompts is None else self.prompts.of(prompts)


def load(path: Path | str) -> Study:
    """Read and check a study file.

    Args:
        path: a YAML file; a relative path starts at the current folder or else at the project's root.

    Raises:
        DataError: as `configuration.read_yaml`.
    """
    return read_yaml(found_at(path), Study, what="a study file")
