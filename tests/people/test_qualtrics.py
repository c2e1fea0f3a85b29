import pytest

from helpers.checking import DataError
from helpers.people.mapping import Prolific
from helpers.people.prolific import read_prolific
from helpers.people.qualtrics import is_finished, is_real, read_qualtrics


def test_only_the_columns_asked_for_are_read(write_qualtrics):
    path = write_qualtrics(
        [{"Q1": " Yes ", "Q2": "-99"}, {"Q1": 'Said "no",\nthen yes', "Status": "Survey Test"}]
    )
    responses = read_qualtrics(path, ["Q1", "Q2"])
    assert list(responses) == ["Status", "Finished", "Q1", "Q2"]
    assert list(responses.index) == [4, 5]
    assert list(responses["Q1"]) == ["Yes", 'Said "no",\nthen yes']
    assert list(responses["Q2"]) == ["", ""]
    assert list(is_real(responses)) == [True, False]
    assert is_finished(responses).all()


def test_an_export_without_responses_is_empty(write_qualtrics):
    assert read_qualtrics(write_qualtrics([]), []).empty


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: 3 * (text.split("\n", 1)[0] + "\n"),
            "third row does not hold Qualtrics' import ids",
        ),
        (lambda text: "", "the file is empty"),
        (lambda text: text[:-40], "was it cut off"),
        (lambda text: text[:-1] + ',"never closed\n', "expected each quote to be closed"),
        (lambda text: text + "only,two\n", r"row 5: found 2 fields, expected 18"),
        (lambda text: text.replace("Q1", "Status", 1), "column 'Status' is there twice"),
        (lambda text: text.replace("Finished", "Done", 1), "column 'Finished' is missing"),
    ],
)
def test_a_file_that_is_no_whole_export_is_refused(write_qualtrics, change, message):
    path = write_qualtrics([{"Q1": "Yes"}])
    path.write_text(change(path.read_text(encoding="utf-8-sig")), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_qualtrics(path, [])


def test_files_that_are_not_there_or_not_text_are_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.csv: no such file; expected a Qualtrics CSV export"):
        read_qualtrics(tmp_path / "none.csv", [])
    with pytest.raises(DataError, match=r"none\.csv: no such file; expected Prolific's"):
        read_prolific(tmp_path / "none.csv", Prolific())
    (tmp_path / "odd.csv").write_bytes(b"a,b\n\xff,1\n")
    with pytest.raises(DataError, match="byte 4 is not UTF-8"):
        read_qualtrics(tmp_path / "odd.csv", [])
    with pytest.raises(DataError, match=r"odd\.csv: "):
        read_prolific(tmp_path / "odd.csv", Prolific())


def test_a_column_that_prolific_was_not_asked_for_is_named(write_prolific):
    path = write_prolific([{"Participant id": "a", "Status": "APPROVED"}])
    with pytest.raises(DataError, match="column 'Languages' is missing; did you mean 'Language'"):
        read_prolific(path, Prolific(language="Languages"))


def test_prolific_countries_get_their_short_english_names(write_prolific):
    path = write_prolific(
        [
            {"Participant id": "a", "Nationality": "Korea, Republic of", "Country of residence": "USA"},
            {"Participant id": "b", "Nationality": "Nowhere", "Country of residence": "Rather not say"},
        ]
    )
    people = read_prolific(path, Prolific())
    assert list(people.loc["a", ["nationality", "residence"]]) == ["South Korea", "United States"]
    assert people.loc["b", "nationality"] == "Nowhere"
    assert people.loc["b"].isna().sum() == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("p1,APPROVED\n", "row 2: found 2 fields, expected 5"),
        ("p1,APPROVED,Japan,Japan,Japanese,33\n", "row 2: found 6 fields, expected 5"),
        ("p1,APPROVED,Japan,Japan,Jap", "was it cut off"),
    ],
)
def test_a_prolific_export_that_is_cut_or_shifted_is_refused_without_showing_people(tmp_path, rows, message):
    columns = Prolific()
    header = [columns.participant, columns.status, columns.nationality, columns.residence, columns.language]
    path = tmp_path / "people.csv"
    path.write_text(",".join(header) + "\n" + rows)
    with pytest.raises(DataError, match=message) as refusal:
        read_prolific(path, columns)
    assert "APPROVED" not in str(refusal.value)
