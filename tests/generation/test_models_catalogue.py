import pytest
from pydantic import ValidationError

from helpers import published
from helpers.checking import DataError
from helpers.configuration import read_yaml
from helpers.generation import catalogue
from helpers.generation.families import FAMILIES, passes
from helpers.paths import DATA
from stand_in_models import CALLS, described


def test_the_catalogue_holds_every_model_of_every_paper():
    found = {model.name for model in (*catalogue.load().models, *catalogue.load().hosted)}
    assert found >= {name for names in published.MODELS.values() for name in names}


def test_sizes_frames_sound_and_durations_are_those_of_culturevidbench_table_3():
    printed = published.load("culturevidbench_generation")
    assert len(printed) == 7
    for row in printed.itertuples():
        expected = catalogue.expected(row.model, "culturevidbench")
        assert (expected.width, expected.height, expected.frames) == (row.width, row.height, row.frames)
        assert expected.audio == (row.audio == "yes")
        assert round(expected.seconds) == row.duration


def test_wan_has_the_settings_of_culturescore_appendix_d1():
    wan = catalogue.load().model("Wan 2.2").for_benchmark("culturescore")
    # D.1: 1280 x 720, 49 frames, 20 steps, "5-second clips".
    stated = {"height": 720, "width": 1280, "num_frames": 49, "num_inference_steps": 20}
    assert stated.items() <= wan.call.items()
    assert stated.items() <= wan.said.items()
    assert wan.call["num_frames"] / wan.fps == pytest.approx(5)
    assert {"guidance_scale", "fps", "negative_prompt", "seed"} <= set(wan.unsaid)


def test_sora_is_expected_portrait_and_of_four_seconds_as_in_gap_section_4():
    sora = catalogue.expected("Sora 2", "landmarks")
    assert (sora.orientation, sora.seconds) == ("portrait", 4)
    assert {"width", "height", "audio"} <= set(sora.unsaid)
    assert sora.audio is None
    assert catalogue.expected("Sora 2", "culturescore") is None


@pytest.mark.parametrize("model", catalogue.load().models, ids=lambda model: model.name)
def test_landmarks_are_shown_upright_for_four_seconds(model):
    expected = catalogue.expected(model.name, "landmarks")
    if expected is not None:
        assert expected.orientation == "portrait"
        assert round(expected.seconds) == 4


def test_the_negative_prompt_is_one_for_all_and_says_nothing_about_people():
    loaded = catalogue.load()
    assert [model.name for model in loaded.models if model.negative_prompt is not None] == []
    assert loaded.negative_prompt == ""


def test_cosmos_cannot_be_without_a_guardrail_nor_others_with_one():
    with pytest.raises(ValidationError, match="guardrail belongs to the family cosmos"):
        described("cosmos", guardrail=None)
    with pytest.raises(ValidationError, match="guardrail belongs to the family cosmos"):
        described("wan", guardrail="publisher")


def test_a_second_stage_is_ltx2s_alone():
    with pytest.raises(ValidationError, match="second stage belongs to the family ltx2"):
        described("wan", second_stage={"upsampler": {"id": "x"}, "sigmas": [0.9]})


@pytest.mark.parametrize("family", CALLS)
@pytest.mark.parametrize("absent", ["guidance_scale", "num_inference_steps", "height"])
def test_every_argument_has_to_be_given(family, absent):
    settings = described(family).settings[0].model_dump()
    del settings["call"][absent]
    with pytest.raises(ValidationError, match=f"lacks '{absent}'"):
        described(family, settings=[settings])


REFUSED = {
    "a misspelt argument": ("wan", {"hight": 16}, "takes no 'hight'; did you mean 'height'"),
    "a side of another multiple": ("ltx2", {"width": 720}, "width is 720; ltx2 takes multiples of 32"),
    "frames that would be rounded": ("wan", {"num_frames": 10}, "a multiple of 4 plus one, such as 9 or 13"),
    "no steps": ("cogvideox", {"num_inference_steps": 0}, "expected at least 1"),
    # diffusers reads `audio_stg_scale or stg_scale`.
    "a zero that diffusers replaces": ("ltx2", {"stg_scale": 1.0}, "would use 1.0 for the sound too"),
    "rewritten prompts": ("ltx2", {"enable_prompt_enhancement": True}, "rewrites the prompts"),
    "a rate that differs from the clip's": ("ltx2", {"frame_rate": 25.0}, "the sound would drift"),
}  # fmt: skip


@pytest.mark.parametrize(("family", "call", "message"), REFUSED.values(), ids=REFUSED)
def test_a_call_that_would_not_do_what_it_says_is_refused(family, call, message):
    with pytest.raises(ValidationError, match=message):
        described(family, call=call)


def test_what_a_paper_says_and_leaves_unsaid_covers_the_call_exactly():
    call = CALLS["wan"]
    both = {"benchmark": "culturescore", "call": call, "fps": 16, "said": {}, "unsaid": [*call]}
    assert catalogue.Settings.model_validate(both).unsaid == [*call]
    for changed in ({"unsaid": [*call][1:]}, {"said": {"height": 16}}):
        with pytest.raises(ValidationError, match="'height' must stand in either said or unsaid"):
            catalogue.Settings.model_validate(both | changed)
    with pytest.raises(ValidationError, match="'hight', which nothing sets; did you mean 'height'"):
        catalogue.Settings.model_validate(both | {"unsaid": [*call, "hight"]})


def test_a_misspelt_key_is_named_with_its_line_and_the_nearest(tmp_path):
    path = tmp_path / "models.yaml"
    content = (DATA / "models.yaml").read_text(encoding="utf-8")
    path.write_text(content.replace("    tiling: true\n", "    tilling: true\n", 1), encoding="utf-8")
    line = content[: content.index("    tiling: true")].count("\n") + 1
    with pytest.raises(DataError, match=rf"line {line}: .*tilling'; did you mean 'tiling'"):
        read_yaml(path, catalogue.Catalogue, what="the catalogue of models")


def test_unknown_and_hosted_models_are_told_apart():
    loaded = catalogue.load()
    with pytest.raises(ValueError, match=r"no model 'Wan 2\.1'; did you mean 'Wan 2\.2'"):
        loaded.model("Wan 2.1")
    with pytest.raises(ValueError, match="'Sora 2' runs behind a service"):
        loaded.model("Sora 2")
    with pytest.raises(ValueError, match="has no settings for landmarks, only for culturescore"):
        loaded.model("LTX-2").for_benchmark("landmarks")


@pytest.mark.parametrize("family", FAMILIES)
def test_families_name_arguments_that_their_pipelines_take(family):
    import inspect

    import diffusers

    rules = FAMILIES[family]
    taken = inspect.signature(getattr(diffusers, rules.pipeline).__call__).parameters
    named = {*CALLS[family], *rules.required, *rules.allowed}
    assert named - set(taken) == ({"guidance_scale"} if family == "hunyuan15" else set())


def test_passes_of_ltx2_are_the_calls_counted_on_a_random_checkpoint():
    # Two steps made 6 calls with the library's defaults, of which those with text are done twice at once.
    defaults = {"guidance_scale": 3.0, "stg_scale": 1.0, "modality_scale": 3.0,
                "audio_guidance_scale": 7.0, "audio_stg_scale": 1.0, "audio_modality_scale": 3.0}  # fmt: skip
    assert passes("ltx2", defaults) == 4
    off = {name: 0.0 if "stg" in name else 1.0 for name in defaults}
    assert passes("ltx2", off) == 1
    assert passes("wan", {"guidance_scale": 1.0, "guidance_scale_2": 1.0}) == 1
    assert passes("wan", {"guidance_scale": 4.0, "guidance_scale_2": 1.0}) == 2
