import numpy as np
import pandas as pd
import pytest

from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.people.rules import mean_rating
from helpers.published import ASPECTS, AUDIO_ASPECTS, load
from helpers.simulate.culturevidbench import CULTURAL, culturevidbench_study, published_rates
from helpers.simulate.raters import Rater, cohort

SEMANTIC = ["subject_alignment", "action_alignment", "realism", "visual_quality"]


def described(study):
    """The ratings with what describes their clip, and the score from 0 to 1."""
    tables = study.tables
    clips = tables["videos"][["video_id", "prompt_id", "model", "audio"]].merge(
        tables["prompts"][["prompt_id", "country", "aspect", "matched_set", "text_cue"]], on="prompt_id"
    )
    share = (tables["ratings"]["score"].astype(float) - 1) / 4
    return tables["ratings"].assign(share=share).merge(clips, on="video_id")


@pytest.mark.parametrize(
    "shape", [{}, {"effects": {"Ethiopia": -0.8, "food": 0.5}, "difficulty": {"Malaysia": -1.0}}]
)
def test_true_rates_average_to_the_published_means_whatever_the_effects(shape):
    """CultureVidBench, Table 1, people's rows."""
    study = culturevidbench_study(seed=1, **shape)
    cells = study.truth["cells"].query("not matched")
    means = cells.groupby(["model", "criterion"])["rate"].mean()
    scores = load("culturevidbench_scores").query("evaluator == 'human'").dropna(subset="score")
    published = scores.set_index(["model", "criterion"])["score"].sort_index()
    assert len(published) == 7 * 8 - 3
    pd.testing.assert_series_equal(means, published, check_names=False, check_index_type=False, atol=1e-9)


def test_ratings_recover_the_published_means_within_chance():
    study = culturevidbench_study(seed=2, prompts_per_aspect=12, prompt_share=0, clip_share=0)
    found = described(study).groupby(["model", "criterion"])["share"].agg(["mean", "std", "count"])
    rates = published_rates().reindex(found.index)
    z = (found["mean"] - rates) / (found["std"] / np.sqrt(found["count"]))
    assert z.abs().max() < 4
    assert z.var() == pytest.approx(1, abs=4 * np.sqrt(2 / len(z)))


def test_a_cultural_effect_moves_the_cultural_criteria_of_its_country_down_and_no_semantic_one():
    plain, worse = (culturevidbench_study(seed=3, effects=effects) for effects in ({}, {"Ethiopia": -1.0}))
    truth = worse.truth["countries"].merge(
        plain.truth["countries"], on=["country", "criterion", "matched"], suffixes=("", "_plain")
    )
    moved = truth["rate"] - truth["rate_plain"]
    ethiopia, cultural = truth["country"].eq("Ethiopia"), truth["criterion"].isin(CULTURAL)
    assert (moved[ethiopia & cultural] < -0.1).all()
    assert moved[~cultural].abs().max() < 1e-9
    # The published mean is kept, so that the other countries rise a little.
    assert (moved[~ethiopia & cultural] > 0).all()
    before, after = described(plain), described(worse)
    changed = before["score"].fillna(0) != after["score"].fillna(0)
    assert set(before.loc[changed, "criterion"]) == set(CULTURAL)


def test_difficulty_moves_all_criteria_of_ordinary_prompts_and_none_of_matched_sets():
    study = culturevidbench_study(seed=4, difficulty={"Malaysia": -1.0}, effects={"Ethiopia": -1.0})
    wide = study.truth["countries"].pivot_table(
        index=["matched", "criterion"], columns="country", values="rate"
    )
    assert (wide.loc[False, "Malaysia"] < wide.loc[False, "Japan"] - 0.05).all()
    assert (wide.loc[True, "Malaysia"] - wide.loc[True, "Japan"]).abs().max() < 1e-9
    assert (wide.loc[True, "Ethiopia"] < wide.loc[True, "Japan"])[CULTURAL].all()
    assert (wide.loc[True, "Ethiopia"] - wide.loc[True, "Japan"])[SEMANTIC].abs().max() < 1e-9


def test_country_means_recover_gap_and_difficulty_within_chance():
    study = culturevidbench_study(
        seed=5,
        prompts_per_aspect=8,
        effects={"Ethiopia": -0.8},
        difficulty={"Malaysia": -0.8},
        text_share=1.0,
        prompt_share=0,
        clip_share=0,
    )
    found = described(study).groupby(["country", "criterion"])["share"].agg(["mean", "std", "count"])
    # Each country and criterion weighs the models alike, but silent ones have no sound.
    cells = study.truth["cells"].query("not matched")
    rates = cells.groupby(["country", "criterion"], observed=True)["rate"].mean()
    z = (found["mean"] - rates.reindex(found.index)) / (found["std"] / np.sqrt(found["count"]))
    assert z.abs().max() < 4.5


def test_the_prompts_of_a_matched_set_share_all_but_the_country():
    study = culturevidbench_study(seed=6, matched_sets=20)
    sets = study.tables["prompts"].dropna(subset="matched_set").groupby("matched_set")
    assert sets["country"].nunique().eq(12).all()
    assert sets["aspect"].nunique().eq(1).all()
    assert sets["text_cue"].nunique().eq(1).all()
    assert sets.ngroups == 20
    assert study.tables["prompts"]["matched_set"].dropna().size == 240


def test_matched_prompts_are_equally_hard():
    """Scores of one set go together over countries, those of ordinary prompts of an aspect do not."""
    study = culturevidbench_study(seed=7, prompts_per_aspect=8, matched_sets=112, prompt_share=0.6)
    found = described(study).query("criterion == 'visual_quality'")

    def correlation(rows, set_name):
        means = rows.pivot_table(index=set_name, columns="country", values="share")
        return means.corr().loc["Japan", "Brazil"]

    ordinary = found[found["matched_set"].isna()]
    ordinary = ordinary.assign(same=ordinary["prompt_id"].str.split("/").str[1:].str.join("/"))
    assert correlation(found.dropna(subset="matched_set"), "matched_set") > 0.5
    assert abs(correlation(ordinary, "same")) < 0.3


def test_sound_is_asked_about_where_it_is_expected_and_made_and_text_is_silent_where_none_shows():
    """CultureVidBench, 4.1 and Table 3."""
    found = described(culturevidbench_study(seed=8))
    sound = found[found["criterion"].eq("audio_alignment")]
    assert set(sound["aspect"]) == set(AUDIO_ASPECTS)
    assert set(sound["model"]) == {"LTX-2.3", "Kling 3.0", "Veo 3.1 Fast", "HappyHorse 1.0"}
    assert sound["score"].notna().all()
    text = found[found["criterion"].eq("text_rendering")]
    assert text["score"].notna().equals(text["text_cue"].astype(bool))
    assert text["text_cue"].mean() == pytest.approx(0.6, abs=0.2)
    assert text["status"].eq("ok").all()


@pytest.fixture(scope="module")
def human_study():
    """Three natives a country, as in CultureVidBench, 4.3."""
    native = Rater(rater_id="person", kind="human", native=True, reliability=0.8)
    people = cohort(CULTUREVIDBENCH_COUNTRIES, 3, native)
    return culturevidbench_study(seed=9, people=people, prompts_per_aspect=2, matched_sets=2)


def test_the_human_study_has_the_size_of_the_papers(human_study):
    """CultureVidBench, 4.3: 98 clips for each of three people a country, 168 prompts in all."""
    tables = human_study.tables
    shown = tables["assignments"].query("tier == 'rating'")
    assert shown.groupby("rater_id").size().eq(98).all()
    assert shown["prompt_id"].nunique() == 168
    people = tables["ratings"][tables["ratings"]["rater_id"].str.startswith("person")]
    assert people["rater_id"].nunique() == 36
    # The matched sets come on top: two sets of seven clips.
    assert people.groupby("rater_id")["video_id"].nunique().eq(98 + 14).all()
    assert mean_rating(people)["complete"].all()


def test_people_see_only_their_country(human_study):
    found = described(human_study)
    found = found.merge(human_study.tables["raters"], on="rater_id", suffixes=("", "_rater"))
    assert (found["country"] == found["country_rater"]).where(found["kind"].eq("human"), True).all()


def test_people_and_judge_agree_more_the_more_reliable_they_are():
    def agreement(reliability):
        judges = [Rater(rater_id=name, reliability=reliability) for name in "ab"]
        found = described(culturevidbench_study(seed=10, judges=judges)).query("model == 'Kling 3.0'")
        wide = found.pivot_table(index=["video_id", "criterion"], columns="rater_id", values="share")
        return wide.corr(method="spearman").loc["a", "b"]

    assert agreement(0.9) > agreement(0.5) > agreement(0.1)


def test_other_rates_make_another_generation_of_models():
    better = published_rates() + 0.1
    study = culturevidbench_study(seed=11, rates=better)
    means = study.truth["cells"].query("not matched").groupby(["model", "criterion"])["rate"].mean()
    assert (means - better.reindex(means.index)).abs().max() < 1e-9


def test_same_seed_same_study_and_another_seed_another():
    first, again, other = (culturevidbench_study(seed=seed, matched_sets=1) for seed in (12, 12, 13))
    for name, table in first.tables.items():
        pd.testing.assert_frame_equal(table, again.tables[name])
    assert not first.tables["ratings"].equals(other.tables["ratings"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"effects": {"Ethiopa": -1}}, "effects: .*did you mean 'Ethiopia'"),
        ({"effects": {"Germany": -1}}, "effects: nothing here is called 'Germany'"),
        ({"difficulty": {"weddings": -1}}, "difficulty: .*did you mean 'wedding'"),
        ({"judges": [Rater(rater_id="j", bias={"Wan 2.1": 1})]}, "bias of j: .*did you mean 'Wan 2.2'"),
        ({"clip_share": 0.9}, "expected numbers from 0 that sum to 1"),
        ({"people": [Rater(rater_id="p")]}, "p: found no country"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        culturevidbench_study(seed=1, **wrong)


def test_every_aspect_has_its_prompts():
    prompts = culturevidbench_study(seed=1, prompts_per_aspect=3).tables["prompts"]
    assert prompts.groupby(["country", "aspect"]).size().eq(3).all()
    assert len(prompts) == 12 * len(ASPECTS) * 3
