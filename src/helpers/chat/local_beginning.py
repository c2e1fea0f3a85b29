"""What a model keeps of pictures it has read, so that many questions can follow them.

A model reads a request from left to right and keeps what it computed for each token: the cache of keys and
values. What it keeps of pictures holds for every question that comes after them. The cache is copied for each
question, and the questions are read and answered as one batch. Shorter ones are padded between the pictures
and their first token; padding is masked and takes no position, so that each reply is the one that its
question gets alone.
"""

import copy
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer

# What runs along the tokens; the rest of a model's inputs are pixels and their arrangement.
_ALONG_TOKENS = ("input_ids", "attention_mask", "mm_token_type_ids")


# Tokens that a batch's cache has room for beyond those it holds.
ROOM = 256


class UnfitError(Exception):
    """A model that cannot go on from a beginning that it has read; the message says why."""


@dataclass(frozen=True)
class Beginning:
    """What a model has read of a request, up to the end of its last picture or clip.

    Attributes:
        model: which has read it.
        ids: its tokens, shape (1, tokens).
        cache: keys and values of each layer.
        rope_deltas: how far positions run behind the count of tokens, since a picture takes fewer positions
            than tokens.
        text: its tokens with a single one for each picture or clip.
        pictures: the tokens that stand for pictures.
    """

    model: PreTrainedModel
    ids: torch.Tensor
    cache: DynamicCache
    rope_deltas: torch.Tensor
    text: list[int]
    pictures: frozenset[int]

    @classmethod
    def read(
        cls, model: PreTrainedModel, inputs: dict[str, Any], text: list[int], seams: Container[int]
    ) -> "Beginning":
        """Let a model read it.

        Args:
            model: of which family does not matter, as long as it places pictures as Qwen2-VL does and those
                after it: by `mm_token_type_ids` and `rope_deltas`.
            inputs: of a whole request with pictures, tensors of one row.
            text: the tokens of the same request with a single one for each picture or clip.
            seams: special tokens, with which no text that follows can merge.

        Raises:
            UnfitError: another kind of model.
        """
        if "mm_token_type_ids" not in inputs or not hasattr(getattr(model, "model", None), "rope_deltas"):
            raise UnfitError("it places pictures in another way than Qwen's models")
        ids, kinds = inputs["input_ids"], inputs["mm_token_type_ids"]
        pictures = frozenset(ids[kinds != 0].tolist())
        before, after = _split(text, pictures)
        end = ids.shape[1] - len(after)
        if ids[0, end:].tolist() != after or kinds[0, end:].any() or int(ids[0, end - 1]) not in seams:
            raise UnfitError("its questions have other tokens by themselves than after pictures")
        cache = DynamicCache(config=model.config.get_text_config())
        if any(type(layer) is not DynamicLayer for layer in cache.layers):
            raise UnfitError("it keeps more, or less, than keys and values of all tokens")
        model.model.rope_deltas = None
        begun = {name: each[:, :end] if name in _ALONG_TOKENS else each for name, each in inputs.items()}
        with torch.inference_mode():
            model.model(**begun, cache=cache, use_cache=True)
        return cls(model, ids[:, :end], cache, model.model.rope_deltas, before, pictures)

    @property
    def length(self) -> int:
        """Its tokens."""
        return self.ids.shape[1]

    def question(self, text: list[int]) -> list[int] | None:
        """What follows the pictures in a request, or None if it begins in another way.

        Args:
            text: the request's tokens with a single one for each picture or clip.
        """
        before, after = _split(text, self.pictures)
        return after if before == self.text else None

    def followed_by(self, questions: Sequence[list[int]], pad: int) -> dict[str, Any]:
        """What the model's `generate` takes to answer questions, one row each; its model is set to go on.

        Args:
            questions: what follows the pictures, in tokens.
            pad: the token that fills shorter ones up.
        """
        longest = max(map(len, questions))
        here = self.ids.device
        padded = [[pad] * (longest - len(question)) + question for question in questions]
        real = [[0] * (longest - len(question)) + [1] * len(question) for question in questions]
        begun = self.ids.expand(len(questions), -1)
        cache = copy.copy(self.cache)
        cache.layers = [RoomyLayer(layer, len(questions)) for layer in self.cache.layers]
        self.model.model.rope_deltas = self.rope_deltas
        return {
            "input_ids": torch.cat([begun, torch.tensor(padded, device=here)], dim=1),
            "attention_mask": torch.cat([torch.ones_like(begun), torch.tensor(real, device=here)], dim=1),
            "cache": cache,
        }


class RoomyLayer(DynamicLayer):
    """A batch's keys and values of one layer, which begin alike.

    The library's own layer copies all it holds for each new token; of a batch that follows a clip, that took
    a third of the time.

    Args:
        beginning: one row, left as it is.
        rows: the batch's.
    """

    def __init__(self, beginning: DynamicLayer, rows: int) -> None:
        super().__init__()
        self.lazy_initialization(beginning.keys, beginning.values)
        self.keys, self.values = (
            each.expand(rows, -1, -1, -1) for each in (beginning.keys, beginning.values)
        )
        self._held: list[torch.Tensor] = []
        self._room = 0

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add what was computed for new tokens, and return all; see `DynamicLayer`."""
        start = self.get_seq_length()
        end = start + key_states.shape[-2]
        if end > self._room:
            self._room = end + ROOM
            self._held = [_with_room(each, self._room) for each in (self.keys, self.values)]
        for held, new in zip(self._held, (key_states, value_states), strict=True):
            held[:, :, start:end] = new
        self.keys, self.values = (held[:, :, :end] for held in self._held)
        return self.keys, self.values


def _with_room(states: torch.Tensor, room: int) -> torch.Tensor:
    rows, heads, tokens, size = states.shape
    held = states.new_empty(rows, heads, room, size)
    held[:, :, :tokens] = states
    return held


def _split(text: list[int], pictures: frozenset[int]) -> tuple[list[int], list[int]]:
    """A request's tokens up to the last picture, that included, and after it."""
    end = max((at + 1 for at, token in enumerate(text) if token in pictures), default=0)
    return text[:end], text[end:]
