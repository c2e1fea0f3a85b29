"""What `helpers.chat.local.Local` runs in its thread: one transformers model that answers requests."""

import copy
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from transformers import GenerationConfig

from helpers.chat.backend import Reply
from helpers.chat.clips import ClipFrames, WholeClip
from helpers.chat.local_loading import load
from helpers.chat.messages import Message, Text, joined, spelt_out
from helpers.chat.pictures import Picture
from helpers.chat.problems import CallError, RefusedError, shortened
from helpers.chat.quiet import quiet_transformers
from helpers.chat.request import Request, Sampling

# A field of a request's body that servers pass on to the chat template, such as {"enable_thinking": False}.
TEMPLATE_FIELD = "chat_template_kwargs"


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
        self.model, self.processor, self.sees, self.name = load(
            model, revision=revision, device=device, dtype=dtype, trust_remote_code=trust_remote_code
        )
        self.tokenizer = getattr(self.processor, "tokenizer", self.processor)
        text = self.model.config.get_text_config()
        self.longest_context = getattr(text, "max_position_embeddings", None)
        # Else whatever a request's settings leave out would be taken from here.
        self.published = self.model.generation_config
        self.model.generation_config = GenerationConfig()
        video = getattr(self.processor, "video_processor", None)
        self.sees_clips = video is not None
        if getattr(video, "cap_pixels_per_frame", True) is None:
            # As Qwen3-VL's reference implementation does. The library's default is about to change.
            video.cap_pixels_per_frame = True

    def reply(self, request: Request, longest: float, stop: threading.Event) -> Reply:
        """Answer one request by itself.

        Args:
            request: what is asked.
            longest: seconds after which to give up.
            stop: set it to give up at once.

        Raises:
            RefusedError: pictures for a model of text alone, whole clips, unknown fields, a request that is
                too long for the model or for the memory, or too long a time.
        """
        started = time.monotonic()
        with quiet_transformers(), refused():
            inputs = self.inputs(request).to(self.model.device)
            sent = inputs["input_ids"].shape[1]
            self.check_length(request, sent)
            (written,) = self.write(request, inputs, started + longest, [stop])
            return self.read(request, sent, written, longest, time.monotonic() - started)

    def inputs(self, request: Request) -> Any:
        """What the model reads, with pixels; tensors of one row.

        Raises:
            RefusedError: as `reply`.
            ValueError: a picture that cannot be read.
        """
        about = {}
        clips = [part for message in request.sent for part in message.parts if isinstance(part, ClipFrames)]
        if self.sees:
            about["processor_kwargs"] = _about_clips(clips) if clips and self.sees_clips else {}
        return self.processor.apply_chat_template(
            self._messages(request), **self._asked(request), return_tensors="pt", **about
        )

    def text_ids(self, request: Request) -> list[int]:
        """The tokens of what the model reads, with a single one for each picture or clip.

        No picture is decoded for it.
        """
        asked = self._asked(request)
        template = self.processor.chat_template
        messages = self._messages(request, shown=False)
        return self.tokenizer.apply_chat_template(messages, chat_template=template, **asked)["input_ids"]

    def check_length(self, request: Request, sent: int) -> None:
        """Refuse a request of some tokens that the model cannot hold together with the longest reply."""
        most = sent + request.sampling.max_tokens
        if self.longest_context and most > self.longest_context:
            raise RefusedError(
                f"found {sent:,} tokens and {request.sampling.max_tokens:,} for the reply; "
                f"the model holds {self.longest_context:,}"
            )

    def write(
        self,
        request: Request,
        inputs: dict[str, Any],
        deadline: float,
        stops: Sequence[threading.Event],
    ) -> list[list[int]]:
        """Write replies, all with one request's settings and seed.

        Args:
            request: whose sampling it is.
            inputs: what `generate` takes, one row a reply.
            deadline: when to give up, by `time.monotonic`.
            stops: for each row, what gives it up.

        Returns:
            For each row the new tokens, up to its end of the reply.
        """
        settings = self.settings(request.sampling)
        ends = set(_as_list(settings.eos_token_id))

        def given_up(ids: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
            late = time.monotonic() > deadline
            return torch.tensor([late or stop.is_set() for stop in stops], device=ids.device)

        with _seeded(request), torch.inference_mode():
            rows = self.model.generate(**inputs, generation_config=settings, stopping_criteria=[given_up])
        return [_up_to_end(row, ends) for row in rows[:, inputs["input_ids"].shape[1] :].tolist()]

    def read(self, request: Request, sent: int, written: list[int], longest: float, seconds: float) -> Reply:
        """The reply that tokens are.

        Raises:
            RefusedError: it was given up before its end.
        """
        ended = bool(written) and written[-1] in _as_list(self.settings(request.sampling).eos_token_id)
        if not ended and len(written) < request.sampling.max_tokens:
            raise RefusedError(f"no answer within {longest:g} s")
        return Reply(
            text=self.tokenizer.decode(written, skip_special_tokens=True),
            cut=not ended,
            model=self.name,
            sent=sent,
            received=len(written),
            seconds=seconds,
        )

    def settings(self, sampling: Sampling) -> GenerationConfig:
        """How replies are drawn."""
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

    def _asked(self, request: Request) -> dict[str, Any]:
        """How a chat template is applied to a request."""
        unknown = ", ".join(sorted(set(request.extra) - {TEMPLATE_FIELD}))
        if unknown:
            raise RefusedError(f"a local model knows no field '{unknown}', only '{TEMPLATE_FIELD}'")
        return {
            "add_generation_prompt": True,
            "tokenize": True,
            "return_dict": True,
            "sanitize_control_tokens": True,
            **request.extra.get(TEMPLATE_FIELD, {}),
        }

    def _messages(self, request: Request, *, shown: bool = True) -> list[dict[str, Any]]:
        if not self.sees and not all(message.is_text for message in request.messages):
            raise RefusedError("the model reads text alone; found pictures")
        if any(isinstance(part, WholeClip) for message in request.sent for part in message.parts):
            raise RefusedError("a local model is shown a clip's frames; found a whole clip")
        return [self._message(message, shown) for message in request.sent]

    def _message(self, message: Message, shown: bool) -> dict[str, Any]:
        parts = joined(message.parts) if self.sees_clips else spelt_out(message.parts)
        content = [_part(part, shown) for part in parts] if self.sees else parts[0].text
        return {"role": message.role, "content": content}


def _part(part: Text | Picture | ClipFrames, shown: bool) -> dict[str, Any]:
    """A part as chat templates know it; pixels only where they are shown."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    kind = "image" if isinstance(part, Picture) else "video"
    if not shown:
        return {"type": kind}
    if isinstance(part, Picture):
        return {"type": kind, kind: part.pixels()}
    return {"type": kind, kind: np.stack([np.asarray(picture.pixels()) for picture in part.pictures])}


def _about_clips(clips: list[ClipFrames]) -> dict[str, Any]:
    """What the processor has to know about frames that it shall not choose from again."""
    metadata = [
        {"total_num_frames": clip.total, "fps": clip.fps, "frames_indices": list(clip.indices)}
        for clip in clips
    ]
    return {"video_metadata": metadata, "do_sample_frames": False}


def _as_list(ids: int | list[int] | None) -> list[int]:
    return ids if isinstance(ids, list) else [ids]


def _up_to_end(row: list[int], ends: set[int]) -> list[int]:
    """A reply's tokens without the padding that follows its end."""
    return next((row[: at + 1] for at, token in enumerate(row) if token in ends), row)


@contextmanager
def _seeded(request: Request) -> Iterator[None]:
    """Random numbers by the request's seed; the process's own go on afterwards as if nothing had been."""
    seed = request.sampling.seed
    devices = range(torch.cuda.device_count())
    with torch.random.fork_rng(devices):
        torch.manual_seed(int(request.key[:15], 16) if seed is None else seed)
        yield


@contextmanager
def refused() -> Iterator[None]:
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
