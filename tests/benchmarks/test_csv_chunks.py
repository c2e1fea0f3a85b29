import csv
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.benchmarks import line_report
from helpers.benchmarks.csv_chunks import read_chunks, read_whole
from helpers.benchmarks.line_report import BadLinesError, LineReport
from helpers.checking import DataError


@pytest.fixture
def make_csv(tmp_path):
    def make(content):
        path = tmp_path / "some.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def problems(report):
    return list(report.frame()[["line", "problem"]].itertuples(index=False, name=None))


def test_chunks_have_the_wanted_columns_and_the_lines_of_their_rows(make_csv):
    path = make_csv('a,b,c\n1,x,"two\nlines"\n2,,z\n3,y,"a ""quote"""\n')
    report = LineReport()
    chunks = list(read_chunks(path, ("c", "a"), report, size=2))
    assert [chunk.to_dict("list") for chunk in chunks] == [
        {"c": ["two\nlines", "z"], "a": ["1", "2"]},
        {"c": ['a "quote"'], "a": ["3"]},
    ]
    assert [list(chunk.index) for chunk in chunks] == [[3, 4], [5]]
    assert len(report) == 0
    report.refuse()


def test_byte_order_mark_and_windows_lines_are_accepted(make_csv):
    rows = read_whole(make_csv(b"\xef\xbb\xbfa,b\r\n1,caf\xc3\xa9\r\n"), ("a", "b"), LineReport())
    assert rows.to_dict("list") == {"a": ["1"], "b": ["café"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n3\n", [(3, "found 1 fields, expected 2 as in the header")]),
        ("a,b\n1,2,3\n4,5\n", [(2, "found 3 fields, expected 2 as in the header")]),
        ("a,b\n\n1,2\n", [(2, "found 0 fields, expected 2 as in the header")]),
        (b"a,b\n1,2\n\xff,3\n4,5\n", [(3, "not UTF-8")]),
        ("a,b\n1,2\n3,4", [(3, "ends without a line break; was the file cut off?")]),
    ],
)
def test_bad_rows_are_named_and_left_out(make_csv, content, expected):
    report = LineReport()
    rows = read_whole(make_csv(content), ("a", "b"), report)
    assert problems(report) == expected
    assert not set(rows.index) & {line for line, problem in expected if "line break" not in problem}


def test_a_quote_that_is_never_closed_is_refused(make_csv):
    path = make_csv('a,b\n1,2\n3\n4,"5\n6,7\n')
    with pytest.raises(BadLinesError, match=r"1 problem\n.*line 5: cannot be read further"):
        read_whole(path, ("a", "b"), LineReport())
    with pytest.raises(BadLinesError, match=r"2 problems\n.*line 3: found 1 fields.*\n.*line 5: cannot"):
        list(read_chunks(path, ("a", "b"), LineReport(), size=2))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,bb\n1,2\n", "column 'b' is missing; did you mean 'bb'?; expected the columns a, b"),
        ("", "column 'a' is missing"),
        (b"\x50\x4b\x03\x04", "column 'a' is missing"),
    ],
)
def test_another_kind_of_file_is_refused(make_csv, content, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_whole(make_csv(content), ("a", "b"), LineReport())


def test_an_absent_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"none\.csv: no such file"):
        read_whole(tmp_path / "none.csv", ("a",), LineReport())


def test_a_header_alone_gives_no_rows(make_csv):
    assert list(read_whole(make_csv("a,b\n"), ("b",), LineReport())) == ["b"]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5)


@settings(max_examples=20)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=7), st.integers(1, 3))
def test_whatever_the_csv_module_writes_is_read_in_any_chunks(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("csv") / "some.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("a", "b"), *rows])
    report = LineReport()
    read = [row for chunk in read_chunks(path, ("a", "b"), report, size) for row in chunk.to_numpy().tolist()]
    assert [tuple(row) for row in read] == rows
    assert len(report) == 0


def test_a_report_names_a_hundred_lines_keeps_all_and_stops_at_too_many(tmp_path, monkeypatch):
    report = LineReport()
    for line in range(150):
        report.add(tmp_path / "a.csv", line, "odd")
    report.add(tmp_path / "a.csv", 3, "odd")
    with pytest.raises(BadLinesError) as caught:
        report.refuse()
    assert str(caught.value).startswith("150 problems\n")
    assert str(caught.value).endswith("- and 50 more")
    assert len(caught.value.problems) == 150
    monkeypatch.setattr(line_report, "MOST_KEPT", 151)
    report.add(tmp_path / "a.csv", 150, "odd")
    with pytest.raises(BadLinesError, match="152 problems"):
        report.add(tmp_path / "a.csv", 151, "odd")
