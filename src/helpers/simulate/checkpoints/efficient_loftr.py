"""EfficientLoFTR with random weights: a matcher that runs anywhere and sees nothing."""

from pathlib import Path

import torch
from transformers import (
    EfficientLoFTRConfig,
    EfficientLoFTRForKeypointMatching,
    EfficientLoFTRImageProcessor,
)

from helpers.chat.quiet import quiet_transformers


def build_efficient_loftr(folder: Path, seed: int = 0, *, size: tuple[int, int] = (96, 128)) -> Path:
    """Write a small EfficientLoFTR with random weights and its image processor.

    Its threshold of confidence is 0, so that even random features yield mutual best matches.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        size: (height, width) that the processor brings pictures to; multiples of 32.

    Returns:
        The folder.
    """
    config = EfficientLoFTRConfig(
        stage_num_blocks=[1, 1, 1, 1],
        out_features=[16, 16, 16, 32],
        hidden_size=32,
        num_attention_layers=1,
        # The rotary embedding asks for eight heads.
        num_attention_heads=8,
        coarse_matching_threshold=0.0,
        coarse_matching_border_removal=1,
        # Narrower, and every cell has the same features.
        initializer_range=0.5,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = EfficientLoFTRForKeypointMatching(config).eval()
    processor = EfficientLoFTRImageProcessor(size={"height": size[0], "width": size[1]})
    with quiet_transformers():
        model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return Path(folder)
