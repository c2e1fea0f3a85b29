"""AIGVE-MACS: nine aspects of a clip, each with a comment, by a fine-tuned Qwen2.5-VL (Liu & Zhang, 2025)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helpers.chat.parsing import UnreadableError
from helpers.metrics.aigve_reading import ASPECTS, read_aspects
from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.registry import Metric
from helpers.video.sampling import Uniform

if TYPE_CHECKING:
    from helpers.metrics.asked_models import Answer

HEIGHT, WIDTH = 480, 854
MOST_TOKENS = 1500
SOURCE = "Liu & Zhang 2025, AIGVE-MACS (arXiv 2507.01255); five frames as in GAP, section 3.2"
_ABSENT = ("action_presentence", "action_quality")

METRICS = tuple(
    Metric(
        name=f"aigve_macs_{aspect}",
        title=f"AIGVE-MACS: {aspect.replace('_', ' ')}",
        low=0,
        high=5,
        direction="neither" if aspect == "dynamic" else "higher is better",
        needs=frozenset({"prompt"}),
        frames=Uniform(5),
        source=SOURCE,
        cost="up to 1,500 tokens written by a 7B model about five frames; 17 GB in bfloat16",
    )
    for aspect in ASPECTS
)


class AigveMacs:
    """The nine whole numbers from 0 to 5 that AIGVE-MACS writes; GAP reports `aigve_macs_overall`.

    Frames are brought to 480 x 854 pixels whatever their proportions, as in the authors' example; the model's
    processor then rounds to multiples of 28. Answers are greedy. One that cannot be read without a guess is
    unscored as a whole. The comments stand in the answer, which is kept among the details.

    A 0 of action_presentence or action_quality means in the training data that no action was asked for; it
    is kept, and noted: leave it out of means.

    Not checked against the published weights, for want of them: what its answers look like, and whether its
    scores come out as in the paper. The frames are GAP's five, spread over the clip; the authors take one a
    second, which for clips of 5 s is about as many.
    """

    name = "aigve-macs"
    metrics = METRICS

    def __init__(
        self,
        model: str = "xiaoliux/AIGVE-MACS",
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
            "height": HEIGHT,
            "width": WIDTH,
            "most_tokens": MOST_TOKENS,
        }

    def load(self) -> Mapping[str, Any]:
        """Load the model; see `Measurer`."""
        from helpers.metrics.asked_models import AskedModel

        self._asked = AskedModel(*self._source, query="aigve_macs.txt", most=MOST_TOKENS, **self._about)
        return self._asked.about

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `Measurer`."""
        return [self._outcome(self._asked.ask(clip, (HEIGHT, WIDTH))) for clip in clips]

    def _outcome(self, answer: "Answer") -> Outcome:
        details, notes = {"answer": answer.text}, self._asked.query.notes
        names = [metric.name for metric in METRICS]
        try:
            read = read_aspects(answer.text, cut=answer.cut)
        except UnreadableError as problem:
            return Outcome(values=dict.fromkeys(names), notes=(str(problem), *notes), details=details)
        scores = {aspect: getattr(read.value, aspect).score for aspect in ASPECTS}
        absent = tuple(f"{aspect} is 0: no action was asked for" for aspect in _ABSENT if scores[aspect] == 0)
        values = dict(zip(names, scores.values(), strict=True))
        return Outcome(values=values, notes=absent + notes, details=details | {"reading": read.reading})
