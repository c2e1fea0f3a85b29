import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.checking import DataError
from helpers.generation import catalogue
from helpers.generation.jobs import jobs_of, shard
from helpers.generation.journal import clip_path, slug
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
    with pytest.raises(DataError, match="two clips would be named 'a-b/p000/s0'"):
        jobs_for(described(name="A b"), described(name="a-b"))
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
    with pytest.raises(DataError, match="none fits"):
        PromptChoice(benchmark=["culturescore"], variant=["plain"]).of(PROMPTS)
