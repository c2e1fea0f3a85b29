import pytest

from helpers.checking import DataError
from helpers.people.mapping import PERSONAL, load_mapping

SMALL = "name: japan\nrater: PROLIFIC_PID\ncountry: Japan\n"


def write(tmp_path, text):
    path = tmp_path / "survey.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_unquoted_yes_no_and_numbers_are_the_words_of_the_export(tmp_path):
    """YAML 1.1 reads a bare `no` as false and `1` as a number; in an export they are answers."""
    mapping = load_mapping(
        write(
            tmp_path,
            SMALL + "yes: [yes, 1]\nno: [no, 2]\nblinded: true\nclips: {Video A: 1}\n"
            "accuracy: {columns: 'T{step}_a', none: 4}\nduration: {at_least: 90}\n",
        )
    )
    assert mapping.yes == ["yes", "1"]
    assert mapping.no == ["no", "2"]
    assert mapping.blinded is True
    assert mapping.clips == {"Video A": 1}
    assert mapping.accuracy.none == "4"
    assert mapping.duration.at_least == 90


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SMALL + "raitings: {}\n", r"unknown key 'raitings'; did you mean 'ratings'\?"),
        (
            SMALL + "accuracy: {column: 'T{step}'}\n",
            r"unknown key 'accuracy.column'; did you mean 'columns'\?",
        ),
        (SMALL + "accuracy: {none: 4}\n", "key 'accuracy.columns' is missing"),
        (SMALL + "attention: [{colum: Q9, accept: [a]}]\n", r"unknown key 'attention.0.colum'.*'column'"),
        (SMALL + "consent: {column: Q1, accept: []}\n", "key 'consent.accept': found \\[\\]; .*at least 1"),
        (SMALL + "blinded: perhaps\n", "key 'blinded': found 'perhaps'"),
        ("name: japan\ncountry: Japan\n", "key 'rater' is missing"),
        ("name: Japan main\nrater: P\ncountry: Japan\n", "key 'name': found 'Japan main'"),
        ("name: japan\nrater: P\n", "both or neither of country and country_column"),
        (SMALL + "country_column: C\n", "both or neither of country and country_column"),
        ("name: usa\nrater: P\ncountry: USA\n", "found 'USA', expected 'United States'"),
        ("name: atlantis\nrater: P\ncountry: Atlantis\n", "'Atlantis' is no known country"),
        (SMALL + "blinded: true\nblinded_column: B\n", "both blinded and blinded_column"),
        (SMALL + "relevance: T_relevance\n", r"relevance: found the placeholders \[\] in 'T_relevance'"),
        (SMALL + "ranking: 'T{step}'\n", r"ranking: found the placeholders \['step'\]"),
        (SMALL + "relevance: 'T{stepp}'\n", r"relevance: found the placeholders \['stepp'\]"),
        (SMALL + "clips: {'Left, above': 1}\n", "'Left, above' holds a comma"),
        (SMALL + "ratings: {columns: '{step}{position}{criterion}', criteria: {realisms: 1}}\n", "'realism'"),
        ("- a list\n", "expected a survey mapping with the keys name, rater"),
        ("name: [\n", "not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_key(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(DataError, match=message) as raised:
        load_mapping(path)
    assert "survey.yaml" in str(raised.value)


@pytest.mark.parametrize("column", PERSONAL)
def test_columns_that_identify_a_person_cannot_be_mapped(tmp_path, column):
    with pytest.raises(DataError, match=f"'{column}' identifies a person and is never read"):
        load_mapping(write(tmp_path, f"name: japan\nrater: {column}\ncountry: Japan\n"))


def test_a_mapping_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.yaml: no such file"):
        load_mapping(tmp_path / "nowhere.yaml")
