"""A judge that looks at no clip: it knows the truth, and its dials say how badly it tells it.

It is a backend like any other. Requests, log, parsing, repairs and controls are the real ones; only the
replies are made here, from which clip is asked about (by its hash), what was done to it, and what is asked.
"""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from helpers.chat.backend import Call, Reply
from helpers.chat.boxed import Boxed
from helpers.chat.clips import WholeClip
from helpers.chat.messages import Text
from helpers.chat.problems import BlockedError, RefusedError
from helpers.chat.request import Request
from helpers.criteria import CRITERIA, Criterion
from helpers.judging.culturescore import question_template
from helpers.judging.culturevidbench import grading_template
from helpers.judging.graded import NOT_APPLICABLE
from helpers.judging.landmarks import comparing_template
from helpers.judging.stored import StoredFrames
from helpers.simulate.dials import Dials
from helpers.simulate.judged_truth import Truth
from helpers.simulate.latent import shifted, stream
from helpers.templates import Template

MODEL = "simulated"
_GAP = re.compile(r"\\\{([a-z_]+)\\\}")
_UNREADABLE = ("It is hard to say.", "", "Yes and no.\nYes\nNo", '{"score": "4/5"}', "<html>502</html>", "{")


@dataclass(frozen=True, kw_only=True)
class SimulatedJudge:
    """A backend that replies as a judge with these dials would, given the truth.

    Attributes:
        truth: what the clips show.
        dials: how the judge errs.
        seed: equal seeds give equal replies to equal requests. A request's own seed gives another draw.
        name: as messages call it.
        timeout: seconds; nothing takes long.
    """

    truth: Truth = field(repr=False)
    dials: Dials = field(default_factory=Dials)
    seed: int
    name: str = "a simulated judge, no model"
    timeout: float = 60.0

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Nothing to open; see `Backend`."""
        yield self._reply

    async def _reply(self, request: Request) -> Reply:
        clip, change, about, repair = _what(request)
        draw = stream(self.seed, str(request.sampling.seed), clip, change, json.dumps(about))
        refused, broken = draw.random(2)
        if refused < self.dials.refusals:
            raise BlockedError("simulated refusal", "I cannot judge this.")
        unreadable = self.dials.unreadable + (0 if repair else self.dials.untidy)
        if broken < unreadable:
            return Reply(text=str(draw.choice(_UNREADABLE)), model=MODEL)
        if isinstance(request.schema, Boxed):
            return Reply(text=self._answer(clip, change, about, draw), model=MODEL)
        return Reply(text=self._grades(clip, change, about, request, draw), model=MODEL)

    def _answer(self, clip: str, change: str, about: dict[str, str], draw: np.random.Generator) -> str:
        there = self.truth.shows(clip, about["question"]) and change != "blank"
        if change == "reversed" and self.truth.is_behavior(about["question"]):
            there = there and draw.random() >= self.dials.sees_order
        found = self.dials.sensitivity if there else 1 - self.dials.specificity
        found = shifted(np.float64(found), self.dials.leniency)
        negated = about["template"] == "negated"
        said = draw.random() < shifted(1 - found if negated else found, self.dials.yes_bias)
        box = draw.choice([r"\boxed{%s}", r"\boxed{\text{%s}}", r"**\boxed{%s}**"])
        word = "yes" if said else "no"
        return f"Evidence: simulated, nothing was looked at.\n{box % word}"

    def _grades(
        self, clip: str, change: str, about: dict[str, str], request: Request, draw: np.random.Generator
    ) -> str:
        content = {}
        for place, (name, form) in enumerate(request.form.model_fields.items()):
            criterion = CRITERIA[name]
            score = self.truth.grade(clip, change, criterion, about)
            if score is not None:
                score += self.dials.leniency + (self.dials.first_bonus if place == 0 else 0)
                if change == "reversed" and name == "action_alignment":
                    score -= self.dials.sees_order * (score - criterion.low) / 2
                score = _whole(score + self.dials.spread * draw.standard_normal(), criterion)
            said = dict.fromkeys(form.annotation.model_fields, "Simulated: nothing was looked at.")
            content[name] = said | {"score": NOT_APPLICABLE if score is None else score}
        text = json.dumps(content)
        return str(draw.choice([text, f"```json\n{text}\n```"]))


def _whole(score: float, criterion: Criterion) -> int:
    return int(np.clip(np.round(score), criterion.low, criterion.high))


def _what(request: Request) -> tuple[str, str, dict[str, str], bool]:
    """Which clip, what was done to it, what the gaps of the question hold, and whether it is a repair."""
    parts = request.messages[-1].parts
    clips = [part for part in parts if isinstance(part, StoredFrames | WholeClip)]
    texts = [part.text for part in parts if isinstance(part, Text)]
    if len(clips) != 1 or not texts:
        raise RefusedError("a simulated judge knows clips of a study only; found none, or several")
    about = next(filter(None, (_read(kind, texts[0]) for kind in _templates())), None)
    if about is None:
        raise RefusedError("a simulated judge knows the protocols' questions only; found another text")
    return clips[0].sha256, clips[0].change, about, len(texts) > 1


@cache
def _templates() -> dict[str, Template]:
    return {
        "question": question_template(),
        "negated": question_template(negated=True),
        "targets": grading_template(),
        "no targets": grading_template(targets=False),
        "landmarks": comparing_template(),
    }


def _read(kind: str, text: str) -> dict[str, str] | None:
    """What the gaps of a template hold in a text that was made from it."""
    match = _pattern(kind).fullmatch(text)
    return {"template": kind} | match.groupdict() if match else None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(_GAP.sub(r"(?P<\1>.*?)", re.escape(_templates()[kind].text)), re.DOTALL)
