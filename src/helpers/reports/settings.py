"""How a model's clips were made, from the settings that their rows keep."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from helpers.reports.words import harmless

# What differs from clip to clip by its nature, or describes one run and not the model.
_OF_A_CLIP = {"prompt", "seed", "seconds", "seconds_computing", "key", "shown", "landmark", "sha256", "text"}
_LONGEST = 90


def settings_of(videos: pd.DataFrame, model: str, most: int = 24) -> pd.DataFrame:
    """A model's settings.

    Args:
        videos: a table `videos`.
        model: whose.
        most: rows at most; the last one says how many there are beyond.

    Returns:
        Columns setting and value, in alphabetical order after the clips' size and length; a value that varies
        says between how many. Settings that are a clip's own (prompt, seed, times) are left out, and keys and
        paths are taken out of what is left.
    """
    clips = videos[videos["model"].eq(model)]
    found: dict[str, set[str]] = {}
    for name in ("width", "height", "frames", "fps", "audio"):
        values = clips[name].dropna()
        if len(values):
            found[name] = {f"{value:g}" if name == "fps" else str(value) for value in values}
    further: dict[str, set[str]] = {}
    for text in clips["settings"].dropna().unique():
        for name, value in _flat(_read(text)):
            further.setdefault(name, set()).add(value)
    found |= {name: further[name] for name in sorted(further)}
    rows = [(name.replace("_", " "), _words(values)) for name, values in found.items()]
    if len(rows) > most:
        rows = [*rows[: most - 1], ("further settings", f"{len(rows) - most + 1}, in the table videos")]
    return pd.DataFrame(rows, columns=["setting", "value"])


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"settings": text}


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of nested settings ("dials: faithfulness"), those of one clip left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _OF_A_CLIP:
                yield from _flat(inner, f"{name}: {key}" if name else str(key))
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)


def _words(values: set[str]) -> str:
    if len(values) > 3:
        return f"{len(values)} different values"
    return " or ".join(harmless(value, _LONGEST) for value in sorted(values))
