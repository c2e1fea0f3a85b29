import numpy as np
import pandas as pd
import pytest
from PIL import Image
from skimage import data

from helpers import tables
from helpers.video.write import write_clip

PHOTOGRAPHS = {"bust": data.astronaut, "cup": data.coffee, "cat": data.chelsea}


def panned(picture: np.ndarray, shift: int) -> np.ndarray:
    """Eight frames of 96 x 96 pixels."""
    return np.stack([picture[8:104, shift + at : shift + at + 96] for at in range(8)])


@pytest.fixture
def landmark_study(tmp_path):
    """Three landmarks with two clips each, one without a photograph, a clip of a custom, one never made."""
    folder = tmp_path / "study"
    (folder / "photographs").mkdir(parents=True)
    (folder / "videos").mkdir()
    videos, prompts = [], []
    for name, picture in PHOTOGRAPHS.items():
        photograph = Image.fromarray(picture()).resize((160, 128))
        photograph.save(folder / "photographs" / f"{name}.png")
        prompts.append((f"{name}-detailed", "landmarks", "detailed", f"A film of the {name}", name))
        for model, shift in (("a", 0), ("b", 40)):
            path = f"videos/{model}-{name}.mp4"
            write_clip(folder / path, panned(np.asarray(photograph), shift), 8.0)
            videos.append((f"{model}/{name}", f"{name}-detailed", model, path, "ok"))
    prompts.append(("ruin-detailed", "landmarks", "detailed", "A film of the ruin", "ruin"))
    prompts.append(("tea-plain", "culturevidbench", "plain", 'Tea under a sign that says "Open"', None))
    videos.append(("a/ruin", "ruin-detailed", "a", "videos/a-cup.mp4", "ok"))
    videos.append(("a/tea", "tea-plain", "a", "videos/a-cat.mp4", "ok"))
    videos.append(("b/tea", "tea-plain", "b", None, "blocked"))
    prompts = pd.DataFrame(prompts, columns=["prompt_id", "benchmark", "variant", "text", "landmark_id"])
    tables.write(folder, "prompts", prompts.assign(country="Japan"))
    columns = ["video_id", "prompt_id", "model", "path", "status"]
    tables.write(folder, "videos", pd.DataFrame(videos, columns=columns), part="generated")
    places = pd.DataFrame({"landmark_id": [*PHOTOGRAPHS, "ruin"], "country": "Japan", "category": "church"})
    photographs = [f"photographs/{name}.png" for name in PHOTOGRAPHS]
    places = places.assign(name=places["landmark_id"], reference_image=[*photographs, None])
    tables.write(folder, "landmarks", places)
    return folder
