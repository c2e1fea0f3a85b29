"""The criteria, said once, against the tables that use them and the papers that they come from."""

import pytest

from helpers.criteria import CRITERIA, RUBRICS, of_framework
from helpers.published import CRITERIA as PRINTED
from helpers.tables import LANDMARK_CRITERIA, MAY_BE_NA, SCALES


def test_tables_and_criteria_agree():
    assert {name: (found.low, found.high) for name, found in CRITERIA.items()} == SCALES
    assert tuple(name for name, found in CRITERIA.items() if found.not_applicable) == MAY_BE_NA
    assert tuple(of_framework("landmarks")) == LANDMARK_CRITERIA


def test_the_groups_are_culturevidbench_section_4_1():
    assert {name: found.group for name, found in of_framework("culturevidbench").items()} == PRINTED


def test_only_element_subject_and_action_have_a_target():
    """CultureVidBench, section 4.2: the three dimensions with explicit evaluation targets."""
    assert [name for name, found in CRITERIA.items() if found.target] == [
        "element_alignment",
        "subject_alignment",
        "action_alignment",
    ]


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_a_rubric_says_what_the_ends_of_the_scale_mean(criterion):
    lines = criterion.rubric.text.splitlines()
    assert any(line.startswith(f"{criterion.low}: ") for line in lines)
    assert any(line.startswith(f"{criterion.high}: ") for line in lines)


def test_no_rubric_lies_about_without_a_criterion():
    assert {path.stem for path in RUBRICS.glob("*.txt")} == set(CRITERIA)
