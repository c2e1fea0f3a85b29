"""What measurers share whose model is asked about a clip and answers in words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from helpers.chat.parsing import UnreadableError
from helpers.metrics.measurer import Clip, Outcome
from helpers.metrics.registry import Metric

if TYPE_CHECKING:
    from helpers.metrics.asked_models import Answer, AskedModel


class AskedMeasurer:
    """A measurer of one fine-tuned model; see `Measurer`.

    A subclass says which model, which question and which metrics, and reads the values in an answer. Answers
    are greedy. One that cannot be read without a guess is unscored as a whole, and is kept.

    Attributes:
        published: the model's id on the Hugging Face Hub.
        query: the file in `texts` that takes the place of the published question.
        most_tokens: the longest answer.
        size: height and width that frames are brought to, whatever their proportions; None leaves it to the
            model's processor.
    """

    name: ClassVar[str]
    metrics: ClassVar[tuple[Metric, ...]]
    published: ClassVar[str]
    query: ClassVar[str]
    most_tokens: ClassVar[int]
    size: ClassVar[tuple[int, int] | None] = None

    def __init__(
        self,
        model: str | None = None,
        *,
        revision: str | None = None,
        device: str | None = None,
        dtype: str = "auto",
    ) -> None:
        """Choose a checkpoint.

        Args:
            model: another id on the Hub, or a folder, with a Qwen2.5-VL.
            revision: the commit, tag or branch on the Hub; name a commit for results that can be reproduced.
            device: such as cuda or cpu; None takes a GPU where there is one.
            dtype: what the weights are held in; auto is as published.
        """
        self._model, self._device = model or self.published, device
        self.settings: Mapping[str, Any] = {
            "model": self._model,
            "revision": revision,
            "dtype": dtype,
            "size": self.size and list(self.size),
            "most_tokens": self.most_tokens,
        }
        self.asked: AskedModel | None = None

    def load(self) -> Mapping[str, Any]:
        """Load the model; see `Measurer`."""
        from helpers.metrics.asked_models import AskedModel

        self.asked = AskedModel(
            self._model,
            self.settings["revision"],
            query=self.query,
            device=self._device,
            dtype=self.settings["dtype"],
            most=self.most_tokens,
        )
        return self.asked.about

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `Measurer`."""
        return [self._outcome(self.asked.ask(clip, self.size)) for clip in clips]

    def read(self, answer: "Answer") -> Outcome:
        """What an answer says, without what every outcome has: the question's notes, and the answer itself.

        Raises:
            UnreadableError: the values cannot be read without a guess; the message says why.
        """
        raise NotImplementedError

    def _outcome(self, answer: "Answer") -> Outcome:
        try:
            found = self.read(answer)
        except UnreadableError as problem:
            nothing = dict.fromkeys(metric.name for metric in self.metrics)
            found = Outcome(values=nothing, notes=(str(problem),))
        return Outcome(
            values=found.values,
            notes=found.notes + self.asked.query.notes,
            details={"answer": answer.text, **found.details},
        )
