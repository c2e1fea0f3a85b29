"""Models of open_clip: its visual towers' patch tokens, and pictures beside words."""

from typing import Any

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from PIL import Image

from helpers.metrics.backbones import Mode, Tokens, in_parts
from helpers.metrics.loading import best_device, explained, identified
from helpers.metrics.measurer import ModelError
from helpers.metrics.patch_matching import unit
from helpers.metrics.picture_sizes import middle_region

_LOCAL, _HUB = "local-dir:", "hf-hub:"


class OpenClip:
    """A loaded model of open_clip with its preprocessing.

    Attributes:
        model: in evaluation mode.
        device: where it runs.
        identity: the model with the commit or a hash of its weights.
        side: (height, width) in pixels that its visual tower takes.

    Raises:
        ModelError: it cannot be loaded.
    """

    def __init__(
        self, name: str, *, device: str | None, dtype: str = "float32", resize_mode: str | None = None
    ) -> None:
        """Load a model.

        Args:
            name: "<model>/<weights>" as open_clip lists them, "hf-hub:<id>" or "local-dir:<folder>".
            device: where it runs; left out, a GPU where there is one.
            dtype: of the weights.
            resize_mode: how pictures are brought to its size: "shortest" (and the middle cut out), "squash";
                left out, as the checkpoint says.
        """
        self.device = best_device(device)
        self.dtype = getattr(torch, dtype)
        with explained(name):
            model, weights = _names(name)
            self.model, _, self.preprocess = open_clip.create_model_and_transforms(
                model, weights, device=self.device, image_resize_mode=resize_mode
            )
            self.tokenizer = open_clip.get_tokenizer(model)
        self.model = self.model.eval().to(self.dtype)
        self.side = tuple(np.broadcast_to(self.model.visual.image_size, 2).tolist())
        self.identity = _identity(name, model, weights)

    def pixels(self, pictures: NDArray[np.uint8]) -> torch.Tensor:
        """Pictures (n, height, width, 3) as the visual tower takes them."""
        prepared = [self.preprocess(Image.fromarray(picture)) for picture in np.asarray(pictures)]
        return torch.stack(prepared).to(self.device, self.dtype)

    @torch.inference_mode()
    def pictures(self, pictures: NDArray[np.uint8]) -> torch.Tensor:
        """Embeddings of pictures, (n, dims) of length 1 each, float32."""
        parts = [self.model.encode_image(self.pixels(part)) for part in in_parts(pictures)]
        return unit(torch.cat(parts).float())

    @torch.inference_mode()
    def words(self, text: str) -> tuple[torch.Tensor, bool]:
        """The embedding of a text, (dims,) of length 1, and whether it was too long and was cut."""
        tokens = self.tokenizer([text])
        return unit(self.model.encode_text(tokens.to(self.device)).float())[0], self._is_cut(text, tokens)

    def _is_cut(self, text: str, tokens: torch.Tensor) -> bool:
        """Whether the text needs more tokens than the model reads."""
        longest = tokens.shape[1]
        more = self.tokenizer([text], context_length=longest + 1)
        return bool((more != 0).sum() > (tokens != 0).sum()) and bool((tokens != 0).all())


class VisualTower:
    """The patches of an open_clip model's visual tower, after its last normalisation, without class token.

    Its positions fit one size alone: "whole" squeezes the whole picture into that square, which changes its
    proportions, and `size` has no effect.
    """

    def __init__(self, name: str, mode: Mode, size: int, *, device: str | None, dtype: str) -> None:
        self.name, self._mode, self._device, self._dtype = f"open_clip:{name}", mode, device, dtype
        self._clip_name = name
        self.settings: dict[str, Any] = {"backbone": self.name, "mode": mode, "dtype": dtype}

    def load(self) -> dict[str, Any]:
        """As `Backbone.load`."""
        resize_mode = "shortest" if self._mode == "paper" else "squash"
        self._clip = OpenClip(
            self._clip_name, device=self._device, dtype=self._dtype, resize_mode=resize_mode
        )
        if not hasattr(self._clip.model.visual, "forward_intermediates"):
            raise ModelError(f"{self.name}: its visual tower gives no patches; expected a transformer")
        return {
            "model": self._clip.identity,
            "device": str(self._clip.device),
            "pixels": list(self._clip.side),
            "resize_mode": resize_mode,
        }

    @torch.inference_mode()
    def tokens(self, pictures: NDArray[np.uint8]) -> Tokens:
        """As `Backbone.tokens`."""
        maps = torch.cat(
            [
                self._clip.model.visual.forward_intermediates(
                    self._clip.pixels(part), indices=1, normalize_intermediates=True, intermediates_only=True
                )["image_intermediates"][-1]
                for part in in_parts(pictures)
            ]
        )
        region = (0.0, 0.0, 1.0, 1.0)
        if self._mode == "paper":
            region = middle_region(*pictures.shape[1:3], 1, (1, 1))
        tokens = maps.flatten(2).mT
        return Tokens(tokens=unit(tokens.float()), grid=tuple(maps.shape[2:]), region=region)


def _names(name: str) -> tuple[str, str | None]:
    if name.startswith((_LOCAL, _HUB)):
        return name, None
    model, slash, weights = name.partition("/")
    if not slash:
        raise ModelError(f"found '{name}', expected a model and its weights, as in 'ViT-L-14/openai'")
    return model, weights


def _identity(name: str, model: str, weights: str | None) -> str:
    if name.startswith(_LOCAL):
        return identified(name.removeprefix(_LOCAL), file="open_clip_config.json")
    if name.startswith(_HUB):
        return identified(name.removeprefix(_HUB), file="open_clip_config.json")
    listed = open_clip.get_pretrained_cfg(model, weights)
    hub = (listed.get("hf_hub") or "").rstrip("/")
    return (
        f"open_clip:{name} ({identified(hub, file='open_clip_config.json')})" if hub else f"open_clip:{name}"
    )
