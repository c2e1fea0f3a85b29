import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.benchmarks import starter
from helpers.benchmarks.culturescore_counts import given_away, prompt_counts, question_counts
from helpers.benchmarks.stems import share_said, stems
from helpers.schemas import check

PROMPTS = starter.prompts().query("benchmark == 'culturescore'")
QUESTIONS = starter.questions()


def test_endings_capitals_accents_and_small_words_do_not_count():
    assert stems("The Dancers are dancing") == stems("dancer danced")
    assert stems("Does it pass over the café?") == {"pas", "caf"}
    assert stems("Is it on?") == frozenset()


def test_share_said_by_hand():
    """Of umbrella, dancer and street the prompt says the first two."""
    assert share_said("Is an umbrella with dancers in a street?", "Dancers spin umbrellas.") == pytest.approx(
        2 / 3
    )
    assert share_said("Is it?", "Dancers.") == 0


@given(st.text(), st.text())
def test_a_share_is_one_where_the_prompt_repeats_the_question(question, prompt):
    assert 0 <= share_said(question, prompt) <= 1
    if stems(question):
        assert share_said(question, f"{prompt} {question}") == 1


def test_the_starter_has_one_scenario_in_each_of_fifty_cells():
    rows = prompt_counts(PROMPTS).set_index("variant")
    assert list(rows.index) == ["base", "extended", "no_country"]
    assert rows.loc["base"].to_dict() == {
        "prompts": 50,
        "scenarios": 50,
        "countries": 10,
        "categories": 5,
        "cells": 50,
        "least": 1,
        "most": 1,
    }


def test_questions_are_counted_by_kind_and_weight():
    rows = pd.DataFrame(
        [("a", "identity", 8, True), ("b", "identity", 3, False), ("c", "context", None, None)],
        columns=["question_id", "dimension", "weight", "explicit"],
    )
    counted = question_counts(check("questions", rows.assign(scenario_id="s", text="Is it?"), "test"))
    identity, behavior, context = counted.to_dict("records")
    assert (identity["questions"], identity["explicit"], identity["implicit"]) == (2, 1, 1)
    assert (identity["critical (8-10)"], identity["expected (4-7)"], identity["minor (1-3)"]) == (1, 0, 1)
    assert identity["mean_weight"] == 5.5
    assert behavior["questions"] == 0
    assert (context["questions"], context["explicit"], context["implicit"]) == (1, 0, 0)


def test_every_question_meets_both_prompts_of_its_scenario():
    rows = given_away(QUESTIONS, PROMPTS)
    assert len(rows) == 900
    wide = rows.pivot_table(index="question_id", columns="variant", values="share")
    # An extended prompt contains its base prompt word for word.
    assert wide["extended"].ge(wide["base"]).all()
