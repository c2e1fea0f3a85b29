import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.benchmarks.country_words import names_no_country
from helpers.criteria import CRITERIA
from helpers.people.instructions import instructions
from helpers.schemas import MAY_BE_NA
from helpers.widgets.asking import YES_NO, Choice, Ranks, Ticks, grade
from helpers.widgets.media import paragraphs
from helpers.widgets.screens import AGREEMENT, blanked

QUESTIONS = [
    Choice(heading="?", among=YES_NO),
    Ticks(heading="?", clips=3),
    Ranks(heading="?", clips=3),
    *(grade(criterion, criterion.rubric.text) for criterion in CRITERIA.values()),
]


def pressed(question, *presses) -> str:
    reply = ""
    for row, option in presses:
        reply = question.press(reply, row, option)
    return reply


def test_ticks_are_several_clips_or_none_of_them():
    ticks = Ticks(heading="?", clips=3)
    assert pressed(ticks, (0, "3"), (0, "1")) == "1,3"
    assert pressed(ticks, (0, "3"), (0, "1"), (0, "3")) == "1"
    assert pressed(ticks, (0, "3"), (0, "none")) == "none"
    assert pressed(ticks, (0, "none"), (0, "2")) == "2"
    assert pressed(ticks, (0, "2"), (0, "2")) == ""
    assert ticks.is_complete("none")
    assert not ticks.is_complete("")


def test_a_rank_is_given_once():
    ranks = Ranks(heading="?", clips=3)
    assert pressed(ranks, (0, "2"), (2, "1")) == "2,,1"
    assert not ranks.is_complete("2,,1")
    assert pressed(ranks, (0, "2"), (2, "1"), (1, "3")) == "2,3,1"
    assert ranks.is_complete("2,3,1")
    assert pressed(ranks, (0, "2"), (1, "3"), (2, "1"), (0, "1")) == "1,3,"
    assert ranks.lit("2,,1", 1) == ("",)


@pytest.mark.parametrize("reply", ["2,2,1", "1,2", "1,2,4", "1;2;3", "none"])
def test_ranks_that_cannot_be(reply):
    assert not Ranks(heading="?", clips=3).is_valid(reply)


@pytest.mark.parametrize("reply", ["3,1", "1,none", "4", "1,1", "yes"])
def test_ticks_that_cannot_be(reply):
    assert not Ticks(heading="?", clips=3).is_valid(reply)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.heading)
@given(data=st.data())
def test_whatever_is_pressed_the_reply_is_valid_and_lights_what_was_pressed_last(question, data):
    options = [option.reply for option in question.options]
    rows = range(len(question.rows))
    presses = data.draw(st.lists(st.tuples(st.sampled_from(rows), st.sampled_from(options)), min_size=1))
    before, (row, last) = pressed(question, *presses[:-1]), presses[-1]
    reply = question.press(before, row, last)
    assert question.is_valid(reply)
    was_ticked = isinstance(question, Ticks) and last in question.lit(before, row)
    assert (last in question.lit(reply, row)) is not was_ticked


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.heading)
def test_every_option_has_a_key_of_its_own_that_the_page_knows(question):
    keys = [option.key for option in question.options]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[0-9yn]", key) for key in keys)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_grade_takes_scale_rubric_and_na_rule_from_the_criterion(name):
    criterion = CRITERIA[name]
    question = grade(criterion, criterion.rubric.text)
    scores = [option.reply for option in question.options]
    assert scores == [*map(str, criterion.scores), *(["NA"] if name in MAY_BE_NA else [])]
    words = re.sub(r"Not applicable: .*", "", question.help) + "\n" + question.details
    assert words.split() == criterion.rubric.text.split()
    assert question.details.startswith(f"{criterion.high}:")


def test_the_attention_check_asks_for_an_option_that_there_is():
    assert f'"{AGREEMENT[0]}"' in instructions("attention", country="Japan").text


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("A Japanese tea room in Japan", "A ▢ tea room in ▢"),
        ("In the Indian Ocean, an Indian dish", "In the ▢ Ocean, an ▢ dish"),
        ("South African and South Africa's food", "▢ and ▢'s food"),
        ("Kyoto, a temple", "Kyoto, a temple"),
    ],
)
def test_countries_are_blanked(text, without):
    assert blanked(text) == without
    assert names_no_country(blanked(text))


def test_instructions_for_blinded_raters_name_no_country():
    text = instructions("culturevidbench", country="New Zealand").text
    assert not names_no_country(text)
    assert names_no_country(blanked(text))


def test_paragraphs_join_wrapped_lines_keep_lists_and_escape():
    assert paragraphs("one\ntwo <b>\n\n1. a\nb\n2. c\n- d") == (
        "<p>one two &lt;b&gt;</p><p>1. a b<br>2. c<br>- d</p>"
    )
