"""10,000 replies of every kind: none crashes the reading, none is read as what it does not say."""

from random import Random

import pytest

from helpers.chat.boxed import Boxed, BoxError
from helpers.chat.parsing import UnreadableError, parse
from helpers.criteria import CRITERIA
from helpers.judging.graded import grades_form
from judging.fuzzed_replies import BOXES, GRADES

EACH = 10_000 // (len(BOXES) + len(GRADES)) + 1
FORM = grades_form((CRITERIA["realism"], CRITERIA["text_rendering"]), targets=True)


@pytest.mark.parametrize(("kind", "make"), BOXES.items(), ids=list(BOXES))
def test_boxed_answers(kind, make):
    rng = Random(kind)
    for _ in range(EACH):
        reply = make(rng)
        try:
            found = Boxed().read(reply.text).answer
        except BoxError:
            found = None
        assert found == reply.value, reply.text


@pytest.mark.parametrize(("kind", "make"), GRADES.items(), ids=list(GRADES))
def test_grades(kind, make):
    rng = Random(kind)
    for _ in range(EACH):
        reply = make(rng)
        try:
            grades = parse(reply.text, FORM).value
            found = {"realism": grades.realism.score, "text_rendering": grades.text_rendering.score}
        except UnreadableError:
            found = None
        assert found == reply.value, reply.text


def test_most_kinds_hold_both_readable_and_unreadable_replies_between_them():
    """Guards against a generator that makes only the easy half."""
    values = [make(Random(kind)).value for kinds in (BOXES, GRADES) for kind, make in kinds.items()]
    assert sum(value is None for value in values) >= 15
    assert sum(value is not None for value in values) >= 9
