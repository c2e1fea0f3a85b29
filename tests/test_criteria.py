"""The criteria, said once, against the tables that use them and the papers that they come from."""

import pytest

from helpers.criteria import CRITERIA, RUBRICS, of_framework
from helpers.published import CRITERIA as PRINTED


def test_scales_are_the_papers():
    """CultureVidBench, section 4.3: 1 to 5; GAP, section 3.2: whole numbers from 0 to 5."""
    assert {(found.low, found.high) for found in of_framework("culturevidbench").values()} == {(1, 5)}
    assert {(found.low, found.high) for found in of_framework("landmarks").values()} == {(0, 5)}


def test_only_text_and_sound_may_be_not_applicable():
    """CultureVidBench, Table 6."""
    assert [name for name, found in CRITERIA.items() if found.not_applicable] == [
        "text_rendering",
        "audio_alignment",
    ]


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
