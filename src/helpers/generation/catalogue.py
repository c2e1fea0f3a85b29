"""`data/models.yaml`, read and checked: the models, their settings in each paper, and what clips should be.

A study may describe models of its own by the same schema, such as a checkpoint in a local folder.
"""

from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from helpers.checking import nearest
from helpers.configuration import read_yaml
from helpers.generation.families import FAMILIES, problems
from helpers.paths import DATA

Benchmark = Literal["culturescore", "culturevidbench", "landmarks"]
Dtype = Literal["float32", "float16", "bfloat16"]
Offload = Literal["none", "model", "sequential"]
# What a clip hangs on besides the call's arguments; `unsaid` may name these too.
BESIDES_CALL = ("fps", "negative_prompt", "scheduler", "seed", "frames", "audio")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Weights(_Strict):
    """Where weights lie: a repository or a folder, and which of its files."""

    id: str
    revision: str = "main"
    subfolder: str | None = None
    weight_name: str | None = None


class SecondStage(_Strict):
    """LTX-2's second stage: latents made twice as large, noised again, and refined without guidance."""

    upsampler: Weights
    lora: Weights | None = None
    sigmas: list[float] = Field(min_length=1)


class Size(_Strict):
    """A network's size, for estimates.

    Attributes:
        billions: parameters that each step uses.
        layers: of the transformer.
        width: of the transformer.
        patch: frames, rows and columns of pixels that one token stands for.
        weights_gb: what is downloaded.
    """

    billions: float = Field(gt=0)
    layers: int = Field(gt=0)
    width: int = Field(gt=0)
    patch: tuple[int, int, int]
    weights_gb: float = Field(gt=0)


class Rung(_Strict):
    """One step of the ladder for when memory runs out."""

    name: str
    tiling: bool | None = None
    offload: Offload | None = None


class Settings(_Strict):
    """What one benchmark's clips are made with.

    Attributes:
        benchmark: whose settings; `any` serves every prompt, for models of one's own.
        call: every argument that the pipeline is called with, besides prompts and generator.
        fps: the frame rate that the clip is written with.
        said: what the paper states, as it states it.
        unsaid: what it does not state, where the value is the publisher's or ours.
        notes: how the two fit together, in words.
    """

    benchmark: Benchmark | Literal["any"] = "any"
    call: dict[str, Any]
    fps: float = Field(gt=0, le=240)
    said: dict[str, Any] = {}
    unsaid: list[str] = []
    notes: list[str] = []

    @model_validator(mode="after")
    def _each_argument_said_or_unsaid(self) -> Self:
        if self.benchmark == "any":
            return self
        known = (*self.call, *BESIDES_CALL)
        for name in self.unsaid:
            if name not in known:
                raise ValueError(f"unsaid names '{name}', which nothing sets{nearest(name, known)}")
        for name in self.call:
            if (name in self.said) == (name in self.unsaid):
                raise ValueError(f"'{name}' must stand in either said or unsaid")
        return self


class Model(_Strict):
    """An open model.

    Attributes:
        name: as the papers print it, shortened.
        family: one of `families.FAMILIES`.
        id: a repository, or a folder with a checkpoint.
        revision: its commit, or a branch.
        licence: of the weights.
        licence_note: what a user must know before using them.
        dtype: of the weights; `dtypes` sets single components.
        fp8: components that keep their weights in 8 bits and compute in `dtype`.
        quantisation: arguments of diffusers' `PipelineQuantizationConfig`.
        offload: what leaves the device's memory while it is not in use.
        tiling: decode pictures tile by tile.
        audio: the clips have sound.
        scheduler: entries of the scheduler's configuration that replace the shipped ones.
        negative_prompt: only where it is not everyone's; shown in the plan.
        guardrail: `publisher`, or `stand-in` for random checkpoints; Cosmos only.
        ladder: only where it is not everyone's.
        size: for estimates of time and disk.
        second_stage: LTX-2 only.
        settings: one entry a benchmark.
    """

    name: str = Field(min_length=1)
    family: Literal["wan", "ltx2", "hunyuan15", "cosmos", "cogvideox"]
    id: str
    revision: str = "main"
    licence: str = "unknown"
    licence_note: str = ""
    dtype: Dtype = "float32"
    dtypes: dict[str, Dtype] = {}
    fp8: list[str] = []
    quantisation: dict[str, Any] | None = None
    offload: Offload = "none"
    tiling: bool = False
    audio: bool = False
    scheduler: dict[str, Any] = {}
    negative_prompt: str | None = None
    guardrail: Literal["publisher", "stand-in"] | None = None
    ladder: list[Rung] | None = None
    size: Size | None = None
    second_stage: SecondStage | None = None
    settings: list[Settings] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_its_family(self) -> Self:
        if (self.guardrail is not None) != (self.family == "cosmos"):
            raise ValueError("a guardrail belongs to the family cosmos, and to that one only")
        if self.second_stage and self.family != "ltx2":
            raise ValueError("a second stage belongs to the family ltx2")
        for settings in self.settings:
            found = problems(self.family, settings.call, settings.fps)
            if found:
                raise ValueError(f"{self.name}, settings of {settings.benchmark}: {'; '.join(found)}")
        return self

    @property
    def pipeline(self) -> str:
        """The diffusers class."""
        return FAMILIES[self.family].pipeline

    def for_benchmark(self, benchmark: str) -> Settings:
        """The settings for a benchmark's prompts.

        Raises:
            ValueError: it has none; the message lists those that it has.
        """
        for settings in self.settings:
            if settings.benchmark in (benchmark, "any"):
                return settings
        known = ", ".join(settings.benchmark for settings in self.settings)
        raise ValueError(
            f"{self.name} has no settings for {benchmark}, only for {known}; expected them in its entry, or "
            f"a study file that chooses other prompts: `prompts: {{benchmark: {self.settings[0].benchmark}}}`"
        )


class Expected(_Strict):
    """What a model's clips for a benchmark should be; None where the paper does not say it."""

    benchmark: Benchmark
    width: int | None = None
    height: int | None = None
    frames: int | None = None
    fps: float | None = None
    seconds: float | None = None
    audio: bool | None = None
    orientation: Literal["landscape", "portrait"] | None = None
    unsaid: list[str] = []
    notes: list[str] = []


class Hosted(_Strict):
    """A model behind a service."""

    name: str
    audio: bool
    expected: list[Expected]


class Catalogue(_Strict):
    """All of `data/models.yaml`."""

    negative_prompt: str
    ladder: list[Rung]
    models: list[Model]
    hosted: list[Hosted]

    def model(self, name: str) -> Model:
        """An open model by its name.

        Raises:
            ValueError: no such model; the message names the nearest, or says that it is a hosted one.
        """
        for model in self.models:
            if model.name == name:
                return model
        names = [model.name for model in self.models]
        if name in [model.name for model in self.hosted]:
            raise ValueError(f"'{name}' runs behind a service and cannot be generated here; import its clips")
        raise ValueError(f"no model '{name}'{nearest(name, names)} (expected one of {', '.join(names)})")


@cache
def load(path: Path = DATA / "models.yaml") -> Catalogue:
    """Read and check the catalogue.

    Raises:
        DataError: as `configuration.read_yaml`.
    """
    return read_yaml(path, Catalogue, what="the catalogue of models")


def expected(name: str, benchmark: str) -> Expected | None:
    """What a model's clips for a benchmark should be, for open and hosted models alike.

    Args:
        name: a model of the catalogue.
        benchmark: `culturescore`, `culturevidbench` or `landmarks`.

    Returns:
        None where the benchmark did not run this model.

    Raises:
        ValueError: no such model.
    """
    catalogue = load()
    for hosted in catalogue.hosted:
        if hosted.name == name:
            found = [entry for entry in hosted.expected if entry.benchmark == benchmark]
            if not found:
                return None
            audio = None if "audio" in found[0].unsaid else hosted.audio
            return found[0].model_copy(update={"audio": audio})
    model = catalogue.model(name)
    for settings in model.settings:
        if settings.benchmark == benchmark:
            return _expected(model, settings)
    return None


def final_size(model: Model, settings: Settings) -> tuple[int, int]:
    """Width and height of the clip: a second stage doubles the call's."""
    scale = 2 if model.second_stage else 1
    return scale * settings.call["width"], scale * settings.call["height"]


def _expected(model: Model, settings: Settings) -> Expected:
    width, height = final_size(model, settings)
    frames = settings.call["num_frames"]
    return Expected(
        benchmark=settings.benchmark,
        width=width,
        height=height,
        frames=frames,
        fps=settings.fps,
        seconds=round(frames / settings.fps, 3),
        audio=model.audio,
        orientation="landscape" if width > height else "portrait",
        unsaid=settings.unsaid,
        notes=settings.notes,
    )
