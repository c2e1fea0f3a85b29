import pandas as pd
import pytest

from helpers import published
from helpers.evidence.gains import gains, mean_gains, model_differences


@pytest.fixture(scope="module")
def cells():
    return published.load("culturescore_cells")


def test_a_gain_is_the_difference_of_tables_11_and_12(cells):
    gained = gains(cells).set_index(["model", "country", "category", "dimension"])
    assert len(gained) == 3 * 147
    # Brazil, dates of significance, identity: 24.5 and 42.6.
    assert gained.loc[("LTX-2", "Brazil", "dates-of-significance", "identity"), "gain"] == pytest.approx(18.1)


def test_mean_gains_keep_every_cell_and_count_those_that_do_not_rise(cells):
    found = mean_gains(gains(cells), resamples=200).set_index(["model", "dimension"])
    assert (found["n"] == 49).all()
    # Tables 11-14, by hand: in context all of LTX-2 rises, of Wan 2.2 all but China, greetings (71.4, 62.9)
    assert found.loc[("LTX-2", "context"), "not_up"] == 0
    assert found.loc[("Wan 2.2", "context"), "not_up"] == 1
    assert (found["low"] < found["estimate"]).all()
    assert (found["estimate"] < found["high"]).all()


def frame(scores):
    rows = [
        {"model": model, "variant": "base", "country": country, "category": "family", "accuracy": score}
        for model, values in scores.items()
        for country, score in values.items()
    ]
    return pd.DataFrame(rows)


def test_models_are_paired_by_cell():
    # By hand: differences 10, 20 and 30; the cell that only the first has is left out.
    cells = frame(
        {
            "a": {"Chile": 50.0, "India": 40.0, "Iran": 90.0, "Japan": 1.0},
            "b": {"Chile": 40.0, "India": 20.0, "Iran": 60.0},
        }
    )
    row = model_differences(cells, [("a", "b")], resamples=100).iloc[0]
    assert (row["first"], row["second"], row["n"]) == ("a", "b", 3)
    assert row["estimate"] == pytest.approx(20)


def test_two_variants_are_refused(cells):
    with pytest.raises(ValueError, match="base, extended, expected one"):
        model_differences(cells, [("LTX-2", "Wan 2.2")])
