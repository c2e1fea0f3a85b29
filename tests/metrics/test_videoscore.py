"""VideoScore with random weights through the real loading code; its numbers mean nothing."""

import shutil

import numpy as np
import pytest

from helpers.metrics import videoscore
from helpers.metrics.cases import Case
from helpers.metrics.measurer import Clip, ModelError
from helpers.metrics.model_queries import OWN_WORDS, published
from helpers.metrics.run import measure
from helpers.metrics.videoscore import Strided, VideoScore
from helpers.paths import ROOT
from helpers.video.frames import sample
from helpers.video.write import write_clip

CLIPS = ROOT.parent / "shared" / "data" / "videos"
# A question as cards hold it, in words of this test's own.
QUESTION = "Rate the picture, the motion, the changes, the fit and the facts of the frames below. " * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from helpers.simulate.checkpoints.videoscore import build_videoscore

    return build_videoscore(tmp_path_factory.mktemp("checkpoints") / "videoscore")


@pytest.fixture(scope="module")
def loaded(folder):
    measurer = VideoScore(model=str(folder), device="cpu")
    measurer.load()
    return measurer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pictures = np.random.default_rng(0).integers(0, 256, (20, 48, 64, 3), dtype=np.uint8)
    written = tmp_path_factory.mktemp("clips") / "noise.mp4"
    write_clip(written, pictures, 8)
    return written


@pytest.fixture
def clip(path):
    return Clip(video_id="noise", frames=sample(path, Strided(16)), prompt="A desert at noon")


def values(measurer, *clips):
    return [list(outcome.values.values()) for outcome in measurer.measure(clips)]


@pytest.mark.parametrize("total", [*range(1, 40), 49, 81, 121, 500])
def test_frames_are_those_of_the_authors_example(total):
    # TIGER-AI-Lab/VideoScore, examples/run_videoscore.py: np.arange over floats, cut to whole numbers.
    theirs = np.arange(0, total, total / 16).astype(int) if total > 16 else np.arange(total)
    np.testing.assert_array_equal(Strided(16).pick(np.arange(total) / 8, total / 8), theirs)


def test_dimensions_are_named_and_ordered_as_published():
    # The order of outputs in the authors' example and on the models' cards.
    names = (
        "visual quality, temporal consistency, dynamic degree, text-to-video alignment, factual consistency"
    )
    assert ", ".join(videoscore.DIMENSIONS) == names
    assert [metric.name for metric in videoscore.V1.metrics] == [
        "videoscore_visual_quality",
        "videoscore_temporal_consistency",
        "videoscore_dynamic_degree",
        "videoscore_text_to_video_alignment",
        "videoscore_factual_consistency",
        "videoscore_mean",
    ]
    assert {metric.frames.name for metric in videoscore.V1_1.metrics} == {"strided-48"}


def test_the_head_is_transformers_own_at_the_last_token(loaded, folder, clip):
    # Oracle: transformers' generic classifier, which finds the last token that is not padding by itself. It
    # has no bias.
    import torch
    from PIL import Image
    from transformers import AutoProcessor
    from transformers.modeling_layers import GenericForSequenceClassification
    from transformers.models.idefics2.modeling_idefics2 import Idefics2PreTrainedModel

    class Generic(GenericForSequenceClassification, Idefics2PreTrainedModel):
        pass

    network = Generic.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder, do_image_splitting=False)
    question = loaded._query.about(clip.prompt) + "<image> " * 16
    pictures = [Image.fromarray(image) for image in clip.frames.images]
    padded = processor(text=question, images=pictures, return_tensors="pt")
    padding = torch.full((1, 7), processor.tokenizer.pad_token_id)
    padded["input_ids"] = torch.cat([padded["input_ids"], padding], dim=1)
    padded["attention_mask"] = torch.cat([padded["attention_mask"], torch.zeros_like(padding)], dim=1)
    with torch.no_grad():
        expected = network(**padded).logits[0] + loaded._network.score.bias
    (found,) = values(loaded, clip)
    np.testing.assert_allclose(found[:5], expected, atol=1e-5)
    assert found[5] == pytest.approx(np.mean(found[:5]))


def test_every_frame_is_shown_once_and_in_one_piece(loaded, clip, monkeypatch):
    seen = {}
    forward = loaded._network.forward
    monkeypatch.setattr(loaded._network, "forward", lambda **inputs: seen.update(inputs) or forward(**inputs))
    values(loaded, clip)
    assert seen["pixel_values"].shape[:2] == (1, 16)
    assert int((seen["input_ids"] == loaded._network.config.image_token_id).sum()) == 16 * 4


def test_a_batch_gives_what_single_clips_give(loaded, clip, path):
    other = Clip(video_id="b", frames=sample(path, Strided(5)), prompt="A tiger in the snow")
    assert values(loaded, clip, other) == values(loaded, clip) + values(loaded, other)


def test_values_depend_on_the_prompt(loaded, clip):
    other = Clip(video_id="b", frames=clip.frames, prompt="A tiger in the snow")
    assert values(loaded, clip) != values(loaded, other)


def test_what_leaves_the_scale_is_kept_and_noted(loaded, clip, monkeypatch):
    monkeypatch.setattr(loaded, "_scores", lambda clip: [4.01, 4.0, 1.0, 0.92, 2.5])
    (outcome,) = loaded.measure([clip])
    assert list(outcome.values.values())[:5] == [4.01, 4.0, 1.0, 0.92, 2.5]
    assert outcome.notes[:-1] == (
        "visual quality 4.01 lies outside 1 to 4",
        "text-to-video alignment 0.92 lies outside 1 to 4",
    )


def test_a_run_goes_from_a_file_to_rows(folder, path, tmp_path):
    cases = [
        Case(video_id="a", path=path, prompt="A desert at noon"),
        Case(video_id="b", path=path.with_name("absent.mp4"), prompt="A desert at noon"),
        Case(video_id="c", path=path),
    ]
    results = measure([VideoScore(model=str(folder), device="cpu")], cases, tmp_path, quiet=True)
    status = results.table.groupby("video_id")["status"].unique().map(list).to_dict()
    assert status == {"a": ["ok"], "b": ["missing"], "c": ["missing"]}
    first = results.about.iloc[0]
    assert first["notes"] == (OWN_WORDS,)
    assert first["loaded"]["model"].startswith("videoscore@")


@pytest.mark.parametrize("name", ["cogvideox_0", "cogvideox_9"])
def test_generated_clips_from_end_to_end(loaded, name):
    if not (CLIPS / f"{name}.mp4").exists():
        pytest.skip(f"{name}.mp4 is not here")
    frames = sample(CLIPS / f"{name}.mp4", Strided(16))
    (found,) = values(loaded, Clip(video_id=name, frames=frames, prompt="A desert at noon"))
    assert np.isfinite(found).all()


class TestCheckpointsThatDoNotFit:
    def test_a_weight_that_is_missing_is_no_random_number(self, folder, tmp_path):
        from safetensors.torch import load_file, save_file

        broken = shutil.copytree(folder, tmp_path / "broken")
        weights = load_file(broken / "model.safetensors")
        del weights["score.bias"]
        save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(ModelError, match=r"lacks 1 of the weights, such as score\.bias"):
            VideoScore(model=str(broken), device="cpu").load()

    def test_another_number_of_outputs(self, tmp_path):
        from helpers.simulate.checkpoints.videoscore import build_videoscore

        with pytest.raises(ModelError, match="idefics2 with 3 outputs; expected idefics2 with 5"):
            VideoScore(model=str(build_videoscore(tmp_path, outputs=3)), device="cpu").load()

    def test_no_folder(self, tmp_path):
        with pytest.raises(ModelError, match="cannot be loaded"):
            VideoScore(model=str(tmp_path / "absent"), device="cpu").load()


class TestTheQuestion:
    @pytest.mark.parametrize(
        "code",
        [
            f'QUERY = """{QUESTION}The prompt: {{text_prompt}}.\n"""\nasked = QUERY.format(text_prompt="x")',
            f'def main():\n    QUERY = Template("""{QUESTION}The prompt: $t2v_prompt.\n""")',
            f'text = (\n    "{QUESTION}"\n    f"The prompt: {{prompt}}."\n    "\\n"\n)',
        ],
        ids=["format", "template", "f-string"],
    )
    def test_it_is_read_from_the_card(self, code):
        query = published(f"# A model\n```bash\npip install x\n```\n\n```python\n{code}\n```\n")
        assert query.about("A {text_prompt}") == f"{QUESTION}The prompt: A {{text_prompt}}.\n"
        assert query.notes == ()

    @pytest.mark.parametrize(
        "card",
        ["", "No code.", "```python\nif x\n```", "```python\nQUERY = 'short {prompt}'\n```", QUESTION],
        ids=["empty", "no code", "not Python", "too short", "prose"],
    )
    def test_a_card_without_one_gives_none(self, card):
        assert published(card) is None

    def test_the_card_beside_the_weights_is_used(self, folder, clip, tmp_path):
        copied = shutil.copytree(folder, tmp_path / "with-card")
        (copied / "README.md").write_text(f"```python\nQUERY = '{QUESTION}{{text_prompt}}: '\n```\n")
        measurer = VideoScore(model=str(copied), device="cpu")
        assert measurer.load()["query"] == "model card"
        assert measurer.measure([clip])[0].notes == ()


def test_a_checkpoint_depends_on_its_seed_alone_and_says_nothing(folder, tmp_path, capfd):
    from helpers.simulate.checkpoints.videoscore import build_videoscore

    again, other = build_videoscore(tmp_path / "again"), build_videoscore(tmp_path / "other", seed=1)
    weights = [(path / "model.safetensors").read_bytes() for path in (folder, again, other)]
    assert weights[0] == weights[1] != weights[2]
    assert len(weights[0]) < 1_000_000
    assert capfd.readouterr() == ("", "")
