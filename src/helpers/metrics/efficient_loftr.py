"""EfficientLoFTR through transformers, with its matches put in pairs."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoImageProcessor, EfficientLoFTRForKeypointMatching

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.loading import explained, identified, named
from helpers.metrics.matchers import Matches


class _Paired(EfficientLoFTRForKeypointMatching):
    """The published model with rows that belong together.

    transformers 5.24 lists the first picture's points in the order of the second's cells and the other way
    round. Equal rows are then no match unless both orders agree, and the fine stage compares windows that do
    not belong together. Here both lists go by the cells of the first picture.
    """

    def _get_matches_from_scores(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if len(scores) != 1:
            raise ValueError(f"found {len(scores)} pairs; expected one at a time")
        indices, found = super()._get_matches_from_scores(scores)
        second, score = indices[:, 1], found[:, 1]
        cells = torch.arange(second.shape[1], device=second.device)
        first = torch.where(second > -1, cells, -1)
        return torch.stack([first, second], dim=1), torch.stack([score, score], dim=1)


class EfficientLoFTRMatcher:
    """EfficientLoFTR, several times faster than LoFTR and trained alike.

    Wang et al., "Efficient LoFTR: Semi-Dense Local Feature Matching with Sparse-Like Speed", CVPR 2024. Both
    pictures are brought to the processor's size (480x640), whatever their proportions, and the points back.
    """

    keeps = False

    def __init__(
        self, model: str = "zju-community/efficientloftr", revision: str | None = None, device: str = "cpu"
    ) -> None:
        """Choose a model by its name on the hub or its folder, its revision, and where it runs."""
        self.model, self.revision, self.device = model, revision, device

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """See `matchers.Matcher`."""
        return {"matcher": "EfficientLoFTR", "model": named(self.model), "revision": self.revision}

    def load(self) -> Mapping[str, Any]:
        """Load the model; see `matchers.Matcher.load`."""
        _ = self._parts
        return {"weights": identified(str(self.model), self.revision)}

    @cached_property
    def _parts(self) -> tuple[Any, _Paired]:
        with explained(self.model), quiet_transformers():
            processor = AutoImageProcessor.from_pretrained(self.model, revision=self.revision)
            network = _Paired.from_pretrained(self.model, revision=self.revision)
        return processor, network.eval().to(self.device)

    def features(self, pictures: NDArray[np.uint8]) -> list[dict[str, NDArray[np.uint8]]]:
        """The pictures themselves: the network takes pairs."""
        return [{"picture": picture} for picture in pictures]

    def match(self, reference: Mapping[str, NDArray], frame: Mapping[str, NDArray]) -> Matches:
        """Matches above the model's own threshold of confidence; see `matchers.Matcher.match`."""
        processor, network = self._parts
        pictures = reference["picture"], frame["picture"]
        pair = [torch.from_numpy(picture.copy()).permute(2, 0, 1) for picture in pictures]
        inputs = processor([pair], return_tensors="pt").to(self.device)
        with torch.inference_mode():
            found = network(**inputs.to(network.dtype))
        kept = found.matches[0, 0] > -1
        sides = []
        for points, picture in zip(found.keypoints[0], pictures, strict=True):
            size = np.array(picture.shape[1::-1])
            # As LoFTR, the centre of the first pixel is at 0.5.
            sides.append(points[kept].double().cpu().numpy() * size - 0.5)
        return Matches(*sides)
