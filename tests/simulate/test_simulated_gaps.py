import numpy as np
import pandas as pd
import pytest

from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.published import ASPECTS
from helpers.simulate.culturevidbench import CULTURAL
from helpers.simulate.gaps import FAITHFULNESS, gap_study

RITUALS = {aspect: -0.5 for aspect, kind in ASPECTS.items() if kind == "ritual"}


@pytest.fixture(scope="module")
def plain():
    return gap_study(seed=1, matched_sets=2)


def changed(plain, **dials):
    """The ratings that a dial changes, with what describes them."""
    study = gap_study(seed=1, matched_sets=2, **dials)
    tables = study.tables
    before, after = plain.tables["ratings"], tables["ratings"]
    keys = ["video_id", "criterion", "rater_id"]
    assert before[keys].equals(after[keys])
    moved = after[before["score"].fillna(0).ne(after["score"].fillna(0))]
    clips = tables["videos"].merge(tables["prompts"], on="prompt_id")[["video_id", "country", "matched_set"]]
    return moved.merge(clips, on="video_id").merge(tables["raters"][["rater_id", "kind"]], on="rater_id")


@pytest.mark.parametrize(
    ("dials", "kinds", "criteria"),
    [
        ({"gap": {"Ethiopia": -1}}, {"human", "judge"}, CULTURAL),
        ({"leniency": {"Ethiopia": 1}}, {"human"}, None),
        ({"cultural_leniency": {"Ethiopia": -1}}, {"human"}, FAITHFULNESS),
        ({"judge_leniency": {"Ethiopia": -1}}, {"judge"}, None),
        ({"difficulty": {"Ethiopia": -1}}, {"human", "judge"}, None),
    ],
)
def test_each_dial_acts_where_it_says(plain, dials, kinds, criteria):
    moved = changed(plain, **dials)
    here = moved[moved["country"].eq("Ethiopia")]
    assert set(here["kind"]) == kinds
    assert set(here["criterion"]) == set(criteria or plain.tables["ratings"]["criterion"])
    assert here["matched_set"].notna().any()
    # A gap or hard prompts keep the published means, so that other clips rise a little.
    if not {"gap", "difficulty"} & set(dials):
        assert set(moved["country"]) == {"Ethiopia"}


def test_only_a_gap_is_a_gap(plain):
    threats = {
        "uneven": ["Japan"],
        "difficulty": {"Malaysia": -0.8, **RITUALS},
        "leniency": {"Russia": 0.8},
        "cultural_leniency": {"Italy": -0.8},
        "judge_leniency": {"Brazil": -0.8},
    }
    truth = gap_study(seed=1, matched_sets=2, gap={"Ethiopia": -0.8}, **threats).truth["gaps"]
    gaps = truth.set_index("country")
    assert gaps["gap"].sum() == pytest.approx(0, abs=1e-12)
    assert gaps.loc["Ethiopia", "gap"] < -0.1
    assert np.ptp(gaps["gap"].drop("Ethiopia")) < 1e-9
    # Hard prompts cost both scores about as much.
    assert gaps.loc["Ethiopia", "difference"] < -0.1
    assert np.ptp(gaps["difference"].drop("Ethiopia")) < 0.01
    assert plain.truth["gaps"]["gap"].abs().max() < 1e-12


def test_the_truth_of_a_gap_is_the_mean_rate_of_the_cells():
    truth = gap_study(seed=1, matched_sets=2, gap={"Ethiopia": -0.8}).truth
    cells = truth["cells"].query("matched")
    rates = cells[cells["criterion"].isin(FAITHFULNESS)].groupby("country", observed=True)["rate"].mean()
    gaps = truth["gaps"].set_index("country")["gap"]
    pd.testing.assert_series_equal(gaps, (rates - rates.mean()).reindex(gaps.index), check_names=False)


def test_an_uneven_country_has_more_of_the_hard_aspects_and_others_two_of_each():
    study = gap_study(seed=1, matched_sets=2, uneven=["Japan"], difficulty={"Malaysia": -1, **RITUALS})
    prompts = study.tables["prompts"]
    assert prompts["matched_set"].count() == 2 * 12
    ordinary = prompts[prompts["matched_set"].isna()]
    counts = pd.crosstab(ordinary["country"], ordinary["aspect"])
    hard = counts.columns.isin(list(RITUALS))
    assert counts.loc["Japan", hard].eq(3).all()
    assert counts.loc["Japan", ~hard].eq(1).all()
    assert counts.drop("Japan").eq(2).all(axis=None)


def test_every_table_holds_the_same_clips(plain):
    tables = plain.tables
    assert set(tables["videos"]["prompt_id"]) == set(tables["prompts"]["prompt_id"])
    assert set(tables["ratings"]["video_id"]) == set(tables["videos"]["video_id"])
    by_kind = tables["ratings"].merge(tables["raters"], on="rater_id")
    raters = by_kind.groupby(["kind", "video_id"])["rater_id"].nunique()
    assert raters["judge"].eq(1).all()
    assert raters["human"].eq(3).all()


def test_people_differ_in_leniency_by_the_spread():
    truth = gap_study(seed=2, matched_sets=1, raters=20, spread=0.5).truth["raters"]
    people = truth[truth["kind"].eq("human")]
    assert len(people) == 20 * len(CULTUREVIDBENCH_COUNTRIES)
    assert people["leniency"].std() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(2 * len(people)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"uneven": ["Germany"]}, "uneven: nothing here is called 'Germany'"),
        ({"leniency": {"Ethiopa": 1}}, "leniency: .*did you mean 'Ethiopia'"),
        ({"cultural_leniency": {"food": 1}}, "cultural_leniency: nothing here is called 'food'"),
        ({"judge_leniency": {"Wan 2.2": 1}}, "judge_leniency: nothing here is called 'Wan 2.2'"),
        ({"difficulty": {"weddings": 1}}, "difficulty: .*did you mean 'wedding'"),
    ],
)
def test_unknown_names_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        gap_study(seed=1, **wrong)
