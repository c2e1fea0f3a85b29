"""The checks of exercises: right answers pass, slips are named, and no message holds the answer."""

import math

import pytest
from IPython.core.interactiveshell import InteractiveShell

from helpers.lessons.answer import KnownAnswer
from helpers.lessons.answers import ANSWERS
from helpers.lessons.check import AnswerError, check

EACH = pytest.mark.parametrize("exercise", ANSWERS)


@EACH
def test_the_right_answer_passes(exercise):
    assert "Right." in check(exercise, *ANSWERS[exercise]().parts).data


@EACH
def test_each_slip_is_wrong_and_told_apart(exercise):
    for message, parts in ANSWERS[exercise]().slips.items():
        with pytest.raises(AnswerError) as found:
            check(exercise, *parts)
        assert str(found.value) == message


@EACH
def test_dots_are_no_answer(exercise):
    assert "No answer yet" in check(exercise, *[...] * len(ANSWERS[exercise]().parts)).data


@pytest.fixture
def made_up(monkeypatch):
    answer = KnownAnswer(parts=(2.5, "equivalent"), tolerance=0.1)
    monkeypatch.setitem(ANSWERS, "made-up", lambda: answer)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ((2.7, "equivalent"), "the first answer: 2.7 is too large."),
        ((-2.5, "equivalent"), "the first answer: -2.5 is too small."),
        (("2,5", "equivalent"), "the first answer: found '2,5', expected a number."),
        (([2.5, 1], "equivalent"), "the first answer: found [2.5, 1], expected a number."),
        ((math.nan, "equivalent"), "the first answer: found no number (NaN)."),
        ((2.5, "both"), "the second answer: it is not 'both'."),
        ((2.5, 1), "the second answer: found 1, expected a word in quotation marks."),
    ],
)
@pytest.mark.usefixtures("made_up")
def test_a_wrong_answer_gets_a_hint(found, message):
    with pytest.raises(AnswerError) as error:
        check("made-up", *found)
    assert str(error.value) == message


@pytest.mark.usefixtures("made_up")
def test_small_deviations_and_capitals_do_not_matter():
    assert "Right." in check("made-up", 2.59, " Equivalent").data


@pytest.mark.usefixtures("made_up")
def test_a_notebook_shows_the_hint_without_a_traceback(capsys):
    shell = InteractiveShell()
    shell.user_ns["check"] = check
    assert not shell.run_cell("check('made-up', 3, 'equivalent')").success
    shown = capsys.readouterr().out
    assert "Not yet: the first answer: 3 is too large." in shown
    assert "Traceback" not in shown
    assert "2.5" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("91-9", 1), "no exercise '91-9'"), (("91-1", 1, 2), "found 2 parts, expected 1")],
)
def test_a_check_that_fits_no_exercise_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        check(*arguments)
