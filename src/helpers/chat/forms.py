"""The shape that a reply must have: a pydantic model that leaves nothing open."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict


class Form(BaseModel):
    """Base of every reply's schema. Unknown keys are refused, and so are values of another type ("4" for 4).

    Give no field a default: a key that the model left out would pass for an answer. Say `X | None` where
    "none" is an answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


@cache
def json_schema(form: type[Form]) -> dict[str, Any]:
    """The JSON Schema of a form, as servers receive it.

    Its rules (no open objects, every key required) are also those of OpenAI's strict mode.

    Raises:
        ValueError: an object that allows unknown keys or has optional ones; the message names the form and
            the field.
    """
    schema = form.model_json_schema()
    for where, part in _objects(schema, form.__name__):
        if part.get("additionalProperties") is not False:
            raise ValueError(f"{where}: the object allows unknown keys; expected it to derive from Form")
        for name in part.get("properties", {}):
            if name not in part.get("required", ()):
                raise ValueError(f"{where}.{name}: the field has a default; expected every field required")
    return schema


def _objects(part: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object's schema inside a schema, with its place; a field's name is no keyword."""
    if isinstance(part, list):
        for inner in part:
            yield from _objects(inner, where)
    if not isinstance(part, dict):
        return
    if part.get("type") == "object":
        yield where, part
    for keyword, inner in part.items():
        if keyword == "properties":
            for name, field in inner.items():
                yield from _objects(field, f"{where}.{name}")
        elif keyword == "$defs":
            for name, definition in inner.items():
                yield from _objects(definition, name)
        elif keyword not in ("const", "enum", "default", "examples"):
            yield from _objects(inner, where)
