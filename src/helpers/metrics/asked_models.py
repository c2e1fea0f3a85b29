"""Fine-tuned vision-language models that see a clip's frames and answer one question in words."""

import io
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from helpers.chat.clips import HeldFrames
from helpers.chat.local_model import LocalModel
from helpers.chat.messages import user
from helpers.chat.pictures import Picture
from helpers.chat.problems import CallError
from helpers.chat.quiet import quiet_transformers
from helpers.chat.request import Request, Sampling
from helpers.metrics.measurer import Clip, ModelError
from helpers.metrics.model_queries import query_of

# Seconds for one clip.
LONGEST = 600.0
_ALONG_TOKENS = ("input_ids", "attention_mask", "mm_token_type_ids")


@dataclass(frozen=True)
class Answer:
    """What a model said about a clip.

    Attributes:
        text: all of it, reasoning included.
        cut: whether it was cut off at its longest length.
        tokens: the same in tokens.
        inputs: what the model had read.
    """

    text: str
    cut: bool
    tokens: list[int]
    inputs: Mapping[str, Any]


class AskedModel:
    """A loaded model with its question. Its answers are greedy: the likeliest token each time."""

    def __init__(
        self, model: str, revision: str | None, *, query: str, device: str | None, dtype: str, most: int
    ) -> None:
        """Load it.

        Args:
            model: an id on the Hugging Face Hub, or a folder.
            revision: the commit, tag or branch on the Hub.
            query: the file in `texts` that takes the place of the published question.
            device: such as cuda or cpu; None takes a GPU where there is one.
            dtype: what the weights are held in; auto is as published.
            most: the longest answer in tokens.

        Raises:
            ModelError: it cannot be loaded, or knows no video.
        """
        try:
            self._chat = LocalModel(
                model, revision=revision, device=device, dtype=dtype, trust_remote_code=False
            )
        except CallError as problem:
            raise ModelError(f"{model}: {problem}") from None
        if not self._chat.sees_clips:
            raise ModelError(f"{model} knows no video; expected a model made for it")
        self.query = query_of(model, revision, query)
        self._most = most

    @property
    def about(self) -> dict[str, str]:
        """What is worth keeping beside its values."""
        device = str(self._chat.model.device)
        return {"model": self._chat.name, "device": device, "query": self.query.source}

    def ask(self, clip: Clip, size: tuple[int, int] | None = None) -> Answer:
        """What it says about a clip.

        Args:
            clip: with its prompt.
            size: height and width that the frames are brought to, whatever their proportions; None leaves it
                to the model's processor.

        Raises:
            RuntimeError: it does not fit in memory or in the model, or takes too long.
        """
        question = user(_shown(clip, size), self.query.about(clip.prompt))
        sampling = Sampling(temperature=0.0, max_tokens=self._most)
        request = Request(model=self._chat.name, messages=(question,), sampling=sampling)
        try:
            with quiet_transformers():
                inputs = self._chat.inputs(request).to(self._chat.model.device)
                sent = inputs["input_ids"].shape[1]
                self._chat.check_length(request, sent)
                deadline = time.monotonic() + LONGEST
                (tokens,) = self._chat.write(request, inputs, deadline, [threading.Event()])
                reply = self._chat.read(request, sent, tokens, LONGEST, 0.0)
        except CallError as problem:
            raise RuntimeError(str(problem)) from None
        return Answer(reply.text, reply.cut, tokens, inputs)

    def words(self, tokens: list[int]) -> str:
        """What tokens say."""
        return self._chat.tokenizer.decode(tokens, skip_special_tokens=True)

    def token(self, word: str) -> int | None:
        """A word's token, or None where it is none or several."""
        ids = self._chat.tokenizer.encode(word, add_special_tokens=False)
        return ids[0] if len(ids) == 1 else None

    def logits(self, answer: Answer, places: list[int]) -> NDArray[np.float32]:
        """The raw logits from which tokens of an answer were taken, by reading the answer once more.

        Args:
            answer: as `ask` gave it.
            places: of the tokens in it, from 0.

        Returns:
            (places, vocabulary), before any temperature or penalty.
        """
        sent = answer.inputs["input_ids"].shape[1]
        said = torch.tensor([answer.tokens], device=self._chat.model.device)
        more = {"input_ids": said, "attention_mask": torch.ones_like(said)}
        more["mm_token_type_ids"] = torch.zeros_like(said)
        inputs = {
            name: torch.cat([value, more[name]], dim=1) if name in _ALONG_TOKENS else value
            for name, value in answer.inputs.items()
        }
        keep = torch.tensor([sent + place - 1 for place in places], device=said.device)
        with torch.inference_mode():
            logits = self._chat.model(**inputs, logits_to_keep=keep, use_cache=False).logits
        return logits[0].float().cpu().numpy()


def _shown(clip: Clip, size: tuple[int, int] | None) -> HeldFrames:
    """The frames, without loss: what compression takes away is quality."""
    frames = clip.frames
    # A still picture has no rate; one frame a second is what it stands for.
    pictures = tuple(_png(image, size) for image in frames.images)
    return HeldFrames(pictures, tuple(frames.times), frames.fps or 1.0, frames.total)


def _png(image: NDArray[np.uint8], size: tuple[int, int] | None) -> Picture:
    picture = Image.fromarray(image)
    if size is not None:
        picture = picture.resize(size[::-1], Image.Resampling.BICUBIC)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    return Picture(buffer.getvalue(), "image/png")
