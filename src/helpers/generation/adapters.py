"""The little that differs between the families' pipelines when they are called.

Everything else, such as schedules, sizes and guidance, is in the arguments and passed through.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from diffusers import DiffusionPipeline, FlowMatchEulerDiscreteScheduler
from diffusers.pipelines.ltx2 import LTX2LatentUpsamplerModel
from numpy.typing import NDArray

from helpers.generation.catalogue import Model

# diffusers reads `audio_x or x`, so a sound's scale of 0 only holds where the picture's is 0 too.
NO_GUIDANCE = {
    f"{stream}{name}": value
    for stream in ("", "audio_")
    for name, value in (
        ("guidance_scale", 1.0),
        ("stg_scale", 0.0),
        ("modality_scale", 1.0),
        ("guidance_rescale", 0.0),
    )
}


@dataclass(frozen=True)
class Made:
    """What a pipeline gave: pictures in [0, 1] (frames, height, width, 3), sound (channels, samples)."""

    frames: NDArray[np.floating]
    audio: NDArray[np.float32] | None = None
    sample_rate: int | None = None
    flags: list[str] = field(default_factory=list)


class Plain:
    """Wan and CogVideoX: all is in the arguments."""

    def __init__(self, pipe: DiffusionPipeline, model: Model) -> None:
        self.pipe, self.model = pipe, model

    def __call__(self, **call: Any) -> Made:
        """Make one clip."""
        return Made(self.pipe(**call, output_type="np").frames[0])


class Hunyuan15(Plain):
    """Guidance is a component of its own, which takes the place of the argument."""

    def __call__(self, *, guidance_scale: float, **call: Any) -> Made:
        """Make one clip."""
        self.pipe.guider = self.pipe.guider.new(guidance_scale=guidance_scale)
        return super().__call__(**call)


class Cosmos(Plain):
    """A guardrail watches, and is watched."""

    def __init__(self, pipe: DiffusionPipeline, model: Model) -> None:
        from helpers.generation.guardrail import Watch

        super().__init__(pipe, model)
        self._watch = Watch(pipe.safety_checker)

    def __call__(self, **call: Any) -> Made:
        """Make one clip; a refusal becomes a `GuardrailError`."""
        made = super().__call__(**call)
        altered = self._watch.altered_frames
        return Made(made.frames, flags=[f"guardrail altered {altered} frames"] if altered else [])


class LTX2(Plain):
    """Pictures and sound; where a second stage is described, at twice the size that is asked for."""

    def __init__(self, pipe: DiffusionPipeline, model: Model) -> None:
        super().__init__(pipe, model)
        self._stage = model.second_stage
        if self._stage is None:
            return
        from helpers.generation.pipelines import fetched

        weights = self._stage.upsampler
        # Only this one part of a repository that may hold the whole model.
        folder, self._commit = fetched(weights, _snapshot(weights.subfolder))
        self._upsampler = LTX2LatentUpsamplerModel.from_pretrained(
            folder, subfolder=weights.subfolder, use_safetensors=True, torch_dtype=pipe.vae.dtype
        )
        if lora := self._stage.lora:
            pipe.load_lora_weights(
                lora.id,
                revision=lora.revision,
                weight_name=lora.weight_name,
                adapter_name="second_stage",
                use_safetensors=True,
            )

    def __call__(self, **call: Any) -> Made:
        """Make one clip with its sound."""
        if self._stage is None:
            return self._made(self.pipe(**call, output_type="np"))
        self._lora(False)
        first = self.pipe(**call, output_type="latent")
        scheduler = self.pipe.scheduler
        try:
            self._lora(True)
            self.pipe.scheduler = FlowMatchEulerDiscreteScheduler.from_config(
                scheduler.config, use_dynamic_shifting=False, shift_terminal=None
            )
            return self._made(self.pipe(**self._second(call, first), output_type="np"))
        finally:
            self.pipe.scheduler = scheduler
            self._lora(False)

    def _second(self, call: dict[str, Any], first: Any) -> dict[str, Any]:
        """The second stage's arguments: twice the size, a short schedule, no guidance."""
        # Latents come out as the decoder takes them, which is how the upsampler wants them.
        with torch.no_grad():
            upsampler = self._upsampler.to(first.frames.device)
            latents = upsampler(first.frames.to(upsampler.dtype))
        sigmas = self._stage.sigmas
        return {
            **call,
            **NO_GUIDANCE,
            "spatio_temporal_guidance_blocks": None,
            "width": 2 * call["width"],
            "height": 2 * call["height"],
            "latents": latents,
            "audio_latents": first.audio,
            "sigmas": sigmas,
            "num_inference_steps": len(sigmas),
            "noise_scale": sigmas[0],
        }

    def _lora(self, active: bool) -> None:
        if self._stage.lora:
            self.pipe.enable_lora() if active else self.pipe.disable_lora()

    def _made(self, output: Any) -> Made:
        audio = output.audio[0].float().cpu().numpy()
        return Made(output.frames[0], audio, int(self.pipe.vocoder.config.output_sampling_rate))


def _snapshot(subfolder: str | None) -> Any:
    from huggingface_hub import snapshot_download

    def download(name: str, *, revision: str, use_safetensors: bool) -> str:
        patterns = [f"{subfolder}/*" if subfolder else "*"]
        return snapshot_download(name, revision=revision, allow_patterns=patterns)

    return download


ADAPTERS = {"wan": Plain, "cogvideox": Plain, "hunyuan15": Hunyuan15, "cosmos": Cosmos, "ltx2": LTX2}
