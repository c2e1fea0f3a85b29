"""The kinds of metrics that a study file can name, each with its settings.

What a metric's values are called follows from its settings, so that values of another model never stand under
the name of the paper's. `name` (or `suffix`) says otherwise, such as for the paper's weights in a folder.
"""

import re
from pathlib import PurePath
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, model_validator

from helpers.configuration import YamlSource

Dtype = Literal["float32", "bfloat16", "float16", "float64"]
Published = Literal["auto", "float32", "bfloat16", "float16"]


class _Named(BaseModel):
    """What every metric of a study file has."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @property
    def part(self) -> str:
        """What its measurer, its journals and its part of the table are called."""
        return self.kind.replace("_", "-")

    @property
    def gpu(self) -> bool:
        """Whether it is slow without a GPU."""
        return False


class _Loaded(_Named):
    """A metric with a model.

    Attributes:
        device: where it runs, such as cuda:1 or cpu; left out, a GPU where there is one.
    """

    device: Annotated[str | None, Field(pattern=r"^[a-z]+(:\d+)?$")] = None

    @property
    def gpu(self) -> bool:
        """See `_Named.gpu`."""
        return True


class Patches(_Loaded):
    """Patch similarity with the reference photograph (GAP, Eq. 1).

    Attributes:
        kind: patches.
        backbone: as `helpers.metrics.backbones.backbone` takes it: a model's id or folder,
            "open_clip:<model>/<weights>", or "hog", which needs no weights.
        mode: how a picture is brought to the model's size: "paper" or "whole"; for hog whole, else paper.
        size: the side in pixels for "whole".
        revision: the commit on the Hub.
        dtype: of the weights.
        name: what its values are called.
    """

    kind: Literal["patches"]
    backbone: str = Field("facebook/dinov2-large", min_length=1)
    mode: Literal["paper", "whole"] | None = None
    size: int = Field(224, ge=32, le=2048)
    revision: str | None = None
    dtype: Dtype = "float32"
    name: str | None = Field(None, pattern=r"^patch_[a-z0-9_]+$")

    @property
    def gpu(self) -> bool:
        """See `_Named.gpu`."""
        return self.backbone != "hog"

    @property
    def _word(self) -> str:
        """The backbone in a name; open_clip's weights alone say little."""
        return _word(self.backbone, parts=2 if self.backbone.startswith("open_clip:") else 1)

    @property
    def used_mode(self) -> str:
        """The mode, chosen or by default."""
        return self.mode or ("whole" if self.backbone == "hog" else "paper")

    @property
    def metric(self) -> str:
        """What its values are called."""
        known = {
            ("facebook/dinov2-large", "paper"): "patch_clip",
            ("facebook/dinov2-large", "whole"): "patch_whole",
            ("hog", "whole"): "patch_hog",
        }
        plain = known.get((self.backbone, self.used_mode), f"patch_{self._word}_{self.used_mode}")
        size = f"_{self.size}" if self.used_mode == "whole" and self.size != 224 else ""
        return self.name or plain + size

    @property
    def part(self) -> str:
        """See `_Named.part`."""
        return self.metric.replace("_", "-")


class Keypoints(_Loaded):
    """Keypoint alignment (GAP, Eqs. 2-8) with its two parts, and the matches that one movement explains.

    Attributes:
        kind: keypoints.
        matcher: xfeat needs no download; loftr is the paper's.
        weights: of loftr, the file `loftr_outdoor.ckpt`; without it kornia downloads it.
        model: of efficient_loftr, its id or folder.
        revision: of efficient_loftr, the commit on the Hub.
        regions: grounded_sam is the paper's; the others need no weights.
        detector: of grounded_sam, the id or folder of a Grounding DINO.
        detector_revision: its commit.
        segmenter: of grounded_sam, the id or folder of a SAM.
        segmenter_revision: its commit.
        suffix: ends the names of its five values.
    """

    kind: Literal["keypoints"]
    matcher: Literal["xfeat", "loftr", "efficient_loftr"] = "xfeat"
    weights: str | None = None
    model: str = "zju-community/efficientloftr"
    revision: str | None = None
    regions: Literal["superpixels", "grid", "whole", "grounded_sam"] = "superpixels"
    detector: str = "IDEA-Research/grounding-dino-base"
    detector_revision: str | None = None
    segmenter: str = "facebook/sam-vit-huge"
    segmenter_revision: str | None = None
    suffix: str | None = Field(None, pattern=r"^[a-z0-9_]*$")

    @model_validator(mode="after")
    def _options_of_the_parts(self) -> Self:
        belonging = {
            "loftr": ("weights",),
            "efficient_loftr": ("model", "revision"),
            "grounded_sam": ("detector", "detector_revision", "segmenter", "segmenter_revision"),
        }
        for part, keys in belonging.items():
            given = [key for key in keys if key in self.model_fields_set]
            if given and part not in (self.matcher, self.regions):
                raise ValueError(f"{given[0]}: only {part} has it; expected {part} or no such key")
        return self

    @property
    def gpu(self) -> bool:
        """See `_Named.gpu`."""
        return self.matcher != "xfeat" or self.regions == "grounded_sam"

    @property
    def ending(self) -> str:
        """What the names of its values end in."""
        known = {("loftr", "grounded_sam"): "", ("xfeat", "superpixels"): "_xfeat"}
        if self.suffix is None:
            return known.get((self.matcher, self.regions), f"_{self.matcher}_{self.regions}")
        return f"_{self.suffix.strip('_')}" if self.suffix else ""

    @property
    def part(self) -> str:
        """See `_Named.part`."""
        return f"keypoint_alignment{self.ending}".replace("_", "-")


class TextVideo(_Loaded):
    """Similarity of frames and prompt by a model of open_clip.

    Attributes:
        kind: text_video.
        model: "<model>/<weights>", "hf-hub:<id>" or "local-dir:<folder>".
        dtype: of the weights.
        name: what its values are called.
    """

    kind: Literal["text_video"]
    model: str = Field("ViT-L-14/openai", min_length=1)
    dtype: Dtype = "float32"
    name: str | None = Field(None, pattern=r"^clip_text[a-z0-9_]*$")

    @property
    def metric(self) -> str:
        """What its values are called."""
        known = {"ViT-L-14/openai": "clip_text"}
        return self.name or known.get(self.model, f"clip_text_{_word(self.model, parts=2)}")

    @property
    def part(self) -> str:
        """See `_Named.part`."""
        return self.metric.replace("_", "-")


class ViClip(_Loaded):
    """Similarity of the whole clip and its prompt by ViCLIP, whose publisher's code runs on this machine.

    Attributes:
        kind: viclip.
        model: its id or folder.
        revision: the commit, which fixes the code too.
        trust_remote_code: true from one who has read that code.
    """

    kind: Literal["viclip"]
    model: str = Field("OpenGVLab/ViCLIP-L-14-hf", min_length=1)
    revision: str | None = None
    trust_remote_code: Literal[True]


class VideoScore(_Loaded):
    """VideoScore's five dimensions and their mean.

    Attributes:
        kind: videoscore.
        version: of the model, "1" or "1.1", which have values of their own.
        model: another id, or the folder of a copy.
        revision: the commit on the Hub.
        dtype: of the weights; auto is as published.
    """

    kind: Literal["videoscore"]
    version: Literal["1", "1.1"] = "1"
    model: str | None = Field(None, min_length=1)
    revision: str | None = None
    dtype: Published = "auto"

    @property
    def part(self) -> str:
        """See `_Named.part`."""
        return "videoscore" if self.version == "1" else "videoscore-1-1"


class _Asked(_Loaded):
    """A model that writes its scores.

    Attributes:
        model: its id or the folder of a copy.
        revision: the commit on the Hub.
        dtype: of the weights; auto is as published.
    """

    model: str = Field(min_length=1)
    revision: str | None = None
    dtype: Published = "auto"


class VideoScore2(_Asked):
    """VideoScore2's three dimensions, as written and in expectation; see `_Asked`."""

    kind: Literal["videoscore2"]
    model: str = Field("TIGER-Lab/VideoScore2", min_length=1)


class AigveMacs(_Asked):
    """The nine aspects of AIGVE-MACS; see `_Asked`."""

    kind: Literal["aigve_macs"]
    model: str = Field("xiaoliux/AIGVE-MACS", min_length=1)


class Motion(_Named):
    """Motion and flicker; no model."""

    kind: Literal["motion"]


class VisibleText(_Named):
    """Text that Tesseract reads in frames.

    Attributes:
        kind: visible_text.
        languages: by Tesseract's names.
    """

    kind: Literal["visible_text"]
    languages: list[str] = Field(["eng"], min_length=1)


class Own(_Named):
    """A metric of one's own; see `helpers.metrics.own`.

    Attributes:
        kind: own.
        name: the measurer's, which its journals and its part of the table are called by.
        file: a Python file; a relative path starts at the current folder or else at the project's root.
        measurer: the class in it, a `helpers.metrics.measurer.Measurer` that is made without arguments.
        needs_gpu: whether it is slow without a GPU.
    """

    kind: Literal["own"]
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    file: str = Field(pattern=r"\.py$")
    measurer: str = Field(pattern=r"^[A-Za-z_]\w*$")
    needs_gpu: bool = False
    _source: YamlSource | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _remember_where_it_stands(self, info: ValidationInfo) -> Self:
        self._source = info.context
        return self

    def place(self, word: str) -> str:
        """Where one of its values stands, such as "study.yaml: line 7: "; empty where no file is known."""
        return f"{self._source.place(('metrics',), word)}: " if self._source else ""

    @property
    def part(self) -> str:
        """See `_Named.part`."""
        return self.name

    @property
    def gpu(self) -> bool:
        """See `_Named.gpu`."""
        return self.needs_gpu


def _word(model: str, parts: int = 1) -> str:
    """The end of a model's id or path in small letters, digits and underscores."""
    end = "_".join(PurePath(model.rpartition(":")[2]).parts[-parts:])
    return re.sub(r"[^a-z0-9]+", "_", end.lower()).strip("_")
