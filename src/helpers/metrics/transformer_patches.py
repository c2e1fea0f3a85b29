"""Patch tokens of a transformers model: DINOv2, with or without registers, and other vision transformers."""

import inspect
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoConfig, AutoImageProcessor, AutoModel

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.backbones import Mode, Tokens, in_parts
from helpers.metrics.loading import best_device, explained, identified
from helpers.metrics.measurer import ModelError
from helpers.metrics.patch_matching import unit
from helpers.metrics.picture_sizes import as_tensor, middle_region, resized, whole_size

_POSITIONS = "interpolate_pos_encoding"


class TransformerPatches:
    """A model that `AutoModel` loads; of one for pictures and text, its vision part.

    Its `last_hidden_state` is taken (for DINOv2, the normalised patch tokens) without the class token and
    without register tokens. How many of these there are follows from the number of patches.
    """

    def __init__(
        self, name: str, mode: Mode, size: int, *, revision: str | None, device: str | None, dtype: str
    ) -> None:
        self.name, self._mode, self._size = name, mode, size
        self._revision, self._device, self._dtype = revision, device, dtype
        self.settings: dict[str, Any] = {
            "backbone": name,
            "revision": revision,
            "mode": mode,
            "size": size if mode == "whole" else "the checkpoint's",
            "dtype": dtype,
        }

    def load(self) -> dict[str, Any]:
        """As `Backbone.load`."""
        with explained(self.name), quiet_transformers():
            config = AutoConfig.from_pretrained(self.name, revision=self._revision)
            vision = getattr(config, "vision_config", config)
            self._patch = getattr(vision, "patch_size", None)
            if not isinstance(self._patch, int):
                raise ModelError(f"{self.name} has no patch size; expected a vision transformer")
            model = AutoModel.from_pretrained(
                self.name, revision=self._revision, dtype=getattr(torch, self._dtype), use_safetensors=True
            )
            model = getattr(model, "vision_model", model)
            self._processor = AutoImageProcessor.from_pretrained(self.name, revision=self._revision)
        self._model = model.eval().to(best_device(self._device))
        self._registers = getattr(vision, "num_register_tokens", 0)
        takes = inspect.signature(self._model.forward).parameters
        self._arguments = {_POSITIONS: True} if self._mode == "whole" and _POSITIONS in takes else {}
        return {
            "model": identified(self.name, self._revision),
            "device": str(self._model.device),
            "patch": self._patch,
            "processor": type(self._processor).__name__,
        }

    def tokens(self, pictures: NDArray[np.uint8]) -> Tokens:
        """As `Backbone.tokens`."""
        parts = [self._run(self._pixels(part)) for part in in_parts(pictures)]
        grid = parts[0][1]
        region = (0.0, 0.0, 1.0, 1.0)
        if self._mode == "paper":
            region = self._crop(*pictures.shape[1:3], (grid[0] * self._patch, grid[1] * self._patch))
        return Tokens(tokens=torch.cat([tokens for tokens, _ in parts]), grid=grid, region=region)

    def _pixels(self, pictures: NDArray[np.uint8]) -> torch.Tensor:
        if self._mode == "paper":
            return self._processor(images=as_tensor(pictures), return_tensors="pt")["pixel_values"]
        small = resized(pictures, whole_size(*pictures.shape[1:3], self._size, self._patch)).float() / 255
        mean, deviation = (
            torch.tensor(values).view(3, 1, 1)
            for values in (self._processor.image_mean, self._processor.image_std)
        )
        return (small - mean) / deviation

    @torch.inference_mode()
    def _run(self, pixels: torch.Tensor) -> tuple[torch.Tensor, tuple[int, int]]:
        model = self._model
        hidden = model(pixel_values=pixels.to(model.device, model.dtype), **self._arguments).last_hidden_state
        grid = pixels.shape[2] // self._patch, pixels.shape[3] // self._patch
        before = hidden.shape[1] - grid[0] * grid[1]
        if before not in (self._registers, 1 + self._registers):
            raise ModelError(
                f"{self.name}: found {hidden.shape[1]} tokens for {grid[0]} x {grid[1]} patches and "
                f"{self._registers} registers; expected one a patch, after a class token at most"
            )
        tokens = hidden[:, before:]
        return unit(tokens if tokens.dtype == torch.float64 else tokens.float()), grid

    def _crop(self, height: int, width: int, cut: tuple[int, int]) -> tuple[float, float, float, float]:
        """What the checkpoint's preprocessing leaves of a picture."""
        size = dict(self._processor.size or {})
        if "shortest_edge" not in size or not getattr(self._processor, "do_center_crop", False):
            return (0.0, 0.0, 1.0, 1.0)
        return middle_region(height, width, size["shortest_edge"], cut)
