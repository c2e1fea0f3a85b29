"""The criteria that clips are graded on: scale, direction and rule for "not applicable", each said once.

The tables, the judges' prompts and replies, the forms for people and the figures all take them from here. The
rubrics are ours, one text file each in `rubrics/`; the criteria are CultureVidBench's (section 4.1) and GAP's
(section 3.2).
"""

from dataclasses import dataclass
from pathlib import Path

from helpers.templates import Template, template

RUBRICS = Path(__file__).parent / "rubrics"


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One thing that is graded. A higher score is always better.

    Attributes:
        name: its name in tables; also the name of its rubric's file.
        framework: culturevidbench or landmarks.
        group: the group of criteria that it is averaged in.
        low: the lowest score, a whole number as all scores are.
        high: the highest.
        target: what target-explicit judging has to name before looking at the clip, or None where there is no
            such thing (CultureVidBench, section 4.2).
        not_applicable: when the reply is "NA" rather than a score, or None where there always is a score.
    """

    name: str
    framework: str
    group: str
    low: int = 1
    high: int = 5
    target: str | None = None
    not_applicable: str | None = None

    @property
    def title(self) -> str:
        """Its name as people read it."""
        return self.name.replace("_", " ")

    @property
    def scores(self) -> range:
        """The scores that may be given."""
        return range(self.low, self.high + 1)

    @property
    def rubric(self) -> Template:
        """What is asked and what the scores mean, with the version of the wording."""
        return template(RUBRICS / f"{self.name}.txt")


def _vidbench(name: str, group: str, **rules: str) -> Criterion:
    return Criterion(name=name, framework="culturevidbench", group=group, **rules)


def _landmark(name: str) -> Criterion:
    return Criterion(name=name, framework="landmarks", group="alignment", low=0)


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        _vidbench("element_alignment", "cultural_faithfulness", target="the cultural element"),
        _vidbench("cultural_consistency", "cultural_faithfulness"),
        _vidbench("text_rendering", "multimodal_rendering", not_applicable="no text can be seen"),
        _vidbench(
            "audio_alignment",
            "multimodal_rendering",
            not_applicable="the clip is silent, or has nothing but sounds that could be from anywhere",
        ),
        _vidbench("subject_alignment", "semantic_adherence", target="who or what the description is about"),
        _vidbench("action_alignment", "semantic_adherence", target="what the description says is done"),
        _vidbench("realism", "perceptual_quality"),
        _vidbench("visual_quality", "perceptual_quality"),
        _landmark("global_structure"),
        _landmark("fine_detail"),
    )
}


def of_framework(framework: str) -> dict[str, Criterion]:
    """The criteria of one framework, in the order in which they are asked."""
    return {name: found for name, found in CRITERIA.items() if found.framework == framework}
