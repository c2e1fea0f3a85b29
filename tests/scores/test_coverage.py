"""Which models a mean over models does without, counted by hand."""

import pandas as pd
import pytest

from helpers.scores.coverage import few_prompts, left_out, said_left_out


def tables(shown: dict[str, range], variants: tuple[str, ...] = ("plain",)) -> dict[str, pd.DataFrame]:
    """Ten prompts of each variant, and the clips of those that each model was shown."""
    prompts = pd.DataFrame(
        [{"prompt_id": f"{variant}{n}", "variant": variant} for variant in variants for n in range(10)]
    )
    clips = [
        {"model": model, "prompt_id": prompts["prompt_id"][n]}
        for model, numbers in shown.items()
        for n in numbers
    ]
    return {"prompts": prompts, "videos": pd.DataFrame(clips, columns=["model", "prompt_id"])}


def test_few_is_less_than_four_fifths_of_the_most():
    assert few_prompts({"a": 10, "b": 8, "c": 7}, 12) == {"c": "7 of 12"}


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({"a": range(10), "b": range(8), "c": range(3)}, {"c": "3 of 10"}),
        # Two halves: whichever were left out, half of the prompts would go with it.
        ({"a": range(6), "b": range(6, 10)}, {}),
        ({"a": range(4)}, {}),
        ({}, {}),
    ],
)
def test_models_shown_few_are_left_out_unless_every_model_was(shown, expected):
    assert left_out(tables(shown)) == expected


def test_two_clips_of_one_prompt_are_one_prompt():
    assert left_out(tables({"a": range(10), "b": [0, 0, 0, 1, 1, 1, 2, 2, 2]})) == {"b": "3 of 10"}


def test_each_variant_is_counted_alone():
    both = tables({"a": range(20), "b": range(10)}, ("base", "extended"))
    assert left_out(both) == {"b": "10 of 20"}
    assert left_out(both, "base") == {}


def test_captions_name_the_models_and_nothing_where_all_count():
    assert said_left_out({}) == ""
    assert said_left_out({"c": "3 of 10", "d": "1 of 10"}).endswith(": c (3 of 10), d (1 of 10)")
