from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.published import CRITERIA
from helpers.simulate.latent import stream
from helpers.simulate.raters import Rater, check_names, cohort, rater_tables

N = 40_000
TRUTH = stream(5, "truth").random(N) < 0.4
ABOUT = pd.DataFrame(
    {
        "country": np.resize(["Japan", "Chile"], N),
        "model": np.resize(["LTX-2", "LTX-2", "Wan 2.2"], N),
        "criterion": np.resize(list(CRITERIA), N),
    }
)
RATE = np.full(N, 0.6)
CLIP = stream(5, "clip").standard_normal(N)
APPLIES = stream(5, "applies").random(N) < 0.7
PERFECT = Rater(rater_id="r")
HUMAN = Rater(rater_id="r", sensitivity=0.8, specificity=0.7, reliability=0.6)


def answers(rater, seed=1):
    return rater.answers(TRUTH, ABOUT, seed)


def scores(rater, seed=1):
    return rater.scores(RATE, CLIP, ABOUT, APPLIES, seed)


def close(share, expected, n):
    return abs(share - expected) < 4.5 * np.sqrt(expected * (1 - expected) / n)


def test_a_rater_without_faults_tells_the_truth():
    assert (answers(PERFECT)["answer"] == TRUTH).all()
    assert answers(PERFECT)["status"].eq("ok").all()
    pd.testing.assert_frame_equal(scores(PERFECT), scores(replace(PERFECT, rater_id="another")))


def test_sensitivity_and_specificity_are_what_they_are_called():
    said = answers(HUMAN)["answer"].to_numpy(bool)
    assert close(said[TRUTH].mean(), 0.8, TRUTH.sum())
    assert close(said[~TRUTH].mean(), 0.3, (~TRUTH).sum())


@pytest.mark.parametrize(
    ("dial", "touched"),
    [("sensitivity", TRUTH), ("specificity", ~TRUTH)],
)
def test_each_moves_only_the_answers_of_its_own_truth(dial, touched):
    before, after = answers(HUMAN)["answer"], answers(replace(HUMAN, **{dial: 0.95}))["answer"]
    changed = (before != after).to_numpy(bool)
    assert changed[touched].any()
    assert not changed[~touched].any()


def test_leniency_adds_log_odds_to_answers():
    said = answers(replace(HUMAN, leniency=0.5))["answer"].to_numpy(bool)
    assert close(said[TRUTH].mean(), expit(logit(0.8) + 0.5), TRUTH.sum())
    assert close(said[~TRUTH].mean(), expit(logit(0.3) + 0.5), (~TRUTH).sum())


@pytest.mark.parametrize("leniency", [0.0, 0.01, 0.5, 3.0])
def test_leniency_only_raises(leniency):
    lenient = replace(HUMAN, leniency=leniency)
    assert (scores(lenient)["score"].dropna() >= scores(HUMAN)["score"].dropna()).all()
    assert (answers(lenient)["answer"] >= answers(HUMAN)["answer"]).all()


def test_grades_have_the_rate_that_log_odds_move():
    plain, lenient = (scores(replace(HUMAN, leniency=size))["score"].astype(float) for size in (0, 0.5))
    assert (plain.mean() - 1) / 4 == pytest.approx(0.6, abs=0.01)
    assert (lenient.mean() - 1) / 4 == pytest.approx(expit(logit(0.6) + 0.5), abs=0.01)


@pytest.mark.parametrize("name", ["Japan", "Wan 2.2", "realism"])
def test_a_bias_moves_only_what_bears_its_name(name):
    biased = scores(replace(HUMAN, bias={name: -1.0}))["score"]
    changed = (biased != scores(HUMAN)["score"]).fillna(False).to_numpy(bool)
    named = ABOUT.eq(name).any(axis=1).to_numpy()
    assert changed[named].any()
    assert not changed[~named].any()
    if name != "realism":
        moved = (answers(replace(HUMAN, bias={name: -1.0}))["answer"] != answers(HUMAN)["answer"]).to_numpy(
            bool
        )
        assert moved[named].any()
        assert not moved[~named].any()


def test_who_is_blinded_cannot_be_biased_for_a_country_but_for_a_model():
    blinded = replace(HUMAN, blinded=True)
    pd.testing.assert_frame_equal(scores(replace(blinded, bias={"Japan": 2.0})), scores(blinded))
    assert not scores(replace(blinded, bias={"LTX-2": 2.0})).equals(scores(blinded))


def test_missing_takes_answers_away_and_changes_none():
    for ask, name in ((answers, "answer"), (scores, "score")):
        full, gaps = ask(HUMAN), ask(replace(HUMAN, missing=0.2))
        missing = gaps["status"].eq("missing")
        assert close(missing.mean(), 0.2, N)
        assert gaps.loc[missing, name].isna().all()
        assert gaps.loc[~missing].equals(full.loc[~missing])


def test_not_applicable_is_said_where_nothing_shows_and_by_the_dial_elsewhere():
    said = scores(replace(HUMAN, not_applicable=0.25))
    silent = said["score"].isna() & said["status"].eq("ok")
    allowed = ABOUT["criterion"].isin(["text_rendering", "audio_alignment"])
    assert not silent[~allowed].any()
    assert silent[allowed & ~APPLIES].all()
    assert close(silent[allowed & APPLIES].mean(), 0.25, (allowed & APPLIES).sum())
    honest = scores(HUMAN)
    assert said.loc[~silent, "score"].equals(honest.loc[~silent, "score"])


def test_reliability_is_what_two_raters_share():
    def agreement(reliability):
        pair = [scores(replace(HUMAN, rater_id=name, reliability=reliability))["score"] for name in "ab"]
        return pd.concat(pair, axis=1).dropna().astype(float).corr().iloc[0, 1]

    assert agreement(1.0) == pytest.approx(1)
    assert abs(agreement(0.0)) < 0.03
    assert 0.03 < agreement(0.4) < agreement(0.8) < 1


def test_a_reliable_rater_ranks_by_quality():
    quality = stream(5, "quality").standard_normal(N)
    about = ABOUT[["model"]]
    assert (PERFECT.ranks(quality, about, 1) == quality).all()
    correlation = np.corrcoef(replace(PERFECT, reliability=0.25).ranks(quality, about, 1), quality)[0, 1]
    assert correlation == pytest.approx(0.5, abs=0.02)


def test_draws_repeat_by_seed_and_differ_by_rater():
    assert answers(HUMAN).equals(answers(HUMAN))
    assert not answers(HUMAN).equals(answers(HUMAN, seed=2))
    assert not answers(HUMAN).equals(answers(replace(HUMAN, rater_id="another")))
    assert not answers(HUMAN).equals(HUMAN.answers(TRUTH, ABOUT, 1, "relevance"))


@pytest.mark.parametrize("dial", ["sensitivity", "specificity", "reliability", "missing", "not_applicable"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_dials_outside_nought_to_one_are_refused(dial, value):
    with pytest.raises(ValueError, match=f"r: {dial} is .* expected a number from 0 to 1"):
        Rater(rater_id="r", **{dial: value})


def test_a_cohort_has_the_same_dials_and_names_of_its_own():
    people = cohort(["Japan", "South Africa"], 3, replace(HUMAN, kind="human", native=True))
    assert [person.rater_id for person in people][:4] == [
        "r-Japan-1",
        "r-Japan-2",
        "r-Japan-3",
        "r-South Africa-1",
    ]
    assert {person.sensitivity for person in people} == {0.8}
    table, dials = rater_tables(people)
    assert table["native"].all()
    assert list(dials["country"]) == ["Japan"] * 3 + ["South Africa"] * 3


def test_raters_of_one_name_or_none_at_all_are_refused():
    with pytest.raises(ValueError, match="used by an earlier row"):
        rater_tables([HUMAN, HUMAN])
    with pytest.raises(ValueError, match="raters: found none"):
        rater_tables([])


def test_names_that_nothing_bears_are_refused():
    with pytest.raises(ValueError, match="effects: nothing here is called 'Japn'; did you mean 'Japan'"):
        check_names({"Japn": 1.0}, ["Japan"], "effects")
