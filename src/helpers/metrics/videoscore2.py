"""VideoScore2: three qualities of a clip, by a model that reasons first (He et al., 2025)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from helpers.chat.parsing import UnreadableError
from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.registry import Metric
from helpers.metrics.videoscore2_reading import DIGITS, DIMENSIONS, read_scores, token_at
from helpers.video.sampling import PerSecond

if TYPE_CHECKING:
    from helpers.metrics.asked_models import Answer

MOST_TOKENS = 1024
SOURCE = "He et al. 2025, VideoScore2 (arXiv 2509.22799)"


def _metric(name: str, title: str, source: str) -> Metric:
    return Metric(
        name=f"videoscore2_{name.replace(' ', '_').replace('-', '_').replace('/', '_')}",
        title=f"VideoScore2: {title}",
        low=1,
        high=5,
        direction="higher is better",
        needs=frozenset({"prompt"}),
        frames=PerSecond(2),
        source=source,
        cost="up to 1,024 tokens written by a 7B model about frames at 2 a second; 17 GB in bfloat16",
    )


METRICS = (
    *(_metric(dimension, dimension, SOURCE) for dimension in DIMENSIONS),
    *(
        _metric(f"{dimension} expected", f"{dimension}, expectation", f"{SOURCE}; expectation of our own")
        for dimension in DIMENSIONS
    ),
)


class VideoScore2:
    """The three whole numbers that VideoScore2 writes, and the expectation of each.

    The expectation is the mean of 1 to 5 with the probabilities that the model gave these digits where it
    wrote the score, scaled to a sum of 1. The authors' own "soft score" is another thing: the likeliest digit
    times its probability, which is 1.74 where a 3 has 58%. Theirs draws answers at random at temperature 0.7,
    and gives one clip different scores (VideoScore2 #5); here the likeliest token is taken each time. An
    answer in which the three scores cannot be read without a guess is unscored.

    Frames are taken at 0, 0.5, 1 … s. The authors' reader spreads as many over the whole clip.

    Not checked against the published weights, for want of them: what its answers look like. The form of its
    scores is as the authors' script and others who ran it describe it.
    """

    name = "videoscore2"
    metrics = METRICS

    def __init__(
        self,
        model: str = "TIGER-Lab/VideoScore2",
        *,
        revision: str | None = None,
        device: str | None = None,
        dtype: str = "auto",
    ) -> None:
        """Choose a checkpoint.

        Args:
            model: an id on the Hub, or a folder, with a Qwen2.5-VL.
            revision: the commit, tag or branch on the Hub; name a commit for results that can be reproduced.
            device: such as cuda or cpu; None takes a GPU where there is one.
            dtype: what the weights are held in; auto is as published.
        """
        self._source, self._about = (model, revision), {"device": device, "dtype": dtype}
        self.settings: Mapping[str, Any] = {
            "model": model,
            "revision": revision,
            "dtype": dtype,
            "most_tokens": MOST_TOKENS,
        }

    def load(self) -> Mapping[str, Any]:
        """Load the model; see `Measurer`."""
        from helpers.metrics.asked_models import AskedModel

        self._asked = AskedModel(*self._source, query="videoscore2.txt", most=MOST_TOKENS, **self._about)
        return self._asked.about

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `Measurer`."""
        return [self._outcome(self._asked.ask(clip)) for clip in clips]

    def _outcome(self, answer: "Answer") -> Outcome:
        details, notes = {"answer": answer.text}, self._asked.query.notes
        names = [metric.name for metric in METRICS]
        try:
            if answer.cut:
                raise UnreadableError("the answer was cut off before it was complete")
            scores = read_scores(answer.text)
        except UnreadableError as problem:
            return Outcome(values=dict.fromkeys(names), notes=(str(problem), *notes), details=details)
        expected = self._expected(answer, [score.place for score in scores])
        values = dict(zip(names, [score.value for score in scores] + expected, strict=True))
        return Outcome(values=values, notes=notes, details=details)

    def _expected(self, answer: "Answer", places: list[int]) -> list[float | None]:
        """The expectation of each score; None where a digit is no token of its own."""
        asked = self._asked
        at = [token_at(place, answer.tokens, asked.words) for place in places]
        digits = [asked.token(digit) for digit in DIGITS]
        if None in at or None in digits:
            return [None] * len(places)
        return expectations(asked.logits(answer, at)[:, digits])


def expectations(logits: np.ndarray) -> list[float]:
    """The mean of 1 to 5 under the softmax of five logits, row by row.

    Args:
        logits: (scores, 5), of the digits 1 to 5.
    """
    weights = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
    return (weights @ np.arange(1, 6) / weights.sum(axis=1)).tolist()
