"""CLIP in open_clip's format with random weights: it embeds pictures and words, and knows neither."""

import json
from pathlib import Path

import open_clip
import torch
from open_clip.constants import OPENAI_DATASET_MEAN, OPENAI_DATASET_STD
from safetensors.torch import save_file

CONFIG = {
    "embed_dim": 32,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 32, "head_width": 8, "patch_size": 8},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 2},
}
PREPROCESSING = {
    "size": [32, 32],
    "mean": OPENAI_DATASET_MEAN,
    "std": OPENAI_DATASET_STD,
    "interpolation": "bicubic",
    "resize_mode": "shortest",
}


def build_clip(folder: Path, seed: int = 0) -> Path:
    """Write a small CLIP with random weights; open_clip loads it as "local-dir:<folder>".

    It reads words with the tokenizer that open_clip brings.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.

    Returns:
        The folder.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = open_clip.CLIP(**CONFIG)
    about = {"model_cfg": CONFIG, "preprocess_cfg": PREPROCESSING}
    (folder / "open_clip_config.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()},
        folder / "open_clip_model.safetensors",
    )
    return folder
