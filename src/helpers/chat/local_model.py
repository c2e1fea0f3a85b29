"""What `helpers.chat.local.Local` runs in its thread: one transformers model that answers requests."""

import copy
import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from huggingface_hub import try_to_load_from_cache
from transformers import (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedConfig,
)

from helpers.chat.backend import Reply
from helpers.chat.clips import ClipFrames
from helpers.chat.messages import Message, Text, joined, spelt_out
from helpers.chat.pictures import Picture
from helpers.chat.problems import CallError, FatalError, RefusedError, shortened
from helpers.chat.quiet import quiet_transformers
from helpers.chat.request import Request, Sampling

# A field of a request's body that servers pass on to the chat template, such as {"enable_thinking": False}.
TEMPLATE_FIELD = "chat_template_kwargs"
_SHORT_HASH = 12


class LocalModel:
    """A loaded model with its processor.

    Text that reads like a special token, as in a description or a quoted reply, stays text. What a request's
    sampling leaves open is as the model's publisher set it, but at temperature 0 the likeliest token is taken
    each time, without any penalty. Without a seed, the request's key is the seed: the same request gets the
    same reply.

    Raises:
        FatalError: there is no such model, it does not fit in memory, or it has no chat template.
    """

    def __init__(
        self, model: str, *, revision: str | None, device: str | None, dtype: str, trust_remote_code: bool
    ) -> None:
        source = {"revision": revision, "trust_remote_code": trust_remote_code}
        with quiet_transformers(), _explained():
            _check_folder(model)
            config = AutoConfig.from_pretrained(model, **source)
            self.sees = _sees(config)
            kind = AutoModelForImageTextToText if self.sees else AutoModelForCausalLM
            reader = AutoProcessor if self.sees else AutoTokenizer
            self.processor = reader.from_pretrained(model, **source)
            if not self.processor.chat_template:
                raise FatalError("found no chat template; expected a model made for conversations")
            self.model = kind.from_pretrained(
                model, dtype=dtype, device_map=device or _best_device(), use_safetensors=True, **source
            )
        self.name = f"{model}@{_commit(model, revision)}"
        self.tokenizer = getattr(self.processor, "tokenizer", self.processor)
        self.longest_context = getattr(config.get_text_config(), "max_position_embeddings", None)
        # Else whatever a request's settings leave out would be taken from here.
        self.published = self.model.generation_config
        self.model.generation_config = GenerationConfig()
        video = getattr(self.processor, "video_processor", None)
        self.sees_clips = video is not None
        if getattr(video, "cap_pixels_per_frame", True) is None:
            # As Qwen3-VL's reference implementation does. The library's default is about to change.
            video.cap_pixels_per_frame = True

    def reply(self, request: Request, longest: float, stop: threading.Event) -> Reply:
        """Answer one request.

        Args:
            request: what is asked.
            longest: seconds after which to give up.
            stop: set it to give up at once.

        Raises:
            RefusedError: pictures for a model of text alone, unknown fields, a request that is too long for
                the model or for the memory, or too long a time.
        """
        started = time.monotonic()
        with quiet_transformers(), _refused():
            inputs = self._inputs(request).to(self.model.device)
            sent = inputs["input_ids"].shape[1]
            most = sent + request.sampling.max_tokens
            if self.longest_context and most > self.longest_context:
                raise RefusedError(
                    f"found {sent:,} tokens and {request.sampling.max_tokens:,} for the reply; "
                    f"the model holds {self.longest_context:,}"
                )
            settings = self._settings(request.sampling)
            with _seeded(request), torch.inference_mode():
                written = self.model.generate(
                    **inputs,
                    generation_config=settings,
                    stopping_criteria=[
                        lambda *_, **__: stop.is_set() or time.monotonic() > started + longest
                    ],
                )[0, sent:].tolist()
        ended = bool(written) and written[-1] in _as_list(settings.eos_token_id)
        if not ended and len(written) < request.sampling.max_tokens:
            raise RefusedError(f"no answer within {longest:g} s")
        return Reply(
            text=self.tokenizer.decode(written, skip_special_tokens=True),
            cut=not ended,
            model=self.name,
            sent=sent,
            received=len(written),
            seconds=time.monotonic() - started,
        )

    def _inputs(self, request: Request) -> Any:
        unknown = ", ".join(sorted(set(request.extra) - {TEMPLATE_FIELD}))
        if unknown:
            raise RefusedError(f"a local model knows no field '{unknown}', only '{TEMPLATE_FIELD}'")
        if not self.sees and not all(message.is_text for message in request.messages):
            raise RefusedError("the model reads text alone; found pictures")
        about = {}
        clips = [part for message in request.sent for part in message.parts if isinstance(part, ClipFrames)]
        if self.sees:
            about["processor_kwargs"] = _about_clips(clips) if clips and self.sees_clips else {}
        return self.processor.apply_chat_template(
            [self._message(message) for message in request.sent],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            sanitize_control_tokens=True,
            **about,
            **request.extra.get(TEMPLATE_FIELD, {}),
        )

    def _message(self, message: Message) -> dict[str, Any]:
        parts = joined(message.parts) if self.sees_clips else spelt_out(message.parts)
        content = [_part(part) for part in parts] if self.sees else parts[0].text
        return {"role": message.role, "content": content}

    def _settings(self, sampling: Sampling) -> GenerationConfig:
        given = sampling.given()
        given.pop("seed", None)
        limits = {"max_new_tokens": given.pop("max_tokens"), "max_length": None}
        if sampling.temperature == 0:
            own = self.published
            tokens = {name: getattr(own, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
            settings = GenerationConfig(do_sample=False, **tokens, **limits)
        else:
            settings = copy.deepcopy(self.published)
            settings.update(**given, **limits, do_sample=True if given else settings.do_sample)
        if settings.eos_token_id is None:
            settings.eos_token_id = self.tokenizer.eos_token_id
        if settings.pad_token_id is None:
            settings.pad_token_id = _as_list(settings.eos_token_id)[0]
        return settings


def _part(part: Text | Picture | ClipFrames) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Picture):
        return {"type": "image", "image": part.pixels()}
    return {"type": "video", "video": np.stack([np.asarray(picture.pixels()) for picture in part.pictures])}


def _about_clips(clips: list[ClipFrames]) -> dict[str, Any]:
    """What the processor has to know about frames that it shall not choose from again."""
    metadata = [
        {"total_num_frames": clip.total, "fps": clip.fps, "frames_indices": clip.indices} for clip in clips
    ]
    return {"video_metadata": metadata, "do_sample_frames": False}


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


def _as_list(ids: int | list[int] | None) -> list[int]:
    return ids if isinstance(ids, list) else [ids]


@contextmanager
def _seeded(request: Request) -> Iterator[None]:
    """Random numbers by the request's seed; the process's own go on afterwards as if nothing had been."""
    seed = request.sampling.seed
    devices = range(torch.cuda.device_count())
    with torch.random.fork_rng(devices):
        torch.manual_seed(int(request.key[:15], 16) if seed is None else seed)
        yield


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


@contextmanager
def _refused() -> Iterator[None]:
    """What one request asks too much, as a failure of that request."""
    try:
        yield
    except CallError:
        raise
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise RefusedError(f"out of memory: {shortened(str(error))}") from None
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        raise RefusedError(f"{type(error).__name__}: {shortened(str(error))}") from None
