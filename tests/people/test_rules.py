import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.people.rules import (
    EXCLUDED,
    SCREENS,
    apply_rules,
    counting,
    irrelevant_questions,
    majority_vote,
    mean_rating,
    screen,
)


def votes(**questions):
    rows = [
        (f"r{rater}", question, vote == "y")
        for question, given in questions.items()
        for rater, vote in enumerate(given)
    ]
    return pd.DataFrame(rows, columns=["rater_id", "question_id", "relevant"])


def test_a_majority_is_more_than_half_and_a_tie_keeps_the_question():
    """CultureScore, B.3: questions that a majority of a cohort calls irrelevant are excluded."""
    found = irrelevant_questions(votes(most="ynnnn", half="yynn", few="yyynn", one="n")).set_index(
        "question_id"
    )
    assert found["excluded"].to_dict() == {"most": True, "half": False, "few": False, "one": True}
    assert found["irrelevant"].to_dict() == {"most": 4, "half": 2, "few": 2, "one": 1}
    assert found["n"].to_dict() == {"most": 5, "half": 4, "few": 5, "one": 1}


@given(st.lists(st.sampled_from("yn"), min_size=1, max_size=9), st.randoms())
def test_who_votes_first_does_not_matter(ballots, random):
    shuffled = random.sample(ballots, len(ballots))
    first, second = (irrelevant_questions(votes(q="".join(order))) for order in (ballots, shuffled))
    pd.testing.assert_frame_equal(first, second)


def answers(*given):
    """One clip and question; "-" is an answer that could not be read."""
    status = ["missing" if vote == "-" else "ok" for vote in given]
    answer = [{"y": True, "n": False}.get(vote) for vote in given]
    return pd.DataFrame(
        {
            "video_id": "v",
            "question_id": "q",
            "rater_id": [f"r{number}" for number in range(len(given))],
            "answer": pd.array(answer, dtype="boolean"),
            "status": status,
        }
    )


@pytest.mark.parametrize(
    ("given_votes", "ties", "answer", "tied"),
    [
        ("yyynn", "missing", True, False),
        ("ynn", "yes", False, False),
        ("yn", "missing", None, True),
        ("yn", "yes", True, True),
        ("yn", "no", False, True),
        ("yn-", "missing", None, True),
        ("y--", "missing", True, False),
        ("--", "yes", None, False),
    ],
)
def test_the_majority_is_the_truth_and_ties_follow_the_rule(given_votes, ties, answer, tied):
    row = majority_vote(answers(*given_votes), ties=ties).iloc[0]
    assert (None if pd.isna(row["answer"]) else row["answer"]) == answer
    assert row["tied"] == tied
    assert (row["yes"], row["no"]) == (given_votes.count("y"), given_votes.count("n"))
    assert row["n"] == row["yes"] + row["no"]


@given(st.lists(st.sampled_from("yn-"), min_size=1, max_size=9))
def test_swapping_yes_and_no_swaps_the_majority(ballots):
    swapped = ["n" if vote == "y" else "y" if vote == "n" else vote for vote in ballots]
    there, back = majority_vote(answers(*ballots)).iloc[0], majority_vote(answers(*swapped)).iloc[0]
    assert pd.isna(there["answer"]) == pd.isna(back["answer"])
    assert pd.isna(there["answer"]) or there["answer"] != back["answer"]


def test_an_unknown_tie_rule_is_refused():
    with pytest.raises(ValueError, match="ties: found 'maybe', expected one of missing, yes, no"):
        majority_vote(answers("y"), ties="maybe")


def test_three_raters_are_averaged_and_what_is_lacking_is_counted():
    """CultureVidBench, Figure 9: raters' scores average to 2.3 (2, 2, 3) and 3.0."""
    ratings = pd.DataFrame(
        [
            ("a", "realism", 2, "ok"),
            ("a", "realism", 2, "ok"),
            ("a", "realism", 3, "ok"),
            ("b", "realism", 3, "ok"),
            ("b", "realism", None, "missing"),
            ("b", "realism", None, "unscored"),
            ("c", "text_rendering", None, "ok"),
            ("c", "text_rendering", None, "ok"),
            ("c", "text_rendering", 4, "ok"),
            ("d", "text_rendering", None, "ok"),
        ],
        columns=["video_id", "criterion", "score", "status"],
    ).astype({"score": "Int64"})
    found = mean_rating(ratings).set_index("video_id")
    assert round(found.loc["a", "score"], 1) == 2.3
    assert found.loc["b", "score"] == 3.0
    assert found.loc["c", "score"] == 4
    assert pd.isna(found.loc["d", "score"])
    assert found["n"].to_dict() == {"a": 3, "b": 1, "c": 1, "d": 0}
    assert found["not_applicable"].to_dict() == {"a": 0, "b": 0, "c": 2, "d": 1}
    assert found["unusable"].to_dict() == {"a": 0, "b": 2, "c": 0, "d": 0}
    assert found["complete"].to_dict() == {"a": True, "b": False, "c": True, "d": False}


def test_averaging_nobody_is_refused():
    with pytest.raises(ValueError, match="expected: found 0"):
        mean_rating(pd.DataFrame(), expected=0)


PEOPLE = pd.DataFrame(
    [
        ("Japan", "Japan", "Japanese"),
        ("Japan", "Japan", "Korean"),
        ("Japan", "Chile", "Japanese"),
        ("Chile", "Japan", None),
        (None, "Japan", "Japanese"),
    ],
    columns=list(SCREENS),
)


@pytest.mark.parametrize(
    ("by", "native"),
    [
        (SCREENS, [True, False, False, False, None]),
        (("nationality", "residence"), [True, True, False, False, None]),
        (("language",), [True, False, True, None, True]),
        ((), [True] * 5),
    ],
)
def test_screening_needs_every_screen_and_does_not_guess(by, native):
    found = screen(PEOPLE, pd.Series("Japan", PEOPLE.index), by=by)["native"]
    assert [None if pd.isna(value) else value for value in found] == native


def test_an_unknown_screen_is_refused():
    with pytest.raises(ValueError, match="no screen 'nationalty'; did you mean 'nationality'"):
        screen(PEOPLE, pd.Series("Japan", PEOPLE.index), by=["nationalty"])


@pytest.fixture
def tables():
    """Four people and a judge; one person was inattentive, one is foreign, one's origin is unknown."""
    raters = pd.DataFrame(
        {
            "rater_id": ["good", "asleep", "foreign", "unknown", "judge"],
            "kind": ["human"] * 4 + ["judge"],
            "native": pd.array([True, True, False, None, None], dtype="boolean"),
            "attention": pd.array([None, False, True, True, None], dtype="boolean"),
        }
    )
    names = raters["rater_id"]
    return {
        "raters": raters,
        "questions": pd.DataFrame({"question_id": ["fair", "odd"]}),
        "relevance": pd.DataFrame(
            {
                "rater_id": [*names, *names],
                "question_id": ["fair"] * 5 + ["odd"] * 5,
                "relevant": [True] * 5 + [False, True, True, True, True],
            }
        ),
        "answers": pd.DataFrame(
            {"video_id": "v", "question_id": ["fair"] * 5 + ["odd"] * 5, "rater_id": [*names, *names]}
        ),
        "videos": pd.DataFrame({"video_id": ["v"]}),
    }


def test_all_rules_together_leave_the_fair_question_to_the_attentive_native_and_the_judge(tables):
    kept, excluded = apply_rules(tables)
    assert list(kept["raters"]["rater_id"]) == ["good", "judge"]
    assert list(kept["questions"]["question_id"]) == ["fair"]
    assert list(kept["answers"]["rater_id"]) == ["good", "judge"]
    assert set(kept["relevance"]["question_id"]) == {"fair", "odd"}, "votes are data, not downstream of them"
    assert len(kept["videos"]) == 1
    assert tuple(excluded) == EXCLUDED
    before, after = (sum(map(len, study.values())) for study in (tables, kept))
    assert len(excluded) == before - after > 0
    assert excluded["reason"].value_counts().to_dict() == {
        "failed an attention check": 5,
        "not known to be native": 10,
        "a majority calls the question irrelevant": 3,
    }
    assert "video_id=v, question_id=odd" in set(excluded["item"])


@pytest.mark.parametrize("rule", ["attention", "native", "relevance"])
def test_each_rule_acts_alone(tables, rule):
    only = dict.fromkeys(("attention", "native", "relevance"), False)
    kept, excluded = apply_rules(tables, **only)
    assert excluded.empty
    assert all(kept[name].equals(tables[name]) for name in tables)
    kept, excluded = apply_rules(tables, **only | {rule: True})
    # With all four people voting, a majority finds both questions relevant.
    left = {"attention": 4, "native": 3, "relevance": 5}[rule]
    assert len(kept["raters"]) == left
    assert excluded["reason"].nunique() == (rule != "relevance")


def test_a_judge_has_no_vote_on_relevance(tables):
    tables["raters"] = tables["raters"].iloc[[0, 4]]
    tables["relevance"] = tables["relevance"][tables["relevance"]["rater_id"].isin(["good", "judge"])]
    kept, _ = apply_rules(tables)
    assert list(kept["questions"]["question_id"]) == ["fair"]


def test_who_failed_or_is_known_to_be_foreign_counts_nowhere_and_is_counted(tables):
    kept, people = counting(tables)
    assert list(kept["raters"]["rater_id"]) == ["good", "unknown", "judge"]
    assert list(kept["answers"]["rater_id"]) == ["good", "unknown", "judge"] * 2
    assert len(kept["videos"]) == 1
    assert people == {"failed an attention check": 1, "not native": 1}
    tables["raters"].loc[1, "native"] = False
    assert counting(tables)[1] == people, "one who fails twice is one person"


def test_without_raters_or_reasons_everybody_stays(tables):
    assert counting({"videos": tables["videos"]})[1] == {}
    raters = tables["raters"].assign(native=pd.NA, attention=pd.NA)
    kept, people = counting(tables | {"raters": raters})
    assert (len(kept["raters"]), people) == (5, {})
