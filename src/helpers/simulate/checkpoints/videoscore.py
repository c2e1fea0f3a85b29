"""VideoScore's architecture with random weights: Idefics2 and a head of five outputs."""

from pathlib import Path

import torch
from transformers import Idefics2Config, Idefics2ImageProcessor, Idefics2Processor

from helpers.chat.quiet import quiet_transformers
from helpers.metrics.videoscore_model import Idefics2Scores
from helpers.simulate.checkpoints.tokenizers import BYTES, byte_tokenizer

SPECIAL = ("<unk>", "<s>", "</s>", "<fake_token_around_image>", "<image>", "<end_of_utterance>")
IDS = {token: BYTES + at for at, token in enumerate(SPECIAL)}
PATCH, LATENTS, CONTEXT = 14, 4, 8_192


def build_videoscore(folder: Path, seed: int = 0, *, outputs: int = 5, longest: int = 84) -> Path:
    """Write a VideoScore with random weights, and its processor.

    Its outputs lie near the middle of the published scale and depend on frames, their order and the prompt.
    Tokens are bytes.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        outputs: of the head.
        longest: pixels to which a frame's longer side is brought down.

    Returns:
        The folder.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Idefics2Scores(_config(outputs)).eval()
        network.score.weight.data.normal_(std=0.1)
        network.score.bias.data.fill_(2.5)
    with quiet_transformers():
        network.save_pretrained(folder)
    _processor(longest).save_pretrained(folder)
    return folder


def _config(outputs: int) -> Idefics2Config:
    hidden, wide = 32, 0.2
    heads = {"num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64}
    return Idefics2Config(
        text_config={
            "model_type": "mistral",
            "vocab_size": BYTES + len(SPECIAL),
            "hidden_size": hidden,
            "num_key_value_heads": 2,
            "max_position_embeddings": CONTEXT,
            "initializer_range": wide,
            "bos_token_id": IDS["<s>"],
            "eos_token_id": IDS["</s>"],
            "pad_token_id": IDS["<unk>"],
            **heads,
        },
        vision_config={
            "hidden_size": hidden,
            "image_size": 5 * PATCH,
            "patch_size": PATCH,
            "initializer_range": wide,
            **heads,
        },
        perceiver_config={
            "hidden_size": hidden,
            "resampler_n_latents": LATENTS,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 16,
            "num_key_value_heads": 1,
            "initializer_range": wide,
        },
        image_token_id=IDS["<image>"],
        num_labels=outputs,
    )


def _processor(longest: int) -> Idefics2Processor:
    roles = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<unk>"}
    # As published, frames are split unless whoever asks switches it off.
    pictures = Idefics2ImageProcessor(
        size={"longest_edge": longest, "shortest_edge": min(longest, 2 * PATCH)}, do_image_splitting=True
    )
    tokenizer = byte_tokenizer(SPECIAL, roles, length=CONTEXT)
    return Idefics2Processor(image_processor=pictures, tokenizer=tokenizer, image_seq_len=LATENTS)
