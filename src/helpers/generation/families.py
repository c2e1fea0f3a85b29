"""The families of open text-to-video models: which arguments must be spelt out, and which sizes they take.

An argument that is left out takes a library's default, which changes between versions: diffusers 0.40 gave
LTX-2 four guidances at once, and switched them all on. So each family lists what a call has to hold.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from helpers.checking import nearest

SIZE = ("height", "width", "num_frames", "num_inference_steps")
_LTX2_PAIRS = ("guidance_scale", "stg_scale", "modality_scale", "guidance_rescale")


@dataclass(frozen=True)
class Family:
    """What the pipelines of a family have in common.

    Attributes:
        pipeline: the diffusers class.
        required: arguments that every call must hold, besides those in `SIZE`.
        allowed: further arguments that it may hold.
        multiple: both sides must be multiples of this.
        frames_step: the number of frames is a multiple of this, plus one.
    """

    pipeline: str
    required: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    multiple: int = 16
    frames_step: int = 4


FAMILIES = {
    "wan": Family("WanPipeline", ("guidance_scale", "guidance_scale_2", "max_sequence_length")),
    "ltx2": Family(
        "LTX2Pipeline",
        (
            *_LTX2_PAIRS,
            *(f"audio_{name}" for name in _LTX2_PAIRS),
            "spatio_temporal_guidance_blocks",
            "use_cross_timestep",
            "frame_rate",
            "enable_prompt_enhancement",
            "max_sequence_length",
        ),
        ("sigmas",),
        multiple=32,
        frames_step=8,
    ),
    # Its guidance is a component, not an argument; `guidance_scale` is handed to that.
    "hunyuan15": Family("HunyuanVideo15Pipeline", ("guidance_scale",), ("sigmas",)),
    "cosmos": Family("Cosmos2_5_PredictBasePipeline", ("guidance_scale", "max_sequence_length")),
    "cogvideox": Family(
        "CogVideoXPipeline", ("guidance_scale", "use_dynamic_cfg", "eta", "max_sequence_length"), multiple=8
    ),
}


def problems(family: str, call: dict, fps: float) -> list[str]:
    """What is wrong with the arguments of a call, in words; empty where nothing is.

    Args:
        family: one of `FAMILIES`.
        call: the arguments by name.
        fps: the frame rate that the clip is written with.
    """
    rules = FAMILIES[family]
    needed = (*SIZE, *rules.required)
    known = (*needed, *rules.allowed)
    found = [
        f"the call of {family} lacks '{name}'; expected it explicitly" for name in needed if name not in call
    ]
    found += [
        f"{family} takes no '{name}'{nearest(name, known)} (expected {', '.join(known)})"
        for name in call
        if name not in known
    ]
    found = found or _odd_values(call)
    if found:
        return found
    for side in ("height", "width"):
        if call[side] < rules.multiple or call[side] % rules.multiple:
            found.append(f"{side} is {call[side]}; {family} takes multiples of {rules.multiple}")
    if call["num_frames"] < 1 or (call["num_frames"] - 1) % rules.frames_step:
        below = (call["num_frames"] - 1) // rules.frames_step * rules.frames_step + 1
        found.append(
            f"num_frames is {call['num_frames']}; {family} takes a multiple of {rules.frames_step} plus one, "
            f"such as {below} or {below + rules.frames_step}"
        )
    if call["num_inference_steps"] < 1:
        found.append(f"num_inference_steps is {call['num_inference_steps']}; expected at least 1")
    return found + (_ltx2_problems(call, fps) if family == "ltx2" else [])


def _odd_values(call: dict) -> list[str]:
    """Arguments of the wrong type, which would fail, or pass for something else, hours later."""
    found = []
    for name, value in call.items():
        wanted, fits = _FORMS.get(name, _NUMBER)
        if not fits(value):
            found.append(f"{name} is {value!r}; expected {wanted}")
    return found


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_list(value: object, fits: Callable[[object], bool]) -> bool:
    return value is None or (isinstance(value, list) and bool(value) and all(map(fits, value)))


_WHOLE = ("a whole number", _is_whole)
_NUMBER = ("a finite number", _is_number)
_SWITCH = ("true or false", lambda value: isinstance(value, bool))
# What arguments are, where not a finite number.
_FORMS: dict[str, tuple[str, Callable[[object], bool]]] = {
    **dict.fromkeys((*SIZE, "max_sequence_length"), _WHOLE),
    **dict.fromkeys(("use_cross_timestep", "enable_prompt_enhancement", "use_dynamic_cfg"), _SWITCH),
    "guidance_scale_2": ("a finite number or null", lambda value: value is None or _is_number(value)),
    "spatio_temporal_guidance_blocks": (
        "whole numbers in a list, or null",
        lambda value: _is_list(value, _is_whole),
    ),
    "sigmas": ("finite numbers in a list, or null", lambda value: _is_list(value, _is_number)),
}


def _ltx2_problems(call: dict, fps: float) -> list[str]:
    # diffusers reads `audio_x or x`: a sound's scale of 0 silently becomes the picture's.
    found = [
        f"audio_{name} is 0 but {name} is {call[name]}; diffusers would use {call[name]} for the sound too"
        for name in _LTX2_PAIRS
        if not call[f"audio_{name}"] and call[name]
    ]
    if call["enable_prompt_enhancement"]:
        found.append("enable_prompt_enhancement rewrites the prompts that the study is about; expected false")
    if call["frame_rate"] != fps:
        found.append(f"frame_rate is {call['frame_rate']} but fps is {fps}; the sound would drift")
    return found


def passes(family: str, call: dict) -> int:
    """How many times the network runs over one clip in one step, as the arguments set it.

    Guidance costs a second pass; LTX-2 has up to two guidances more. Source: the pipelines of diffusers
    0.42, and counts of calls on random checkpoints.
    """
    if family != "ltx2":
        return 2 if max(call["guidance_scale"], call.get("guidance_scale_2", 0) or 0) > 1 else 1
    guided = call["guidance_scale"] > 1 or call["audio_guidance_scale"] > 1
    blocks = call["stg_scale"] > 0 or call["audio_stg_scale"] > 0
    modality = call["modality_scale"] > 1 or call["audio_modality_scale"] > 1
    return 1 + guided + blocks + modality
