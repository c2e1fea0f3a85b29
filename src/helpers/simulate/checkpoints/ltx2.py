"""LTX-2 with random weights: pictures, sound, and the upsampler between its two stages."""

from pathlib import Path

import torch
from diffusers import (
    AutoencoderKLLTX2Audio,
    AutoencoderKLLTX2Video,
    FlowMatchEulerDiscreteScheduler,
    LTX2Pipeline,
    LTX2VideoTransformer3DModel,
)
from diffusers.pipelines.ltx2 import LTX2LatentUpsamplerModel, LTX2TextConnectors
from diffusers.pipelines.ltx2.vocoder import LTX2Vocoder
from transformers import Gemma3Config, Gemma3ForConditionalGeneration, PreTrainedTokenizerFast

from helpers.simulate.checkpoints.saving import save
from helpers.simulate.checkpoints.tokenizers import BYTES, byte_tokenizer


def build_ltx2(folder: Path, seed: int = 0) -> Path:
    """LTX-2: video and sound (16 kHz, stereo), with its x2 upsampler in the folder `latent_upsampler`.

    Args:
        folder: where to save it; made where it is missing.
        seed: of the random weights.

    Returns:
        The folder, for `LTX2Pipeline.from_pretrained`. Call it with sides in multiples of 32 and 8k+1 frames.
    """
    torch.manual_seed(seed)
    audio_vae = AutoencoderKLLTX2Audio(
        base_channels=4,
        output_channels=2,
        ch_mult=(1,),
        num_res_blocks=1,
        attn_resolutions=None,
        in_channels=2,
        resolution=32,
        latent_channels=2,
        norm_type="pixel",
        causality_axis="height",
        mid_block_add_attention=False,
        sample_rate=16000,
        mel_hop_length=160,
        mel_bins=8,
    )
    pipeline = LTX2Pipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKLLTX2Video(
            latent_channels=4,
            block_out_channels=(8,),
            decoder_block_out_channels=(8,),
            layers_per_block=(1,),
            decoder_layers_per_block=(1, 1),
            spatio_temporal_scaling=(True,),
            decoder_spatio_temporal_scaling=(True,),
            decoder_inject_noise=(False, False),
            downsample_type=("spatial",),
            upsample_residual=(False,),
            upsample_factor=(1,),
            patch_size=1,
        ),
        audio_vae=audio_vae,
        text_encoder=_gemma(),
        tokenizer=_gemma_tokenizer(),
        connectors=_ltx2_connectors(),
        transformer=_ltx2_transformer(),
        vocoder=LTX2Vocoder(
            in_channels=16,
            hidden_channels=32,
            upsample_kernel_sizes=[4, 4, 20, 16],
            upsample_factors=[2, 2, 5, 8],
            resnet_kernel_sizes=[3],
            resnet_dilations=[[1, 3, 5]],
            output_sampling_rate=16000,
        ),
    )
    upsampler = LTX2LatentUpsamplerModel(
        in_channels=4, mid_channels=32, num_blocks_per_stage=1, use_rational_resampler=False
    )
    upsampler.save_pretrained(Path(folder) / "latent_upsampler")
    return save(pipeline, folder)


def _gemma() -> Gemma3ForConditionalGeneration:
    text = {
        "vocab_size": BYTES + 6,
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
    }
    vision = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 16,
    }
    config = Gemma3Config(
        text_config=text,
        vision_config=vision,
        mm_tokens_per_image=1,
        boi_token_index=BYTES + 3,
        eoi_token_index=BYTES + 4,
        image_token_index=BYTES + 5,
    )
    return Gemma3ForConditionalGeneration(config).eval()


def _ltx2_connectors() -> LTX2TextConnectors:
    sizes = {
        "num_attention_heads": 4,
        "attention_head_dim": 8,
        "num_layers": 1,
        "num_learnable_registers": None,
    }
    streams = {
        f"{stream}_connector_{key}": size for stream in ("video", "audio") for key, size in sizes.items()
    }
    return LTX2TextConnectors(
        caption_channels=32,
        text_proj_in_factor=3,
        connector_rope_base_seq_len=32,
        rope_double_precision=False,
        rope_type="split",
        **streams,
    )


def _ltx2_transformer() -> LTX2VideoTransformer3DModel:
    return LTX2VideoTransformer3DModel(
        in_channels=4,
        out_channels=4,
        num_attention_heads=2,
        attention_head_dim=8,
        cross_attention_dim=16,
        vae_scale_factors=(2, 2, 2),
        audio_in_channels=4,
        audio_out_channels=4,
        audio_num_attention_heads=2,
        audio_attention_head_dim=4,
        audio_cross_attention_dim=8,
        num_layers=2,
        caption_channels=32,
        rope_double_precision=False,
        rope_type="split",
    )


def _gemma_tokenizer() -> PreTrainedTokenizerFast:
    roles = {"pad_token": "<pad>", "eos_token": "<eos>", "bos_token": "<bos>"}
    return byte_tokenizer(list(roles.values()), roles, length=1024)
