import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import Field

from helpers.chat.forms import Form
from helpers.chat.parsing import UnreadableError, parse


class Verdict(Form):
    answer: str = Field(pattern="^(yes|no)$")
    weight: int
    note: str | None


class Nested(Form):
    facets: list[Verdict]


YES = '{"answer": "yes", "weight": 7, "note": null}'
NO = YES.replace("yes", "no")
VALUE = Verdict(answer="yes", weight=7, note=None)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (YES, "strict"),
        (f"\n {YES}\n", "strict"),
        (YES.replace("null", '"a } brace { and </think>"'), "strict"),
        (f"```json\n{YES}\n```", "tolerant"),
        (f"```\n{YES}```", "tolerant"),
        (f"Here is my answer:\n\n{YES}\n\nI hope it helps.", "tolerant"),
        (f"<think>First {NO}, but then</think>\n{YES}", "tolerant"),
        (f"so {{ it }} is</think> {YES}", "tolerant"),
        (f"﻿{YES}", "tolerant"),
    ],
)
def test_reads_the_one_object_and_says_how(text, reading):
    parsed = parse(text, Verdict)
    assert (parsed.value.answer, parsed.value.weight, parsed.reading) == ("yes", 7, reading)


# Fenced JSON refused, the first of two taken, any "yes" taken for correct, doubled keys: each has misled a
# published harness (Mercor archipelago 97, evalscope 1578, openai/evals 1712).
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        ("yes", "no JSON object"),
        ('"yes"', "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("null", "no JSON object"),
        (f"{YES}\n{NO}", "wrong at character"),
        (f"{YES}\n{YES}", "wrong at character"),
        (f"Either {YES} or {NO}.", "wrong at character"),
        (f"The set {{a, b}}: {YES}", "wrong at character"),
        (f"{YES} No, rather: {NO[:12]}", "no single complete JSON object"),
        (f"a }} and {YES}", "no single complete JSON object"),
        ("} {", "no single complete JSON object"),
        (f"[{YES}]", "around the JSON"),
        (f"[{YES}, 5]", "around the JSON"),
        (f"{YES}\nCorrection: weight should be 1.", "around the JSON"),
        (f"I cannot do this; an example would be {YES}", "around the JSON"),
        (f"Scores for the example, not this clip: {YES}", "around the JSON"),
        (f"{YES} I don't think so.", "around the JSON"),
        (f"<thinking>{YES}</thinking> I refuse.", "no JSON object"),
        (f"[THINK]{YES}[/THINK]", "the reply is empty"),
        (f"<think>perhaps {YES}", "ends within its reasoning"),
        ("<think>perhaps</think>", "the reply is empty"),
        ('{"answer": "yes", "weight": 7', "no single complete JSON object"),
        ("{'answer': 'yes', 'weight': 7, 'note': None}", "wrong at character 2"),
        (YES.replace("}", ",}"), "wrong at character"),
        (YES.replace("7", '"7"'), "weight: Input should be a valid integer"),
        (YES.replace("7", "7.0"), "weight: Input should be a valid integer"),
        (YES.replace("7", "true"), "weight: Input should be a valid integer"),
        (YES.replace("7", "NaN"), "holds NaN"),
        (YES.replace("7", "9" * 5000), "thousands of digits"),
        (YES.replace("yes", "Yes"), "answer: String should match pattern"),
        (YES.replace(', "note": null', ""), "note: Field required"),
        (YES.replace("}", ', "extra": 1}'), "extra: Extra inputs are not permitted"),
        (YES.replace("}", ', "answer": "no"}'), "gives 'answer' twice"),
        (YES.replace("null", r'"\ud800"'), "Invalid JSON: unexpected end of hex escape"),
        (YES.replace("null", "[" * 100_000), "nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    ],
)
def test_refuses_everything_else_and_says_why(text, reason):
    with pytest.raises(UnreadableError, match=reason):
        parse(text, Verdict)


def test_names_the_place_inside_a_list_and_at_most_five_problems():
    facets = [{"answer": "yes", "weight": "x", "note": None}] * 7
    with pytest.raises(UnreadableError) as problem:
        parse(json.dumps({"facets": facets}), Nested)
    assert "facets.0.weight: " in str(problem.value)
    assert str(problem.value).endswith("; and 2 more")


def test_of_a_reply_that_was_cut_off_only_a_whole_object_counts():
    assert parse(YES, Verdict, cut=True).value == VALUE
    with pytest.raises(UnreadableError, match="cut off"):
        parse(f"{YES} But wait, on second", Verdict, cut=True)


def test_free_text_is_taken_as_it_is_without_reasoning_but_never_empty_or_cut():
    assert parse(" A fair. {x} ", None).value == "A fair. {x}"
    assert parse("<think>hm</think>A fair.", None).value == "A fair."
    for text, cut in [(" \n", False), ("<think>hm</think>", False), ("<think>hm", False), ("A fa", True)]:
        with pytest.raises(UnreadableError):
            parse(text, None, cut=cut)


def test_ten_megabytes_are_read_or_refused_in_linear_time():
    assert parse("x" * 10_000_000 + YES, Verdict).value == VALUE
    for text in ("{" * 10_000_000, '{"' * 5_000_000, '{"a":{' * 2_000_000 + "}"):
        with pytest.raises(UnreadableError):
            parse(text, Verdict)


# Letters from which no word can be made that takes an answer back.
prose = st.text("abhimsué漢字 ,.;:!?`*#\n\"'-", max_size=40)
verdicts = st.builds(
    Verdict,
    answer=st.sampled_from(["yes", "no"]),
    weight=st.integers(-(10**18), 10**18),
    note=st.none() | st.text(st.characters(blacklist_categories=["Cs"]), max_size=20),
)
layouts = st.sampled_from([{"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
written = st.builds(lambda verdict, layout: json.dumps(verdict.model_dump(), **layout), verdicts, layouts)
pieces = st.sampled_from(
    ["{", "}", '"', "answer", "yes", "no", "weight", ":", ",", "7", "null", "\\", "[", " "]
)
jumble = st.lists(pieces | written, max_size=12).map("".join)


def top_level_objects(text: str) -> list[dict]:
    """By the standard library's own decoder: whatever decodes from a brace on, left to right."""
    found, position = [], 0
    while (position := text.find("{", position)) >= 0:
        try:
            value, position = json.JSONDecoder().raw_decode(text, position)
            found.append(value)
        except ValueError:
            position += 1
    return found


@given(prose, verdicts, layouts, prose)
def test_finds_any_object_in_any_prose(before, verdict, layout, after):
    text = before + json.dumps(verdict.model_dump(), **layout) + after
    assert parse(text, Verdict).value == verdict


@given(st.text() | jumble)
@example("{}")
@example(f"{YES}{NO}")
def test_never_chooses_what_it_returns_is_the_only_object_there_is(text):
    try:
        value = parse(text, Verdict).value
    except UnreadableError:
        return
    assert top_level_objects(text) == [value.model_dump()]


@given(prose, written, prose, written, prose)
def test_of_two_objects_it_takes_none(before, first, between, second, after):
    with pytest.raises(UnreadableError):
        parse(before + first + between + second + after, Verdict)


@given(prose, verdicts, st.data())
def test_takes_nothing_from_a_truncated_object(before, verdict, data):
    whole = json.dumps(verdict.model_dump())
    part = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(UnreadableError):
        parse(before + part, Verdict)


@given(st.binary(max_size=60).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_broken_encodings_raise_nothing_else(text):
    with contextlib.suppress(UnreadableError):
        parse(YES.replace("null", f'"{text}"'), Verdict)
