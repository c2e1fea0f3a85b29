"""Regions as GAP finds them: GroundingDINO draws boxes around what phrases name, SAM cuts out what is inside.

Liu et al. 2023 (Grounding DINO), Kirillov et al. 2023 (SAM), joined as in Ren et al. 2024 (Grounded SAM). GAP
names neither phrases, sizes nor thresholds; the phrases are ours, the thresholds transformers' defaults.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor, SamModel, SamProcessor

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.loading import explained, named
from helpers.metrics.phrases import Phrases, landmark_phrases
from helpers.metrics.regions import Regions, whole

MOST = 32
"""Boxes, the most certain first, beyond which none is cut out."""
UNNAMED = "unnamed"


class GroundedSam:
    """GroundingDINO and SAM, loaded when first used."""

    def __init__(
        self,
        detector: str = "IDEA-Research/grounding-dino-base",
        segmenter: str = "facebook/sam-vit-huge",
        *,
        detector_revision: str | None = None,
        segmenter_revision: str | None = None,
        threshold: float = 0.25,
        phrases: Phrases | None = None,
        device: str = "cpu",
    ) -> None:
        """Choose the models.

        Args:
            detector: name on the hub, or folder, of a Grounding DINO.
            segmenter: likewise of a SAM.
            detector_revision: a commit, tag or branch.
            segmenter_revision: likewise.
            threshold: how certain a box, and each word that it is named by, must be: 0 to 1.
            phrases: what to look for by category; the list of the book where left out.
            device: where both run.
        """
        self.detector, self.segmenter, self.threshold, self.device = detector, segmenter, threshold, device
        self.revisions = detector_revision, segmenter_revision
        self.phrases = phrases or landmark_phrases()

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """See `regions.RegionSource`."""
        return {
            "regions": "Grounded SAM",
            "detector": named(self.detector),
            "detector_revision": self.revisions[0],
            "segmenter": named(self.segmenter),
            "segmenter_revision": self.revisions[1],
            "threshold": self.threshold,
            "most": MOST,
            "phrases": f"version {self.phrases.version}, {self.phrases.digest}",
        }

    def find(self, picture: NDArray[np.uint8], category: str | None = None) -> Regions:
        """Regions named by the phrases for a category; see `regions.RegionSource.find`."""
        phrases = self.phrases.of(category)
        boxes, labels = self._boxes(picture, phrases)
        if not len(boxes):
            return whole(picture, f"none of {', '.join(phrases)} was found: the whole image is one region")
        masks = self._masks(picture, boxes)
        filled = masks.any(axis=(1, 2))
        if not filled.any():
            return whole(picture, "every region found is empty: the whole image is one region")
        empty = len(filled) - int(filled.sum())
        notes = (f"{empty} of {len(filled)} regions found are empty and left out",) if empty else ()
        kept = tuple(label for label, full in zip(labels, filled, strict=True) if full)
        return Regions(masks[filled], kept, notes)

    @cached_property
    def _detection(self) -> tuple[Any, Any]:
        return self._loaded(AutoProcessor, AutoModelForZeroShotObjectDetection, self.detector, 0)

    @cached_property
    def _segmentation(self) -> tuple[Any, Any]:
        return self._loaded(SamProcessor, SamModel, self.segmenter, 1)

    def _loaded(self, processors: Any, models: Any, name: str, which: int) -> tuple[Any, Any]:
        with explained(name), quiet_transformers():
            processor = processors.from_pretrained(name, revision=self.revisions[which])
            model = models.from_pretrained(name, revision=self.revisions[which])
        return processor, model.eval().to(self.device)

    def _boxes(self, picture: NDArray[np.uint8], phrases: tuple[str, ...]) -> tuple[torch.Tensor, list[str]]:
        """Boxes (n, 4) as x, y of two corners in pixels, the most certain first, and what each is called."""
        processor, model = self._detection
        inputs = processor(images=Image.fromarray(picture), text=[list(phrases)], return_tensors="pt")
        inputs = inputs.to(self.device)
        with torch.inference_mode():
            found = model(**inputs)
        [result] = processor.post_process_grounded_object_detection(
            found,
            inputs["input_ids"],
            threshold=self.threshold,
            text_threshold=self.threshold,
            target_sizes=[picture.shape[:2]],
        )
        order = torch.argsort(result["scores"], descending=True, stable=True)[:MOST]
        names = [nearest_phrase(result["text_labels"][at], phrases) for at in order]
        limit = torch.tensor(picture.shape[1::-1] * 2, device=self.device)
        return torch.minimum(result["boxes"][order].clamp(min=0), limit), names

    def _masks(self, picture: NDArray[np.uint8], boxes: torch.Tensor) -> NDArray[np.bool_]:
        """One mask a box: (n, height, width)."""
        processor, model = self._segmentation
        inputs = processor(Image.fromarray(picture), input_boxes=[boxes.cpu().tolist()], return_tensors="pt")
        # Processors compute boxes in double precision.
        inputs["input_boxes"] = inputs["input_boxes"].to(inputs["pixel_values"].dtype)
        sizes = inputs["original_sizes"], inputs["reshaped_input_sizes"]
        prompts = {key: inputs[key].to(self.device) for key in ("pixel_values", "input_boxes")}
        with torch.inference_mode():
            found = model(**prompts, multimask_output=False)
        [masks] = processor.post_process_masks(found.pred_masks.cpu(), *sizes)
        return masks[:, 0].numpy()


def nearest_phrase(found: str, phrases: tuple[str, ...]) -> str:
    """The phrase that shares most words with a detector's label, which may be partial, merged or empty."""
    words = set(re.findall(r"\w+", found))
    shared = [len(words & set(one.split())) / len(words | set(one.split())) for one in phrases]
    return phrases[int(np.argmax(shared))] if any(shared) else UNNAMED
