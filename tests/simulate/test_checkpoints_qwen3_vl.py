"""The checkpoint as transformers itself sees it; what it answers is tested with the backend that asks it."""

import json

import pytest


@pytest.fixture(scope="module")
def build():
    # Importing it loads torch and transformers, which only these tests need.
    from helpers.simulate.checkpoints.qwen3_vl import build_qwen3_vl

    return build_qwen3_vl


@pytest.fixture(scope="module")
def folder(build, tmp_path_factory):
    return build(tmp_path_factory.mktemp("qwen3-vl"))


def test_it_is_what_the_published_models_are_but_small(folder):
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"] == ["Qwen3VLForConditionalGeneration"]
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000


def test_the_seed_alone_decides(build, folder, tmp_path):
    import torch

    state = torch.random.get_rng_state()
    again, other = build(tmp_path / "again"), build(tmp_path / "other", seed=1)
    weights = [(path / "model.safetensors").read_bytes() for path in (folder, again, other)]
    assert weights[0] == weights[1] != weights[2]
    assert torch.equal(torch.random.get_rng_state(), state)


def test_building_says_nothing(build, tmp_path, capfd):
    build(tmp_path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["How?", "Ça va ? 你好 🎉\n\t<b>", "e\u0301 \u200b"])
def test_any_text_is_its_bytes_and_comes_back(folder, text):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text)["input_ids"]
    assert len(ids) == len(text.encode())
    assert tokenizer.decode(ids) == text


def test_a_conversation_reads_as_the_published_models_learnt_it(folder):
    # The special tokens of the Qwen3-VL model card's prompts; one picture and one clip.
    from transformers import AutoProcessor

    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "image"}, {"type": "video"}, {"type": "text", "text": "So?"}]},
    ]
    text = AutoProcessor.from_pretrained(folder).apply_chat_template(said, add_generation_prompt=True)
    assert text == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"
        "<|vision_start|><|image_pad|><|vision_end|><|vision_start|><|video_pad|><|vision_end|>So?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


@pytest.mark.slow
def test_a_larger_one_for_benchmarks(build, tmp_path):
    from safetensors import safe_open

    folder = build(tmp_path, hidden=512, layers=12, heads=8, vision_hidden=128, pixels=128 * 128)
    with safe_open(folder / "model.safetensors", "pt") as weights:
        size = sum(weights.get_tensor(name).numel() for name in weights.keys())  # noqa: SIM118
    assert 45e6 < size < 60e6
