"""Ways in which a run of the same model with the same seed is not the same, measured on a loaded pipeline.

Random weights are enough: what is counted are calls and schedules, which do not depend on the weights.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from diffusers import UniPCMultistepScheduler


def calls(pipe: Any, networks: Mapping[str, torch.nn.Module], **call: Any) -> dict[str, int]:
    """How often networks run while a pipeline makes one clip.

    Args:
        pipe: a diffusers pipeline.
        networks: what to count, by a name of one's own.
        call: the pipeline's arguments; a generator and the output type are added.
    """
    counted = Counter(dict.fromkeys(networks, 0))
    handles = [
        network.register_forward_hook(lambda *_, name=name: counted.update([name]))
        for name, network in networks.items()
    ]
    try:
        pipe(**call, generator=torch.Generator("cpu").manual_seed(0), output_type="latent")
    finally:
        for handle in handles:
            handle.remove()
    return dict(counted)


def high_noise_steps(shift: float, steps: int, boundary: float = 0.875) -> int:
    """How many of Wan 2.2's steps its first expert makes, the one for much noise.

    The first expert works while the noise is at least `boundary`; the shift moves steps towards much noise
    (Wan2.2's flow matching: s t / (1 + (s - 1) t)).

    Args:
        shift: the scheduler's `flow_shift`, above 0.
        steps: of the whole clip.
        boundary: between the experts, as a share of all noise.
    """
    scheduler = UniPCMultistepScheduler(
        prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=shift
    )
    scheduler.set_timesteps(steps)
    return int((scheduler.timesteps >= boundary * scheduler.config.num_train_timesteps).sum())


def reused_generator(pipe: Any, clips: int = 2, **call: Any) -> list[float]:
    """How far clips of one seed are from the first one when they share a generator, which keeps its state.

    Args:
        pipe: a diffusers pipeline.
        clips: how many after the first.
        call: the pipeline's arguments; a generator and the output type are added.

    Returns:
        The mean absolute difference of each from the first, of 255; 0 would be the same clip.
    """
    generator = torch.Generator("cpu").manual_seed(0)
    made = [pipe(**call, generator=generator, output_type="np").frames for _ in range(clips + 1)]
    return [float(255 * np.abs(other - made[0]).mean()) for other in made[1:]]
