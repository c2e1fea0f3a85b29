"""The catalogue as tables to read: settings with what is unsaid marked, and how much that is."""

import pandas as pd

from helpers.generation.catalogue import Catalogue, final_size

UNSAID = " *"


def settings_table(catalogue: Catalogue) -> pd.DataFrame:
    """The settings of every open model for every benchmark that it has some for.

    Returns:
        One row each, as text: model, benchmark, size, frames, fps, seconds, steps, guidance, sound. A star
        marks what the paper does not say.
    """
    rows = []
    for model in catalogue.models:
        for settings in model.settings:
            call = settings.call

            def marked(text: object, *names: str, said: dict = settings.said) -> str:
                return f"{text}" if any(name in said for name in names) else f"{text}{UNSAID}"

            width, height = final_size(model, settings)
            scales = [call["guidance_scale"], call.get("guidance_scale_2")]
            guidance = " / ".join(f"{scale:g}" for scale in scales if scale is not None)
            rows.append(
                {
                    "model": model.name,
                    "benchmark": settings.benchmark,
                    "size": marked(f"{width}x{height}", "height", "width"),
                    "frames": marked(call["num_frames"], "num_frames"),
                    "fps": marked(f"{settings.fps:g}", "fps"),
                    "seconds": marked(f"{call['num_frames'] / settings.fps:.1f}", "seconds"),
                    "steps": marked(call["num_inference_steps"], "num_inference_steps"),
                    "guidance": marked(guidance, "guidance_scale"),
                    "sound": marked("yes" if model.audio else "no", "audio"),
                }
            )
    return pd.DataFrame(rows)


def silence(catalogue: Catalogue) -> pd.DataFrame:
    """How many of the things that decide a clip each paper states.

    Returns:
        One row a model and benchmark: model, benchmark, said, unsaid (numbers of arguments and the like).
    """
    return pd.DataFrame(
        {
            "model": model.name,
            "benchmark": settings.benchmark,
            "said": sum(name in settings.said for name in settings.call),
            "unsaid": len(settings.unsaid),
        }
        for model in catalogue.models
        for settings in model.settings
    )
