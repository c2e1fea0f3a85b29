"""Questions to a local model about the same pictures, answered as one batch from one reading of them."""

import time
from collections.abc import Sequence

import torch
from tqdm import tqdm

from helpers.chat.local_beginning import Beginning, UnfitError
from helpers.chat.local_model import LocalModel, refused
from helpers.chat.local_turns import MOST, Turn
from helpers.chat.problems import CallError
from helpers.chat.quiet import quiet_transformers

Asked = tuple[Turn, list[int]]


class Batches:
    """Answers turns with a model, which keeps what it has read of the last pictures or clip.

    A model that cannot go on from there is asked one question at a time, each with its pictures, and that is
    said once. So is whatever fails in a batch, in order that each request has its own reply or problem. A
    batch that does not fit in memory is halved, and so are those that follow.
    """

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self._name: str | None = None
        self._known: Beginning | None = None
        self._unfit = False
        self._most = MOST
        self._since = 0.0

    def answer(self, turns: Sequence[Turn], longest: float) -> None:
        """Answer turns, and hand each its reply or problem.

        Args:
            turns: either one, or several that fit each other.
            longest: the most seconds for a batch.
        """
        self._since = time.monotonic()
        asked: list[Asked] = []
        for turn in turns:
            question = self._question(turn)
            if question is None:
                self._alone(turn, longest)
            else:
                asked.append((turn, question))
        while asked:
            size = self._most
            self._answer(asked[:size], longest)
            asked = asked[size:]

    def _question(self, turn: Turn) -> list[int] | None:
        """A request's tokens after its pictures, which the model then has read; None if it is to go alone."""
        if turn.beginning is None or self._unfit:
            return None
        try:
            with quiet_transformers(), refused():
                text = self._model.text_ids(turn.request)
                if turn.beginning != self._name:
                    self._read(turn, text)
                question = self._known.question(text)
                self._model.check_length(turn.request, self._known.length + len(question or []))
                return question
        except UnfitError as problem:
            self._unfit = True
            tqdm.write(f"{self._model.name}: asked one question at a time, since {problem}")
        except CallError:
            pass  # which it meets again by itself
        return None

    def _read(self, turn: Turn, text: list[int]) -> None:
        self._name, self._known = None, None  # before the next one takes its place in memory
        inputs = self._model.inputs(turn.request).to(self._model.model.device)
        seams = self._model.tokenizer.added_tokens_decoder
        self._known = Beginning.read(self._model.model, inputs, text, seams)
        self._name = turn.beginning

    def _answer(self, asked: list[Asked], longest: float) -> None:
        """Answer questions about what the model has read, in halves where it does not succeed with all."""
        if self._known is not None and self._succeeds(asked, longest):
            return
        if len(asked) == 1:
            self._name, self._known = None, None
            self._alone(asked[0][0], longest)
            return
        half = _half(asked)
        self._answer(asked[:half], longest)
        self._answer(asked[half:], longest)

    def _succeeds(self, asked: list[Asked], longest: float) -> bool:
        try:
            self._write(asked, longest)
        except torch.OutOfMemoryError:
            self._most = min(self._most, _half(asked))
        except (RuntimeError, ValueError, TypeError, IndexError):
            pass
        else:
            return True
        torch.cuda.empty_cache()  # out here, where the failure's traceback holds nothing any more
        self._since = time.monotonic()
        return False

    def _write(self, asked: list[Asked], longest: float) -> None:
        turns, questions = zip(*asked, strict=True)
        first = turns[0].request
        inputs = self._known.followed_by(questions, self._model.settings(first.sampling).pad_token_id)
        with quiet_transformers():
            rows = self._model.write(first, inputs, self._since + longest, [turn.stop for turn in turns])
        share = (time.monotonic() - self._since) / len(turns)
        self._since = time.monotonic()
        for turn, question, row in zip(turns, questions, rows, strict=True):
            sent = self._known.length + len(question)
            try:
                turn.end(self._model.read(turn.request, sent, row, longest, share))
            except CallError as problem:
                turn.end(problem)

    def _alone(self, turn: Turn, longest: float) -> None:
        try:
            turn.end(self._model.reply(turn.request, longest, turn.stop))
        except CallError as problem:
            turn.end(problem)


def _half(asked: list[Asked]) -> int:
    return (len(asked) + 1) // 2
