"""Messages about YAML files name the line and the nearest valid key, however deep a key stands."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from helpers.checking import DataError
from helpers.configuration import read_yaml


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    kind: Literal["server", "local"] = "local"


class Cat(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["dog"]
    tricks: int = 0


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")

    one: Part | None = None
    parts: list[Part] = []
    mixed: list[str | Part] = []
    named: dict[str, Part] = {}
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []


CASES = {
    "in a part": ("one:\n  nmae: a\n  name: b\n", "line 2: unknown key 'one.nmae'; did you mean 'name'?"),
    "in a list": (
        "parts:\n  - name: a\n  - name: b\n    knid: local\n",
        "line 4: unknown key 'parts.1.knid'; did you mean 'kind'?",
    ),
    "in a list of words and parts": (
        "mixed:\n  - a\n  - {name: b, knid: local}\n",
        "line 3: unknown key 'mixed.1.knid'; did you mean 'kind'?",
    ),
    "below names of one's own": (
        "named:\n  mine:\n    name: a\n    knid: local\n",
        "line 4: unknown key 'named.mine.knid'; did you mean 'kind'?",
    ),
    "in one of several kinds": (
        "pets:\n  - kind: cat\n  - kind: dog\n    trick: 1\n",
        "line 4: unknown key 'pets.1.trick'; did you mean 'tricks'? (expected one of kind, tricks)",
    ),
    "a key that is missing": (
        "parts:\n  - name: a\n  - kind: local\n",
        "line 3: key 'parts.1.name' is missing",
    ),
    "a word that is none of a few": (
        "parts:\n  - name: a\n    kind: sevrer\n",
        "line 3: key 'parts.0.kind': found 'sevrer'; expected 'server' or 'local'; did you mean 'server'?",
    ),
}


@pytest.mark.parametrize(("content", "message"), CASES.values(), ids=CASES)
def test_nested_problems_name_their_line_and_the_nearest(tmp_path, content, message):
    path = tmp_path / "file.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_yaml(path, Whole, what="a file")
    assert message in str(error.value)


def test_what_is_nested_too_deep_is_said(tmp_path):
    path = tmp_path / "deep.yaml"
    path.write_text("one: " + "[" * 3000 + "]" * 3000, encoding="utf-8")
    with pytest.raises(DataError, match=r"deep\.yaml: nested too deep to be read; expected a file"):
        read_yaml(path, Whole, what="a file")
