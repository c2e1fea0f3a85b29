import re

import pytest

from helpers.benchmarks.culturevidbench_elements import TEMPLATES, read_elements, sentence
from helpers.benchmarks.line_report import BadLinesError
from helpers.checking import DataError
from helpers.published import ASPECTS
from helpers.templates import template

HEADER = "country,aspect,element,step,activity,source,url\n"
RITUAL = (
    "China,wedding,tea ceremony,1,the couple kneels before the parents,Wikipedia,\n"
    "China,wedding,tea ceremony,2,the couple serves tea,Wikipedia,https://en.wikipedia.org/wiki/Tea\n"
)


@pytest.fixture
def make_elements(tmp_path):
    def make(rows):
        path = tmp_path / "elements.csv"
        path.write_text(HEADER + rows, encoding="utf-8")
        return path

    return make


def test_elements_are_read_with_their_activities_and_sources(make_elements):
    rows = read_elements(make_elements("Japan,food,ramen,,,Cultural Atlas,\n" + RITUAL))
    assert list(rows["element"]) == ["ramen", "tea ceremony", "tea ceremony"]
    assert rows["step"].tolist()[1:] == [1, 2]
    assert rows["step"].isna().tolist() == [True, False, False]
    assert list(rows["source"].unique()) == ["Cultural Atlas", "Wikipedia"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "Japan,food,ramen,1,somebody eats,Wikipedia,\n",
            "line 2: 'ramen' (food) has activities; expected none",
        ),
        (
            RITUAL.splitlines(keepends=True)[0],
            "line 2: 'tea ceremony' (wedding): expected 2 activities or more",
        ),
        ("China,funeral,burial,,,Wikipedia,\n", "line 2: 'burial' (funeral): expected 2 activities or more"),
        (
            RITUAL.replace(",2,", ",3,"),
            "line 2: 'tea ceremony' (wedding): found the steps [1, 3], expected 1, 2",
        ),
        (RITUAL.replace("the couple serves tea", ""), "expected 2 activities or more, each named"),
    ],
)
def test_activities_belong_to_rituals_and_are_numbered(make_elements, rows, message):
    with pytest.raises(BadLinesError, match=re.escape(message)):
        read_elements(make_elements(rows))


def test_every_ritual_that_does_not_fit_is_named(make_elements):
    rows = "China,funeral,burial,,,A,\nJapan,food,ramen,1,eat,A,\nJapan,funeral,wake,,,A,\n"
    with pytest.raises(BadLinesError, match="3 problems"):
        read_elements(make_elements(rows))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("Nippon,food,ramen,,,Wikipedia,\n", "row 2, column 'country': found Nippon"),
        ("Japan,foods,ramen,,,Wikipedia,\n", "did you mean 'food'"),
        ("Japan,food,ramen,,,,\n", "row 2, column 'source': found nothing"),
        ("Japan,food,ramen,,,A,\nJapan,food,ramen,,,B,\n", "expected each key once"),
    ],
)
def test_elements_without_country_aspect_or_source_are_refused(make_elements, rows, message):
    with pytest.raises(DataError, match=message):
        read_elements(make_elements(rows))


# CultureVidBench, section 3.2: the parts of each category's sentence, in order.
@pytest.mark.parametrize(
    ("category", "parts"),
    [
        ("material", ("subject", "action", "element", "context")),
        ("social", ("subject", "practice", "context")),
        ("ritual", ("subject", "first_activity", "second_activity", "context")),
    ],
)
def test_templates_have_the_papers_parts(category, parts):
    pattern = template(TEMPLATES / f"culturevidbench_{category}.txt")
    assert pattern.placeholders == parts
    assert pattern.version >= 1


def test_there_is_a_template_for_each_category():
    names = {path.stem.removeprefix("culturevidbench_") for path in TEMPLATES.glob("culturevidbench_*.txt")}
    categories = set(ASPECTS.values())
    assert names == categories | {f"write_{name}" for name in categories}


def test_a_filled_template_is_a_sentence():
    parts = {"first_activity": "bow", "second_activity": "light incense ", "context": "in Japan."}
    assert sentence("ritual", subject="two guests", **parts) == "Two guests bow and light incense in Japan."


def test_parts_that_are_missing_or_unknown_are_named():
    with pytest.raises(ValueError, match=r"\{action\}: it has no value"):
        sentence("material", subject="a man", element="rice", context="in Japan")
    with pytest.raises(ValueError, match=r"\{context\}: found ''"):
        sentence("social", subject="a man", practice="bows", context=" ")
    with pytest.raises(ValueError, match=r"no placeholder \{practise\}; did you mean 'practice'"):
        sentence("social", subject="a man", practise="x", practice="z", context="y")
    with pytest.raises(ValueError, match="no template 'rituals'; did you mean 'ritual'"):
        sentence("rituals")
