import time

import numpy as np
import pandas as pd
import pytest

from helpers.people.rules import apply_rules, majority_vote
from helpers.published import load
from helpers.simulate.culturescore import culturescore_study, published_scenarios
from helpers.simulate.raters import Rater, cohort

CELL = ["model", "variant", "country", "category", "dimension"]
PERSON = Rater(
    rater_id="person",
    kind="human",
    native=True,
    attention=True,
    sensitivity=0.9,
    specificity=0.85,
    reliability=0.7,
)


def by_cell(study, answers):
    """The answers with what describes their clip and question."""
    tables = study.tables
    clips = tables["videos"].merge(tables["prompts"], on="prompt_id")[["video_id", *CELL[:4]]]
    asked = tables["questions"][["question_id", "dimension", "scenario_id"]]
    return answers.merge(clips, on="video_id").merge(asked, on="question_id")


def test_the_scenarios_counted_from_percentages_are_as_many_as_the_paper_says():
    """CultureScore, 3.1: 981 scenarios; A.1: none in South Africa's family; 8,811 valid questions."""
    scenarios = published_scenarios()
    assert scenarios.sum() == pytest.approx(981, rel=0.01)
    assert 9 * scenarios.sum() == pytest.approx(8811, rel=0.01)
    assert len(scenarios) == 49
    assert ("South Africa", "family") not in scenarios.index


def test_the_true_rates_are_the_published_ones():
    study = culturescore_study(seed=1, scenarios=2)
    cells = load("culturescore_cells")
    found = study.truth["cells"].astype(dict.fromkeys(CELL, str)).merge(cells, on=CELL)
    assert len(found) == len(cells) == 882
    assert (found["rate"] - found["accuracy"] / 100).abs().max() < 1e-12
    assert found["n"].eq(2 * 3).all()


def test_answers_recover_the_published_rates_within_chance():
    """With independent answers, the 882 cells' z-scores are those of binomial counts."""
    study = culturescore_study(seed=2, scenarios=40, scenario_share=0, question_share=0)
    found = by_cell(study, study.tables["answers"])
    share = found.groupby(CELL)["answer"].mean().astype(float).rename("share").reset_index()
    cells = study.truth["cells"].astype(dict.fromkeys(CELL, str)).merge(share, on=CELL)
    certain = cells["rate"].isin([0, 1])
    assert (cells.loc[certain, "share"] == cells.loc[certain, "rate"]).all()
    cells = cells[~certain]
    z = (cells["share"] - cells["rate"]) / np.sqrt(cells["rate"] * (1 - cells["rate"]) / cells["n"])
    assert z.abs().max() < 4.5
    assert z.mean() == pytest.approx(0, abs=4 / np.sqrt(len(z)))
    assert z.var() == pytest.approx(1, abs=4 * np.sqrt(2 / len(z)))


def test_a_judge_of_known_faults_is_seen_through():
    """Rogan and Gladen (1978): rate = (observed + specificity − 1)/(sensitivity + specificity − 1)."""
    judge = Rater(rater_id="judge", sensitivity=0.8, specificity=0.7)
    study = culturescore_study(seed=3, judges=[judge])
    observed = study.tables["answers"]["answer"].mean()
    corrected = (observed + 0.7 - 1) / (0.8 + 0.7 - 1)
    assert corrected == pytest.approx(study.truth["answers"]["answer"].mean(), abs=0.02)


def test_clusters_widen_the_spread_and_leave_the_mean():
    def scenario_means(scenario_share):
        study = culturescore_study(
            seed=4, scenarios=60, scenario_share=scenario_share, question_share=0, effects={}
        )
        found = by_cell(study, study.tables["answers"])
        found = found[found["country"].eq("Japan") & found["category"].eq("greetings")]
        found = found[found["model"].eq("Wan 2.2") & found["variant"].eq("base")]
        return found.groupby("scenario_id")["answer"].mean().astype(float)

    independent, clustered = scenario_means(0), scenario_means(0.4)
    assert clustered.var() > 1.5 * independent.var()
    assert clustered.mean() == pytest.approx(independent.mean(), abs=0.12)


def test_questions_are_as_hard_for_one_model_as_for_another():
    def between_models(question_share):
        study = culturescore_study(seed=5, scenario_share=0, question_share=question_share)
        found = by_cell(study, study.tables["answers"])
        found = found[found["variant"].eq("extended")].assign(
            answer=lambda rows: rows["answer"].astype(float)
        )
        wide = found.pivot_table(index="question_id", columns="model", values="answer")
        return wide.corr().loc["LTX-2", "Wan 2.2"]

    # Cells alone make questions differ; a shared question adds to it.
    assert between_models(0.6) > between_models(0) + 0.2


def test_an_effect_moves_only_what_bears_its_name():
    plain = culturescore_study(seed=6, scenarios=5)
    worse = culturescore_study(seed=6, scenarios=5, effects={"Iran": -1.0})
    before, after = (by_cell(study, study.tables["answers"]) for study in (plain, worse))
    changed = before["answer"] != after["answer"]
    assert before["video_id"].equals(after["video_id"])
    assert set(before.loc[changed, "country"]) == {"Iran"}
    assert (after["answer"] <= before["answer"]).all()
    for name in ("prompts", "questions", "videos", "raters"):
        assert plain.tables[name].equals(worse.tables[name])


def test_same_seed_same_study_and_another_seed_another():
    people = cohort(["Japan", "Chile"], 2, PERSON)
    first, again, other = (culturescore_study(seed=seed, scenarios=3, people=people) for seed in (7, 7, 8))
    for name, table in first.tables.items():
        pd.testing.assert_frame_equal(table, again.tables[name])
    for name, frame in first.truth.items():
        pd.testing.assert_frame_equal(frame, again.truth[name])
    assert not first.tables["answers"].equals(other.tables["answers"])


def test_people_do_not_disturb_the_judge():
    alone = culturescore_study(seed=9, scenarios=5)
    together = culturescore_study(seed=9, scenarios=5, people=cohort(["Japan"], 2, PERSON))
    judged = together.tables["answers"]["rater_id"].eq("simulated-judge")
    assert together.tables["answers"][judged].reset_index(drop=True).equals(alone.tables["answers"])


@pytest.fixture(scope="module")
def human_study():
    """Nine countries with five natives each, as in CultureScore, 4.2."""
    countries = sorted(set(load("culturescore_cells")["country"]) - {"Iran"})
    return culturescore_study(seed=10, scenarios=8, people=cohort(countries, 5, PERSON))


def test_the_human_study_has_the_size_of_the_papers(human_study):
    """CultureScore, 4.2: 45 people, nine triplets each."""
    tables = human_study.tables
    assert len(tables["relevance"]) == 45 * 9
    assert len(tables["rankings"]) == 45 * 9 * 3
    people = tables["answers"][tables["answers"]["rater_id"].str.startswith("person")]
    assert len(people) == 45 * 9 * 3
    ranks = tables["rankings"].groupby(["rater_id", "prompt_id"])["rank"].agg(lambda rank: sorted(rank))
    assert ranks.map(lambda rank: rank == [1, 2, 3]).all()
    clips = tables["videos"].merge(tables["prompts"], on="prompt_id")
    shown = clips[clips["video_id"].isin(tables["assignments"]["video_id"].dropna())]
    assert set(shown["variant"]) == {"extended"}


def test_people_of_known_faults_answer_as_their_dials_say(human_study):
    people = human_study.tables["answers"].query("rater_id.str.startswith('person')")
    both = people.merge(human_study.truth["answers"], on=["video_id", "question_id"], suffixes=("", "_true"))
    right = both.groupby("answer_true")["answer"].mean().astype(float)
    n = both["answer_true"].value_counts()
    assert right[True] == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / n[True]))
    assert right[False] == pytest.approx(0.15, abs=4 * np.sqrt(0.1275 / n[False]))


def test_a_majority_of_five_is_right_more_often_than_one(human_study):
    """Condorcet's jury theorem (1785)."""
    people = human_study.tables["answers"].query("rater_id.str.startswith('person')")
    truth = human_study.truth["answers"]
    votes = majority_vote(people).merge(truth, on=["video_id", "question_id"], suffixes=("", "_true"))
    alone = people.merge(truth, on=["video_id", "question_id"], suffixes=("", "_true"))
    of_five = (votes["answer"] == votes["answer_true"]).mean()
    of_one = (alone["answer"] == alone["answer_true"]).mean()
    assert of_five > of_one + 0.03


def test_better_clips_are_ranked_higher(human_study):
    clips = human_study.tables["videos"][["video_id", "prompt_id", "model"]]
    quality = clips.merge(human_study.truth["videos"], on="video_id")
    ranked = human_study.tables["rankings"].merge(quality, on=["prompt_id", "model"])
    means = ranked.groupby("rank")["quality"].mean()
    assert means[1] > means[2] > means[3]


def test_the_papers_rules_apply_to_a_simulated_study(human_study):
    kept, excluded = apply_rules(human_study.tables)
    truth = human_study.truth["questions"].set_index("question_id")["relevant"]
    out = set(human_study.tables["questions"]["question_id"]) - set(kept["questions"]["question_id"])
    assert out
    assert truth.loc[sorted(out)].mean() < 0.2
    assert set(excluded["reason"]) == {"a majority calls the question irrelevant"}


def test_people_need_a_country_and_enough_scenarios():
    with pytest.raises(ValueError, match="person: found no country"):
        culturescore_study(seed=1, scenarios=3, people=[PERSON])
    with pytest.raises(ValueError, match="Japan: found 5 prompts"):
        culturescore_study(seed=1, scenarios=1, people=cohort(["Japan"], 1, PERSON))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"effects": {"Irán": 1.0}}, "effects: nothing here is called 'Irán'; did you mean 'Iran'"),
        ({"judges": [Rater(rater_id="j", bias={"behaviour": 1.0})]}, "bias of j: .*did you mean 'behavior'"),
        ({"scenario_share": 0.8}, "expected numbers from 0 that sum to 1"),
        ({"judges": []}, "raters: found none"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        culturescore_study(seed=1, scenarios=1, **wrong)


@pytest.mark.slow
def test_a_million_answers_take_seconds():
    start = time.perf_counter()
    study = culturescore_study(seed=1, judges=[Rater(rater_id=f"judge-{number}") for number in range(19)])
    assert len(study.tables["answers"]) > 1_000_000
    assert time.perf_counter() - start < 20
