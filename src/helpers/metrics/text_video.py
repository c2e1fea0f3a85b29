"""Similarity of a clip and its prompt: frame by frame with open_clip, or of the whole clip with ViCLIP."""

from collections.abc import Mapping, Sequence
from typing import Any

from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.registry import Metric
from helpers.video.sampling import Uniform

_ABOUT = {"low": -1.0, "high": 1.0, "direction": "higher is better", "needs": frozenset({"prompt"})}
CLIP_TEXT = Metric(
    name="clip_text",
    title="Text-video similarity, averaged over frames (open_clip)",
    frames=Uniform(5),
    source="cosine of CLIP's embeddings (Radford et al., 2021), averaged over frames",
    cost="5 pictures through the visual tower, 300 million parameters with ViT-L-14",
    **_ABOUT,
)
VICLIP = Metric(
    name="viclip",
    title="Text-video similarity of the whole clip (ViCLIP)",
    frames=Uniform(8),
    source="ViCLIP (Wang et al., InternVid, 2024); used by CultureVidBench",
    cost="8 frames through 430 million parameters",
    **_ABOUT,
)
METRICS = (CLIP_TEXT, VICLIP)

OPEN_CLIP = "ViT-L-14/openai"
VICLIP_MODEL = "OpenGVLab/ViCLIP-L-14-hf"


class ClipText:
    """The mean over frames of the cosine between the frame's and the prompt's embeddings; see `Measurer`.

    No factor is applied (CLIPScore multiplies by 2.5 and cuts at 0), so that values lie near 0.2 to 0.35 for
    fitting prompts with OpenAI's weights. Prompts are read up to the model's length, 77 tokens for most; a
    note tells of those that were cut.
    """

    def __init__(
        self,
        model: str = OPEN_CLIP,
        metric: Metric = CLIP_TEXT,
        *,
        device: str | None = None,
        dtype: str = "float32",
    ) -> None:
        """Measure with a model.

        Args:
            model: "<model>/<weights>" as open_clip lists them, "hf-hub:<id>" or "local-dir:<folder>". For
                prompts that are not English: "xlm-roberta-large-ViT-H-14/frozen_laion5b_s13b_b90k".
            metric: what its values are called.
            device: where it runs; left out, a GPU where there is one.
            dtype: of the weights.
        """
        self.metrics = (metric,)
        self.name = metric.name.replace("_", "-")
        self.settings: Mapping[str, Any] = {"model": model, "dtype": dtype}
        self._device = device

    def load(self) -> Mapping[str, Any]:
        """As `Measurer.load`."""
        from helpers.metrics.open_clip_models import OpenClip

        self._clip = OpenClip(self.settings["model"], device=self._device, dtype=self.settings["dtype"])
        return {
            "model": self._clip.identity,
            "device": str(self._clip.device),
            "pixels": list(self._clip.side),
        }

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """As `Measurer.measure`."""
        return [self._measured(clip) for clip in clips]

    def _measured(self, clip: Clip) -> Outcome:
        words, cut = self._clip.words(clip.prompt)
        cosines = self._clip.pictures(clip.frames.images) @ words
        return Outcome(
            values={self.metrics[0].name: cosines.double().mean().item()},
            notes=("the prompt is longer than the model reads",) if cut else (),
            details={"frames": [round(cosine, 6) for cosine in cosines.tolist()]},
        )


class ViClip:
    """The cosine between ViCLIP's embeddings of 8 frames and of the prompt; see `Measurer`.

    The publisher's code is downloaded with the weights and runs with this process's rights; nothing of it is
    in this project. It therefore has to be allowed explicitly.
    """

    def __init__(
        self,
        model: str = VICLIP_MODEL,
        metric: Metric = VICLIP,
        *,
        trust_remote_code: bool,
        revision: str | None = None,
        device: str | None = None,
    ) -> None:
        """Measure with a model.

        Args:
            model: the hub's id or a folder.
            metric: what its values are called.
            trust_remote_code: whether the publisher's code may run here.
            revision: the commit, which fixes the code too.
            device: where it runs; left out, a GPU where there is one.

        Raises:
            ValueError: the code is not allowed to run.
        """
        if not trust_remote_code:
            raise ValueError(
                f"{model} runs its publisher's code; expected trust_remote_code=True from one who has read it"
            )
        self.metrics = (metric,)
        self.name = metric.name.replace("_", "-")
        self.settings: Mapping[str, Any] = {"model": model, "revision": revision}
        self._device = device

    def load(self) -> Mapping[str, Any]:
        """As `Measurer.load`."""
        from helpers.metrics.viclip import ViClipModel

        self._model = ViClipModel(self.settings["model"], self.settings["revision"], self._device)
        return {"model": self._model.identity, "device": str(self._model.device)}

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """As `Measurer.measure`; a clip of fewer than 8 frames repeats some, and a note says so."""
        return [self._measured(clip) for clip in clips]

    def _measured(self, clip: Clip) -> Outcome:
        few = len(clip.frames) < self.metrics[0].frames.n
        return Outcome(
            values={self.metrics[0].name: self._model.similarity(clip.frames.images, clip.prompt)},
            notes=("the clip has fewer than 8 frames; some are repeated",) if few else (),
        )
