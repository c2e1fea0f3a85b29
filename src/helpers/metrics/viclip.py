"""ViCLIP with its publisher's code, which transformers fetches from the hub beside the weights."""

from pathlib import Path

import numpy as np
import torch
from huggingface_hub import snapshot_download
from numpy.typing import NDArray
from transformers import AutoConfig, AutoModel

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.loading import best_device, explained, identified
from helpers.metrics.picture_sizes import resized

FRAMES, SIDE = 8, 224
# ImageNet's, as in the publisher's own preparation of frames.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class ViClipModel:
    """A loaded ViCLIP.

    Attributes:
        device: where it runs.
        identity: the model with its commit.

    Raises:
        ModelError: it cannot be loaded, which may well be for a newer transformers than its code was written
            for.
    """

    def __init__(self, name: str, revision: str | None, device: str | None) -> None:
        self.device = best_device(device)
        with explained(name), quiet_transformers():
            folder = Path(name if Path(name).is_dir() else snapshot_download(name, revision=revision))
            config = AutoConfig.from_pretrained(folder, trust_remote_code=True)
            # As published it is relative to wherever the process happens to run.
            config.tokenizer_path = str(folder / Path(config.tokenizer_path).name)
            self._model = AutoModel.from_pretrained(folder, config=config, trust_remote_code=True)
        self._model = self._model.eval().to(self.device)
        self.identity = identified(name, revision)

    @torch.inference_mode()
    def similarity(self, frames: NDArray[np.uint8], prompt: str) -> float:
        """The cosine of 8 frames, uint8 (frames, height, width, 3), fewer being repeated, and a text.

        Frames are squeezed to 224 × 224, as the publisher does. The text is read up to 32 tokens.
        """
        chosen = np.linspace(0, len(frames) - 1, FRAMES).round().astype(int)
        pixels = resized(np.asarray(frames)[chosen], (SIDE, SIDE)).float() / 255
        mean, deviation = (torch.tensor(values).view(3, 1, 1) for values in (MEAN, DEVIATION))
        clip = ((pixels - mean) / deviation)[None].to(self.device)
        seen = self._model.get_vid_features(clip)
        told = self._model.get_text_features(prompt, self._model.tokenizer)
        return torch.nn.functional.cosine_similarity(seen.float(), told.float(), dim=-1).item()
