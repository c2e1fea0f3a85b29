"""How good each clip of a simulated model is: the one truth behind its picture, its judges and its people.

Everything is drawn from the study's seed and from names, each thing from a stream of its own, so that neither
the order of work nor who asks, nor which other clips there are, changes a clip's truth. All sizes are
arbitrary: large enough to be seen in a small study, and no claim about any real model or country.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from helpers.simulate.dials import SimulatedModel
from helpers.simulate.latent import stream

# Log-odds of a prompt's variant: a fuller description is shown better.
VARIANTS = {"extended": 0.6, "no_country": -0.4, "native_language": -0.3, "short": -0.3, "detailed": 0.3}
# Standard deviations, in log-odds, of what a scene's clips share and of what each clip has of its own.
SCENE, CLIP = 0.4, 0.6
# What models that are not simulated show of their prompts: the demo's other clips are noise and drawings.
NOTHING = 0.1


def scene_of(prompt: Any) -> str:
    """What a prompt shares with its variants or its matched set: its scenario, landmark, set or itself."""
    shared = [prompt.scenario_id, prompt.landmark_id, prompt.matched_set, prompt.prompt_id]
    return next(str(name) for name in shared if pd.notna(name))


def country_effect(seed: int, country: str) -> float:
    """A country's place among the countries: standard normal, the same for all models of a study."""
    return float(stream(seed, "country", country).standard_normal())


def clip_level(
    seed: int, model: SimulatedModel | None, prompt: Any, video_id: str, *, cultural: bool = True
) -> float:
    """How good a clip is, in log-odds.

    Args:
        seed: the study's.
        model: who made it; None for a model that is not simulated.
        prompt: a row of the table prompts, as `itertuples` gives it.
        video_id: the clip.
        cultural: whether the country counts, as it does for culture and places but not for how well the
            prompt's words are followed or how good the picture is.
    """
    if model is None:
        return float(logit(NOTHING))
    scene = stream(seed, "scene", scene_of(prompt)).standard_normal()
    own = stream(seed, "clip", video_id).standard_normal()
    country = model.country_spread * country_effect(seed, prompt.country) if cultural else 0.0
    variant = VARIANTS.get(prompt.variant, 0.0)
    return float(logit(model.faithfulness) + variant + country + SCENE * scene + CLIP * own)


def share(level: float | np.ndarray) -> float | np.ndarray:
    """A level as a share, 0 to 1."""
    return expit(level)
