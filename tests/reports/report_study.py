"""A small judged study whose every word is a trap: HTML and scripts where text is expected."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import tables
from helpers.study import Study
from helpers.video.write import write_clip

TRAP = '<script>window.trapped = 1</script><img src=x onerror="window.trapped = 2">'
MODELS = (f"Model {TRAP}", 'Other "model"')
JUDGES = (f"judge one {TRAP}", "judge two")
COUNTRIES = ("Japan", "Brazil")
CRITERIA = ("element_alignment", "cultural_consistency", "text_rendering", "subject_alignment",
            "action_alignment", "realism", "visual_quality")  # fmt: skip
KEY = "sk-abcdef0123456789abcdef"
# Ways in which judges end their reasoning.
BOXES = (" \\boxed{yes}", "\n**\\boxed{no}**", " $\\boxed{\\text{no}}$.")
MADE = {"note": KEY, "folder": "/home/someone/x"}


def write_study(folder: Path, *, simulated: bool = False, clips: bool = True) -> Study:
    """Write the study's tables and clips below a folder that `helpers.study.STUDIES` then names."""
    study = Study(name="traps", seed=1, simulated=simulated)
    place = folder / study.name
    for name, rows in (_questions_part() | _grades_part()).items():
        tables.write(place, name, pd.DataFrame(rows))
    if clips:
        frames = np.random.default_rng(0).integers(0, 255, (6, 48, 64, 3), dtype=np.uint8)
        (place / "videos").mkdir(parents=True)
        write_clip(place / "videos" / "clip.mp4", frames, 6)
    return study


def _videos(prompts):
    return [
        {"video_id": f"{prompt['prompt_id']}/{number}", "prompt_id": prompt["prompt_id"], "model": model}
        | {"path": "videos/clip.mp4", "status": "ok", "audio": False}
        | {"settings": json.dumps({"asked": MADE | {"steps": 20 + number}})}
        for prompt in prompts
        for number, model in enumerate(MODELS)
    ]  # fmt: skip


def _questions_part():
    prompts = [
        {"prompt_id": f"cs-{country}-{n}", "benchmark": "culturescore", "country": country}
        | {"category": "family", "variant": "base", "scenario_id": f"{country}-{n}"}
        | {"text": f"Prompt {country} {n} {TRAP}"}
        for country in COUNTRIES
        for n in range(3)
    ]
    questions = [
        {"question_id": f"{prompt['scenario_id']}-{dimension}", "scenario_id": prompt["scenario_id"]}
        | {"dimension": dimension, "text": f"Question {dimension} {TRAP}?", "verified": True}
        for prompt in prompts
        for dimension in ("identity", "behavior", "context")
    ]
    rng = np.random.default_rng(5)
    answers = [
        {"video_id": video["video_id"], "question_id": question["question_id"], "rater_id": rater}
        | _answer(rng.random(), index)
        for index, (video, question, rater) in enumerate(
            (video, question, rater)
            for video in _videos(prompts)
            for question in questions
            if question["scenario_id"] in video["video_id"]
            for rater in (*JUDGES, "person-1")
        )
    ]
    return {"questions": questions, "answers": answers, "prompts": prompts + _vid_prompts(),
            "videos": _videos(prompts) + _videos(_vid_prompts()), "raters": _raters()}  # fmt: skip


def _answer(draw, index):
    if index % 11 == 10:
        return {"status": "unscored", "raw": f"raw {TRAP} {KEY} /srv/secret/place/file.txt"}
    return {"answer": draw < 0.5, "status": "ok", "reasoning": f"reasoning {TRAP}" + BOXES[index % 3]}


def _raters():
    return [
        {"rater_id": JUDGES[0], "kind": "judge"},
        {"rater_id": JUDGES[1], "kind": "judge"},
        {"rater_id": "person-1", "kind": "human", "country": "Japan"},
        {"rater_id": "person-2", "kind": "human", "country": "Brazil"},
    ]


def _vid_prompts():
    return [
        {"prompt_id": f"cv-{country}-{aspect}-{n}", "benchmark": "culturevidbench", "country": country}
        | {"aspect": aspect, "variant": "plain", "text": f"Prompt {aspect} {n} {TRAP}"}
        for country in COUNTRIES
        for aspect in ("food", "games", "wedding", "dancing")
        for n in range(2)
    ]


def _grades_part():
    rng = np.random.default_rng(3)
    ratings = []
    for video in _videos(_vid_prompts()):
        for rater in (*JUDGES, "person-1" if "Japan" in video["video_id"] else "person-2"):
            for criterion in CRITERIA:
                row = {"video_id": video["video_id"], "criterion": criterion, "rater_id": rater}
                row |= {"score": int(rng.integers(1, 6)), "status": "ok"}
                if rater in JUDGES:
                    row |= {
                        part: f"{part} {TRAP}" for part in ("requirement", "observation", "justification")
                    }
                    row |= {"raw": f"raw {TRAP}"}
                ratings.append(row)
    return {"ratings": ratings}
