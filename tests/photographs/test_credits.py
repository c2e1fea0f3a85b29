import pandas as pd
import pytest

from helpers.photographs.credits import (
    Credit,
    credit_line,
    credits_table,
    licence_name,
    licences,
    read_credits,
    shown_by_default,
)
from photographs.written import DETAILS, README


def test_a_readme_gives_each_file_its_credit():
    found = read_credits(README)
    assert list(found) == ["france/eiffelTower.webp", "germany/audaPalatina.webp", "wonders/chichenItza.webp"]
    assert found["france/eiffelTower.webp"] == Credit(
        "Tognopop", "public domain", "https://commons.wikimedia.org/wiki/File:Eiffel_Tower_20051010.jpg"
    )
    assert found["wonders/chichenItza.webp"].licence == "CC-BY-SA-4.0"


def test_the_photographer_behind_an_adapted_picture_is_named_first():
    assert read_credits(DETAILS)["TourEiffel_background.webp"] == Credit(
        "A. Nother, adapted by Bruno Coudoin and others", "CC-BY-SA-4.0", "https://example.org/tour.jpg"
    )


def test_a_paragraph_without_files_credits_nothing_and_missing_fields_stay_missing():
    assert read_credits("Copyright: A\nLicense: B\n\nFiles:\na.webp\n") == {
        "a.webp": Credit(None, None, None)
    }


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Public Domain", "public domain"),
        ("public-domain", "public domain"),
        ("CC-BY-SA 4.0", "CC-BY-SA-4.0"),
    ],
)
def test_licences_have_one_spelling(written, name):
    assert licence_name(written) == name


def test_a_credit_line_says_what_is_missing():
    assert (
        credit_line("Petra", "Berthold Werner", "public domain") == "Petra. Berthold Werner. public domain."
    )
    assert credit_line("Petra", None, None) == "Petra. Author not stated. Licence not stated."


def test_only_the_public_domain_without_doubt_is_shown():
    rows = pd.DataFrame(
        {
            "licence": ["public domain", "CC0-1.0", "CC-BY-4.0", None, "CC0-1.0"],
            "doubt": [None, None, None, None, "another credit"],
        }
    )
    assert shown_by_default(rows).tolist() == [True, True, False, False, False]


def test_credits_are_numbered_as_shown_and_say_what_is_missing():
    rows = pd.DataFrame(
        {
            "name": ["Uluru", "Petra", "Machu Picchu"],
            "author": ["A. Person", None, "G. Pascal"],
            "licence": ["CC0-1.0", "public domain", "CC0-1.0"],
            "source": ["https://example.org/uluru", None, "Flickr"],
        },
        index=[7, 3, 5],
    )
    table = credits_table(rows)
    assert table["number"].tolist() == [1, 2, 3]
    assert table.iloc[1].tolist() == [2, "Petra", "not stated", "public domain", "not stated"]
    assert licences(rows) == "CC0-1.0 or public domain"
    assert licences(rows.iloc[[1]]) == "public domain"
