"""DINOv2 with random weights, with and without registers: patch tokens that know nothing."""

from pathlib import Path

import torch
from transformers import (
    BitImageProcessor,
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
)

from helpers.chat.quiet import quiet_transformers

# As the published checkpoints have it.
PROCESSOR = {
    "size": {"shortest_edge": 256},
    "crop_size": {"height": 224, "width": 224},
    "resample": 3,
    "image_mean": [0.485, 0.456, 0.406],
    "image_std": [0.229, 0.224, 0.225],
}


def build_dinov2(folder: Path, seed: int = 0, *, registers: int = 0, hidden: int = 32) -> Path:
    """Write a small DINOv2 with random weights and the published preprocessing; it loads with AutoModel.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        registers: register tokens; the published models have none or 4.
        hidden: width, a multiple of 4.

    Returns:
        The folder.
    """
    about = {
        "hidden_size": hidden,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "patch_size": 14,
        "image_size": 518,
        # Wide enough for tokens to depend on what is shown.
        "initializer_range": 0.2,
        "layerscale_value": 1.0,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if registers:
            config = Dinov2WithRegistersConfig(**about, num_register_tokens=registers)
            model = Dinov2WithRegistersModel(config)
        else:
            model = Dinov2Model(Dinov2Config(**about))
    with quiet_transformers():
        model.eval().save_pretrained(folder)
    BitImageProcessor(**PROCESSOR).save_pretrained(folder)
    return Path(folder)
