import pandas as pd
import pytest

from helpers.benchmarks.landmark_prompts import caption_prompts, sentences
from helpers.checking import DataError

SHORT = "St. Peter's Basilica stands in the morning light."
DETAILED = "A wide shot. The dome fills the frame! Warm light falls on the stone."


@pytest.fixture
def landmarks():
    rows = {"landmark_id": ["b", "a"], "name": ["B", "A"], "country": ["Italy", "Peru"]}
    return pd.DataFrame(rows)


@pytest.fixture
def captions():
    return pd.DataFrame({"landmark_id": ["b", "a"], "short": SHORT, "detailed": DETAILED})


def test_each_landmark_gets_a_short_and_a_detailed_prompt(landmarks, captions):
    prompts = caption_prompts(landmarks, captions)
    assert list(prompts["prompt_id"]) == ["b-short", "b-detailed", "a-short", "a-detailed"]
    assert list(prompts["country"]) == ["Italy", "Italy", "Peru", "Peru"]
    assert list(prompts["scenario_id"]) == ["b", "b", "a", "a"]
    assert list(prompts["text"]) == [SHORT, DETAILED] * 2
    assert set(prompts["benchmark"]) == {"landmarks"}


# GAP, section 3.1: a single sentence, and three to six.
@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("short", "One. Two.", "b, short: found 2 sentences, expected one sentence"),
        ("detailed", "One. Two.", "b, detailed: found 2 sentences, expected 3 to 6 sentences"),
        ("detailed", "One. " * 7, "b, detailed: found 7 sentences, expected 3 to 6 sentences"),
        ("short", " ", "b, short: missing"),
        ("detailed", None, "b, detailed: missing"),
        ("landmark_id", "c", "c: no such landmark"),
        ("landmark_id", "a", "a: is there twice"),
    ],
)
def test_captions_that_do_not_fit_are_named(landmarks, captions, column, text, message):
    captions.loc[0, column] = text
    with pytest.raises(DataError, match=message):
        caption_prompts(landmarks, captions)


def test_all_problems_stand_in_one_message(landmarks, captions):
    captions.loc[1, ["landmark_id", "short"]] = ["c", ""]
    with pytest.raises(
        DataError, match=r"3 problems\n  - a: no captions\n  - c: no such landmark\n  - c, short"
    ):
        caption_prompts(landmarks, captions)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("No stop at the end", 1),
        ("The tower of St. Mary at 4.5 m. It leans.", 2),
        ("Mt. Fuji, seen from J. Smith's garden.", 1),
        ("“What a view!” They stop… Then on.", 3),
        ("Really?! Yes.", 2),
    ],
)
def test_sentences_are_counted_as_a_reader_would(text, count):
    assert sentences(text) == count
