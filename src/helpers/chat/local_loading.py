"""Loading a transformers model and its processor, with one message for whatever keeps it from loading."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from huggingface_hub import try_to_load_from_cache
from transformers import (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
)

from helpers.chat.problems import CallError, FatalError, shortened
from helpers.chat.quiet import quiet_transformers

_SHORT_HASH = 12


class Loaded(NamedTuple):
    """A model as it was loaded.

    Attributes:
        model: with its weights.
        processor: of text and pictures, or the tokenizer of a model of text alone.
        sees: whether it knows pictures.
        name: the id or folder, `@`, and which weights it holds.
    """

    model: PreTrainedModel
    processor: Any
    sees: bool
    name: str


def load(
    model: str, *, revision: str | None, device: str | None, dtype: str, trust_remote_code: bool
) -> Loaded:
    """Load a model for conversations; the arguments are those of `helpers.chat.local.Local`.

    Raises:
        FatalError: there is no such model, it does not fit in memory, or it has no chat template.
    """
    source = {"revision": revision, "trust_remote_code": trust_remote_code}
    with quiet_transformers(), _explained():
        _check_folder(model)
        config = AutoConfig.from_pretrained(model, **source)
        sees = _sees(config)
        kind = AutoModelForImageTextToText if sees else AutoModelForCausalLM
        reader = AutoProcessor if sees else AutoTokenizer
        processor = reader.from_pretrained(model, **source)
        if not processor.chat_template:
            raise FatalError("found no chat template; expected a model made for conversations")
        weights = kind.from_pretrained(
            model, dtype=dtype, device_map=device or _best_device(), use_safetensors=True, **source
        )
    return Loaded(weights, processor, sees, f"{model}@{_commit(model, revision)}")


def _sees(config: PreTrainedConfig) -> bool:
    remote = getattr(config, "auto_map", None) or {}
    return type(config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING or "AutoModelForImageTextToText" in remote


def _best_device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _check_folder(model: str) -> None:
    """Say that a folder is missing; to the library, any path is the id of a model on the Hub."""
    path = Path(model)
    if (path.is_absolute() or len(path.parts) > 2) and not path.is_dir():
        raise FatalError(f"there is no folder {model}")


def _commit(model: str, revision: str | None) -> str:
    """The commit that was loaded; for a folder, the beginning of its configuration's and weights' SHA-256."""
    if not Path(model).is_dir():
        return Path(try_to_load_from_cache(model, "config.json", revision=revision)).parent.name
    whole = hashlib.sha256()
    for path in sorted([Path(model) / "config.json", *Path(model).glob("*.safetensors")]):
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:_SHORT_HASH]


@contextmanager
def _explained() -> Iterator[None]:
    """Whatever keeps a model from loading, as the one message that ends the run."""
    try:
        yield
    except CallError:
        raise
    except torch.OutOfMemoryError as error:
        raise FatalError(f"the model does not fit in memory: {shortened(str(error))}") from None
    except (OSError, ValueError, ImportError, RuntimeError, AttributeError) as error:
        raise FatalError(f"the model cannot be loaded: {shortened(str(error))}") from None
