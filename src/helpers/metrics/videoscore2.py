"""VideoScore2: three qualities of a clip, by a model that reasons first (He et al., 2025)."""

from typing import TYPE_CHECKING

import numpy as np

from helpers.chat.parsing import UnreadableError
from helpers.metrics.asked_measurer import AskedMeasurer
from helpers.metrics.measurer import Outcome
from helpers.metrics.registry import Metric
from helpers.metrics.videoscore2_reading import DIGITS, DIMENSIONS, read_scores, token_at
from helpers.video.sampling import PerSecond

if TYPE_CHECKING:
    from helpers.metrics.asked_models import Answer

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


class VideoScore2(AskedMeasurer):
    """The three whole numbers that VideoScore2 writes, and the expectation of each.

    The expectation is the mean of 1 to 5 with the probabilities that the model gave these digits where it
    wrote the score, scaled to a sum of 1. The authors' own "soft score" is another thing: the likeliest digit
    times its probability, which is 1.74 where a 3 has 58%. Theirs draws answers at random at temperature 0.7,
    and gives one clip different scores (VideoScore2 #5); here the likeliest token is taken each time.

    Frames are taken at 0, 0.5, 1 … s. The authors' reader spreads as many over the whole clip.

    Not checked against the published weights, for want of them: what its answers look like. The form of its
    scores is as the authors' script and others who ran it describe it.
    """

    name = "videoscore2"
    metrics = METRICS
    published = "TIGER-Lab/VideoScore2"
    query = "videoscore2.txt"
    most_tokens = 1024

    def read(self, answer: "Answer") -> Outcome:
        """See `AskedMeasurer.read`."""
        if answer.cut:
            raise UnreadableError("the answer was cut off before it was complete")
        scores = read_scores(answer.text)
        expected = self._expected(answer, [score.place for score in scores])
        names = [metric.name for metric in METRICS]
        return Outcome(values=dict(zip(names, [score.value for score in scores] + expected, strict=True)))

    def _expected(self, answer: "Answer", places: list[int]) -> list[float | None]:
        """The expectation of each score; None where a digit is no token of its own."""
        asked = self.asked
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
