"""All five families run for real, with random weights: loaded from files, called, written as clips."""

import json
import logging
from collections import Counter

import numpy as np
import pytest

from helpers import tables
from helpers.generation import catalogue, journal
from helpers.generation.outcomes import GuardrailError, OutOfMemoryError
from helpers.generation.run import generate
from helpers.video.audio import read_audio
from helpers.video.probe import probe
from stand_in_models import CALLS, FPS, described, jobs_for

pipelines = pytest.importorskip("helpers.generation.pipelines")
ONE_STEP = {"num_inference_steps": 1}
DECLARED = catalogue.Rung(name="as declared", tiling=False, offload="none")
STAGES = {"upsampler": {"id": "", "subfolder": "latent_upsampler"}, "sigmas": [0.909375, 0.725, 0.421875]}


@pytest.fixture
def loaded(checkpoints):
    """Load a family's random checkpoint, with changes to its description."""

    def load(family, **changes):
        folder = checkpoints[family]
        if "second_stage" in changes:
            stages = changes["second_stage"]
            changes["second_stage"] = {**stages, "upsampler": {**stages["upsampler"], "id": str(folder)}}
        return pipelines.load(described(family, folder, **changes), "cpu")

    return load


def clip_of(pipeline, seed=0, prompt="A kora player at dusk.", memory=DECLARED):
    return pipeline.generate(prompt, "", pipeline.model.settings[0], seed, memory)


@pytest.fixture
def calls_of():
    """Count a network's forward passes while a clip is made."""

    def count(network, pipeline, **given):
        counted = Counter()
        handles = [
            module.register_forward_hook(lambda *_, name=name: counted.update([name]))
            for name, module in network.items()
        ]
        clip_of(pipeline, **given)
        for handle in handles:
            handle.remove()
        return counted

    return count


@pytest.mark.parametrize("family", CALLS)
def test_a_family_runs_from_files_to_a_clip_with_a_row(checkpoints, tmp_path, family):
    model = described(family, checkpoints[family], audio=family == "ltx2")
    jobs = jobs_for(model, number=2)
    summary = generate(tmp_path, jobs, quiet=True, load=lambda model: pipelines.load(model, "cpu"))
    assert summary.statuses == {"ok": 2}
    call = CALLS[family]
    for row in tables.read(tmp_path, "videos").itertuples():
        found = probe(tmp_path / row.path)
        assert found.status == "ok"
        assert (found.width, found.height, found.frames) == (
            call["width"],
            call["height"],
            call["num_frames"],
        )
        assert found.fps == pytest.approx(FPS[family])
        assert (found.audio, row.audio) == (family == "ltx2",) * 2
        made = json.loads(row.settings)["made"]
        assert made["pipeline"] == model.pipeline
        assert made["scheduler"]["class"].endswith("Scheduler")
        assert made["device"] == "cpu"
        assert journal.read(tmp_path)[row.video_id].settings["made"]["peak_memory_gb"] > 0
        assert "output_type" in made["defaults"]


@pytest.mark.parametrize("family", CALLS)
def test_a_clip_hangs_on_its_seed_and_not_on_the_clips_before(loaded, family):
    pipeline = loaded(family, call=ONE_STEP)
    first, other = clip_of(pipeline, 3), clip_of(pipeline, 4)
    assert (first.frames != other.frames).any()
    np.testing.assert_array_equal(clip_of(pipeline, 3).frames, first.frames)


def test_ltx2_gives_sound_as_long_as_the_pictures(loaded, tmp_path):
    clip = clip_of(loaded("ltx2"))
    assert clip.sample_rate == 16_000
    assert clip.audio.shape[0] == 2
    assert clip.audio.shape[1] / clip.sample_rate == pytest.approx(9 / 24, rel=0.15)


def test_ltx2_makes_clips_of_twice_the_size_in_two_stages(loaded, tmp_path, checkpoints):
    stages = {**STAGES, "upsampler": {"id": str(checkpoints["ltx2"]), "subfolder": "latent_upsampler"}}
    jobs = jobs_for(described("ltx2", checkpoints["ltx2"], audio=True, second_stage=stages), number=2)
    load = lambda model: pipelines.load(model, "cpu")  # noqa: E731
    assert generate(tmp_path, jobs, quiet=True, load=load).statuses == {"ok": 2}
    found = probe(tmp_path / jobs[0].path)
    assert (found.width, found.height, found.frames, found.audio) == (64, 64, 9, True)
    assert read_audio(tmp_path / jobs[0].path).samples.shape[0] == 2


def test_the_first_stage_is_as_it_was_after_a_second(loaded):
    pipeline = loaded("ltx2", second_stage={**STAGES, "sigmas": [0.9]}, call=ONE_STEP)
    scheduler = dict(pipeline.pipe.scheduler.config)
    first = clip_of(pipeline)
    assert dict(pipeline.pipe.scheduler.config) == scheduler
    np.testing.assert_array_equal(clip_of(pipeline).frames, first.frames)


def test_the_second_stage_alone_uses_the_lora(loaded, tmp_path, calls_of):
    from diffusers import LTX2Pipeline
    from peft import LoraConfig, get_peft_model_state_dict

    plain = loaded("ltx2")
    plain.pipe.transformer.add_adapter(
        LoraConfig(r=2, target_modules=["to_q", "to_k"], init_lora_weights="gaussian"), "second_stage"
    )
    for name, weights in plain.pipe.transformer.named_parameters():
        if "lora_B" in name:
            weights.data.fill_(0.3)
    layers = get_peft_model_state_dict(plain.pipe.transformer, adapter_name="second_stage")
    LTX2Pipeline.save_lora_weights(tmp_path, transformer_lora_layers=layers, weight_name="lora.safetensors")

    lora = {"id": str(tmp_path), "weight_name": "lora.safetensors"}
    stages = {**STAGES, "sigmas": [0.9]}
    with_lora = loaded("ltx2", second_stage={**stages, "lora": lora})
    active = []
    transformer = with_lora.pipe.transformer
    block = next(module for module in transformer.modules() if hasattr(module, "lora_A"))
    transformer.register_forward_hook(lambda *_: active.append(not block.disable_adapters))
    clip = clip_of(with_lora)
    assert active == [False, False, True]
    assert (clip.frames != clip_of(loaded("ltx2", second_stage=stages)).frames).any()


def test_ltx2_guidance_is_only_off_when_all_eight_arguments_say_so(loaded, calls_of):
    # Lightricks' pipeline in diffusers 0.42, two steps: 6 calls by default, 2 with all guidance off
    # (diffusers issue #14649: guidance_scale=1 alone no longer turns it off).
    defaults = {
        "guidance_scale": 3.0, "stg_scale": 1.0, "modality_scale": 3.0, "guidance_rescale": 0.7,
        "audio_guidance_scale": 7.0, "audio_stg_scale": 1.0, "audio_modality_scale": 3.0,
        "audio_guidance_rescale": 0.7, "spatio_temporal_guidance_blocks": [1],
    }  # fmt: skip
    off = {name: 0.0 if "stg" in name or "rescale" in name else 1.0 for name in defaults}
    off["spatio_temporal_guidance_blocks"] = None
    for call, calls in (
        (defaults, 6),
        (defaults | {"guidance_scale": 1.0}, 6),
        (defaults | {"guidance_scale": 1.0, "audio_guidance_scale": 1.0}, 6),
        (off, 2),
    ):
        pipeline = loaded("ltx2", call=call)
        assert calls_of({"transformer": pipeline.pipe.transformer}, pipeline) == {"transformer": calls}


@pytest.mark.parametrize(("scale", "calls"), [(6.0, 4), (1.0, 2)])
def test_hunyuans_guidance_reaches_its_guider(loaded, calls_of, scale, calls):
    pipeline = loaded("hunyuan15", call={"guidance_scale": scale})
    assert calls_of({"transformer": pipeline.pipe.transformer}, pipeline) == {"transformer": calls}


@pytest.mark.parametrize(("shift", "high", "low"), [(3.0, 2, 2), (12.0, 3, 1)])
def test_wans_shift_decides_how_many_steps_each_expert_gets(loaded, calls_of, shift, high, low):
    pipeline = loaded("wan", scheduler={"flow_shift": shift}, call={"num_inference_steps": 4})
    experts = {"high": pipeline.pipe.transformer, "low": pipeline.pipe.transformer_2}
    # Guidance doubles each expert's calls.
    assert calls_of(experts, pipeline) == {"high": 2 * high, "low": 2 * low}
    assert pipeline.describe(pipeline.model.settings[0])["scheduler"]["flow_shift"] == shift


def test_a_scheduler_entry_that_there_is_none_of_is_refused(loaded):
    with pytest.raises(ValueError, match="UniPCMultistepScheduler has no entry 'shift' "):
        loaded("wan", scheduler={"shift": 5.0})


def test_cosmos_refusals_are_blocked_and_its_blurring_is_flagged(loaded):
    pipeline = loaded("cosmos")
    guardrail = pipeline.pipe.safety_checker
    assert clip_of(pipeline).flags == []
    guardrail.blurs = True
    assert clip_of(pipeline).flags == ["guardrail altered 5 frames"]
    guardrail.refuses_clips = True
    with pytest.raises(GuardrailError, match="refused the clip"):
        clip_of(pipeline)
    guardrail.refused_words = ("kora",)
    with pytest.raises(GuardrailError, match="refused the prompt"):
        clip_of(pipeline)


def test_cosmos_without_its_guardrail_says_what_to_install(loaded):
    with pytest.raises(ImportError, match="cosmos_guardrail"):
        loaded("cosmos", guardrail="publisher")


@pytest.mark.parametrize("family", CALLS)
def test_tiling_changes_the_pictures_little_and_can_be_switched(loaded, family):
    pipeline = loaded(family, call=ONE_STEP)
    whole = clip_of(pipeline)
    tiled = clip_of(pipeline, memory=catalogue.Rung(name="tiling", tiling=True, offload="none"))
    assert tiled.frames.shape == whole.frames.shape
    np.testing.assert_array_equal(clip_of(pipeline).frames, whole.frames)


def test_running_out_of_memory_in_the_network_becomes_our_own_error(loaded):
    import torch

    pipeline = loaded("wan")

    def exhausted(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    pipeline.pipe.transformer.register_forward_pre_hook(exhausted)
    with pytest.raises(OutOfMemoryError, match="Tried to allocate"):
        clip_of(pipeline)


def test_weights_that_are_not_safetensors_are_refused(checkpoints, tmp_path):
    import shutil

    import torch

    folder = shutil.copytree(checkpoints["wan"], tmp_path / "wan")
    weights = folder / "vae" / "diffusion_pytorch_model.safetensors"
    weights.unlink()
    torch.save({}, weights.with_suffix(".bin"))
    with pytest.raises(OSError, match="safetensors"):
        pipelines.load(described("wan", folder), "cpu")


def test_code_in_a_repository_is_not_run(checkpoints, tmp_path):
    import shutil

    folder = shutil.copytree(checkpoints["wan"], tmp_path / "wan")
    index = json.loads((folder / "model_index.json").read_text())
    index["transformer"] = ["trap", "Trap"]
    (folder / "model_index.json").write_text(json.dumps(index))
    trap = "import pathlib; pathlib.Path(__file__).with_name('sprung').touch()\nclass Trap: pass\n"
    (folder / "transformer" / "trap.py").write_text(trap)
    (folder / "trap.py").write_text(trap)
    with pytest.raises((ValueError, OSError, ImportError)):
        pipelines.load(described("wan", folder), "cpu")
    assert not list(folder.rglob("sprung"))


def test_a_model_that_is_nowhere_fails_its_clips_only(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    jobs = jobs_for(described("wan", "nobody/nothing"), number=1)
    summary = generate(tmp_path, jobs, quiet=True, load=lambda model: pipelines.load(model, "cpu"))
    assert summary.statuses == {"failed": 1}
    assert "cannot be loaded" in journal.read(tmp_path)[jobs[0].video_id].settings["problem"]


def test_a_prompt_that_is_longer_than_what_is_read_is_flagged(loaded):
    pipeline = loaded("cogvideox")
    assert clip_of(pipeline, prompt="Eid").flags == []
    assert clip_of(pipeline, prompt="x" * 40).flags == ["prompt cut: 40 tokens, 16 are read"]


def test_quiet_loading_says_nothing(loaded, caplog, capfd):
    with caplog.at_level(logging.WARNING):
        loaded("hunyuan15")
    assert caplog.text == ""
    assert capfd.readouterr().err == ""


def test_weights_in_eight_bits_and_mixed_types_still_make_a_clip(loaded):
    import torch

    pipeline = loaded("wan", dtype="bfloat16", dtypes={"vae": "float32"}, fp8=["transformer"])
    kept = {parameter.dtype for parameter in pipeline.pipe.transformer.parameters()}
    assert torch.float8_e4m3fn in kept
    assert {p.dtype for p in pipeline.pipe.vae.parameters()} == {torch.float32}
    assert {p.dtype for p in pipeline.pipe.transformer_2.parameters()} >= {torch.bfloat16}
    assert clip_of(pipeline).frames.shape == (9, 16, 16, 3)


def test_a_quantised_transformer_makes_a_clip_where_the_backend_is_there(loaded):
    pytest.importorskip("torchao", reason="torchao, one of the backends for quantisation, is not installed")
    backend = {"quant_backend": "torchao", "quant_kwargs": {"quant_type": "int8wo"}}
    assert clip_of(loaded("wan", quantisation=backend)).frames.shape == (9, 16, 16, 3)
