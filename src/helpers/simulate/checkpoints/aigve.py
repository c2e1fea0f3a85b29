"""Qwen2.5-VL with random weights, the architecture of AIGVE-MACS and of VideoScore2."""

from pathlib import Path

import torch
from transformers import (
    GenerationConfig,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
)
from transformers.models.qwen2_vl import Qwen2VLImageProcessor, Qwen2VLVideoProcessor

from helpers.chat.quiet import quiet_transformers
from helpers.simulate.checkpoints.qwen3_vl import IDS, SPECIAL, TEMPLATE
from helpers.simulate.checkpoints.tokenizers import BYTES, byte_tokenizer

PATCH, MERGE, CONTEXT = 14, 2, 32_768
SMALLEST = (PATCH * MERGE) ** 2


def build_aigve(folder: Path, seed: int = 0, *, pixels: int = 112 * 112) -> Path:
    """Write a Qwen2.5-VL with random weights, its processor and a chat template.

    Tokens are bytes. What it writes is noise, so that its answers are unscored.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        pixels: the most that a frame is scaled to; 28 × 28 of them make a token.

    Returns:
        The folder.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen2_5_VLForConditionalGeneration(_config()).eval()
    end = [IDS["<|im_end|>"], IDS["<|endoftext|>"]]
    model.lm_head.weight.data[sorted(set(IDS.values()) - set(end))] = 0
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=0.7, eos_token_id=end, pad_token_id=end[1]
    )
    with quiet_transformers():
        model.save_pretrained(folder)
    _processor(pixels).save_pretrained(folder)
    return folder


def _config() -> Qwen2_5_VLConfig:
    hidden, wide = 32, 0.2
    return Qwen2_5_VLConfig(
        text_config={
            "vocab_size": BYTES + len(SPECIAL),
            "hidden_size": hidden,
            "intermediate_size": 4 * hidden,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": CONTEXT,
            "max_window_layers": 2,
            "initializer_range": wide,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]},
            "bos_token_id": None,
            "eos_token_id": IDS["<|im_end|>"],
            "pad_token_id": IDS["<|endoftext|>"],
        },
        vision_config={
            "depth": 2,
            "hidden_size": hidden,
            "intermediate_size": 4 * hidden,
            "num_heads": 4,
            "patch_size": PATCH,
            "spatial_merge_size": MERGE,
            "out_hidden_size": hidden,
            "fullatt_block_indexes": [1],
            "window_size": 4 * PATCH * MERGE,
            "initializer_range": wide,
        },
        image_token_id=IDS["<|image_pad|>"],
        video_token_id=IDS["<|video_pad|>"],
        vision_start_token_id=IDS["<|vision_start|>"],
        vision_end_token_id=IDS["<|vision_end|>"],
    )


def _processor(pixels: int) -> Qwen2_5_VLProcessor:
    roles = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    about = {
        "size": {"shortest_edge": SMALLEST, "longest_edge": pixels},
        "patch_size": PATCH,
        "merge_size": MERGE,
    }
    return Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**about),
        tokenizer=byte_tokenizer(SPECIAL, roles, length=CONTEXT, chat_template=TEMPLATE),
        video_processor=Qwen2VLVideoProcessor(**about),
        chat_template=TEMPLATE,
    )
