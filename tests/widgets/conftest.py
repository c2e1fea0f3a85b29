from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.video.write import write_clip


@pytest.fixture
def landmarks():
    return pd.DataFrame(
        {
            "landmark_id": ["gldv2-1", "gldv2-2", "gldv2-3"],
            "name": ["Uluru", "Fish & <b>Chips</b> Tower", "Pier"],
            "city": [None, "Lima", "Brighton"],
            "country": ["Australia", "Peru", "United Kingdom"],
        }
    )


@pytest.fixture
def candidates(tmp_path: Path):
    """Two photographs of the first landmark, one of the second and a broken one, none of the third."""
    rows = []
    for landmark, image, shade in [("gldv2-1", "aa", 40), ("gldv2-1", "ab", 120), ("gldv2-2", "ba", 200)]:
        path = tmp_path / f"{image}.png"
        Image.fromarray(np.full((30, 60, 3), shade, np.uint8)).save(path)
        rows.append([landmark, image, str(path), f"{image}.jpg", "A. Person", "CC BY 4.0"])
    broken = tmp_path / "bb.jpg"
    broken.write_bytes((tmp_path / "ba.png").read_bytes()[:60])
    rows.append(["gldv2-2", "bb", str(broken), "<script>alert(1)</script>", "x'\"><img src=x>", None])
    rows.append(["gldv2-3", "ca", None, None, None, None])
    return pd.DataFrame(rows, columns=["landmark_id", "image_id", "path", "title", "author", "licence"])


@pytest.fixture
def study(tmp_path: Path):
    """One prompt of each framework with small clips: three, one with words in it to escape, one landmark."""
    texts = {
        "tea": ("culturescore", "A <b>Japanese</b> tea room", None, "scene"),
        "drum": ("culturevidbench", "Taiko drums in Japan", "Japanese taiko <i>drum</i>", None),
        "tower": ("landmarks", "Walk around the tower", None, None),
    }
    prompts = pd.DataFrame(
        [
            (name, benchmark, "Japan", element, text, scenario, "place" if name == "tower" else None)
            for name, (benchmark, text, element, scenario) in texts.items()
        ],
        columns=["prompt_id", "benchmark", "country", "element", "text", "scenario_id", "landmark_id"],
    ).assign(variant=["extended", "plain", "detailed"])
    rows = []
    for number, (prompt, model) in enumerate(
        [("tea", "A"), ("tea", "B"), ("tea", "C"), ("drum", "A"), ("tower", "A")]
    ):
        path = tmp_path / f"{prompt}-{model}.mp4"
        shades = np.linspace(20 * number, 255, 12).astype(np.uint8)
        frames = np.broadcast_to(shades[:, None, None, None], (12, 36, 64, 3))
        write_clip(path, np.ascontiguousarray(frames), 12)
        rows.append((f"{prompt}/{model}", prompt, model, path.name, "ok"))
    Image.fromarray(np.full((30, 60, 3), 90, np.uint8)).save(tmp_path / "tower.png")
    place = {"landmark_id": "place", "name": "Tower", "country": "Japan", "reference_image": "tower.png"}
    return {
        "prompts": prompts,
        "questions": pd.DataFrame(
            [("q1", "scene", "identity", "Is there a <script>mat</script> in Japan?")],
            columns=["question_id", "scenario_id", "dimension", "text"],
        ),
        "videos": pd.DataFrame(rows, columns=["video_id", "prompt_id", "model", "path", "status"]),
        "landmarks": pd.DataFrame([place]),
    }


@pytest.fixture
def sheet():
    """A sheet with a triplet, an attention check, a clip with eight grades and a landmark's clip."""
    triplet = [
        ("Japan-1", 1, tier, position, "tea", f"tea/{model}", None if tier == "ranking" else "q1")
        for tier in ("relevance", "accuracy", "ranking")
        for position, model in enumerate("CAB", start=1)
    ]
    rest = [
        ("Japan-1", 1, "attention", 1, None, None, None),
        ("Japan-1", 2, "rating", 1, "drum", "drum/A", None),
        ("Japan-1", 3, "rating", 1, "tower", "tower/A", None),
    ]
    columns = ["rater_id", "step", "tier", "position", "prompt_id", "video_id", "question_id"]
    return pd.DataFrame(triplet + rest, columns=columns)
