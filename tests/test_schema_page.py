"""The page of a study's tables: what is committed, and words that do not fit the schemas."""

import pytest

from helpers import schema_page
from helpers.checking import DataError
from helpers.schemas import LANDMARK_CRITERIA, MAY_BE_NA, TABLES


@pytest.fixture
def changed(tmp_path):
    """A copy of the words in which one text is replaced by another."""

    def change(old, new):
        words, copy = schema_page.WORDS.read_text(encoding="utf-8"), tmp_path / "columns.csv"
        assert words.count(old) == 1
        copy.write_text(words.replace(old, new), encoding="utf-8")
        return copy

    return change


def test_what_is_committed_is_what_the_schemas_give():
    stale = schema_page.PAGE.read_text(encoding="utf-8") != schema_page.page()
    assert not stale, "run `python -m helpers.schema_page`"


def test_every_column_has_a_row_of_five_cells():
    rows = [line for line in schema_page.page().splitlines() if line.startswith("| `")]
    assert len(rows) == sum(len(table.columns) for table in TABLES.values())
    assert {row.count("|") for row in rows} == {6}


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ("`weight`", "| whole number | 1 to 10 | yes |"),
        ("`lat`", "| number | -90 to 90 | yes |"),
        ("`dimension`", "| text | `identity`, `behavior`, `context` | no |"),
        ("`relevant`", "| true or false | `True`, `False` | no |"),
        ("`country`", "| text | a country's short English name ('South Africa') | no |"),
    ],
)
def test_a_row_says_what_its_column_may_hold(column, row):
    assert f"| {column} {row}" in schema_page.page()


def test_the_words_about_grades_name_the_criteria_with_rules_of_their_own():
    row = next(line for line in schema_page.page().splitlines() if line.startswith("| `score`"))
    assert all(f"`{name}`" in row for name in (*LANDMARK_CRITERIA, *MAY_BE_NA))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("videos,fps,frames a second\n", "", "no words for videos.fps$"),
        ("videos,fps,", "videos,rate,", "no words for videos.fps; words for videos.rate, which helpers"),
        ("relevance,,", "importance,,", "no words for relevance; words for importance, which helpers"),
        ("frames a second", "frames | second", "frames | second, expected words on one line without '|'"),
        ("videos,fps,", "videos,frames,", "is used by an earlier row"),
    ],
)
def test_words_that_do_not_fit_the_schemas_are_refused(changed, old, new, message):
    with pytest.raises(DataError, match=message.replace("|", r"\|")):
        schema_page.page(changed(old, new))


def test_the_command_writes_the_page_and_refuses_in_words(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(schema_page, "PAGE", tmp_path / "tables.md")
    assert schema_page.main([]) == 0
    assert schema_page.PAGE.read_text(encoding="utf-8") == schema_page.page()
    monkeypatch.delitem(TABLES, "relevance")
    assert schema_page.main([]) == 2
    assert "words for relevance, which helpers.schemas lacks" in capsys.readouterr().err
