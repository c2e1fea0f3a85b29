"""From a reply's text to a checked value: strictly, then tolerantly, and never by a guess.

Tolerated are what models put around an answer: reasoning closed by `</think>`, a code fence, some prose. Two
possible answers are none: neither a second pair of braces nor a doubled key is ever chosen between.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from helpers.chat.boxed import Boxed, BoxError, Verdict
from helpers.chat.forms import Form
from helpers.chat.reasoning import UnfinishedError, parted

MOST_PROBLEMS = 5
# Words around an object that may change or take back what it says, and what would be further values.
_TAKES_BACK = re.compile(
    r"[\d\[\]]|n['’]t\b|\b(?:not|no|never|cannot|refuse|sorry|unable|examples?|instead|should|would|correct\w*|but|"
    r"however|wrong|rather|except)\b",
    re.IGNORECASE,
)


class UnreadableError(ValueError):
    """A reply without exactly one value of the wanted form; the message says what is wrong with it."""


@dataclass(frozen=True)
class Parsed:
    """A reply's value and how it was read.

    Attributes:
        value: an instance of the form, a boxed answer with its reasoning, or text where neither was asked.
        reading: strict if the whole reply is the value, tolerant if something around it was dropped.
    """

    value: Form | Verdict | str
    reading: Literal["strict", "tolerant"]


def parse(text: str, schema: type[Form] | Boxed | None, *, cut: bool = False) -> Parsed:
    """The one value that a reply holds.

    Args:
        text: the reply.
        schema: the form that the value must fit, types included; or an answer in a box; None takes the text
            itself.
        cut: the reply was cut off before its end. Then only a whole JSON object counts, since a better
            answer may have been about to follow.

    Raises:
        UnreadableError: no value, several, or one that does not fit the form.
    """
    text = text.strip()
    if schema is None:
        return _plain(text, cut)
    if isinstance(schema, Boxed):
        return _boxed(text, schema, cut)
    try:
        return Parsed(_fitting(text, schema), "strict")
    except UnreadableError:
        if cut:
            raise UnreadableError("the reply was cut off before it was complete") from None
    return Parsed(_fitting(_only_object(_without_reasoning(text)), schema), "tolerant")


def _plain(text: str, cut: bool) -> Parsed:
    if cut:
        raise UnreadableError("the reply was cut off before it was complete")
    answer = _without_reasoning(text)
    if not answer:
        raise UnreadableError("the reply is empty")
    return Parsed(answer, "strict" if answer == text else "tolerant")


def _boxed(text: str, schema: Boxed, cut: bool) -> Parsed:
    if cut:
        raise UnreadableError("the reply was cut off before it was complete")
    try:
        verdict = schema.read(text)
    except BoxError as problem:
        raise UnreadableError(str(problem)) from None
    return Parsed(verdict, verdict.reading)


def _without_reasoning(text: str) -> str:
    """What follows the reasoning."""
    try:
        return parted(text)[1]
    except UnfinishedError as problem:
        raise UnreadableError(str(problem)) from None


def _only_object(text: str) -> str:
    """From the first opening brace to the last closing one, with no brace outside.

    Two objects side by side, or prose with braces of its own, do not survive the parsing that follows.
    """
    if not text:
        raise UnreadableError("the reply is empty")
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0:
        raise UnreadableError("the reply holds no JSON object")
    if end <= start or "{" in text[end:] or "}" in text[:start]:
        raise UnreadableError("the reply holds no single complete JSON object")
    around = text[:start] + text[end:]
    if _TAKES_BACK.search(around):
        raise UnreadableError("the words around the JSON may say something else; expected the object alone")
    return text[start:end]


def _fitting(text: str, schema: type[Form]) -> Form:
    """An object that fits the schema, from text that is nothing but that object."""
    try:
        json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
        return schema.model_validate_json(text, strict=True)
    except UnreadableError:
        raise
    except json.JSONDecodeError as error:
        raise UnreadableError(
            f"the JSON breaks off or is wrong at character {error.pos + 1} ({error.msg})"
        ) from None
    except ValidationError as error:
        raise UnreadableError(_explained(error)) from None
    except RecursionError:
        raise UnreadableError("the JSON is nested too deeply") from None
    except ValueError:
        raise UnreadableError("the JSON holds a number of thousands of digits") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's content; the json module would quietly keep the last of two equal keys."""
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise UnreadableError(f"the JSON gives '{name}' twice")
        content[name] = value
    return content


def _no_constant(name: str) -> None:
    raise UnreadableError(f"the JSON holds {name}, which is no JSON")


def _explained(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'the reply'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f"; and {len(problems) - MOST_PROBLEMS} more" if len(problems) > MOST_PROBLEMS else ""
    return "; ".join(problems[:MOST_PROBLEMS]) + more
