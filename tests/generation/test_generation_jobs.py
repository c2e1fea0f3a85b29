from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from helpers.checking import DataError
from helpers.generation import catalogue
from helpers.generation.jobs import jobs_of, shard
from helpers.generation.journal import clip_path, slug
from helpers.generation.keep import temporary
from helpers.generation.selection import PromptChoice
from stand_in_models import described, jobs_for, prompts_table


@given(st.integers(0, 40), st.integers(1, 9))
def test_shards_share_no_clip_and_leave_none(number, of):
    jobs = list(range(number))
    parts = [shard(jobs, i, of) for i in range(1, of + 1)]
    assert sorted(job for part in parts for job in part) == jobs
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(("number", "of"), [(0, 2), (3, 2), (1, 0)])
def test_a_shard_that_there_is_none_of_is_refused(number, of):
    with pytest.raises(DataError, match=f"shard {number}/{of}: expected"):
        shard([], number, of)


def test_one_job_for_each_model_prompt_and_seed():
    jobs = jobs_for(described(name="A"), described(name="B"), number=2, seeds=(0, 7))
    assert [job.video_id for job in jobs] == [
        "a/p000/s0", "a/p000/s7", "a/p001/s0", "a/p001/s7",
        "b/p000/s0", "b/p000/s7", "b/p001/s0", "b/p001/s7",
    ]  # fmt: skip
    assert jobs[1].path == "videos/a/p000_s7.mp4"


def test_prompts_take_their_own_benchmarks_settings():
    wan = catalogue.load().model("Wan 2.2")
    mixed = pd.concat([prompts_table(1, "culturescore"), prompts_table(1).assign(prompt_id="q")])
    jobs = jobs_of([wan], mixed, [0], catalogue.load())
    assert [job.settings.call["num_frames"] for job in jobs] == [49, 81]


def test_what_cannot_be_made_or_told_apart_is_refused():
    everyone = catalogue.load()
    with pytest.raises(DataError, match="LTX-2 has no settings for culturevidbench"):
        jobs_of([everyone.model("LTX-2")], prompts_table(1), [0], everyone)
    with pytest.raises(DataError, match="models 'A b' and 'a-b' would both be kept as 'a-b'"):
        jobs_for(described(name="A b"), described(name="a-b"))
    with pytest.raises(DataError, match="two clips would be named 'a/p000/s0'"):
        jobs_for(described(name="a"), seeds=[0, 0])
    with pytest.raises(DataError, match="prompt_id 'a/b' cannot name a file"):
        jobs_of([described()], prompts_table(1).assign(prompt_id="a/b"), [0], everyone)


@pytest.mark.parametrize("name", ["..", "Wan 2.2", "HunyuanVideo-1.5", "模型", "a/b", "-"])
def test_a_models_folder_has_a_safe_name(name):
    assert slug(name).strip(".-")
    assert "/" not in slug(name)
    assert clip_path(name, "p", 0).count("/") == 2


PROMPTS = pd.DataFrame(
    {
        "prompt_id": ["a", "b", "c", "d"],
        "benchmark": ["culturescore"] * 2 + ["culturevidbench"] * 2,
        "country": ["India", "Japan", "India", "Japan"],
        "variant": ["base", "extended", "plain", "plain"],
    }
)


def test_prompts_are_chosen_by_what_they_are_about_and_then_counted():
    assert PromptChoice(country=["India"]).of(PROMPTS)["prompt_id"].tolist() == ["a", "c"]
    assert PromptChoice(variant=["plain"], first=1).of(PROMPTS)["prompt_id"].tolist() == ["c"]
    assert PromptChoice(ids=["d", "a"]).of(PROMPTS)["prompt_id"].tolist() == ["a", "d"]
    assert len(PromptChoice(first=9).of(PROMPTS)) == 4


def test_a_choice_that_fits_no_prompt_is_refused():
    with pytest.raises(DataError, match=r"prompts\.country: no prompt has 'Indai'; did you mean 'India'"):
        PromptChoice(country=["Indai"]).of(PROMPTS)
    with pytest.raises(DataError, match="no prompt of culturescore has 'plain'"):
        PromptChoice(benchmark=["culturescore"], variant=["plain"]).of(PROMPTS)


def test_letters_of_every_script_tell_models_apart():
    assert slug("可灵") != slug("即梦")
    assert slug("Wan 2.2") == slug("Wan_2.2") == "wan-2.2"


# Linux (limits.h, NAME_MAX): a file's name has at most 255 bytes.
@pytest.mark.parametrize(("prompt_id", "fits"), [("節" * 100, False), ("節" * 66, True), ("a" * 200, True)])
def test_a_clips_name_and_its_temporary_one_fit_the_file_system(tmp_path, prompt_id, fits):
    if not fits:
        with pytest.raises(DataError, match="too long to name a file"):
            jobs_of([described()], prompts_table(1).assign(prompt_id=prompt_id), [0], catalogue.load())
        return
    place = temporary(tmp_path / Path(clip_path("m", prompt_id, 2**63 - 1)).name)
    assert len(place.name.encode()) <= 255


@pytest.mark.parametrize(
    ("family", "call", "message"),
    [
        ("wan", {"height": "32"}, "height is '32'; expected a whole number"),
        ("wan", {"height": [32]}, r"height is \[32\]; expected a whole number"),
        ("wan", {"height": None}, "height is None; expected a whole number"),
        ("wan", {"guidance_scale": "high"}, "guidance_scale is 'high'; expected a finite number"),
        ("wan", {"guidance_scale": float("nan")}, "guidance_scale is nan; expected a finite number"),
        ("wan", {"num_inference_steps": True}, "num_inference_steps is True; expected a whole number"),
        ("ltx2", {"use_cross_timestep": 1}, "use_cross_timestep is 1; expected true or false"),
        ("ltx2", {"sigmas": [0.9, float("inf")]}, "expected finite numbers in a list"),
    ],
)
def test_arguments_of_the_wrong_type_are_refused(family, call, message):
    with pytest.raises(ValidationError, match=message):
        described(family, call=call)
