"""Who judges: a model behind a server or on this machine, and how it is shown a clip."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helpers.chat.backend import Backend
from helpers.chat.boxed import Boxed
from helpers.chat.forms import Form
from helpers.chat.messages import Part, user
from helpers.chat.request import Request, Sampling


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A model that judges.

    Attributes:
        rater_id: its name in the study's tables.
        model: its name as the server knows it, which must say which weights are meant.
        backend: who answers for it.
        kind: judge or, where nobody looks at the clips, simulated.
        whole: whether it is sent clips as files rather than as frames. Gemini takes both, and so does vLLM;
            OpenAI and local models take frames.
        hears: whether the files that it is sent have their sound.
        sampling: how its replies are drawn; by default the likeliest token each time.
        extra: fields of the request's body that only some servers know, as in `Request`.

    Raises:
        ValueError: a judge that hears but is sent frames.
    """

    rater_id: str
    model: str
    backend: Backend
    kind: str = "judge"
    whole: bool = False
    hears: bool = False
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=2048))
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.hears and not self.whole:
            raise ValueError(f"{self.rater_id}: found hears=True with whole=False; frames have no sound")

    def request(self, shown: tuple[Part, ...], text: str, schema: type[Form] | Boxed) -> Request:
        """A question about what is shown.

        What is shown comes first and the question last, so that all questions about a clip begin alike and a
        server has to read the clip only once.
        """
        return Request(
            model=self.model,
            messages=(user(*shown, text),),
            schema=schema,
            sampling=self.sampling,
            extra=self.extra,
        )
