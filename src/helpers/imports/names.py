"""How files name models, and how imported clips are named in a study."""

import re
from collections.abc import Iterable

from helpers.generation.journal import video_id
from helpers.imports.texts import normalised


def known_model(name: str, known: Iterable[str]) -> str | None:
    """The known model whose name is the same but for case, spaces and signs; None if there is no single one.

    "Cosmos-Predict-2.5" is "Cosmos-Predict2.5". Version numbers keep their points: "LTX-2.3" is not "LTX-23".
    """
    fitting = {model for model in known if _squeezed(model) == _squeezed(name)}
    return fitting.pop() if len(fitting) == 1 else None


def _squeezed(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum() or character == ".")


def clip_id(model: str, prompt_id: str, seed: int | None = None, take: str = "") -> str:
    """The `video_id` of an imported clip, the same at every import: `veo-3.1-fast/010101`, seed, take.

    Args:
        model: the model's name.
        prompt_id: the prompt's id.
        seed: the seed where it is known.
        take: what tells this clip from others of the same prompt, such as the rest of its file's name.
    """
    ending = _ending(take)
    return "/".join([video_id(model, prompt_id, seed), *([ending] if ending else [])])


def loses_signs(take: str) -> bool:
    """Whether `clip_id` leaves out more of a take than case and how its words are parted."""
    return "-".join(re.split(r"[\s_-]+", take.strip(" _-").casefold())) != _ending(take)


def _ending(take: str) -> str:
    return normalised(take).replace(" ", "-")
