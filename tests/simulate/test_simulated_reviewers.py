import pandas as pd
import pytest

from helpers.benchmarks.review import decide, read_sheet, write_sheets
from helpers.simulate.reviewers import fill_sheets


@pytest.fixture
def candidates():
    frame = pd.DataFrame({"candidate_id": ["c1", "c2", "c3"], "text": ["One.", "Two.", "Three."]})
    return frame.assign(country="Italy", aspect="food", element="orecchiette", source=None)


def test_filled_sheets_can_be_read_and_decided(candidates, tmp_path):
    paths = write_sheets(candidates, tmp_path, seed=1)
    fill_sheets(paths, [{}, {("c1", "natural"): "no"}])
    decision = decide(candidates, *(read_sheet(path, candidates) for path in paths))
    assert list(decision.kept["candidate_id"]) == ["c2"]


def test_changes_must_fit_the_sheets(candidates, tmp_path):
    paths = write_sheets(candidates, tmp_path, seed=1)
    with pytest.raises(ValueError, match=r"review_a.csv: found no candidate 'c9'"):
        fill_sheets(paths, [{("c9", "natural"): "no"}, {}])
