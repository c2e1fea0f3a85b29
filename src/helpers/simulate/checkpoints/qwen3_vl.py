"""Qwen3-VL with random weights: a vision-language model that runs anywhere and knows nothing."""

from pathlib import Path

import torch
from transformers import GenerationConfig, Qwen3VLConfig, Qwen3VLForConditionalGeneration, Qwen3VLProcessor
from transformers.models.qwen2_vl import Qwen2VLImageProcessor
from transformers.models.qwen3_vl import Qwen3VLVideoProcessor

from helpers.chat.quiet import quiet_transformers
from helpers.simulate.checkpoints.tokenizers import BYTES, byte_tokenizer

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
IDS = {token: BYTES + at for at, token in enumerate(SPECIAL)}
# Conversations as the published models learnt them (ChatML), without tools and default messages.
TEMPLATE = """\
{%- for message in messages -%}
{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.content is string -%}
{{ message.content }}
{%- else -%}
{%- for part in message.content -%}
{%- if part.type == 'text' -%}
{{ part.text }}
{%- else -%}
{{ '<|vision_start|>' + ('<|video_pad|>' if part.type == 'video' else '<|image_pad|>') + '<|vision_end|>' }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{ '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\\n' }}
{%- endif -%}
"""
PATCH, MERGE, CONTEXT = 16, 2, 32_768
SMALLEST = (PATCH * MERGE) ** 2
FRAMES = 16


def build_qwen3_vl(
    folder: Path,
    seed: int = 0,
    *,
    hidden: int = 32,
    layers: int = 2,
    heads: int = 4,
    vision_hidden: int = 32,
    vision_layers: int = 2,
    pixels: int = 64 * 64,
) -> Path:
    """Write a Qwen3-VL with random weights, its processor and a chat template.

    It loads with transformers and `transformers serve`. Tokens are bytes. Its sampling settings are the
    published ones, so that asking it shows whether a caller's own settings prevail.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        hidden: width of the language model; a multiple of 8 times `heads`.
        layers: its depth. About 50 million parameters come of `hidden=512, layers=12, heads=8`.
        heads: its attention heads, an even number; half as many for keys and values.
        vision_hidden: width of the vision model; a multiple of 16.
        vision_layers: its depth.
        pixels: the most that a picture, or each of 16 frames, is scaled to; 32 × 32 of them make a token.

    Returns:
        The folder.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3VLForConditionalGeneration(
            _config(hidden, layers, heads, vision_hidden, vision_layers)
        ).eval()
    end = [IDS["<|im_end|>"], IDS["<|endoftext|>"]]
    # Nor do the published models write these. A server may take them for pictures where a reply is quoted.
    model.lm_head.weight.data[sorted(set(IDS.values()) - set(end))] = 0
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=0.7, top_p=0.8, top_k=20, eos_token_id=end, pad_token_id=end[1]
    )
    with quiet_transformers():
        model.save_pretrained(folder)
    _processor(pixels).save_pretrained(folder)
    return folder


def _config(hidden: int, layers: int, heads: int, vision_hidden: int, vision_layers: int) -> Qwen3VLConfig:
    head = hidden // heads
    # Time, height and width share a head's rotations about as in the published models (24, 20 and 20 of 64).
    side = head // 2 * 5 // 16
    rotations = [head // 2 - 2 * side, side, side]
    text = {
        "vocab_size": BYTES + len(SPECIAL),
        "hidden_size": hidden,
        "intermediate_size": 4 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads // 2,
        "head_dim": head,
        "max_position_embeddings": CONTEXT,
        # Wide enough for replies to depend on what was asked and shown.
        "initializer_range": 0.2,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 500_000.0,
            "mrope_section": rotations,
            "mrope_interleaved": True,
        },
        "bos_token_id": None,
        "eos_token_id": IDS["<|im_end|>"],
        "pad_token_id": IDS["<|endoftext|>"],
    }
    vision = {
        "depth": vision_layers,
        "hidden_size": vision_hidden,
        "intermediate_size": 4 * vision_hidden,
        "num_heads": 4,
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
        "out_hidden_size": hidden,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
        "initializer_range": 0.2,
    }
    return Qwen3VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=IDS["<|image_pad|>"],
        video_token_id=IDS["<|video_pad|>"],
        vision_start_token_id=IDS["<|vision_start|>"],
        vision_end_token_id=IDS["<|vision_end|>"],
    )


def _processor(pixels: int) -> Qwen3VLProcessor:
    tokenizer = byte_tokenizer(
        SPECIAL,
        {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
        length=CONTEXT,
        chat_template=TEMPLATE,
    )
    patches = {"patch_size": PATCH, "merge_size": MERGE}
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(
            size={"shortest_edge": SMALLEST, "longest_edge": pixels}, **patches
        ),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(
            size={"shortest_edge": SMALLEST, "longest_edge": FRAMES * pixels},
            cap_pixels_per_frame=False,
            **patches,
        ),
        chat_template=TEMPLATE,
    )
