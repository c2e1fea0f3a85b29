"""What the clips of a study with simulated models show: true answers and grades, for judges and people."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from helpers import criteria
from helpers.criteria import Criterion, of_framework
from helpers.judging.culturescore import question_cases
from helpers.simulate.dials import SimulatedModel
from helpers.simulate.judged_truth import Truth
from helpers.simulate.latent import grade, stream
from helpers.simulate.levels import clip_level, share

# Log-odds, all arbitrary: what is easier to show and what is harder.
DIMENSIONS = {"identity": 0.3, "behavior": -0.3, "context": 0.0}
CRITERIA = {
    "element_alignment": 0.1,
    "cultural_consistency": -0.2,
    "text_rendering": -0.9,
    "audio_alignment": -0.5,
    "subject_alignment": 0.6,
    "action_alignment": 0.1,
    "realism": 0.2,
    "visual_quality": 0.5,
    "global_structure": 0.2,
    "fine_detail": -0.3,
}
# Standard deviation, in log-odds, of how hard a question is.
QUESTION = 0.8
_CULTURAL = ("cultural_faithfulness", "multimodal_rendering", "alignment")


def true_answers(
    tables: Mapping[str, pd.DataFrame], models: Sequence[SimulatedModel], seed: int
) -> pd.DataFrame:
    """Whether each clip shows what each question about its scene asks about.

    Args:
        tables: videos, prompts and questions.
        models: the study's simulated models; clips of others show nothing of their prompts.
        seed: the study's.

    Returns:
        Columns video_id, question_id, text, dimension, country and answer, one row a clip and question.
    """
    known = _prompts(tables)
    cases = question_cases(tables["videos"], tables["prompts"], tables["questions"])
    levels = {
        clip.video_id: clip_level(seed, model, known[clip.prompt_id], clip.video_id)
        for clip, model in _made(tables["videos"], known, models)
    }
    hard = {
        name: QUESTION * stream(seed, "question", name).standard_normal()
        for name in cases["question_id"].unique()
    }
    answers = [
        stream(seed, "answer", case.video_id, case.question_id).random()
        < share(levels[case.video_id] + DIMENSIONS[case.dimension] - hard[case.question_id])
        for case in cases.itertuples()
    ]
    return cases.drop(columns="scene").assign(answer=pd.array(answers, dtype="boolean").astype(bool))


def true_grades(
    tables: Mapping[str, pd.DataFrame], models: Sequence[SimulatedModel], seed: int
) -> pd.DataFrame:
    """What each clip deserves under each criterion of its benchmark.

    Args:
        tables: videos and prompts.
        models: as in `true_answers`.
        seed: the study's.

    Returns:
        One row a clip and criterion: video_id, prompt_id, country, criterion, rate (the expected place on the
        scale, 0 to 1), z (the clip's own standard normal score), applies (whether there is anything to be
        graded) and score (missing where not).
    """
    known = _prompts(tables)
    rows = []
    for clip, model in _made(tables["videos"], known, models):
        prompt = known[clip.prompt_id]
        levels = {
            cultural: clip_level(seed, model, prompt, clip.video_id, cultural=cultural)
            for cultural in (True, False)
        }
        for criterion in of_framework(prompt.benchmark).values():
            level = levels[criterion.group in _CULTURAL] + CRITERIA[criterion.name]
            z = stream(seed, "grade", clip.video_id, criterion.name).standard_normal()
            rows.append(
                (
                    clip.video_id,
                    prompt.prompt_id,
                    prompt.country,
                    criterion.name,
                    share(level),
                    z,
                    _applies(criterion, prompt, clip),
                )
            )
    columns = ["video_id", "prompt_id", "country", "criterion", "rate", "z", "applies"]
    frame = pd.DataFrame(rows, columns=columns).astype({"rate": float, "z": float, "applies": bool})
    return frame.assign(score=_scores(frame))


def judged_truth(tables: Mapping[str, pd.DataFrame], models: Sequence[SimulatedModel], seed: int) -> Truth:
    """The same truth as a simulated judge reads it: by the clips' hashes and the questions' texts.

    Args:
        tables: videos, prompts and questions.
        models: as in `true_answers`.
        seed: the study's.
    """
    videos = tables["videos"].dropna(subset="sha256")
    tables = {**tables, "videos": videos}
    hashes, known = videos.set_index("video_id")["sha256"], _prompts(tables)
    answers, grades = true_answers(tables, models, seed), true_grades(tables, models, seed)
    return Truth(
        answers={(hashes[row.video_id], row.text): row.answer for row in answers.itertuples()},
        behaviors=frozenset(answers.loc[answers["dimension"].eq("behavior"), "text"]),
        grades={
            (hashes[row.video_id], row.criterion): None if pd.isna(row.score) else float(row.score)
            for row in grades.itertuples()
        },
        texts={
            row.sha256: (known[row.prompt_id].country, known[row.prompt_id].text)
            for row in videos.itertuples()
            if row.prompt_id in known
        },
    )


def _prompts(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    return {row.prompt_id: row for row in tables["prompts"].itertuples()}


def _made(
    videos: pd.DataFrame, known: Mapping[str, Any], models: Sequence[SimulatedModel]
) -> list[tuple[Any, SimulatedModel | None]]:
    """The clips of known prompts, each with the simulated model that made it."""
    named = {model.name: model for model in models}
    return [(clip, named.get(clip.model)) for clip in videos.itertuples() if clip.prompt_id in known]


def _applies(criterion: Criterion, prompt: Any, clip: Any) -> bool:
    if criterion.name == "text_rendering":
        return bool(pd.notna(prompt.text_cue) and prompt.text_cue)
    return criterion.name != "audio_alignment" or bool(pd.notna(clip.audio) and clip.audio)


def _scores(frame: pd.DataFrame) -> pd.Series:
    scores = pd.Series(pd.NA, index=frame.index, dtype="Int64")
    for name, rows in frame[frame["applies"]].groupby("criterion"):
        criterion = criteria.CRITERIA[name]
        scores[rows.index] = grade(
            rows["rate"].to_numpy(), rows["z"].to_numpy(), criterion.low, criterion.high
        )
    return scores
