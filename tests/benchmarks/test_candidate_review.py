import numpy as np
import pandas as pd
import pytest

from helpers.benchmarks.culturevidbench import numbered
from helpers.benchmarks.line_report import BadLinesError
from helpers.benchmarks.review import QUESTIONS, decide, read_sheet, undecided, write_sheets
from helpers.checking import DataError


@pytest.fixture
def candidates():
    """Three candidates for a dish and three for a wedding."""
    rows = [("c1", "food", "jollof rice"), ("c2", "food", "jollof rice"), ("c3", "food", "jollof rice")]
    rows += [(f"w{n}", "wedding", "traditional wedding") for n in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=["candidate_id", "aspect", "element"])
    return frame.assign(
        country="Nigeria", text="Text, " + frame["candidate_id"] + ".", source="Cultural Atlas: Nigeria"
    )


@pytest.fixture
def sheets(candidates, tmp_path):
    """Write both sheets, all answers yes, preferences in order, then change cells and read them back."""

    def make(**changes):
        paths = write_sheets(candidates, tmp_path / "review", seed=1)
        for path, reviewer in zip(paths, "ab", strict=True):
            sheet = pd.read_csv(path, dtype=str, keep_default_na=False).set_index("candidate_id", drop=False)
            sheet[list(QUESTIONS)] = "yes"
            sheet["preference"] = sheet["candidate_id"].str[1]
            for (candidate, column), value in changes.get(reviewer, {}).items():
                sheet.loc[candidate, column] = value
            sheet.to_csv(path, index=False)
        return paths

    return make


def decided(candidates, paths):
    return decide(candidates, *(read_sheet(path, candidates) for path in paths))


# CultureVidBench, section 3.2: one prompt is kept for each element, two for each ritual.
def test_the_preferred_one_is_kept_and_two_for_a_ritual(candidates, sheets):
    result = decided(candidates, sheets())
    assert list(result.kept["candidate_id"]) == ["c1", "w1", "w2"]
    assert result.open.empty
    assert list(numbered(result.kept)["prompt_id"]) == ["050101", "051201", "051202"]


def test_what_one_reviewer_rejects_is_not_kept(candidates, sheets):
    result = decided(candidates, sheets(b={("c1", "feasible"): "no"}))
    assert list(result.kept["candidate_id"]) == ["c2", "w1", "w2"]
    agreement = result.agreement.set_index("question")
    assert list(agreement["n"].unique()) == [6]
    assert agreement.loc["feasible", "percent_agreement"] == pytest.approx(5 / 6)
    assert agreement.loc["natural", "percent_agreement"] == 1
    # Gwet's AC1 by hand: pa = 5/6, the mean share of yes 11/12, pe = 2 * 11/12 * 1/12 = 11/72.
    assert agreement.loc["feasible", "ac1"] == pytest.approx((5 / 6 - 11 / 72) / (1 - 11 / 72))


@pytest.mark.parametrize(
    ("changes", "element", "why"),
    [
        (
            {"b": {("w1", "diverse"): "no", ("w2", "diverse"): "no"}},
            "traditional wedding",
            "too few accepted; the reviewers differ on 2",
        ),
        (
            {name: {(f"c{n}", "natural"): "no" for n in (1, 2, 3)} for name in "ab"},
            "jollof rice",
            "too few accepted",
        ),
        ({"b": {("c1", "preference"): "2", ("c2", "preference"): "1"}}, "jollof rice", "equally preferred"),
        (
            {"a": {("w1", "revised"): "One."}, "b": {("w1", "revised"): "Two.", ("w2", "natural"): "no"}},
            "traditional wedding",
            "too few accepted; the reviewers differ on 2",
        ),
    ],
)
def test_what_is_not_agreed_stays_open(candidates, sheets, changes, element, why):
    result = decided(candidates, sheets(**changes))
    assert list(result.open["element"]) == [element]
    assert list(result.open["why"]) == [why]
    assert element not in set(result.kept["element"])


def test_a_tie_that_does_not_matter_is_settled(candidates, sheets):
    changes = {("w1", "preference"): "2", ("w2", "preference"): "1"}
    result = decided(candidates, sheets(b=changes))
    assert set(result.kept["candidate_id"]) == {"c1", "w1", "w2"}


def test_a_revision_by_one_or_by_both_alike_is_taken_over(candidates, sheets):
    changes = {("c1", "revised"): "Better."}
    assert decided(candidates, sheets(a=changes)).kept["text"].iloc[0] == "Better."


def test_order_within_an_element_differs_between_reviewers_and_follows_the_seed(candidates, tmp_path):
    many = pd.concat([candidates.assign(candidate_id=candidates["candidate_id"] + str(n)) for n in range(9)])
    orders = []
    for folder in ("one", "two"):
        paths = write_sheets(many, tmp_path / folder, seed=5)
        orders.append([list(pd.read_csv(path)["candidate_id"]) for path in paths])
    assert orders[0] == orders[1]
    assert orders[0][0] != orders[0][1]
    for order in orders[0]:
        elements = [name[0] for name in order]
        assert elements == sorted(elements)


def test_a_sheet_that_is_there_is_never_overwritten(candidates, tmp_path):
    write_sheets(candidates, tmp_path, seed=1)
    with pytest.raises(DataError, match=r"review_a\.csv is there already"):
        write_sheets(candidates, tmp_path, seed=1)


def test_two_reviewers_and_enough_candidates_are_needed(candidates, tmp_path):
    with pytest.raises(ValueError, match="found a, a, expected two different names"):
        write_sheets(candidates, tmp_path, ("a", "a"), seed=1)
    with pytest.raises(ValueError, match="found 1 for Nigeria · wedding · traditional wedding"):
        write_sheets(candidates[~candidates["candidate_id"].isin(["w1", "w2"])], tmp_path, seed=1)


def test_every_cell_that_cannot_be_used_is_named_at_once(candidates, sheets):
    path, _ = sheets(
        a={
            ("c1", "natural"): "maybe",
            ("c2", "feasible"): "",
            ("c3", "text"): "Changed.",
            ("w1", "preference"): "2",
            ("w2", "candidate_id"): "w9",
        }
    )
    with pytest.raises(BadLinesError) as caught:
        read_sheet(path, candidates)
    message = str(caught.value)
    assert "candidate c1, natural: found 'maybe', expected yes or no" in message
    assert "candidate c2, feasible: found nothing, expected yes or no" in message
    assert "candidate c3: found the text 'Changed.', expected 'Text, c3.'; use `revised`" in message
    assert "candidate w9 was not asked about" in message
    assert "candidate w2 is missing" in message
    assert "traditional wedding: found the preferences" in message
    assert len(caught.value.problems) == 6


def test_answers_are_read_as_given(candidates, sheets):
    rng = np.random.default_rng(0)
    given = {
        (name, question): rng.choice(["yes", "no"])
        for name in candidates["candidate_id"]
        for question in QUESTIONS
    }
    path, _ = sheets(a=given)
    read = read_sheet(path, candidates).set_index("candidate_id")
    assert all(read.loc[name, question] == (answer == "yes") for (name, question), answer in given.items())
    assert read["preference"].tolist() == [1, 2, 3, 1, 2, 3]


def test_before_the_review_everything_is_open(candidates):
    before = undecided(candidates)
    assert before.kept.empty
    assert before.agreement.empty
    assert numbered(before.kept).empty
    assert before.open["needed"].tolist() == [1, 2]
    assert before.open["why"].unique().tolist() == ["not reviewed yet"]


@pytest.mark.parametrize("name", ["b/c", "../b", "", "A"])
def test_a_name_that_no_file_can_have_leaves_no_sheet(candidates, tmp_path, name):
    with pytest.raises(ValueError, match="reviewers: found"):
        write_sheets(candidates, tmp_path / "review", ("a", name), seed=1)
    assert not (tmp_path / "review").exists()


def test_both_sheets_are_there_or_none(candidates, tmp_path, monkeypatch):
    real, calls = pd.DataFrame.to_csv, []

    def full(self, *arguments, **options):
        calls.append(arguments)
        if len(calls) == 2:
            raise OSError("No space left on device")
        return real(self, *arguments, **options)

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(OSError, match="No space"):
        write_sheets(candidates, tmp_path, seed=1)
    assert list(tmp_path.iterdir()) == []


# OWASP, "CSV Injection": spreadsheet programs run cells that begin with one of these.
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "'=", "''-"])
def test_no_cell_is_run_as_a_formula_and_all_come_back(candidates, sheets, sign):
    candidates.loc[0, "text"] = f"{sign}HYPERLINK(1)"
    paths = sheets(a={("c1", "note"): "'-fine"})
    written = pd.read_csv(paths[0], dtype=str).set_index("candidate_id")
    assert written.loc["c1", "text"] == f"'{sign}HYPERLINK(1)"
    assert read_sheet(paths[0], candidates).loc[0, "note"] == "-fine"
