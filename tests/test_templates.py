import pytest

from helpers.checking import DataError
from helpers.paths import ROOT
from helpers.templates import template

SHIPPED = sorted((ROOT / "src" / "helpers" / "chat" / "texts").glob("*.txt"))


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes):
        path = tmp_path / "decompose.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_reads_version_and_text_and_fills_each_placeholder(write):
    read = template(write("version 3 · splits a scene\n\nIn {country}: {scene}. Again {country}.\n"))
    assert (read.version, read.about) == (3, "splits a scene")
    assert read.placeholders == ("country", "scene")
    assert read.fill(country="Peru", scene="a fair") == "In Peru: a fair. Again Peru."


def test_leaves_json_alone_and_braces_in_values_unexpanded(write):
    read = template(write('version 1 · json\nLike {"answer": "yes"} or {}: {scene}'))
    assert read.fill(scene="{scene} {country}") == 'Like {"answer": "yes"} or {}: {scene} {country}'


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "{country}: it has no value"),
        ({"country": None}, "{country}: found None"),
        ({"country": " "}, "{country}: found ' '"),
        ({"country": "Peru", "contry": "x"}, "no placeholder {contry}; did you mean 'country'"),
        ({"country": "Peru", "zzz": "x"}, "no placeholder {zzz}; it has country"),
    ],
)
def test_names_the_file_and_the_placeholder_that_is_wrong(write, values, expected):
    read = template(write("version 1 · about\nIn {country}."))
    with pytest.raises(ValueError, match=r"decompose\.txt") as problem:
        read.fill(**values)
    assert expected in str(problem.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("In {country}.", "found the first line 'In {country}.'"),
        ("version 0 · about\ntext", "first line"),
        ("version 1 · about\n \n", "nothing after the first line"),
        ("version 1 · about\nIn {Country}.", "found {Country}, expected a lower-case name"),
        ("version 1 · about\nIn { country }.", "found { country }"),
        (b"version 1 \xc2\xb7 about\n\xff", "byte 19 is not UTF-8"),
        ("", "first line ''"),
    ],
)
def test_refuses_a_file_that_is_no_template(write, content, expected):
    with pytest.raises(DataError, match=r"decompose\.txt") as problem:
        template(write(content))
    assert expected in str(problem.value)


def test_a_missing_file_names_those_that_are_there(write):
    path = write("version 1 · about\ntext")
    with pytest.raises(DataError, match=r"other.txt: no such file; the templates there are decompose.txt"):
        template(path.with_name("other.txt"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_template_is_one(path):
    assert template(path).placeholders
