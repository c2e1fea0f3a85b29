"""AIGVE-MACS's nine scores in its answer: as JSON, else as the Python literal that its examples read."""

import ast
import json
import re
from typing import Annotated

from pydantic import ConfigDict, Field

from helpers.chat.forms import Form
from helpers.chat.parsing import Parsed, UnreadableError, parse

LONGEST = 20_000


class Aspect(Form):
    """One aspect's score; the comment beside it may be called anything, since no source names its key."""

    model_config = ConfigDict(extra="allow", frozen=True)

    score: Annotated[int, Field(ge=0, le=5)]


class Nine(Form):
    """The nine aspects, spelt as published."""

    technical_quality: Aspect
    dynamic: Aspect
    consistency: Aspect
    physics: Aspect
    element_presentence: Aspect
    element_quality: Aspect
    action_presentence: Aspect
    action_quality: Aspect
    overall: Aspect


ASPECTS = tuple(Nine.model_fields)


def read_aspects(text: str, *, cut: bool = False) -> Parsed:
    """The nine scores of an answer.

    It is read as JSON, with nothing around it or with a code fence or words; else as a Python literal, which
    is never evaluated.

    Args:
        text: the answer.
        cut: it was cut off at its longest length.

    Returns:
        An instance of `Nine`.

    Raises:
        UnreadableError: no such object, several, an aspect that is missing, given twice or not known, or a
            score that is no whole number from 0 to 5.
    """
    try:
        return parse(text, Nine, cut=cut)
    except UnreadableError as problem:
        literal = None if cut else _literal(text)
        if literal is None:
            raise problem from None
        return Parsed(parse(literal, Nine).value, "tolerant")


def _literal(text: str) -> str | None:
    """A Python dictionary in a text as JSON; None where there is none, or a key stands in it twice."""
    found = re.search(r"\{.*\}", text[:LONGEST], re.DOTALL)
    if found is None:
        return None
    try:
        tree = ast.parse(found[0], mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict) and len({ast.dump(key) for key in node.keys}) < len(node.keys):
                return None
        return json.dumps(ast.literal_eval(tree))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, AttributeError):
        return None
