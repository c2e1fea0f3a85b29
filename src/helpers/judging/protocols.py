"""The three protocols behind one face: what is asked, how a clip is shown, which rows come of the replies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from helpers.chat.messages import Part
from helpers.chat.pictures import FilePicture
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.criteria import Criterion
from helpers.judging import culturescore, culturevidbench, landmarks
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.stored import Change
from helpers.templates import Template
from helpers.video.sampling import Uniform

# What cases may carry beside the question: the clip to show instead, what is done to it, whose sound it gets.
SHOWN, CHANGE, SOUND_OF = "shown_id", "change", "sound_of"


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How clips are judged.

    Attributes:
        name: the framework.
        table: where its rows belong, answers or ratings.
        frames: how many frames of a clip are shown.
        whole: whether a judge that takes whole clips gets them; landmarks are always five frames.
        template: the wording of its questions.
        ask: the request for one case, given what is shown and the judge.
        rows: the table's rows for cases, their results and the judge.
        asked: the graded criteria of a case, in their order; empty for answers.
    """

    name: str
    table: str
    frames: int
    whole: bool
    template: Template
    ask: Callable[[Any, tuple[Part, ...], Judge], Request]
    rows: Callable[[pd.DataFrame, Sequence[Result], Judge], pd.DataFrame]
    asked: Callable[[Any, Judge], tuple[Criterion, ...]] = field(default=lambda case, judge: ())

    @property
    def rule(self) -> Uniform:
        """Which frames of a clip are shown."""
        return Uniform(self.frames)

    def shown(self, case: Any, clips: Clips, judge: Judge) -> tuple[Part, ...]:
        """What the judge sees before a case's question: the reference photograph, if any, and the clip."""
        video_id = getattr(case, SHOWN, case.video_id)
        change: Change = getattr(case, CHANGE, "")
        before = ()
        if hasattr(case, "reference_image"):
            before = (_reference(case, clips),)
        if not (judge.whole and self.whole):
            return (*before, clips.frames(video_id, self.rule, change))
        other = getattr(case, SOUND_OF, None)
        heard = judge.hears and self.table == "ratings"
        clip = clips.whole(video_id, self.frames, sound=heard, change=change, sound_of=other)
        return (*before, clip)

    def request(self, case: Any, clips: Clips, judge: Judge) -> Request:
        """The request for one case.

        Raises:
            ValueError: a gap of the template that the case cannot fill, or no reference photograph.
            OSError: the reference photograph is not there, and nothing was asked about it before.
        """
        return self.ask(case, self.shown(case, clips, judge), judge)

    def wording(self, case: Any, judge: Judge) -> dict[str, Any]:
        """The versions of the texts that a case is asked with."""
        rubrics = {criterion.name: criterion.rubric.version for criterion in self.asked(case, judge)}
        found = {"template": self.template.path.stem, "version": self.template.version}
        return found | ({"rubrics": rubrics} if rubrics else {})


def culturescore_protocol(*, negated: bool = False, frames: int = 16) -> Protocol:
    """CultureScore: a yes/no question at a time, frames only, never with sound.

    Args:
        negated: ask whether the clip fails to show what the question asks about.
        frames: how many; the paper does not say.
    """
    return Protocol(
        name="culturescore",
        table="answers",
        frames=frames,
        whole=True,
        template=culturescore.question_template(negated=negated),
        ask=lambda case, shown, judge: culturescore.question_request(case, shown, judge, negated=negated),
        rows=lambda cases, results, judge: culturescore.answer_rows(cases, results, judge.rater_id),
    )


def culturevidbench_protocol(*, targets: bool = True, backwards: bool = False, frames: int = 16) -> Protocol:
    """CultureVidBench: eight criteria in one reply.

    Args:
        targets: target-explicit judging; False is the ablation "without target".
        backwards: ask the criteria in the opposite order.
        frames: how many, 16 in the paper (section 5.1).
    """
    return Protocol(
        name="culturevidbench",
        table="ratings",
        frames=frames,
        whole=True,
        template=culturevidbench.grading_template(targets=targets),
        ask=lambda case, shown, judge: culturevidbench.grading_request(
            case, shown, judge, targets=targets, backwards=backwards
        ),
        rows=lambda cases, results, judge: culturevidbench.grade_rows(
            cases, results, judge, backwards=backwards
        ),
        asked=lambda case, judge: culturevidbench.asked_criteria(case, judge, backwards=backwards),
    )


def landmarks_protocol(*, backwards: bool = False, frames: int = 5) -> Protocol:
    """Landmarks: two grades beside the reference photograph.

    Args:
        backwards: ask the criteria in the opposite order.
        frames: how many, 5 in the paper (GAP, section 3.2).
    """
    return Protocol(
        name="landmarks",
        table="ratings",
        frames=frames,
        whole=False,
        template=landmarks.comparing_template(),
        ask=lambda case, shown, judge: landmarks.comparing_request(case, shown, judge, backwards=backwards),
        rows=lambda cases, results, judge: landmarks.comparison_rows(
            cases, results, judge.rater_id, backwards=backwards
        ),
        asked=lambda case, judge: landmarks.compared_criteria(backwards=backwards),
    )


def with_sampling(protocol: Protocol, **changes: Any) -> Protocol:
    """The same protocol, asked with other settings of the judge's sampling, such as another seed."""

    def ask(case: Any, shown: tuple[Part, ...], judge: Judge) -> Request:
        return protocol.ask(case, shown, replace(judge, sampling=replace(judge.sampling, **changes)))

    return replace(protocol, ask=ask)


def protocols() -> tuple[Protocol, ...]:
    """The three, as the papers judge."""
    return culturescore_protocol(), culturevidbench_protocol(), landmarks_protocol()


def cases_of(protocol: Protocol, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What a study's tables ask under a protocol; empty where no prompt is of its benchmark.

    Args:
        protocol: one of the three.
        tables: videos and prompts, and questions or landmarks where the protocol needs them.
    """
    own, videos = _own(protocol, tables)
    if protocol.name == "culturescore":
        return culturescore.question_cases(videos, own, tables["questions"])
    if protocol.name == "culturevidbench":
        return culturevidbench.grading_cases(videos, own)
    return landmarks.comparing_cases(videos, own, tables["landmarks"])


def not_asked(protocol: Protocol, tables: Mapping[str, pd.DataFrame]) -> dict[str, int]:
    """How many of a study's clips and questions no case is made of, by kind; kinds with none are left out."""
    own, videos = _own(protocol, tables)
    if protocol.name != "culturescore" or own.empty:
        return {}
    found = culturescore.not_asked(videos, own, tables["questions"])
    return {kind: count for kind, count in found.items() if count}


def _own(protocol: Protocol, tables: Mapping[str, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The prompts of a protocol's benchmark, and their clips."""
    prompts, videos = tables["prompts"], tables["videos"]
    own = prompts[prompts["benchmark"].eq(protocol.name)]
    return own, videos[videos["prompt_id"].isin(own["prompt_id"])]


def _reference(case: Any, clips: Clips) -> FilePicture:
    if pd.isna(case.reference_image):
        raise ValueError(f"landmark '{case.landmark_id}': there is no reference photograph")
    return clips.photographs.picture(case.reference_image)
