"""VideoScore: five qualities of a clip, by a model that was trained on people's ratings (He et al., 2024)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.model_queries import Query, query_of
from helpers.metrics.registry import Metric

# In the order of the model's outputs.
DIMENSIONS = (
    "visual quality",
    "temporal consistency",
    "dynamic degree",
    "text-to-video alignment",
    "factual consistency",
)
LOWEST, HIGHEST = 1.0, 4.0
SOURCE = "He et al. 2024, VideoScore (EMNLP)"


@dataclass(frozen=True)
class Strided:
    """`n` frames at equal strides from the first one on, as in VideoScore's example: ⌊i × frames / n⌋.

    The last frame is not among them. A clip of at most `n` frames gives each of its frames once. The
    example computes the same in floats, which for 48 frames may name the frame before.
    """

    n: int

    @property
    def name(self) -> str:
        """`strided-16` and so on."""
        return f"strided-{self.n}"

    def pick(self, times: NDArray[np.float64], end: float) -> NDArray[np.int64]:
        """The numbers of the frames taken; see `helpers.video.sampling.Rule.pick`."""
        frames = len(times)
        return np.arange(frames) if frames <= self.n else np.arange(self.n) * frames // self.n


def _metrics(prefix: str, title: str, frames: int, cost: str) -> tuple[Metric, ...]:
    """A metric for each dimension, and their mean."""
    about = {
        "low": -math.inf,
        "high": math.inf,
        "direction": "higher is better",
        "needs": frozenset({"prompt"}),
        "frames": Strided(frames),
        "cost": cost,
    }
    dimensions = [
        Metric(
            name=f"{prefix}_{dimension.replace(' ', '_').replace('-', '_')}",
            title=f"{title}: {dimension} (scale 1 to 4)",
            source=SOURCE,
            **about,
        )
        for dimension in DIMENSIONS
    ]
    mean = Metric(
        name=f"{prefix}_mean",
        title=f"{title}: mean of five (scale 1 to 4)",
        source=f"{SOURCE}; averaged as in CultureScore, appendix D.2",
        **about,
    )
    return (*dimensions, mean)


@dataclass(frozen=True)
class Version:
    """A published checkpoint.

    Attributes:
        name: what the measurer is called.
        model: its id on the Hugging Face Hub.
        metrics: what it yields.
    """

    name: str
    model: str
    metrics: tuple[Metric, ...]


V1 = Version(
    "videoscore",
    "TIGER-Lab/VideoScore",
    _metrics("videoscore", "VideoScore", 16, "one reading of 16 frames by an 8B model; 16 GB in bfloat16"),
)
V1_1 = Version(
    "videoscore-1-1",
    "TIGER-Lab/VideoScore-v1.1",
    _metrics("videoscore_1_1", "VideoScore v1.1", 48, "one reading of 48 frames by an 8B model; over 16 GB"),
)
METRICS = V1.metrics + V1_1.metrics


class VideoScore:
    """The five outputs of VideoScore, raw: no activation, not rounded, not cut to the scale of 1 to 4.

    The first version hardly reacts to a wrong prompt, as its authors confirm (VideoScore #4); v1.1 is their
    answer. Both overlook deformed bodies, and fall below about 240 pixels (#5). Between machines, outputs
    differ by up to 0.1 (#9). Clips are read one at a time, so that none depends on its neighbours.

    Not checked against the published weights, for want of them: that every weight keeps its name on the
    current transformers (a missing one is an error, so that it cannot go unnoticed), that the current image
    processor gives the pixels that the authors' version gave, and that their example's outputs come out
    (2.297, 2.469, 2.906, 2.766, 2.516 in `examples/run_videoscore.py`). The Qwen2-VL variant is not here.
    """

    def __init__(
        self,
        version: Version = V1,
        *,
        model: str | None = None,
        revision: str | None = None,
        device: str | None = None,
        dtype: str = "auto",
    ) -> None:
        """Choose a checkpoint.

        Args:
            version: `V1` or `V1_1`.
            model: another id on the Hub, or a folder, with a model of that version's form.
            revision: the commit, tag or branch on the Hub; name a commit for results that can be reproduced.
            device: such as cuda or cpu; None takes a GPU where there is one.
            dtype: what the weights are held in; auto is as published, bfloat16.
        """
        self.name, self.metrics = version.name, version.metrics
        self._model, self._revision = model or version.model, revision
        self._device, self._dtype = device, dtype
        self.settings: Mapping[str, Any] = {"model": self._model, "revision": revision, "dtype": dtype}
        self._query: Query | None = None

    def load(self) -> Mapping[str, Any]:
        """Load the model; see `Measurer`."""
        from helpers.metrics.loading import identified
        from helpers.metrics.videoscore_model import load_scores

        self._network, self._processor = load_scores(
            self._model, self._revision, outputs=len(DIMENSIONS), device=self._device, dtype=self._dtype
        )
        self._query = query_of(self._model, self._revision, "videoscore.txt")
        return {
            "model": identified(self._model, self._revision),
            "device": str(self._network.device),
            "query": self._query.source,
        }

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `Measurer`."""
        return [self._outcome(clip) for clip in clips]

    def _outcome(self, clip: Clip) -> Outcome:
        scores = self._scores(clip)
        outside = tuple(
            f"{dimension} {score:.2f} lies outside 1 to 4"
            for dimension, score in zip(DIMENSIONS, scores, strict=True)
            if not LOWEST <= score <= HIGHEST
        )
        names = [metric.name for metric in self.metrics]
        values = dict(zip(names, [*scores, sum(scores) / len(scores)], strict=True))
        return Outcome(values=values, notes=outside + self._query.notes)

    def _scores(self, clip: Clip) -> list[float]:
        import torch
        from PIL import Image

        question = self._query.about(clip.prompt) + "<image> " * len(clip.frames)
        pictures = [Image.fromarray(image) for image in clip.frames.images]
        inputs = self._processor(text=question, images=pictures, return_tensors="pt")
        network = self._network
        with torch.inference_mode():
            return network(**inputs.to(network.device, network.dtype)).tolist()
