"""What raters are told, in our own words: text files beside this module, one a framework and language.

The first line of each file says its version, its language and who has reviewed it.
"""

from dataclasses import dataclass
from pathlib import Path

from helpers.checking import nearest
from helpers.published import FRAMEWORKS
from helpers.templates import template

TEXTS = Path(__file__).parent / "texts"


@dataclass(frozen=True)
class Instructions:
    """What raters are told.

    Attributes:
        version: the text's version; a study that changes a text raises it.
        language: the language's English name.
        review: who has checked the wording, or that nobody has.
        text: the text itself.
    """

    version: int
    language: str
    review: str
    text: str


def instructions(framework: str, *, country: str, language: str = "en") -> Instructions:
    """The instructions of a framework's human study.

    Args:
        framework: culturescore, culturevidbench or landmarks, or "attention" for the attention check.
        country: the country whose clips are judged, as the text should name it.
        language: the language's two-letter code. A language is there when its file is.

    Raises:
        ValueError: an unknown framework, or a language without a translation.
    """
    known = (*FRAMEWORKS, "attention")
    if framework not in known:
        raise ValueError(
            f"no instructions '{framework}'{nearest(framework, known)}; expected {', '.join(known)}"
        )
    path = TEXTS / f"{framework}.{language}.txt"
    if not path.exists():
        there = sorted(file.name.split(".")[1] for file in TEXTS.glob(f"{framework}.*.txt"))
        raise ValueError(f"no {framework} instructions in '{language}'; there are {', '.join(there)}")
    found = template(path)
    spoken, _, review = found.about.partition(" · ")
    return Instructions(found.version, spoken, review, found.fill(country=country) + "\n")
