import math

import pytest

from helpers.generation import catalogue, plan
from stand_in_models import described, jobs_for


def test_tokens_of_wan_at_720p_are_the_75600_of_its_own_program():
    # Wan-Video/Wan2.2: a clip of 81 frames at 1280 x 720 is a sequence of 75,600 tokens.
    size = catalogue.load().model("Wan 2.2").size
    attention_only = size.model_copy(update={"billions": 1e-300})
    per_pair = 4 * size.layers * size.width
    assert math.sqrt(plan.operations(attention_only, 1280, 720, 81) / per_pair) == pytest.approx(75_600)


def test_operations_by_hand():
    size = catalogue.Size(billions=1e-9, layers=1, width=1, patch=(4, 16, 16), weights_gb=1)
    # One parameter, 3 x 2 x 1 tokens: 2 x 6 + 4 x 36.
    assert plan.operations(size, 16, 32, 9) == 12 + 144


def test_a_plan_counts_what_is_left_and_adds_up():
    wan = catalogue.load().model("Wan 2.2").model_copy(update={"name": "A"})
    jobs = jobs_for(wan, described(), number=3, seeds=(0, 1))
    frame = plan.plan(jobs, {jobs[0].video_id}).set_index("model")
    assert frame.loc["A", ["clips", "left"]].tolist() == [6, 5]
    assert frame.loc["A", "gpu_hours"] == pytest.approx(
        5 * plan.seconds_a_clip(wan, wan.for_benchmark("culturevidbench")) / 3600
    )
    assert math.isnan(frame.loc["Tiny wan", "gpu_hours"])
    written = plan.text(frame.reset_index())
    assert "11 of 12 clips left" in written
    assert "unknown" in written
    assert "assumed: disk" in written


def test_weights_on_the_gpu_by_hand():
    wan = catalogue.load().model("Wan 2.2")  # two experts of 14e9 numbers of 2 bytes, of 69 GB in all
    settings = wan.for_benchmark("culturevidbench")
    by = {
        way: plan.weights_on_gpu(wan.model_copy(update={"offload": way}), settings)
        for way in ("none", "model", "sequential")
    }
    assert by == {"none": 69, "model": 28, "sequential": plan.LEAST_GB}
    small = wan.model_copy(update={"size": wan.size.model_copy(update={"billions": 2.0})})
    assert plan.weights_on_gpu(small, settings) == 69 - 2 * 4  # the text encoder is the larger part
    assert plan.weights_on_gpu(described(), settings) is None


def test_weights_in_8_bits_take_half():
    ltx = catalogue.load().model("LTX-2").model_copy(update={"offload": "none"})
    settings = ltx.for_benchmark("culturescore")
    assert plan.weights_on_gpu(ltx, settings) == ltx.size.weights_gb - ltx.size.billions


def test_a_negative_prompt_of_its_own_is_shown():
    written = plan.text(plan.plan(jobs_for(described(negative_prompt="blurry"))))
    assert "negative prompt of Tiny wan: blurry" in written


def test_the_second_stage_counts_with_twice_the_size():
    ltx = catalogue.load().model("LTX-2")
    settings = ltx.for_benchmark("culturescore")
    alone = ltx.model_copy(update={"second_stage": None})
    assert plan.bytes_a_clip(ltx, settings) == 4 * plan.bytes_a_clip(alone, settings)
    assert plan.seconds_a_clip(ltx, settings) > plan.seconds_a_clip(alone, settings)
