"""Studies small enough to count by hand."""

import pandas as pd

from helpers.schemas import TABLES

DIMENSIONS = ("identity", "behavior", "context")


def typed(**tables):
    """Tables with their declared columns and types, without the checks, which would take most of the time."""
    frames = {}
    for name, rows in tables.items():
        declared = {column: str(each.dtype) for column, each in TABLES[name].columns.items()}
        types = {column: "str" if "string" in each else each for column, each in declared.items()}
        frames[name] = pd.DataFrame(rows, columns=list(types)).astype(types)
    return frames


def questions_study(
    answers, *, questions, clips, raters=(("judge", "judge"),), relevance=None, assigned=None
):
    """A CultureScore study.

    Args:
        answers: (clip, question, rater, answer); an answer that is a word is a status.
        questions: by name, its scenario, its dimension and further columns.
        clips: by name, its scenario, its variant, its model, perhaps a status; the country is the scenario's
            first part ("Japan-1").
    """
    prompts = {f"{scenario}-{variant}": (scenario, variant) for scenario, variant, *_ in clips.values()}
    tables = typed(
        prompts=[
            {"prompt_id": name, "benchmark": "culturescore", "country": scenario.split("-")[0]}
            | {"category": "family", "variant": variant, "text": "A scene.", "scenario_id": scenario}
            for name, (scenario, variant) in prompts.items()
        ],
        questions=[
            {"question_id": name, "scenario_id": scenario, "dimension": dimension, "text": "Is it so?"}
            | {"verified": True}
            | further
            for name, (scenario, dimension, further) in questions.items()
        ],
        videos=[
            {"video_id": name, "prompt_id": f"{scenario}-{variant}", "model": model}
            | {"status": rest[0] if rest else "ok"}
            for name, (scenario, variant, model, *rest) in clips.items()
        ],
        raters=[{"rater_id": name, "kind": kind} for name, kind in raters],
        answers=[
            {"video_id": clip, "question_id": question, "rater_id": rater}
            | ({"status": said} if isinstance(said, str) else {"answer": said, "status": "ok"})
            for clip, question, rater, said in answers
        ],
    )
    if relevance is not None:
        rows = [{"rater_id": r, "question_id": q, "relevant": said} for r, q, said in relevance]
        tables |= typed(relevance=rows)
    if assigned is not None:
        rows = [
            {"rater_id": rater, "step": step, "tier": "accuracy", "position": 1, "video_id": clip}
            | {"question_id": question, "prompt_id": "p"}
            for step, (rater, clip, question) in enumerate(assigned, start=1)
        ]
        tables |= typed(assignments=rows)
    return tables


def grades_study(ratings, *, clips, raters=(("judge", "judge"),)):
    """A CultureVidBench study.

    Args:
        ratings: (clip, criterion, rater, score); a score that is a word is a status, None "not applicable".
        clips: by name, its country, aspect, model and whether it has sound, perhaps a status.
    """
    return typed(
        prompts=[
            {"prompt_id": f"p-{name}", "benchmark": "culturevidbench", "country": country}
            | {"aspect": aspect, "variant": "plain", "text": "A scene."}
            for name, (country, aspect, *_) in clips.items()
        ],
        videos=[
            {"video_id": name, "prompt_id": f"p-{name}", "model": model, "audio": audio}
            | {"status": rest[0] if rest else "ok"}
            for name, (_, _, model, audio, *rest) in clips.items()
        ],
        raters=[{"rater_id": name, "kind": kind} for name, kind in raters],
        ratings=[
            {"video_id": clip, "criterion": criterion, "rater_id": rater}
            | ({"status": said} if isinstance(said, str) else {"score": said, "status": "ok"})
            for clip, criterion, rater, said in ratings
        ],
    )


def value(scores, score, column="estimate", **cell):
    """One entry of a table of scores."""
    table = scores.table
    rows = table["score"].eq(score)
    for name, wanted in cell.items():
        rows &= table[name].eq(wanted)
    assert rows.sum() == 1, table
    return table.loc[rows, column].item()
