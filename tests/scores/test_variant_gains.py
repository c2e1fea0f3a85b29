"""What a change of the prompt does: pairs by question and model, by hand and against simulated truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.scores.countries import average_over_countries
from helpers.scores.culturescore import asked_questions, culturescore
from helpers.scores.variants import country_removal, gains, paired_questions
from helpers.simulate.culturescore import culturescore_study
from scores.small_studies import questions_study, value


def two_variants(said, *, second="extended", questions=None, status="ok"):
    """One clip of each variant for each scenario; `said` holds by question its answers to both, or words."""
    questions = questions or {name: ("Japan-1", "identity", {}) for name in said}
    scenarios = sorted({scenario for scenario, *_ in questions.values()})
    clips = {f"{each}/base": (each, "base", "m") for each in scenarios}
    clips |= {f"{each}/{second}": (each, second, "m", status) for each in scenarios}
    answers = [
        (f"{questions[name][0]}/{variant}", name, "judge", each)
        for name, both in said.items()
        for variant, each in zip(("base", second), both, strict=True)
        if each is not None
    ]
    return questions_study(answers, questions=questions, clips=clips)


def test_pairs_lacking_a_side_are_lost_and_counted():
    """Up, up, down, same: mean +1/4 over four pairs; one base reply unreadable, one extended never given."""
    said = {"a": (False, True), "b": (False, True), "c": (True, False), "d": (True, True)}
    said |= {"e": ("unscored", True), "f": (True, None)}
    scores = gains(asked_questions(two_variants(said)), least_share=0.6)
    assert value(scores, "identity") == 0.25
    assert value(scores, "identity", "n") == 4
    assert value(scores, "identity", "asked") == 6
    assert value(scores, "identity", "unscored") == 1
    assert value(scores, "identity", "missing") == 1
    refused = gains(asked_questions(two_variants(said)))
    assert value(refused, "identity", "status") == "too few scored: 4 of 6"


def test_a_clip_that_was_not_made_takes_its_pairs_with_it():
    scores = gains(asked_questions(two_variants({"a": (True, None), "b": (False, None)}, status="blocked")))
    assert value(scores, "identity", "no_clip") == 2
    assert value(scores, "identity", "status") == "too few scored: 0 of 2"


def test_gains_split_by_whether_the_question_was_explicit():
    questions = {
        "a": ("Japan-1", "context", {"explicit": True}),
        "b": ("Japan-2", "context", {"explicit": True}),
        "c": ("Japan-1", "context", {"explicit": False}),
        "d": ("Japan-1", "context", {}),
    }
    said = {"a": (False, True), "b": (True, True), "c": (True, False), "d": (True, True)}
    scores = gains(asked_questions(two_variants(said, questions=questions)), ["explicit"])
    found = {kind: value(scores, "context", explicit=kind) for kind in ("explicit", "implicit", "unknown")}
    assert found == {"explicit": 0.5, "implicit": -1, "unknown": 0}


def test_several_clips_of_a_prompt_count_as_their_mean():
    """Two base clips, yes and no, against one extended yes: +1/2."""
    tables = questions_study(
        [("v1", "q", "judge", True), ("v2", "q", "judge", False), ("w", "q", "judge", True)],
        questions={"q": ("Japan-1", "identity", {})},
        clips={
            "v1": ("Japan-1", "base", "m"),
            "v2": ("Japan-1", "base", "m"),
            "w": ("Japan-1", "extended", "m"),
        },
    )
    assert value(gains(asked_questions(tables)), "identity") == 0.5


def test_the_interval_of_a_gain_is_the_paired_t_interval():
    """One question a scenario: then it is that of scipy.stats.ttest_rel."""
    first, second = [0, 0, 1, 0, 1, 0, 0, 1, 0], [1, 0, 1, 1, 0, 1, 0, 1, 0]
    questions = {f"q{k}": (f"Japan-{k}", "identity", {}) for k in range(9)}
    said = {f"q{k}": (bool(a), bool(b)) for k, (a, b) in enumerate(zip(first, second, strict=True))}
    scores = gains(asked_questions(two_variants(said, questions=questions)))
    expected = stats.ttest_rel(second, first).confidence_interval()
    assert value(scores, "identity", "low") == pytest.approx(expected.low)
    assert value(scores, "identity", "high") == pytest.approx(expected.high)


def test_country_removal_counts_unique_scenarios_only_against_both():
    """Unique: extended yes, yes and base yes, no to no_country no, no. Common: set aside."""
    questions = {
        "a": ("Japan-1", "context", {}),
        "b": ("Japan-2", "context", {}),
        "c": ("Japan-9", "context", {}),
    }
    clips, answers = {}, []
    said = {"a": (True, True, False), "b": (False, True, False), "c": (False, False, True)}
    for name, (scenario, *_) in questions.items():
        for variant, answer in zip(("base", "extended", "no_country"), said[name], strict=True):
            clips[f"{scenario}/{variant}"] = (scenario, variant, "m")
            answers.append((f"{scenario}/{variant}", name, "judge", answer))
    cases = asked_questions(questions_study(answers, questions=questions, clips=clips))
    scores = country_removal(cases, {"Japan-1", "Japan-2", "Japan-not-here"})
    assert value(scores, "context", against="extended") == -1
    assert value(scores, "context", against="base") == -0.5
    assert value(scores, "context", "not_unique", against="base") == 1
    assert value(scores, "context", "n", against="base") == 2
    with pytest.raises(ValueError, match="found none of its 1 scenarios"):
        country_removal(cases, ["elsewhere"])
    with pytest.raises(ValueError, match="no case of the variant 'no_contry'"):
        paired_questions(cases, "base", "no_contry")


def test_scenarios_with_clips_of_one_variant_are_unpaired():
    """Whatever became of the one there is: such a pair was never to be had, so it is no loss."""
    questions = {name: (f"Japan-{name}", "context", {}) for name in "abc"}
    tables = questions_study(
        [
            ("x", "a", "judge", True),
            ("y", "a", "judge", True),
            ("z", "b", "judge", True),
            ("w", "c", "judge", "failed"),
        ],
        questions=questions,
        clips={
            "x": ("Japan-a", "base", "m"),
            "y": ("Japan-a", "extended", "m"),
            "z": ("Japan-b", "extended", "m"),
            "w": ("Japan-c", "base", "m"),
        },
    )
    scores = gains(asked_questions(tables))
    assert value(scores, "context", "unpaired") == 2
    assert value(scores, "context", "failed") == 0
    assert value(scores, "context", "asked") == 1


answers = st.sampled_from([True, False, None])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(answers, answers, st.integers(0, 2)), min_size=1, max_size=15))
def test_swapping_the_variants_turns_the_sign(rows):
    questions = {f"q{k}": (f"Japan-{scenario}", "identity", {}) for k, (_, _, scenario) in enumerate(rows)}
    said = {f"q{k}": (a, b) for k, (a, b, _) in enumerate(rows)}
    cases = asked_questions(two_variants(said, questions=questions))
    there = gains(cases, least_share=0).table.iloc[0]
    back = gains(cases, first="extended", second="base", least_share=0).table.iloc[0]
    expected = [b - a for a, b, _ in rows if a is not None and b is not None]
    assert there["n"] == back["n"] == len(expected)
    if expected:
        assert there["estimate"] == pytest.approx(np.mean(expected)) == pytest.approx(-back["estimate"])
        assert there["low"] == pytest.approx(-back["high"], nan_ok=True)


def test_the_gain_of_all_countries_is_recovered():
    """Truth: extended minus base rates of the cells, averaged over countries and dimensions."""
    study = culturescore_study(seed=7, scenarios=8)
    cases = asked_questions(study.tables)
    by_country = gains(cases, ["model", "country"])
    found = average_over_countries(by_country).table.set_index(["model", "score"])
    cells = study.truth["cells"].astype({"variant": str, "model": str, "country": str})
    rates = cells.groupby(["model", "country", "dimension", "variant"], observed=True)["rate"].mean()
    truth = (
        (rates.xs("extended", level="variant") - rates.xs("base", level="variant")).groupby("model").mean()
    )
    for model, gain in truth.items():
        row = found.loc[(model, "macro")]
        assert row["n"] == row["clusters"] == 10
        assert row["low"] - 0.02 < gain < row["high"] + 0.02
        assert row["estimate"] == pytest.approx(gain, abs=0.03)
    # Countries as clusters speak of other countries; the estimate stays the pooled one.
    over = [culturescore(cases, cluster=cluster).table for cluster in ("scenario_id", "country")]
    assert (over[0]["estimate"] - over[1]["estimate"]).abs().max() < 1e-12
    assert set(over[1]["clusters"]) == {10}
