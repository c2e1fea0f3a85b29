"""CultureScore from answers: the paper's own printed numbers, hand counts, and a slow plain reading."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import published
from helpers.evidence.questions import country_percentages, question_counts
from helpers.people.rules import apply_rules
from helpers.scores.culturescore import agreement_with_people, asked_questions, culturescore
from helpers.scores.outcomes import OUTCOMES
from helpers.scores.variants import gains
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.raters import Rater, cohort
from scores.small_studies import DIMENSIONS, questions_study, value

CELL = ["country", "category", "dimension"]


@pytest.fixture(scope="module")
def printed_study():
    """Answers that print as Tables 11 to 14: as many questions a cell as its four percentages leave."""
    cells, countries = published.load("culturescore_cells"), published.load("culturescore_countries")
    full = cells[cells["model"].ne("Veo 3.1 Fast")]
    anchor = country_percentages(countries).query("model == 'LTX-2' and dimension != 'overall'")
    counts = question_counts(full, anchor)
    counted = full.merge(counts[[*CELL, "n"]], on=CELL).astype({"n": int})
    rows = counted.loc[counted.index.repeat(counted["n"])].reset_index(drop=True)
    number = rows.groupby(["model", "variant", *CELL]).cumcount()
    scenario = rows["country"] + "/" + rows["category"]
    rows = rows.assign(
        scenario_id=scenario,
        question_id=scenario + "/" + rows["dimension"] + "/" + number.astype(str),
        prompt_id=scenario + "/" + rows["variant"],
        video_id=scenario + "/" + rows["variant"] + "/" + rows["model"],
        answer=number.lt((rows["accuracy"] * rows["n"] / 100).round()).astype("boolean"),
        explicit=pd.array([pd.NA] * len(rows), dtype="boolean"),
    )
    return {
        "prompts": rows.drop_duplicates("prompt_id").assign(benchmark="culturescore"),
        "videos": rows.drop_duplicates("video_id").assign(status="ok"),
        "questions": rows.drop_duplicates("question_id").assign(
            verified=True, weight=np.nan, asked_from="extended"
        ),
        "raters": pd.DataFrame({"rater_id": ["judge"], "kind": ["judge"]}),
        "answers": rows[["video_id", "question_id", "answer"]].assign(rater_id="judge", status="ok"),
    }


def test_country_scores_are_those_of_table_9(printed_study):
    """Its Overall column, which was not used to find the counts, pools all questions of a country."""
    cases = asked_questions(printed_study)
    found = culturescore(cases, ["model", "variant", "country"]).table
    found["dimension"] = found["score"].replace("pooled", "overall")
    printed = country_percentages(published.load("culturescore_countries")).query("model == 'LTX-2'")
    both = found.merge(printed, on=["model", "variant", "country", "dimension"])
    assert len(both) == 2 * 10 * 4
    assert (100 * both["estimate"] - both["accuracy"]).abs().max() < 0.05 + 1e-9


def test_dimensions_are_the_bottom_rows_of_tables_11_to_14(printed_study):
    found = culturescore(asked_questions(printed_study)).table.rename(columns={"score": "dimension"})
    both = found.merge(published.load("culturescore_overall_rows"), on=["model", "variant", "dimension"])
    assert len(both) == 12
    assert (100 * both["estimate"] - both["accuracy"]).abs().max() < 0.05 + 1e-9


def test_the_macro_mean_is_the_score_of_section_4_1(printed_study):
    """Section 4.1, extended prompts: Wan 2.2 56.8 %, LTX-2 51.4 %, means of three rounded dimensions."""
    scores = culturescore(asked_questions(printed_study))
    for model, percent in {"Wan 2.2": 56.8, "LTX-2": 51.4}.items():
        run = {"model": model, "variant": "extended"}
        assert 100 * value(scores, "macro", **run) == pytest.approx(percent, abs=0.1)
        assert abs(100 * value(scores, "pooled", **run) - percent) > 0.2


def test_gains_are_those_of_figure_6(printed_study):
    """Section 4.1: identity +18.2 (LTX-2) and +17.9 (Wan 2.2), context +25.5 and +21.5."""
    found = gains(asked_questions(printed_study))
    for model, dimension, points in (
        ("LTX-2", "identity", 18.2),
        ("Wan 2.2", "identity", 17.9),
        ("LTX-2", "context", 25.5),
        ("Wan 2.2", "context", 21.5),
    ):
        assert 100 * value(found, dimension, model=model) == pytest.approx(points, abs=0.1 + 1e-9)
    assert found.table["share_scored"].eq(1).all()


def test_a_hand_count():
    """Two scenarios. Identity yes, no (1/2), behavior yes (1), context no (0): macro 1/2, pooled 2/4."""
    tables = questions_study(
        [
            ("v1", "i1", "judge", True),
            ("v2", "i2", "judge", False),
            ("v1", "b1", "judge", True),
            ("v2", "c2", "judge", False),
        ],
        questions={
            "i1": ("Japan-1", "identity", {"weight": 9}),
            "i2": ("Iran-2", "identity", {"weight": 1}),
            "b1": ("Japan-1", "behavior", {"weight": 5}),
            "c2": ("Iran-2", "context", {"weight": 5}),
        },
        clips={"v1": ("Japan-1", "base", "m"), "v2": ("Iran-2", "base", "m")},
    )
    cases = asked_questions(tables)
    scores = culturescore(cases)
    assert [value(scores, name) for name in (*DIMENSIONS, "macro", "pooled")] == [0.5, 1, 0, 0.5, 0.5]
    weighted = culturescore(cases, weighted=True)
    # Identity 9/10, pooled (9 + 5)/20.
    assert value(weighted, "identity") == pytest.approx(0.9)
    assert value(weighted, "macro") == pytest.approx((0.9 + 1 + 0) / 3)
    assert value(weighted, "pooled") == pytest.approx(0.7)
    assert value(scores, "behavior", "status") == "no interval: only one of the scenarios"
    assert np.isnan(value(scores, "behavior", "low"))
    japan = culturescore(cases, ["country"])
    assert value(japan, "macro", "status", country="Japan") == "nothing to score in context"
    assert np.isnan(value(japan, "macro", country="Japan"))


def test_the_interval_of_a_share_is_that_of_a_survey():
    """Linearised cluster variance by hand: shares 1, 1/2, 0 of 2 questions in 3 scenarios.

    Residuals 1, 0, -1 over 6 questions: se = sqrt(3/2 * 2)/6 = 0.28868; logit(0.5) = 0, se on its scale
    0.28868/0.25 = 1.1547, t(2) 0.975 = 4.302653: 1/(1 + exp(±4.96828)).
    """
    said = {"1": (True, True), "2": (True, False), "3": (False, False)}
    tables = questions_study(
        [(f"v{n}", f"{n}-{k}", "judge", yes) for n, pair in said.items() for k, yes in enumerate(pair)],
        questions={f"{n}-{k}": (f"Japan-{n}", "identity", {}) for n in said for k in (0, 1)},
        clips={f"v{n}": (f"Japan-{n}", "base", "m") for n in said},
    )
    scores = culturescore(asked_questions(tables))
    assert value(scores, "identity", "low") == pytest.approx(0.0069071, abs=1e-6)
    assert value(scores, "identity", "high") == pytest.approx(1 - 0.0069071, abs=1e-6)


def lossy(n=40):
    """40 questions of one scenario: 28 answered (14 yes), and one of each kind of loss or exclusion."""
    words = ["unscored", "failed", "blocked", "missing"]
    said = [True, False] * 14 + words
    questions = {f"q{k}": ("Japan-1", "identity", {}) for k in range(n - 4)}
    questions |= {"unverified": ("Japan-1", "identity", {"verified": False})}
    questions |= {"unknown": ("Japan-1", "identity", {"verified": None})}
    questions |= {"irrelevant": ("Japan-1", "identity", {}), "split": ("Japan-1", "identity", {})}
    answers = [("v", f"q{k}", "judge", each) for k, each in enumerate(said)]
    answers += [("v", name, "judge", True) for name in ("unverified", "unknown", "irrelevant", "split")]
    votes = [("ann", "irrelevant", False), ("ben", "irrelevant", False), ("cyd", "irrelevant", True)]
    votes += [("ann", "split", False), ("ben", "split", True)]
    return questions_study(
        answers,
        questions=questions,
        clips={"v": ("Japan-1", "base", "m"), "gone": ("Iran-2", "base", "m", "blocked")},
        raters=[("judge", "judge"), ("ann", "human"), ("ben", "human"), ("cyd", "human")],
        relevance=votes,
    )


def test_what_is_lost_is_counted_and_never_wrong():
    cases = asked_questions(lossy())
    scores = culturescore(cases, least_share=0.7)
    row = scores.table.set_index("score").loc["identity"]
    # q32 to q35 were never answered; the question whose votes are split stays (B.3: a majority).
    assert row["n"] == 29
    assert row["asked"] == 37
    assert row["estimate"] == pytest.approx(15 / 29)
    assert row[["unscored", "failed", "blocked", "missing"]].tolist() == [1, 1, 1, 1 + 4]
    assert row[["unverified", "irrelevant", "no_clip"]].tolist() == [2, 1, 0]
    assert scores.estimates[0].details["missing"] == 5
    assert set(cases["outcome"]) <= set(OUTCOMES)
    kept = culturescore(asked_questions(lossy(), verified_only=False), least_share=0.7).table
    assert kept.loc[0, "n"] == 31


def test_a_cell_with_too_few_scores_is_refused():
    scores = culturescore(asked_questions(lossy()), least_share=0.8)
    row = scores.table.set_index("score").loc["identity"]
    assert row["status"] == "too few scored: 29 of 37"
    assert np.isnan(row["estimate"])
    assert "too few scored" in scores.estimates[0].method
    # 29 of 37 is exactly the share declared: enough.
    exact = culturescore(asked_questions(lossy()), least_share=29 / 37)
    assert value(exact, "identity") == pytest.approx(15 / 29)


def test_questions_about_a_clip_that_is_not_there_were_asked_and_lost():
    tables = questions_study(
        [("v", "q", "judge", True)],
        questions={"q": ("Japan-1", "context", {})},
        clips={"v": ("Japan-1", "base", "m"), "gone": ("Japan-1", "base", "m", "failed")},
    )
    scores = culturescore(asked_questions(tables), least_share=0.5)
    assert value(scores, "context") == 1
    assert value(scores, "context", "asked") == 2
    assert value(scores, "context", "no_clip") == 1


def people_study():
    """Four clips; a majority says yes to v1, no to v2, is split on v3, and nobody answers about v4."""
    people = [("ann", "human"), ("ben", "human"), ("cyd", "human"), ("judge", "judge")]
    votes = {"v1": (True, True, False), "v2": (False, False, False), "v3": (True, False, "missing")}
    votes |= {"v4": ("unscored", "unscored", "unscored")}
    answers = [
        (clip, "q", rater, said)
        for clip, three in votes.items()
        for rater, said in zip(("ann", "ben", "cyd"), three, strict=True)
    ]
    answers += [("v1", "q", "judge", True), ("v2", "q", "judge", True), ("v3", "q", "judge", False)]
    return questions_study(
        [*answers, ("v4", "q", "judge", True)],
        questions={"q": ("Japan-1", "identity", {}), "unseen": ("Japan-1", "identity", {})},
        clips=dict.fromkeys(votes, ("Japan-1", "extended", "m")),
        raters=people,
        assigned=[("ann", clip, "q") for clip in votes],
    )


def test_the_human_subset_both_ways():
    """Yes-rate under the majority: v1 of v1, v2. Agreement: v1 yes/yes, v2 yes/no."""
    tables = people_study()
    people, judge = asked_questions(tables, "human"), asked_questions(tables, "judge")
    rate = culturescore(people, ["model"], least_share=0.5)
    assert value(rate, "identity") == 0.5
    assert value(rate, "identity", "asked") == 3
    assert value(rate, "identity", "tied") == 1
    assert value(rate, "identity", "unscored") == 1
    assert value(culturescore(judge, ["model"], least_share=0), "identity") == 0.75
    agreed = culturescore(agreement_with_people(judge, people), ["model"], least_share=0.5)
    assert value(agreed, "identity") == 0.5
    assert value(agreed, "identity", "n") == 2
    assert value(agreed, "identity", "tied") == 1


def test_agreement_is_sensitivity_and_specificity_of_the_judge():
    """With people who are right, P(agree) = rate * sensitivity + (1 - rate) * specificity."""
    people = cohort(("India", "Japan", "Chile", "Poland"), 9, Rater(rater_id="p", kind="human", native=True))
    judge = Rater(rater_id="judge", sensitivity=0.9, specificity=0.6)
    study = culturescore_study(seed=5, people=people, judges=[judge])
    tables, _ = apply_rules(study.tables, relevance=False)
    cases = asked_questions(tables, "human")
    agreed = culturescore(agreement_with_people(asked_questions(tables), cases), [])
    rate = culturescore(cases, [])
    yes = value(rate, "pooled")
    assert value(agreed, "pooled") == pytest.approx(0.9 * yes + 0.6 * (1 - yes), abs=0.08)
    assert value(rate, "pooled", "tied") == 0


def test_simulated_truth_lies_in_nearly_all_intervals():
    study = culturescore_study(seed=6, judges=[Rater(rater_id="judge", missing=0.1)])
    found = culturescore(asked_questions(study.tables), ["model", "variant", "country"]).table
    cells = study.truth["cells"].assign(total=lambda rows: rows["rate"] * rows["n"])
    keys = ["model", "variant", "country", "dimension"]
    sums = cells.groupby(keys, observed=True)[["total", "n"]].sum()
    truth = (sums["total"] / sums["n"]).rename("truth").reset_index().astype({"dimension": str})
    macro = truth.groupby(keys[:3], observed=True)["truth"].mean().reset_index().assign(dimension="macro")
    truth = pd.concat([truth, macro]).rename(columns={"dimension": "score"})
    both = found.astype(dict.fromkeys(keys[:3], str)).merge(
        truth.astype(dict.fromkeys(keys[:3], str)), on=[*keys[:3], "score"]
    )
    assert len(both) == 3 * 2 * 10 * 4
    inside = both["truth"].between(both["low"], both["high"])
    # 240 intervals at 95 %, dependent between models: three standard errors of independent ones, doubled.
    assert inside.mean() > 0.95 - 2 * 3 * np.sqrt(0.05 * 0.95 / 240)
    assert found["share_scored"].between(0.85, 0.95).mean() > 0.9


answer_of = st.sampled_from([True, False, "unscored", "failed", "missing", None])
rows_of = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(DIMENSIONS), st.integers(1, 10), answer_of), max_size=24
)


@settings(max_examples=25, deadline=None)
@given(rows_of, st.booleans(), st.integers(0, 2**32 - 1))
def test_the_same_as_a_slow_plain_reading(rows, weighted, seed):
    """Also: the order of rows and the names of clips and questions make no difference."""
    rows = [(0, name, 1, True) for name in DIMENSIONS] + rows
    names = [f"q{k}" for k in range(len(rows))]
    tables = questions_study(
        [
            (f"v{scenario}", name, "judge", said)
            for name, (scenario, _, _, said) in zip(names, rows, strict=True)
            if said is not None
        ],
        questions={
            name: (f"Japan-{scenario}", dimension, {"weight": weight})
            for name, (scenario, dimension, weight, _) in zip(names, rows, strict=True)
        },
        clips={f"v{k}": (f"Japan-{k}", "base", "m") for k in range(4)},
    )
    scores = culturescore(asked_questions(tables), ["model"], weighted=weighted, least_share=0)
    shares, all_yes, all_weight = [], 0.0, 0.0
    for wanted in DIMENSIONS:
        yes = total = 0.0
        for _, dimension, weight, said in rows:
            if dimension == wanted and isinstance(said, bool):
                total += weight if weighted else 1
                yes += (weight if weighted else 1) * said
        shares.append(yes / total)
        all_yes, all_weight = all_yes + yes, all_weight + total
        assert value(scores, wanted) == pytest.approx(yes / total)
        assert value(scores, wanted, "asked") == sum(row[1] == wanted for row in rows)
    assert value(scores, "macro") == pytest.approx(sum(shares) / 3)
    assert value(scores, "pooled") == pytest.approx(all_yes / all_weight)

    rng = np.random.default_rng(seed)
    old = [*names, "v0", "v1", "v2", "v3"]
    renamed = dict(zip(old, [f"x{number}" for number in rng.permutation(len(old))], strict=True))
    mixed = {
        name: table.sample(frac=1, random_state=rng, ignore_index=True).replace(renamed)
        for name, table in tables.items()
    }
    again = culturescore(asked_questions(mixed), ["model"], weighted=weighted, least_share=0)
    pd.testing.assert_frame_equal(again.table, scores.table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"who": "jugde"}, "jugde.*did you mean|jugde"),
        ({"by": ["modle"]}, "no column 'modle'"),
        ({"least_share": 80}, "least_share: found 80"),
        ({"weighted": True}, "question 'q0': found no weight"),
    ],
)
def test_what_does_not_fit_is_named(change, message):
    tables = lossy()
    with pytest.raises(ValueError, match=message):
        culturescore(
            asked_questions(tables, change.pop("who", "judge")), change.pop("by", ["model"]), **change
        )


def test_an_answer_about_another_scenario_is_refused():
    tables = questions_study(
        [("v", "other", "judge", True)],
        questions={"q": ("Japan-1", "context", {}), "other": ("Iran-2", "context", {})},
        clips={"v": ("Japan-1", "base", "m")},
    )
    with pytest.raises(ValueError, match="clip 'v' to question 'other', expected a question about"):
        asked_questions(tables)
