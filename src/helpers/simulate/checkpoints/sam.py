"""SAM with random weights: a segmenter that runs anywhere and sees nothing."""

from pathlib import Path

import torch
from transformers import (
    SamConfig,
    SamImageProcessor,
    SamMaskDecoderConfig,
    SamModel,
    SamProcessor,
    SamPromptEncoderConfig,
    SamVisionConfig,
)

from helpers.chat.quiet import quiet_transformers


def build_sam(folder: Path, seed: int = 0, *, side: int = 64) -> Path:
    """Write a small SAM with random weights and its processor.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        side: pixels of the square that pictures are brought into; a multiple of 16.

    Returns:
        The folder.
    """
    width = 32
    vision = SamVisionConfig(
        hidden_size=width,
        output_channels=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=side,
        window_size=2,
        global_attn_indexes=[1],
        num_pos_feats=width // 2,
        mlp_dim=2 * width,
        initializer_range=0.2,
    )
    prompts = SamPromptEncoderConfig(hidden_size=width, image_size=side, mask_input_channels=4)
    decoder = SamMaskDecoderConfig(
        hidden_size=width,
        mlp_dim=2 * width,
        num_attention_heads=2,
        iou_head_depth=2,
        iou_head_hidden_dim=width,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = SamModel(
            SamConfig(vision_config=vision, prompt_encoder_config=prompts, mask_decoder_config=decoder)
        ).eval()
    processor = SamProcessor(
        SamImageProcessor(
            size={"longest_edge": side},
            mask_size={"longest_edge": side // 4},
            pad_size={"height": side, "width": side},
            mask_pad_size={"height": side // 4, "width": side // 4},
        )
    )
    with quiet_transformers():
        model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return Path(folder)
