"""What clips show, as a simulated judge knows it: drawn, or given."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.criteria import Criterion, of_framework
from helpers.judging.protocols import cases_of, protocols
from helpers.simulate.latent import stream

_ABOUT_CULTURE = ("element_alignment", "cultural_consistency")
_ABOUT_THE_TEXT = ("element_alignment", "subject_alignment", "action_alignment")


@dataclass(frozen=True)
class Truth:
    """What each clip shows; clips are known by their hash.

    Attributes:
        answers: whether the clip shows what the question asks about, by (sha256, question's text).
        behaviors: the questions' texts that are about behaviour.
        grades: the grade that each clip deserves, by (sha256, criterion), or None for "not applicable".
        texts: what each clip was made from, by sha256: country and text.
    """

    answers: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    behaviors: frozenset[str] = frozenset()
    grades: Mapping[tuple[str, str], float | None] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def shows(self, clip: str, question: str) -> bool:
        """Whether a clip shows what a question asks about; a question about another scene is a no."""
        return self.answers.get((clip, question), False)

    def is_behavior(self, question: str) -> bool:
        """Whether a question is about behaviour, which has a direction in time."""
        return question in self.behaviors

    def grade(self, clip: str, change: str, criterion: Criterion, about: Mapping[str, str]) -> float | None:
        """The grade that a clip deserves, as it is shown and as the judge is told about it.

        A blank clip deserves the lowest grade, and so does one under criteria that compare it with another
        text, country or place than its own; a criterion that hears gets "not applicable" without sound.

        Args:
            clip: its hash.
            change: what was done to it.
            criterion: what is graded.
            about: what the judge is told: country and prompt, or instruction.

        Returns:
            The grade, from the criterion's lowest to its highest; None for "not applicable".
        """
        if criterion.name == "audio_alignment" and change == "muted":
            return None
        if change == "blank" or (criterion.name == "audio_alignment" and change.startswith("swapped")):
            return None if criterion.not_applicable and change == "blank" else float(criterion.low)
        country, text = self.texts.get(clip, ("", ""))
        other_country = about.get("country", country) != country
        other_text = about.get("prompt", about.get("instruction", text)) != text
        if (other_country and criterion.name in _ABOUT_CULTURE) or (
            other_text and (criterion.name in _ABOUT_THE_TEXT or criterion.framework == "landmarks")
        ):
            return float(criterion.low)
        return self.grades.get((clip, criterion.name), float(criterion.low))


def draw_truth(
    tables: Mapping[str, pd.DataFrame], seed: int, quality: Mapping[str, float] | None = None
) -> Truth:
    """A truth for a study's clips.

    Args:
        tables: videos, prompts, questions and landmarks.
        seed: equal seeds give equal truths.
        quality: by model, the probability of a yes and the mean place of a grade on its scale, 0 to 1; by
            default each model's is drawn between 0.4 and 0.9.
    """
    videos = tables["videos"].dropna(subset="sha256").set_index("video_id")
    prompts = tables["prompts"].set_index("prompt_id")
    quality = dict(quality or {})
    for model in videos["model"].unique():
        quality.setdefault(model, float(stream(seed, "quality", model).uniform(0.4, 0.9)))
    answers: dict[tuple[str, str], bool] = {}
    grades: dict[tuple[str, str], float | None] = {}
    texts: dict[str, tuple[str, str]] = {}
    behaviors: set[str] = set()
    for protocol in protocols():
        cases = cases_of(protocol, tables)
        for case in cases[cases["video_id"].isin(videos.index)].itertuples():
            clip = videos.loc[case.video_id]
            prompt = prompts.loc[clip["prompt_id"]]
            texts[clip["sha256"]] = (prompt["country"], prompt["text"])
            draw = np.random.default_rng([seed, zlib.crc32(f"{clip['sha256']} {case.text}".encode())])
            good = quality[clip["model"]]
            if protocol.table == "answers":
                answers[clip["sha256"], case.text] = bool(draw.random() < good)
                behaviors |= {case.text} if case.dimension == "behavior" else set()
            else:
                for criterion in of_framework(protocol.name).values():
                    points = draw.binomial(criterion.high - criterion.low, good)
                    grades[clip["sha256"], criterion.name] = float(criterion.low + points)
    return Truth(answers, frozenset(behaviors), grades, texts)


def true_rates(truth: Truth, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What an analysis should find: each clip's share of questions with a true yes, and its grades.

    Returns:
        Columns video_id, what (culturescore or a criterion) and value; NA where nothing applies.
    """
    hashes = tables["videos"].dropna(subset="sha256").set_index("sha256")["video_id"]
    rows = [(sha, "culturescore", float(found)) for (sha, _), found in truth.answers.items()]
    rows += [(sha, name, np.nan if grade is None else grade) for (sha, name), grade in truth.grades.items()]
    frame = pd.DataFrame(rows, columns=["sha256", "what", "value"])
    frame["video_id"] = frame["sha256"].map(hashes[~hashes.index.duplicated()])
    return frame.groupby(["video_id", "what"], as_index=False)["value"].mean()
