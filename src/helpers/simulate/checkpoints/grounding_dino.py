"""Grounding DINO with random weights: a detector that runs anywhere and knows nothing."""

import string
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    GroundingDinoProcessor,
    PreTrainedTokenizerFast,
    SwinConfig,
)

from helpers.chat.quiet import quiet_transformers

# The model knows these tokens by their numbers in BERT's vocabulary.
_IDS = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, ".": 1012, "?": 1029}
LONGEST = 256


def build_grounding_dino(folder: Path, seed: int = 0, *, side: int = 96, queries: int = 10) -> Path:
    """Write a small Grounding DINO with random weights and its processor.

    Words are letters to it. Its boxes have any place and certainty.

    Args:
        folder: where to; made where it is missing.
        seed: of the weights.
        side: pixels that a picture's shorter side is brought to.
        queries: how many boxes it gives.

    Returns:
        The folder.
    """
    width = 32
    vision = SwinConfig(
        image_size=side,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 2, 2],
        window_size=4,
        out_indices=[2, 3, 4],
        initializer_range=0.2,
    )
    text = BertConfig(
        vocab_size=max(_IDS.values()) + 1,
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=LONGEST,
        initializer_range=0.2,
    )
    layers = {f"{part}_layers": 2 for part in ("encoder", "decoder")}
    layers |= {f"{part}_attention_heads": 4 for part in ("encoder", "decoder")}
    layers |= {f"{part}_ffn_dim": 2 * width for part in ("encoder", "decoder")}
    config = GroundingDinoConfig(
        backbone_config=vision, text_config=text, d_model=width, num_queries=queries, **layers
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GroundingDinoForObjectDetection(config).eval()
    images = GroundingDinoImageProcessor(size={"shortest_edge": side, "longest_edge": 2 * side})
    with quiet_transformers():
        model.save_pretrained(folder)
    GroundingDinoProcessor(images, _tokenizer()).save_pretrained(folder)
    return Path(folder)


def _tokenizer() -> PreTrainedTokenizerFast:
    """Lower-case letters and digits, each with BERT's form for the start and the inside of a word."""
    characters = string.ascii_lowercase + string.digits
    free = (number for number in range(200, 1000))
    vocabulary = _IDS | {form: next(free) for letter in characters for form in (letter, f"##{letter}")}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=LONGEST,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
