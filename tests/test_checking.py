"""Every bad file ends in one message that names the file, the place, the value and what was expected."""

import pandas as pd
import pytest

from helpers.checking import DataError, Table, nearest, number, one_of, text, whole

TABLE = Table(
    columns={
        "clip": text(),
        "model": one_of(("LTX-2", "Wan 2.2")),
        "score": number(0, 1, nullable=True),
        "frames": whole(1, 500),
    },
    key=("clip", "model"),
    rows=3,
)
GOOD = "clip,model,score,frames\na,LTX-2,0.5,121\nb,LTX-2,,81\na,Wan 2.2,1,81\n"


@pytest.fixture
def read(tmp_path):
    def write_then_read(content, table=TABLE):
        path = tmp_path / "clips.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return table.read_csv(path)

    return write_then_read


def test_a_good_file_is_read_with_its_declared_types(read):
    frame = read(GOOD)
    assert frame["score"].tolist()[::2] == [0.5, 1.0]
    assert frame["score"].isna().tolist() == [False, True, False]
    assert frame["frames"].tolist() == [121, 81, 81]
    assert frame["frames"].dtype == "Int64"


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        "frames,score,model,clip\n121,0.5,LTX-2,a\n81,,LTX-2,b\n81,1,Wan 2.2,a\n",
        GOOD.replace("b,", '"b, with a comma\nand a second line",'),
    ],
    ids=["byte order mark", "Windows line ends", "other column order", "quoted field"],
)
def test_harmless_differences_are_accepted(read, content):
    frame = read(content)
    assert list(frame.columns) == list(TABLE.columns)
    assert frame["frames"].tolist() == [121, 81, 81]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(
            GOOD.replace(",frames", "").replace(",121", "").replace(",81", ""),
            ["column 'frames' is missing", "expected the columns clip, model, score, frames"],
            id="missing column",
        ),
        pytest.param(
            GOOD.replace("score", "scroe"),
            [
                "column 'score' is missing; did you mean 'scroe'?",
                "column 'scroe' is not expected; did you mean 'score'?",
            ],
            id="misspelt column",
        ),
        pytest.param(
            GOOD.replace("0.5", "1.5"),
            ["row 2, column 'score': found 1.5, expected a number from 0 to 1"],
            id="value out of range",
        ),
        pytest.param(
            GOOD.replace("0.5", "inf"),
            ["row 2, column 'score': found inf, expected a number from 0 to 1"],
            id="infinite value",
        ),
        pytest.param(
            GOOD.replace("0.5", "half"),
            ["row 2, column 'score': found 'half', expected a number from 0 to 1"],
            id="word for a number",
        ),
        pytest.param(
            GOOD.replace("121", "121.5"),
            ["row 2, column 'frames': found '121.5', expected a whole number from 1 to 500"],
            id="fraction for a whole number",
        ),
        pytest.param(
            GOOD.replace("b,LTX-2", "b,LTX2"),
            ["row 3, column 'model': found LTX2, expected one of LTX-2, Wan 2.2; did you mean 'LTX-2'?"],
            id="unknown word",
        ),
        pytest.param(
            GOOD.replace("b,LTX-2", ",LTX-2"),
            ["row 3, column 'clip': found nothing, expected a value"],
            id="missing value",
        ),
        pytest.param(
            GOOD.replace("b,LTX-2", "a,LTX-2"),
            ["row 3: the key {'clip': 'a', 'model': 'LTX-2'} is used by an earlier row"],
            id="duplicate key",
        ),
        pytest.param(
            GOOD.replace("b,LTX-2,,81\n", "b,LTX-2\n"),
            ["row 3: found 2 fields (b,LTX-2), expected 4"],
            id="short line within the file",
        ),
        pytest.param(
            GOOD.replace("b,LTX-2,,81\n", "b,LTX-2,,81,9\n"),
            ["row 3: found 5 fields (b,LTX-2,,81,9), expected 4"],
            id="long line within the file",
        ),
        pytest.param(
            GOOD[: GOOD.index("Wan 2.2")],
            ["row 4 ends without a line break, found ['a', '']", "was it cut off?"],
            id="cut off between two fields",
        ),
        pytest.param(
            GOOD[:-2],
            ["row 4 ends without a line break, found ['a', 'Wan 2.2', '1', '8']", "was it cut off?"],
            id="cut off inside a field",
        ),
        pytest.param(
            GOOD[: GOOD.index("a,Wan")],
            ["2 rows; expected 3"],
            id="cut off between two rows",
        ),
        pytest.param(
            GOOD[: GOOD.index("a,Wan")] + '"a\n',
            ["row 4 cannot be read, unexpected end of data", "was it cut off?"],
            id="cut off inside a quoted field",
        ),
        pytest.param(GOOD[: GOOD.index("a,LTX-2")], ["0 rows; expected 3"], id="header only"),
        pytest.param("", ["the file is empty"], id="empty file"),
        pytest.param("\n \n", ["the file is empty"], id="blank lines only"),
        pytest.param(
            GOOD.replace("b,", "Brasília,").encode("latin-1"),
            ["byte 44 is not UTF-8"],
            id="not UTF-8",
        ),
        pytest.param(GOOD.replace("b,", "b\0,"), ["row 3", "NUL"], id="binary rubbish"),
    ],
)
def test_bad_file_is_refused(read, content, expected):
    with pytest.raises(DataError) as error:
        read(content)
    message = str(error.value)
    assert "clips.csv: " in message
    for part in expected:
        assert part in message


def test_absent_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.csv: no such file"):
        TABLE.read_csv(tmp_path / "nothing.csv")


def test_folder_for_a_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="Is a directory"):
        TABLE.read_csv(tmp_path)


def test_all_problems_are_in_one_message_and_the_rest_is_counted(read):
    rows = "".join(f"c{row},LTX,2,0\n" for row in range(20))
    with pytest.raises(DataError) as error:
        read("clip,model,score,frames\n" + rows)
    lines = str(error.value).splitlines()
    assert lines[0].endswith("clips.csv: 60 problems")
    assert lines[-1] == "  - and 50 more"
    assert len(lines) == 12


def test_unconvertible_value_is_reported_once(read):
    with pytest.raises(DataError) as error:
        read(GOOD.replace("0.5", "half"))
    assert str(error.value).count("half") == 1


def test_repeated_value_in_a_unique_column_is_refused():
    table = Table(columns={"code": text(unique=True), "name": text()}, key=("name",))
    with pytest.raises(DataError, match=r"row 3, column 'code': found 'x', expected each value once"):
        table.check(pd.DataFrame({"code": ["x", "x"], "name": ["a", "b"]}), "codes.csv")


def test_missing_key_parts_count_as_equal():
    table = Table(columns={"level": text(), "country": text(nullable=True)}, key=("level", "country"))
    with pytest.raises(DataError, match="row 3: the key"):
        table.check(pd.DataFrame({"level": ["all", "all"], "country": [None, None]}), "levels.csv")


QUOTED = GOOD.replace("a,Wan", '"a, with a comma\nand ""quotes"" on two lines",Wan')


def test_no_cut_of_a_file_goes_unnoticed(read):
    for end in range(len(QUOTED)):
        with pytest.raises(DataError, match=r"clips\.csv: "):
            read(QUOTED[:end])


def test_nearest_word_is_offered_and_nothing_else():
    assert nearest("modle", ["model", "country"]) == "; did you mean 'model'?"
    assert nearest("xyz", ["model", "country"]) == ""
    assert nearest("CULTURESCORE", ["culturescore"]) == "; did you mean 'culturescore'?"
    assert nearest("ltx-2.3b", ["Wan 2.2", "LTX-2.3"]) == "; did you mean 'LTX-2.3'?"


def test_a_frame_with_a_column_twice_is_refused():
    frame = pd.DataFrame([["a", 1, "b"]], columns=["name", "n", "name"])
    table = Table({"name": text(), "n": whole(0, 9)}, key=("name",))
    with pytest.raises(DataError, match="column 'name' stands there twice"):
        table.check(frame, "frame")


LONG = "nine word" * 10_000


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (GOOD.replace("0.5", LONG), "row 2, column 'score': found 'nine word"),
        (GOOD.replace("b,LTX-2", f"b,{LONG}"), "row 3, column 'model': found nine word"),
        (GOOD.replace("a,", f"{LONG},").replace("Wan 2.2", "LTX-2"), "row 4: the key {'clip': 'nine word"),
        (GOOD.replace("b,LTX-2,,81", f"b,{LONG}"), "row 3: found 2 fields (b,nine word"),
        (f"{GOOD}{LONG}", "row 5 ends without a line break, found ['nine word"),
    ],
    ids=["wrong type", "unknown word", "repeated key", "short line", "cut off"],
)
def test_a_long_value_is_cut_in_messages(read, content, place):
    with pytest.raises(DataError) as error:
        read(content)
    message = str(error.value)
    assert place in message
    assert "expected" in message
    assert LONG[:80] + "…" in message
    assert LONG[:81] not in message


@pytest.mark.parametrize("value", ["1_0", [1]])
def test_what_is_no_whole_number_is_refused_in_words(value):
    table = Table({"n": whole(0, 9)}, key=("n",))
    with pytest.raises(DataError, match="expected a whole number from 0 to 9"):
        table.check(pd.DataFrame({"n": pd.Series([value], dtype=object)}), "frame")
