"""For tests of generation: descriptions of small models, prompts, and a stand-in that draws at once."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.generation import catalogue
from helpers.generation.jobs import jobs_of
from helpers.generation.outcomes import Clip

CALLS = {
    "wan": {"height": 16, "width": 16, "num_frames": 9, "num_inference_steps": 2, "guidance_scale": 4.0,
            "guidance_scale_2": 3.0, "max_sequence_length": 64},
    "ltx2": {"height": 32, "width": 32, "num_frames": 9, "num_inference_steps": 2, "frame_rate": 24.0,
             "guidance_scale": 3.0, "stg_scale": 0.0, "modality_scale": 1.0, "guidance_rescale": 0.0,
             "audio_guidance_scale": 3.0, "audio_stg_scale": 0.0, "audio_modality_scale": 1.0,
             "audio_guidance_rescale": 0.0, "spatio_temporal_guidance_blocks": None,
             "use_cross_timestep": False, "enable_prompt_enhancement": False, "max_sequence_length": 64},
    "hunyuan15": {"height": 16, "width": 16, "num_frames": 9, "num_inference_steps": 2,
                  "guidance_scale": 6.0},
    "cosmos": {"height": 32, "width": 32, "num_frames": 5, "num_inference_steps": 2, "guidance_scale": 7.0,
               "max_sequence_length": 64},
    "cogvideox": {"height": 16, "width": 16, "num_frames": 9, "num_inference_steps": 2, "guidance_scale": 6.0,
                  "use_dynamic_cfg": True, "eta": 0.0, "max_sequence_length": 16},
}  # fmt: skip
FPS = {"wan": 9.8, "ltx2": 24.0, "hunyuan15": 24.0, "cosmos": 16.0, "cogvideox": 8.0}


def described(family: str = "wan", folder: Path | str = "nowhere", **changes) -> catalogue.Model:
    """A model's description; `call` and `fps` change its settings, everything else the model itself."""
    call = {**CALLS[family], **changes.pop("call", {})}
    settings = [{"call": call, "fps": changes.pop("fps", FPS[family])}]
    fixed = {"name": f"Tiny {family}", "family": family, "id": str(folder), "settings": settings}
    if family == "cosmos":
        fixed["guardrail"] = "stand-in"
    return catalogue.Model.model_validate({**fixed, **changes})


def prompts_table(number: int, benchmark: str = "culturevidbench") -> pd.DataFrame:
    """The columns of the table `prompts` that a run reads."""
    rows = [
        {"prompt_id": f"p{i:03}", "benchmark": benchmark, "text": f"Scene {i} of a festival."}
        for i in range(number)
    ]
    return pd.DataFrame(rows)


def jobs_for(*models: catalogue.Model, number: int = 3, seeds=(0,)):
    return jobs_of(models, prompts_table(number), seeds, catalogue.load())


@dataclass
class StandInModel:
    """Draws a grey that depends on prompt and seed; `does` maps a part of a prompt to what happens instead.

    What happens is an exception to raise, a clip to give, or a function of the rung.
    """

    does: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    rungs: list = field(default_factory=list)
    freed: int = 0
    commit: str | None = None

    def __call__(self, model):
        return self

    def generate(self, prompt, negative_prompt, settings, seed, memory):
        self.asked.append((prompt, seed))
        self.rungs.append(memory.name)
        for part, what in self.does.items():
            if part in prompt:
                what = what(memory) if callable(what) else what
                if isinstance(what, Exception):
                    raise what
                if what is not None:
                    return what
        return grey(100 + len(prompt) + seed)

    def describe(self, settings):
        return {"commit": self.commit, "device": "none"}

    def free(self):
        self.freed += 1


def grey(level: int, frames: int = 3) -> Clip:
    return Clip(np.full((frames, 16, 16, 3), level, np.uint8))
