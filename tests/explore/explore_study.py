"""A study of one landmark whose numbers can be worked out by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from helpers import tables
from helpers.video.write import write_clip

GRADES = {
    # video_id: the grades of two judges and a person (0 to 5), for each of the two criteria
    "first": {"judge a": (5, 5), "judge b": (4, 5), "person": (0, 5)},
    "second": {"judge a": (1, 2), "judge b": (1, 2), "person": (1, 2)},
    "third": {},
    "gone": {},
}


def write_landmark_study(folder: Path) -> Path:
    """Four clips of one place: two graded, one not yet, and one that could not be made."""
    place = {"landmark_id": "pier", "name": "Pier", "country": "Peru", "reference_image": "pier.png"}
    prompt = {"prompt_id": "pier-short", "benchmark": "landmarks", "country": "Peru", "variant": "short"}
    raters = {"judge a": "judge", "judge b": "judge", "person": "human"}
    ratings = [
        {"video_id": clip, "criterion": criterion, "rater_id": rater, "score": score, "status": "ok"}
        for clip, given in GRADES.items()
        for rater, scores in given.items()
        for criterion, score in zip(("global_structure", "fine_detail"), scores, strict=True)
    ]
    videos = [
        {"video_id": clip, "prompt_id": "pier-short", "model": f"Model {clip}", "status": "ok"}
        | {"path": f"{clip}.mp4"}
        for clip in GRADES
    ]
    videos[-1] |= {"status": "blocked", "path": None, "settings": '{"problem": "a filter said no"}'}
    for name, rows in {
        "landmarks": [place],
        "prompts": [prompt | {"text": "Walk along the pier", "landmark_id": "pier"}],
        "videos": videos,
        "raters": [{"rater_id": rater, "kind": kind} for rater, kind in raters.items()],
        "ratings": ratings,
    }.items():
        tables.write(folder, name, pd.DataFrame(rows))
    frames = np.random.default_rng(1).integers(0, 255, (6, 48, 64, 3), dtype=np.uint8)
    for clip in ("first", "second"):
        write_clip(folder / f"{clip}.mp4", frames, 6)
    Image.fromarray(np.full((30, 60, 3), 90, np.uint8)).save(folder / "pier.png")
    return folder
