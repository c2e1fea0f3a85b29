"""Patch similarity with a reference photograph (GAP, section 3.2, Eq. 1), frame by frame, averaged."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.kept import Kept
from helpers.metrics.measurer import Clip, Outcome, Reference
from helpers.metrics.registry import Metric
from helpers.video.sampling import Uniform

if TYPE_CHECKING:
    import torch

    from helpers.metrics.backbones import Backbone

_SOURCE = "GAP, section 3.2, Eq. 1"
_ABOUT = {
    "low": -1.0,
    "high": 1.0,
    "direction": "higher is better",
    "needs": frozenset({"reference"}),
    "frames": Uniform(5),
}
PATCH_CLIP = Metric(
    name="patch_clip",
    title="Patch similarity (DINOv2-Large, the paper's preprocessing)",
    source=_SOURCE,
    cost="5 pictures through 300 million parameters",
    **_ABOUT,
)
PATCH_WHOLE = Metric(
    name="patch_whole",
    title="Patch similarity (DINOv2-Large, the whole picture)",
    source=f"{_SOURCE}, without the centre crop",
    cost="5 pictures through 300 million parameters",
    **_ABOUT,
)
PATCH_HOG = Metric(
    name="patch_hog",
    title="Patch similarity of edges and colours (no model; not the paper's)",
    source=f"{_SOURCE}, with histograms of oriented gradients (Dalal and Triggs, 2005) and mean colours",
    cost="a tenth of a second on one core",
    **_ABOUT,
)
METRICS = (PATCH_CLIP, PATCH_WHOLE, PATCH_HOG)
FEWEST_SIDE = 64


class PatchSimilarity:
    """Compares the patches of each frame with those of the reference photograph; see `Measurer`.

    A photograph's tokens are computed once and kept. Notes tell of a photograph of one colour, and of
    pictures that had to be enlarged.
    """

    def __init__(
        self, backbone: "Backbone", metric: Metric = PATCH_CLIP, *, kept: Path | None = None, most: int = 8
    ) -> None:
        """Measure with a backbone.

        Args:
            backbone: as `helpers.metrics.backbones.backbone` gives it.
            metric: what its values are called. Those of `METRICS` name a backbone and a mode; for any other,
                declare one with `dataclasses.replace`.
            kept: a folder for the tokens of photographs (1 MB each with DINOv2-Large at 224); without one,
                every run computes them again.
            most: photographs whose tokens are in memory at once.
        """
        self.metrics = (metric,)
        self.name = metric.name.replace("_", "-")
        self.backbone = backbone
        self.settings: Mapping[str, Any] = {"equation": "GAP 1", **backbone.settings}
        self._kept = Kept(kept, most)
        self._loaded: dict[str, Any] = {}

    def load(self) -> Mapping[str, Any]:
        """As `Measurer.load`."""
        self._loaded = self.backbone.load()
        return self._loaded

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """As `Measurer.measure`; frames of one size, of whatever clips, go through the backbone together."""
        grouped: dict[tuple[int, ...], list[int]] = {}
        for at, clip in enumerate(clips):
            grouped.setdefault(clip.frames.images.shape[1:3], []).append(at)
        outcomes: dict[int, Outcome] = {}
        for places in grouped.values():
            images = np.concatenate([clips[at].frames.images for at in places])
            tokens = self.backbone.tokens(images).tokens
            counts = [len(clips[at].frames) for at in places]
            for at, own in zip(places, tokens.split(counts), strict=True):
                outcomes[at] = self._outcome(clips[at], own)
        return [outcomes[at] for at in range(len(clips))]

    def _outcome(self, clip: Clip, tokens: "torch.Tensor") -> Outcome:
        from helpers.metrics.patch_matching import patch_similarity

        reference, notes = self.reference(clip.reference)
        scores = patch_similarity(reference.to(tokens.device), tokens)
        return Outcome(
            values={self.metrics[0].name: scores.double().mean().item()},
            notes=(*notes, *_notes(clip.frames.images, "clip")),
            details={"frames": [round(score, 6) for score in scores.tolist()]},
        )

    def reference(self, reference: Reference) -> tuple["torch.Tensor", tuple[str, ...]]:
        """The patch tokens of a photograph, (patches, dims), and what is odd about it."""
        import torch

        def make() -> dict[str, NDArray]:
            picture = reference.picture()
            tokens = self.backbone.tokens(picture[None]).tokens[0].cpu().numpy()
            return {"tokens": tokens, "notes": np.array(_notes(picture, "photograph"), dtype=str)}

        about = {"photograph": reference.sha256, "model": self._loaded.get("model"), **self.settings}
        found = self._kept.get(about, make)
        return torch.from_numpy(found["tokens"]), tuple(found["notes"].tolist())


def _notes(pictures: NDArray[np.uint8], what: str) -> list[str]:
    notes = []
    colours = pictures.reshape(-1, 3)
    # A few pixels settle it for almost every picture.
    if (colours[::1009] == colours[0]).all() and (colours == colours[0]).all():
        notes.append(f"the {what} has one colour")
    height, width = pictures.shape[-3:-1]
    if min(height, width) < FEWEST_SIDE:
        notes.append(f"the {what} is small: {width} x {height} pixels")
    return notes
