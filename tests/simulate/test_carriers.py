"""Clips that show nothing of their prompts, but can be judged, told apart and run backwards."""

import numpy as np
import pandas as pd

from helpers.simulate.clips.carriers import FRAMES, SIZE, write_carriers
from helpers.video.frames import sample
from helpers.video.probe import probe
from helpers.video.sampling import Uniform

PROMPTS = pd.DataFrame({"prompt_id": ["a-base", "b-base"]})


def test_each_clip_is_as_the_table_says_and_no_two_are_alike(tmp_path):
    videos = write_carriers(PROMPTS, ["Model A", "Model B"], tmp_path, sound=True, seed=1)
    assert videos["video_id"].is_unique
    assert videos["sha256"].nunique() == 4
    for row in videos.itertuples():
        found = probe(tmp_path / row.path)
        assert (found.width, found.height, found.frames) == (*SIZE, FRAMES)
        assert found.audio


def test_the_same_seed_gives_the_same_clips(tmp_path):
    first, second = (write_carriers(PROMPTS, ["M"], tmp_path / name, seed=1)["sha256"] for name in "xy")
    assert first.tolist() == second.tolist()
    assert not set(first) & set(write_carriers(PROMPTS, ["M"], tmp_path / "z", seed=2)["sha256"])


def test_a_clip_looks_different_backwards(tmp_path):
    path = tmp_path / write_carriers(PROMPTS.head(1), ["M"], tmp_path, seed=1)["path"].iloc[0]
    images = sample(path, Uniform(5)).images.astype(int)
    assert np.abs(images - images[::-1]).mean() > 1
