import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.people.assignment import TRIPLET_TIERS, culturescore_sheets, culturevidbench_sheets
from helpers.published import ASPECTS, DIMENSIONS

ANY_SEED = settings(max_examples=5)


@ANY_SEED
@given(seed=st.integers(0, 2**32 - 1))
def test_culturescore_sheets_are_those_of_the_paper(culturescore_study, seed):
    """CultureScore, 4.2 and B.3: five raters a country, nine triplets each, three tiers in fixed order."""
    prompts, questions, videos = culturescore_study
    sheets = culturescore_sheets(prompts, questions, videos, seed=seed)

    assert sheets.groupby("rater_id").ngroups == 2 * 5
    shown = sheets[sheets["tier"].ne("attention")].merge(videos[["video_id", "model"]], on="video_id")
    for _, sheet in shown.groupby("rater_id"):
        assert sheet["prompt_id"].nunique() == 9
        assert list(sheet["tier"].drop_duplicates()) == list(TRIPLET_TIERS)
        assert sheet.groupby(["step", "tier"])["model"].nunique().eq(3).all()
        # One order of the clips for the three tiers of a triplet.
        assert sheet.groupby(["step", "position"])["video_id"].nunique().eq(1).all()
        # Balanced: in nine triplets each model stands three times at each position, in each three once.
        places = sheet[sheet["tier"].eq("ranking")]
        assert places.groupby(["model", "position"]).size().eq(3).all()
        thirds = places.assign(third=(places["step"] - 1) // 3)
        assert thirds.groupby(["third", "model", "position"]).size().eq(1).all()
    asked = sheets.dropna(subset="question_id").drop_duplicates(["rater_id", "step"])
    asked = asked.merge(questions[["question_id", "dimension"]], on="question_id")
    assert asked.groupby(["rater_id", "dimension"]).size().eq(9 // len(DIMENSIONS)).all()
    assert sheets.loc[sheets["tier"].eq("ranking"), "question_id"].isna().all()


def test_the_raters_of_a_country_share_its_triplets_in_different_orders(culturescore_study):
    sheets = culturescore_sheets(*culturescore_study, seed=1)
    japan = sheets[sheets["rater_id"].str.startswith("Japan") & sheets["tier"].eq("accuracy")]
    pairs = japan.groupby("rater_id").apply(
        lambda sheet: frozenset(zip(sheet["prompt_id"], sheet["question_id"], strict=True))
    )
    assert len(set(pairs)) == 1
    assert japan.groupby("rater_id")["prompt_id"].agg(tuple).nunique() == 5


@ANY_SEED
@given(seed=st.integers(0, 2**32 - 1), checks=st.integers(0, 8))
def test_attention_checks_come_after_different_triplets_and_not_at_the_end(culturescore_study, seed, checks):
    sheets = culturescore_sheets(*culturescore_study, seed=seed, raters=2, attention_checks=checks)
    attention = sheets[sheets["tier"].eq("attention")]
    assert attention.groupby("rater_id").size().eq(checks).all()
    assert attention["step"].lt(9).all()
    assert attention[["prompt_id", "video_id", "question_id"]].isna().all(axis=None)


@ANY_SEED
@given(seed=st.integers(0, 2**32 - 1))
def test_culturevidbench_sheets_are_those_of_the_paper(culturevidbench_study, seed):
    """CultureVidBench, 4.3: a prompt an aspect, seven models, so 98 clips for each of three raters."""
    prompts, videos = culturevidbench_study
    sheets = culturevidbench_sheets(prompts, videos, seed=seed)

    shown = sheets[sheets["tier"].eq("rating")].merge(videos[["video_id", "model"]], on="video_id")
    assert shown.groupby("rater_id").size().to_dict() == {f"Ethiopia-{rater}": 98 for rater in (1, 2, 3)}
    assert len(set(shown.groupby("rater_id")["video_id"].agg(frozenset))) == 1
    aspects = shown.merge(prompts[["prompt_id", "aspect"]], on="prompt_id").drop_duplicates("prompt_id")
    assert sorted(aspects["aspect"]) == sorted(ASPECTS)
    # 14 prompts, 7 positions: each model stands twice at each.
    assert shown.groupby(["rater_id", "model", "position"]).size().eq(2).all()


def test_same_seed_same_sheets_and_another_seed_others(culturescore_study, culturevidbench_study):
    for build, study in (
        (culturescore_sheets, culturescore_study),
        (culturevidbench_sheets, culturevidbench_study),
    ):
        pd.testing.assert_frame_equal(build(*study, seed=3), build(*study, seed=3))
        assert not build(*study, seed=3).equals(build(*study, seed=4))


def test_a_prompt_without_a_usable_clip_of_every_model_is_never_shown(culturescore_study):
    prompts, questions, videos = culturescore_study
    videos = videos.copy()
    videos.loc[videos["video_id"].eq("Japan-0-Wan 2.2"), "status"] = "failed"
    sheets = culturescore_sheets(prompts, questions, videos, seed=2)
    assert "Japan-0-extended" not in set(sheets["prompt_id"])
    videos.loc[videos["video_id"].eq("Japan-1-Wan 2.2"), "status"] = "blocked"
    with pytest.raises(ValueError, match=r"Japan: found 8 prompts .* expected 9"):
        culturescore_sheets(prompts, questions, videos, seed=2)


def test_an_aspect_without_a_prompt_is_named(culturevidbench_study):
    prompts, videos = culturevidbench_study
    with pytest.raises(ValueError, match="Ethiopia: no prompt has clips by all 7 models for funeral"):
        culturevidbench_sheets(prompts[prompts["aspect"].ne("funeral")], videos, seed=1)


def test_two_variants_of_a_scenario_are_refused(culturescore_study):
    prompts, questions, videos = culturescore_study
    twice = pd.concat([prompts, prompts.assign(variant="base", prompt_id=prompts["prompt_id"] + "-base")])
    with pytest.raises(ValueError, match="found the scenario Japan-0 twice"):
        culturescore_sheets(twice, questions, videos, seed=1)


@pytest.mark.parametrize("wrong", [{"raters": 0}, {"triplets": 0}, {"attention_checks": 9}])
def test_numbers_that_cannot_be_are_refused(culturescore_study, wrong):
    with pytest.raises(ValueError, match="expected"):
        culturescore_sheets(*culturescore_study, seed=1, **wrong)
