"""AIGVE-MACS: nine aspects of a clip, each with a comment, by a fine-tuned Qwen2.5-VL (Liu & Zhang, 2025)."""

from typing import TYPE_CHECKING

from helpers.metrics.aigve_reading import ASPECTS, read_aspects
from helpers.metrics.asked_measurer import AskedMeasurer
from helpers.metrics.measurer import Outcome
from helpers.metrics.registry import Metric
from helpers.video.sampling import Uniform

if TYPE_CHECKING:
    from helpers.metrics.asked_models import Answer

SOURCE = "Liu & Zhang 2025, AIGVE-MACS (arXiv 2507.01255); five frames as in GAP, section 3.2"
_ACTION = ("action_presentence", "action_quality")

METRICS = tuple(
    Metric(
        name=f"aigve_macs_{aspect}",
        title=f"AIGVE-MACS: {aspect.replace('_', ' ')}",
        low=1 if aspect in _ACTION else 0,
        high=5,
        direction="neither" if aspect == "dynamic" else "higher is better",
        needs=frozenset({"prompt"}),
        frames=Uniform(5),
        source=SOURCE,
        cost="up to 1,500 tokens written by a 7B model about five frames; 17 GB in bfloat16",
        beside="aigve_macs_overall" if aspect in _ACTION else None,
    )
    for aspect in ASPECTS
)


class AigveMacs(AskedMeasurer):
    """The nine whole numbers from 0 to 5 that AIGVE-MACS writes; GAP reports `aigve_macs_overall`.

    Frames are brought to 480 x 854 pixels whatever their proportions, as in the authors' example; the model's
    processor then rounds to multiples of 28. The comments stand in the answer, which is kept among the
    details.

    A 0 of action_presentence or action_quality is no grade: it stands for "no action". Such a clip has no
    value of that metric, so that means are over the others; the 0 is noted, and stays in the answer. Of the
    ten clips with people's scores that the authors' toolkit shows, four have it, under both aspects at once,
    and every other score is 1 or more. Whether an action that was asked for and never happens is a 0 as well,
    they do not settle: prompts of the four ask for a change.

    Not checked against the published weights, for want of them: what its answers look like, and whether its
    scores come out as in the paper. The frames are GAP's five, spread over the clip; the authors take one a
    second, which for clips of 5 s is about as many.
    """

    name = "aigve-macs"
    metrics = METRICS
    published = "xiaoliux/AIGVE-MACS"
    query = "aigve_macs.txt"
    most_tokens = 1500
    size = (480, 854)

    def read(self, answer: "Answer") -> Outcome:
        """See `AskedMeasurer.read`."""
        read = read_aspects(answer.text, cut=answer.cut)
        scores = {aspect: getattr(read.value, aspect).score for aspect in ASPECTS}
        absent = [aspect for aspect in _ACTION if scores[aspect] == 0]
        values = {f"aigve_macs_{aspect}": scores[aspect] for aspect in ASPECTS if aspect not in absent}
        notes = tuple(f"{aspect} is 0, for no action: no value" for aspect in absent)
        return Outcome(values=values, notes=notes, details={"reading": read.reading})
