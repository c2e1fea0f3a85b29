"""Loading models for metrics: on which device, under which commit, and what to say where it fails."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from huggingface_hub import try_to_load_from_cache

from helpers.metrics.measurer import ModelError

_SHORT_HASH = 12


def best_device(device: str | None = None) -> torch.device:
    """The device asked for; left out, a GPU where there is one."""
    return torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))


def identified(model: str, revision: str | None = None, *, file: str = "config.json") -> str:
    """A model with the commit that was loaded: "facebook/dinov2-large@47b73ee…".

    For a folder, the beginning of the SHA-256 of its configuration and weights stands for the commit.

    Args:
        model: the hub's id, or a folder.
        revision: as asked for.
        file: one that is loaded with every model of this kind.
    """
    if not Path(model).is_dir():
        found = try_to_load_from_cache(model, file, revision=revision)
        return f"{model}@{Path(found).parent.name if isinstance(found, str) else revision or 'unknown'}"
    whole = hashlib.sha256()
    for path in sorted([Path(model) / file, *Path(model).glob("*.safetensors")]):
        with path.open("rb") as opened:
            whole.update(hashlib.file_digest(opened, "sha256").digest())
    return f"{Path(model).name}@{whole.hexdigest()[:_SHORT_HASH]}"


def named(model: str | Path) -> str:
    """What a model is known by before it is loaded: its id on the hub; for a folder, its name and content."""
    return identified(str(model)) if Path(model).is_dir() else str(model)


@contextmanager
def explained(model: str) -> Iterator[None]:
    """Whatever keeps a model from loading, as the one error that ends the run."""
    try:
        yield
    except ModelError:
        raise
    except torch.OutOfMemoryError as error:
        raise ModelError(f"{model} does not fit in memory: {_first_line(error)}") from error
    except (OSError, ValueError, ImportError, RuntimeError, AttributeError, KeyError) as error:
        raise ModelError(f"{model} cannot be loaded: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
