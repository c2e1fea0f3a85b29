"""The three frameworks as reports need them: cases, scores, and which of these a reader sees first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from helpers.criteria import of_framework
from helpers.published import DIMENSIONS
from helpers.scores import culturescore, culturevidbench, landmarks
from helpers.scores.culturevidbench import CULTURE
from helpers.scores.score import Score, Scores

# How well a clip fits its text, whatever the culture: the first that a study has values of.
SIMILARITY = (
    "videoscore_text_to_video_alignment",
    "videoscore2_text_to_video_alignment",
    "viclip",
    "clip_text",
    "videoscore_mean",
)
Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Framework:
    """What a report needs to know of a framework.

    Attributes:
        name: its short name in tables.
        title: as its paper writes it.
        cases: of the study's tables and a rater (or kind of raters), one row for each thing asked.
        summary: scores of cells from cases.
        scores: how each score comes from its parts.
        headline: the score that stands first.
        columns: the scores of a leaderboard, the headline first.
        card: the scores of a report card, the headline first.
        semantic: the score that shows how hard the prompts are, whatever their culture; None where judges
            give none.
        group: the column that divides a country's prompts: category or aspect; None where there is none.
        cluster: the column of what is independent.
        item: the column that tells the parts of one clip apart.
        top: the highest score; the lowest is 0.
        unit: what the scores are measured in.
    """

    name: str
    title: str
    cases: Callable[[Tables, str], pd.DataFrame]
    summary: Callable[..., Scores]
    scores: tuple[Score, ...]
    headline: str
    columns: tuple[str, ...]
    card: tuple[str, ...]
    semantic: str | None
    group: str | None
    cluster: str
    item: str
    top: float
    unit: str

    def score(self, name: str) -> Score:
        """One of its scores."""
        return next(score for score in self.scores if score.name == name)

    def chosen(self, names: Sequence[str]) -> tuple[Score, ...]:
        """Several of its scores."""
        return tuple(self.score(name) for name in names)


def _questions(tables: Tables, who: str) -> pd.DataFrame:
    """CultureScore's cases; a study that verified no question at all counts every one."""
    verified = bool(tables["questions"]["verified"].notna().any())
    return culturescore.asked_questions(tables, who, verified_only=verified)


FRAMEWORKS = {
    each.name: each
    for each in (
        Framework(
            name="culturescore",
            title="CultureScore",
            cases=_questions,
            summary=culturescore.culturescore,
            scores=culturescore.SCORES,
            headline="macro",
            columns=("macro", *DIMENSIONS),
            card=("macro", *DIMENSIONS),
            semantic=None,
            group="category",
            cluster="scenario_id",
            item="question_id",
            top=1.0,
            unit="share of yes",
        ),
        Framework(
            name="culturevidbench",
            title="CultureVidBench",
            cases=culturevidbench.graded_clips,
            summary=culturevidbench.culturevidbench,
            scores=culturevidbench.SCORES,
            headline="cultural_by_groups",
            columns=("cultural_by_groups", "semantic_adherence", *of_framework("culturevidbench")),
            card=("cultural_by_groups", "semantic_adherence", "drop_by_groups", *CULTURE[0]),
            semantic="semantic_adherence",
            group="aspect",
            cluster="prompt_id",
            item="criterion",
            top=1.0,
            unit="mean grade, brought from 1–5 to 0–1",
        ),
        Framework(
            name="landmarks",
            title="GeoAttraction-500",
            cases=landmarks.compared_clips,
            summary=landmarks.alignment_scores,
            scores=landmarks.SCORES,
            headline="alignment",
            columns=("alignment",),
            card=("alignment",),
            semantic=None,
            group=None,
            cluster="landmark_id",
            item="part",
            top=5.0,
            unit="mean score, 0 to 5",
        ),
    )
}
# What readers read; other names only lose their underscores.
TITLES = {
    "drop_by_groups": "relative drop",
    "macro": "mean of the three",
    "cultural_by_groups": "cultural score",
    "alignment": "alignment",
}


def title(name: str) -> str:
    """A score's, dimension's or criterion's name as people read it."""
    return TITLES.get(name, name.replace("_", " "))
