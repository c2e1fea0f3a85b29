"""What holds for every model that is asked about a clip, on a Qwen2.5-VL with random weights."""

import json

import numpy as np
import pytest
from PIL import Image

from helpers.metrics.aigve import AigveMacs
from helpers.metrics.aigve_reading import ASPECTS
from helpers.metrics.cases import Case
from helpers.metrics.measurer import Clip, ModelError
from helpers.metrics.run import measure
from helpers.metrics.videoscore2 import VideoScore2
from helpers.metrics.videoscore2_reading import DIMENSIONS
from helpers.paths import ROOT
from helpers.video.frames import sample
from helpers.video.write import write_clip

CLIPS = ROOT.parent / "shared" / "data" / "videos"
ANSWERS = {
    AigveMacs: json.dumps({aspect: {"score": 3} for aspect in ASPECTS}),
    VideoScore2: "\n".join(f"{dimension}: 3" for dimension in DIMENSIONS),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from helpers.simulate.checkpoints.aigve import build_aigve

    return build_aigve(tmp_path_factory.mktemp("checkpoints") / "qwen2.5-vl")


@pytest.fixture(params=ANSWERS, ids=lambda kind: kind.name)
def kind(request, monkeypatch):
    monkeypatch.setattr(request.param, "most_tokens", 20)
    return request.param


@pytest.fixture
def loaded(kind, folder):
    measurer = kind(str(folder), device="cpu", dtype="float32")
    measurer.load()
    return measurer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pictures = np.random.default_rng(0).integers(0, 256, (16, 56, 84, 3), dtype=np.uint8)
    written = tmp_path_factory.mktemp("clips") / "noise.mp4"
    write_clip(written, pictures, 8)
    return written


def clip(path, measurer, prompt="A desert at noon"):
    return Clip(video_id=prompt, frames=sample(path, measurer.metrics[0].frames), prompt=prompt)


def test_the_settings_say_what_decides_an_answer(kind):
    own = kind("folder", revision="abc", dtype="bfloat16").settings
    size = [480, 854] if kind is AigveMacs else None
    assert own == {
        "model": "folder",
        "revision": "abc",
        "dtype": "bfloat16",
        "size": size,
        "most_tokens": 20,
    }


def test_a_run_keeps_what_cannot_be_read_as_unscored(kind, folder, path, tmp_path):
    paths = {"noise": path} | {file.stem: file for file in sorted(CLIPS.glob("*.mp4"))[:1]}
    cases = [Case(video_id=name, path=file, prompt="A desert at noon") for name, file in paths.items()]
    results = measure([kind(str(folder), device="cpu")], cases, tmp_path, quiet=True)
    assert len(results.table) == len(kind.metrics) * len(cases)
    assert set(results.table["status"]) == {"unscored"}
    assert "cut off" in results.about["notes"].iloc[0][0]
    assert results.about["details"].map(lambda details: details["answer"]).astype(bool).all()


def test_an_answer_that_can_be_read_has_every_value_and_is_kept(loaded, path, monkeypatch):
    chat = loaded.asked._chat
    tokens = [*chat.tokenizer.encode(ANSWERS[type(loaded)]), chat.tokenizer.eos_token_id]
    monkeypatch.setattr(chat, "write", lambda *_: [tokens])
    (outcome,) = loaded.measure([clip(path, loaded)])
    assert list(outcome.values) == [metric.name for metric in loaded.metrics]
    assert None not in outcome.values.values()
    assert outcome.details["answer"] == ANSWERS[type(loaded)]
    assert outcome.notes == loaded.asked.query.notes


def test_a_batch_gives_what_single_clips_give(loaded, path):
    clips = [clip(path, loaded, prompt) for prompt in ("a desert", "a tiger")]
    together = [outcome.details["answer"] for outcome in loaded.measure(clips)]
    assert together == [loaded.measure([one])[0].details["answer"] for one in clips]
    assert together[0] != together[1]


def test_a_still_picture_is_a_clip_of_one_frame(loaded, tmp_path):
    Image.linear_gradient("L").convert("RGB").save(tmp_path / "still.png")
    (outcome,) = loaded.measure([clip(tmp_path / "still.png", loaded)])
    assert outcome.details["answer"]


def test_no_folder_is_one_error(kind, tmp_path):
    with pytest.raises(ModelError, match="there is no folder"):
        kind(str(tmp_path / "absent"), device="cpu").load()
