"""Random checkpoints of the five families of open text-to-video models, small enough for a test.

The architectures are the published ones, a few thousand times narrower; the weights are random, so the clips
are noise. What they keep is everything around the weights: files, loading, arguments, guidance, schedules,
frames and sound. Sizes follow the ones that diffusers uses in its own tests.
"""

from collections.abc import Callable
from pathlib import Path

import torch
from diffusers import (
    AutoencoderKLCogVideoX,
    AutoencoderKLHunyuanVideo15,
    AutoencoderKLWan,
    CogVideoXPipeline,
    CogVideoXTransformer3DModel,
    Cosmos2_5_PredictBasePipeline,
    CosmosTransformer3DModel,
    DDIMScheduler,
    FlowMatchEulerDiscreteScheduler,
    HunyuanVideo15Pipeline,
    HunyuanVideo15Transformer3DModel,
    UniPCMultistepScheduler,
    WanPipeline,
    WanTransformer3DModel,
)
from diffusers.guiders import ClassifierFreeGuidance
from transformers import (
    ByT5Tokenizer,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLTextConfig,
    Qwen2_5_VLTextModel,
    T5Config,
    T5EncoderModel,
    UMT5Config,
    UMT5EncoderModel,
)

from helpers.generation.guardrail import StandIn
from helpers.simulate.checkpoints.ltx2 import build_ltx2
from helpers.simulate.checkpoints.saving import save
from helpers.simulate.checkpoints.tokenizers import BYTES, byte_tokenizer

_T5 = {
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 32,
    "num_layers": 1,
    "num_heads": 2,
    "feed_forward_proj": "gated-gelu",
    "decoder_start_token_id": 0,
}
_QWEN = {
    "vocab_size": BYTES + 6,
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e6},
    "bos_token_id": BYTES,
    "eos_token_id": BYTES + 2,
    "pad_token_id": BYTES,
}
_CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def _t5_tokenizer() -> PreTrainedTokenizerFast:
    roles = {"pad_token": "<pad>", "eos_token": "</s>"}
    return byte_tokenizer(list(roles.values()), roles, length=512)


def _qwen_tokenizer() -> PreTrainedTokenizerFast:
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    roles = {"pad_token": "<|endoftext|>", "eos_token": "<|im_end|>"}
    return byte_tokenizer(special, roles, length=2048, chat_template=_CHAT)


def build_wan(folder: Path, seed: int = 0) -> Path:
    """Wan 2.2: two experts, of which the second takes over below a noise level of 0.875.

    Args:
        folder: where to save it; made where it is missing.
        seed: of the random weights.

    Returns:
        The folder, for `WanPipeline.from_pretrained`. Call it with sides in multiples of 16, 4k+1 frames and
        `max_sequence_length` up to 512.
    """
    torch.manual_seed(seed)
    return save(
        WanPipeline(
            tokenizer=_t5_tokenizer(),
            text_encoder=UMT5EncoderModel(UMT5Config(vocab_size=BYTES + 2, **_T5)).eval(),
            vae=_wan_vae(),
            scheduler=UniPCMultistepScheduler(
                prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0
            ),
            transformer=_wan_transformer(),
            transformer_2=_wan_transformer(),
            boundary_ratio=0.875,
        ),
        folder,
    )


def _wan_transformer() -> WanTransformer3DModel:
    return WanTransformer3DModel(
        num_attention_heads=2,
        attention_head_dim=12,
        text_dim=32,
        ffn_dim=32,
        num_layers=2,
        rope_max_seq_len=32,
    )


def _wan_vae() -> AutoencoderKLWan:
    return AutoencoderKLWan(
        base_dim=3,
        z_dim=16,
        dim_mult=[1, 1, 1, 1],
        num_res_blocks=1,
        temperal_downsample=[False, True, True],
    )


def build_hunyuan15(folder: Path, seed: int = 0) -> Path:
    """HunyuanVideo-1.5: guidance lives in a component, the guider; words in quotes have a second encoder.

    Args:
        folder: where to save it; made where it is missing.
        seed: of the random weights.

    Returns:
        The folder, for `HunyuanVideo15Pipeline.from_pretrained`. Call it with sides in multiples of 16 and
        4k+1 frames.
    """
    torch.manual_seed(seed)
    text = Qwen2_5_VLTextConfig(**_QWEN)
    return save(
        HunyuanVideo15Pipeline(
            text_encoder=Qwen2_5_VLTextModel(text).eval(),
            tokenizer=_qwen_tokenizer(),
            transformer=HunyuanVideo15Transformer3DModel(
                in_channels=9,
                out_channels=4,
                num_attention_heads=2,
                attention_head_dim=8,
                num_layers=1,
                num_refiner_layers=1,
                mlp_ratio=2.0,
                text_embed_dim=16,
                text_embed_2_dim=32,
                image_embed_dim=12,
                rope_axes_dim=(2, 2, 4),
                target_size=16,
                task_type="t2v",
            ),
            vae=AutoencoderKLHunyuanVideo15(
                latent_channels=4,
                block_out_channels=(16, 16),
                layers_per_block=1,
                spatial_compression_ratio=4,
                temporal_compression_ratio=2,
                downsample_match_channel=False,
                upsample_match_channel=False,
            ),
            scheduler=FlowMatchEulerDiscreteScheduler(shift=7.0),
            text_encoder_2=T5EncoderModel(T5Config(vocab_size=384, **_T5)).eval(),
            tokenizer_2=ByT5Tokenizer(),
            guider=ClassifierFreeGuidance(guidance_scale=6.0),
        ),
        folder,
    )


def build_cosmos(folder: Path, seed: int = 0) -> Path:
    """Cosmos-Predict2.5; the guardrail is no part of it and has to be given when it is loaded.

    Args:
        folder: where to save it; made where it is missing.
        seed: of the random weights.

    Returns:
        The folder, for `Cosmos2_5_PredictBasePipeline.from_pretrained`. Call it with sides in multiples of 16
        and 4k+1 frames.
    """
    torch.manual_seed(seed)
    config = Qwen2_5_VLConfig(
        text_config=_QWEN,
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "fullatt_block_indexes": [0],
        },
        image_token_id=BYTES + 3,
        video_token_id=BYTES + 4,
        vision_start_token_id=BYTES + 5,
        vision_end_token_id=BYTES + 5,
    )
    pipeline = Cosmos2_5_PredictBasePipeline(
        text_encoder=Qwen2_5_VLForConditionalGeneration(config).eval(),
        tokenizer=_qwen_tokenizer(),
        transformer=CosmosTransformer3DModel(
            in_channels=17,
            out_channels=16,
            num_attention_heads=2,
            attention_head_dim=16,
            num_layers=2,
            mlp_ratio=2,
            text_embed_dim=32,
            adaln_lora_dim=4,
            max_size=(4, 32, 32),
        ),
        vae=_wan_vae(),
        scheduler=UniPCMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=5.0
        ),
        safety_checker=StandIn(),
    )
    return save(pipeline, folder)


def build_cogvideox(folder: Path, seed: int = 0) -> Path:
    """CogVideoX, the 2b kind with learned positions.

    Args:
        folder: where to save it; made where it is missing.
        seed: of the random weights.

    Returns:
        The folder, for `CogVideoXPipeline.from_pretrained`. Call it with 16 x 16 pixels, 9 frames and
        `max_sequence_length` 16.
    """
    torch.manual_seed(seed)
    return save(
        CogVideoXPipeline(
            tokenizer=_t5_tokenizer(),
            text_encoder=T5EncoderModel(T5Config(vocab_size=BYTES + 2, **_T5)).eval(),
            vae=AutoencoderKLCogVideoX(
                block_out_channels=(8, 8, 8, 8),
                latent_channels=4,
                layers_per_block=1,
                norm_num_groups=2,
                down_block_types=("CogVideoXDownBlock3D",) * 4,
                up_block_types=("CogVideoXUpBlock3D",) * 4,
            ),
            transformer=CogVideoXTransformer3DModel(
                num_attention_heads=4,
                attention_head_dim=8,
                in_channels=4,
                out_channels=4,
                time_embed_dim=2,
                text_embed_dim=32,
                num_layers=1,
                sample_width=2,
                sample_height=2,
                sample_frames=9,
                max_text_seq_length=16,
            ),
            scheduler=DDIMScheduler(),
        ),
        folder,
    )


BUILDERS: dict[str, Callable[..., Path]] = {
    "wan": build_wan,
    "ltx2": build_ltx2,
    "hunyuan15": build_hunyuan15,
    "cosmos": build_cosmos,
    "cogvideox": build_cogvideox,
}
