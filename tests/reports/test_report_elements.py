"""Pieces of pages: text comes back from a parser as it was put in, and words carry no keys or paths."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.reports.elements import counted, interval, number, score_cell, shown, table, tag, whisker
from helpers.reports.words import harmless

NAN = float("nan")
# What HTML itself cannot carry or changes: carriage returns, NUL and lone surrogates.
TEXT = st.text(st.characters(exclude_characters="\r\x00", exclude_categories=["Cs", "Cc"]), max_size=60)


@settings(max_examples=60)
@given(text=TEXT, value=TEXT)
def test_any_text_comes_back_as_text_and_any_value_as_value(text, value):
    page = BeautifulSoup(str(tag("div", tag("p", text, title=value))), "html.parser")
    assert page.p.get_text() == text
    assert page.p["title"] == value
    assert len(page.find_all()) == 2


def test_a_table_escapes_caption_header_cells_and_label():
    trap = "<b onclick='x()'>"
    page = BeautifulSoup(str(table(trap, [trap, trap], [[trap, trap]], label=trap)), "html.parser")
    assert page.find("b") is None
    assert page.caption.get_text() == trap
    assert [cell.get_text() for cell in page.find_all(["th", "td"])] == [trap] * 4
    assert page.div["aria-label"] == trap
    assert page.tbody.th["scope"] == "row"


def test_false_and_missing_attributes_are_left_out_and_true_ones_have_no_value():
    assert str(tag("option", "a", hidden=True, selected=False, title=None)) == '<option hidden="">a</option>'


def test_a_shown_page_is_not_read_as_formulas():
    assert "mathjax_ignore" in shown(tag("p", "$x$")).data


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [(0.5, "{:.2f}", "0.50"), (-0.14, "{:+.1f}", "−0.1"), (NAN, "{:.2f}", "–"), (None, "{:.2f}", "–")],
)
def test_numbers(value, form, expected):
    assert number(value, form) == expected


def test_counts_and_intervals_in_words():
    assert [counted(1, "clips"), counted(1200, "clips")] == ["1 clip", "1,200 clips"]
    assert [counted(1, "countries"), counted(2, "countries")] == ["1 country", "2 countries"]
    assert [interval(0.1, 0.25), interval(float("nan"), float("nan"))] == ["0.10 to 0.25", ""]


def test_a_whisker_lies_where_its_numbers_say():
    drawing = BeautifulSoup(str(whisker(2.5, 1.25, 5.0, (0, 5))), "html.parser")
    assert drawing.circle["cx"] == "50.0"
    assert [drawing.find(class_="whisker-interval")[end] for end in ("x1", "x2")] == ["25.0", "100.0"]
    assert drawing.svg["aria-hidden"] == "true"


def test_a_cell_says_why_it_is_empty():
    cells = pd.DataFrame({"estimate": [NAN, 0.5], "low": [NAN] * 2, "high": [NAN] * 2,
                          "n": [3, 4], "asked": [9, 4],
                          "status": ["too few scored: 3 of 9", "no interval: one prompt"]})  # fmt: skip
    refused, bare = (BeautifulSoup(str(score_cell(row)), "html.parser") for row in cells.itertuples())
    assert refused.get_text() == "–too few scored: 3 of 9"
    assert refused.td["data-value"] == ""
    assert "no interval: one prompt" in bare.get_text()
    assert "n 4 of 4" in bare.get_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key sk-abcdef0123456789 end", "key [key] end"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: [key]"),
        ("see https://x.example/a?api_key=12345678", "see https://x.example/a[key]"),
        ("File /home/me/secret/x.py, line 3", "File [path], line 3"),
        (r"at C:\Users\me\x.txt now", "at [path] now"),
        ("yes/no and 1/2 and km/h", "yes/no and 1/2 and km/h"),
        ("https://en.wikipedia.org/wiki/Setsubun", "https://en.wikipedia.org/wiki/Setsubun"),
        (None, ""),
        (float("nan"), ""),
    ],
)
def test_words_lose_keys_and_paths_and_nothing_else(text, expected):
    assert harmless(text) == expected


def test_long_words_are_cut_between_words():
    assert harmless("one two three four", longest=12) == "one two …"
    assert len(harmless("x" * 1000)) < 400
