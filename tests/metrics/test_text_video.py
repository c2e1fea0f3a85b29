"""Text-video similarity with open_clip and ViCLIP, on models with random weights."""

import json
from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
from numpy.testing import assert_allclose
from PIL import Image

from helpers.metrics.measurer import Clip, ModelError
from helpers.metrics.text_video import ClipText, ViClip
from helpers.simulate.checkpoints.clip import build_clip
from helpers.video.frames import Frames
from helpers.video.sampling import Uniform

PROMPT = "a tower above a river at dawn"


def clip(n: int = 5, prompt: str = PROMPT, seed: int = 0) -> Clip:
    images = np.random.default_rng(seed).integers(0, 256, (n, 48, 64, 3), np.uint8)
    frames = Frames(
        images=images, indices=np.arange(n), times=np.arange(n) / 8, rule=Uniform(5), total=n, fps=8.0,
        sha256="",
    )  # fmt: skip
    return Clip(video_id="a", frames=frames, prompt=prompt)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return f"local-dir:{build_clip(tmp_path_factory.mktemp('clip'))}"


@pytest.fixture(scope="module")
def measurer(model) -> ClipText:
    found = ClipText(model)
    found.load()
    return found


def test_the_value_is_open_clips_own_cosine_averaged(model, measurer):
    # Oracle: open_clip's encode_image and encode_text, as its README combines them.
    own, _, preprocess = open_clip.create_model_and_transforms(model)
    shown = clip()
    with torch.no_grad():
        seen = own.eval().encode_image(
            torch.stack([preprocess(Image.fromarray(one)) for one in shown.frames.images]), normalize=True
        )
        told = own.encode_text(open_clip.get_tokenizer(model)([PROMPT]), normalize=True)
    expected = (seen @ told.T)[:, 0].numpy()
    (outcome,) = measurer.measure([shown])
    assert_allclose(outcome.details["frames"], expected, atol=2e-6)
    assert outcome.values["clip_text"] == pytest.approx(expected.mean(), abs=1e-6)
    assert outcome.notes == ()


def test_batch_equals_single(measurer):
    clips = [clip(seed=seed, prompt=f"{PROMPT} {seed}") for seed in range(3)]
    together = [outcome.values for outcome in measurer.measure(clips)]
    assert together == [measurer.measure([one])[0].values for one in clips]


def test_float32_equals_float64(model, measurer):
    exact = ClipText(model, dtype="float64")
    exact.load()
    (one,), (other,) = measurer.measure([clip()]), exact.measure([clip()])
    assert one.values["clip_text"] == pytest.approx(other.values["clip_text"], abs=1e-5)


@pytest.mark.parametrize(("words", "cut"), [(75, False), (76, True), (500, True)])
def test_a_prompt_beyond_77_tokens_is_noted(measurer, words, cut):
    # CLIP reads 77 tokens, the marks of beginning and end among them; "a" is one token.
    (outcome,) = measurer.measure([clip(prompt=" ".join(["a"] * words))])
    assert bool(outcome.notes) is cut


def test_the_weights_are_named_by_their_content(model, tmp_path):
    one, other = ClipText(model), ClipText(f"local-dir:{build_clip(tmp_path / 'other', seed=1)}")
    identities = [measurer.load()["model"] for measurer in (one, other)]
    assert identities[0].partition("@")[2] != identities[1].partition("@")[2]


@pytest.mark.parametrize("name", ["local-dir:nowhere", "ViT-L-14", "no-model/no-weights"])
def test_a_model_that_is_not_there_ends_the_run(name):
    with pytest.raises(ModelError, match=r"nowhere|ViT-L-14|no-model"):
        ClipText(name).load()


# ViCLIP: a model of the test's own that is loaded as the published one is, with code beside its weights.

CODE = """
import torch
from pathlib import Path
from transformers import PretrainedConfig, PreTrainedModel


class Config(PretrainedConfig):
    model_type = "viclip-like"

    def __init__(self, tokenizer_path="vocabulary.txt", **rest):
        super().__init__(**rest)
        self.tokenizer_path = tokenizer_path


class Model(PreTrainedModel):
    config_class = Config

    def __init__(self, config):
        super().__init__(config)
        self.tokenizer = Path(config.tokenizer_path).read_text().split()
        self.weight = torch.nn.Parameter(torch.zeros(3))
        self.post_init()

    def _init_weights(self, module):
        pass

    def get_vid_features(self, clip):
        assert clip.shape == (1, 8, 3, 224, 224), clip.shape
        return clip.mean(dim=(1, 3, 4))

    def get_text_features(self, text, tokenizer):
        return torch.tensor([[float(text.count(word)) for word in tokenizer]])
"""


@pytest.fixture
def viclip(tmp_path: Path) -> Path:
    from safetensors.torch import save_file

    folder = tmp_path / "viclip_like"
    folder.mkdir()
    (folder / "viclip_like.py").write_text(CODE, encoding="utf-8")
    (folder / "vocabulary.txt").write_text("red green blue", encoding="utf-8")
    about = {
        "model_type": "viclip-like",
        "architectures": ["Model"],
        # As published: relative to the process's own folder, where there is no such file.
        "tokenizer_path": "weights/vocabulary.txt",
        "auto_map": {"AutoConfig": "viclip_like.Config", "AutoModel": "viclip_like.Model"},
    }
    (folder / "config.json").write_text(json.dumps(about), encoding="utf-8")
    save_file({"weight": torch.zeros(3)}, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def red(n: int) -> Clip:
    frames = Frames(
        images=np.broadcast_to(np.array([255, 0, 0], np.uint8), (n, 30, 50, 3)), indices=np.arange(n),
        times=np.arange(n) / 8, rule=Uniform(8), total=n, fps=8.0, sha256="",
    )  # fmt: skip
    return Clip(video_id="a", frames=frames, prompt="red red blue")


def test_viclip_needs_to_be_allowed(viclip):
    with pytest.raises(ValueError, match="trust_remote_code=True"):
        ViClip(str(viclip), trust_remote_code=False)


@pytest.mark.parametrize(("frames", "notes"), [(8, 0), (3, 1)])
def test_viclip_finds_its_vocabulary_and_gets_8_normalised_frames(
    viclip, frames, notes, monkeypatch, tmp_path
):
    # transformers keeps code that it loads in a folder of its own.
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    measurer = ViClip(str(viclip), trust_remote_code=True)
    assert measurer.load()["model"].startswith("viclip_like@")
    (outcome,) = measurer.measure([red(frames)])
    # By hand: red under ImageNet's mean and deviation against (2, 0, 1).
    seen = (np.array([1, 0, 0]) - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    told = np.array([2, 0, 1])
    expected = seen @ told / np.linalg.norm(seen) / np.linalg.norm(told)
    assert outcome.values["viclip"] == pytest.approx(expected, abs=1e-5)
    assert len(outcome.notes) == notes


def test_viclip_that_is_not_there_ends_the_run(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="cannot be loaded"):
        ViClip(str(tmp_path / "empty"), trust_remote_code=True).load()
