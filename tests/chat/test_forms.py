from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, create_model

from helpers.chat.forms import Form, json_schema


class Inner(Form):
    properties: str
    type: Literal["object"]


class Outer(Form):
    inner: Inner
    more: list[Inner]
    perhaps: Inner | None = Field(description="none where there is none")


class Open(BaseModel):
    text: str


def test_gives_a_schema_in_which_all_is_required_and_nothing_added():
    schema = json_schema(Outer)
    assert schema["required"] == ["inner", "more", "perhaps"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Inner"]["required"] == ["properties", "type"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (create_model("Lazy", __base__=Form, text=(str, "x")), "Lazy.text: the field has a default"),
        (create_model("Holder", __base__=Form, open=(Open, ...)), "Open: the object allows unknown keys"),
        (
            create_model("Free", __base__=Form, any=(dict[str, int], ...)),
            "Free.any: the object allows unknown",
        ),
        (
            create_model("Listed", __base__=Form, all=(list[dict[str, Any]], ...)),
            "Listed.all: the object allows",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_refuses_a_form_that_leaves_something_open(form, expected):
    with pytest.raises(ValueError, match=expected):
        json_schema(form)
