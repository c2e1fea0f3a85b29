import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from helpers import published
from helpers.evidence.questions import (
    averages,
    counted_cells,
    country_percentages,
    nearest_counts,
    pooled,
    question_counts,
    recomputed,
)

CELL = ["country", "category", "dimension"]
FULL = ("LTX-2", "Wan 2.2")


@pytest.fixture(scope="module")
def cells():
    return published.load("culturescore_cells")


@pytest.fixture(scope="module")
def countries():
    return country_percentages(published.load("culturescore_countries"))


@pytest.fixture(scope="module")
def counts(cells, countries):
    anchor = countries[(countries["model"] == "LTX-2") & (countries["dimension"] != "overall")]
    return question_counts(cells[cells["model"].isin(FULL)], anchor)


@pytest.fixture(scope="module")
def counted(cells, counts):
    return counted_cells(cells, counts)


def printed(frame, by):
    return frame.set_index(by)["accuracy"].sort_index()


# The number of questions.


def test_every_count_of_the_paper_is_certain(counts):
    assert len(counts) == 147
    assert (counts["solutions"] == 1).all()


def test_the_counts_sum_to_the_valid_share_of_section_3_2(counts):
    # Section 3.2: 94.92 % of 9,289 questions are valid (8,811, as it prints, would be 94.85 %).
    assert round(100 * counts["n"].sum() / 9289, 2) == 94.92


def test_no_count_fits_india_family_in_all_runs_of_tables_11_to_14(counts):
    odd = counts[counts["odd_run"] != ""]
    assert set(odd["country"] + " " + odd["category"]) == {"India family"}
    assert set(odd["odd_run"]) == {"Wan 2.2 base"}


@pytest.mark.parametrize("model", FULL)
def test_pooled_questions_give_the_overall_rows_of_tables_11_to_14(counted, model):
    ours = pooled(counted[counted["model"] == model], ["variant", "dimension"])
    rows = published.load("culturescore_overall_rows")
    expected = printed(rows[rows["model"] == model], ["variant", "dimension"])
    # 0.05 is the rounding of the printed row.
    assert np.abs(printed(ours, ["variant", "dimension"]) - expected).max() <= 0.05


def test_pooled_questions_give_the_overall_column_of_table_9(counted, countries):
    # Not used to find the counts, unlike the other columns of Table 9.
    found = recomputed(counted, countries)
    overall = found[(found["model"] == "LTX-2") & (found["dimension"] == "overall")]
    assert len(overall) == 20
    assert overall["difference"].abs().max() <= 0.05 + 1e-9


def test_recomputed_keeps_every_country_percentage_of_tables_9_and_10(counted, countries):
    found = recomputed(counted, countries)
    assert len(found) == 160
    assert found["table"].sum() == pytest.approx(countries["accuracy"].sum())
    assert not found.isna().any(axis=None)


def test_counted_cells_keep_every_percentage_and_name_a_possible_count(cells, counted):
    assert len(counted) == len(cells)
    assert counted["accuracy"].sum() == pytest.approx(cells["accuracy"].sum())
    veo = counted["model"] == "Veo 3.1 Fast"
    # Two clips a cell (294 clips, 3 variants, 49 cells) at the 9 questions a scenario of the full suite.
    assert counted[veo].groupby("variant")["n"].sum().tolist() == pytest.approx([98 * 9] * 2, rel=0.06)


@st.composite
def studies(draw):
    """Two categories of one country with known numbers of questions, and the percentages that they print."""
    truth = {category: draw(st.integers(10, 60)) for category in ("family", "religion")}
    rows = [
        {
            "model": model,
            "variant": variant,
            "country": "Chile",
            "category": category,
            "dimension": "context",
            "n": n,
            "yes": draw(st.integers(1, n - 1)),
        }
        for model in FULL
        for variant in ("base", "extended")
        for category, n in truth.items()
    ]
    cells = pd.DataFrame(rows)
    totals = cells.groupby(["model", "variant", "country", "dimension"], as_index=False)[["yes", "n"]].sum()
    for frame in (cells, totals):
        frame["accuracy"] = (100 * frame["yes"] / frame["n"]).round(1)
    return truth, cells.drop(columns=["n", "yes"]), totals


@settings(max_examples=30)
@given(studies())
def test_a_certain_count_is_the_true_one(study):
    truth, cells, totals = study
    found = question_counts(cells, totals).set_index("category")
    assert (found["solutions"] >= 1).all()
    assert (found["smallest"] <= pd.Series(truth)).all()
    if (found["solutions"] == 1).all():
        assert found["n"].to_dict() == truth


def one_cell(percents, category="family"):
    runs = [(model, variant) for model in FULL for variant in ("base", "extended")]
    return pd.DataFrame(
        {
            "model": [model for model, _ in runs],
            "variant": [variant for _, variant in runs],
            "country": "Chile",
            "category": category,
            "dimension": "context",
            "accuracy": percents,
        }
    )


def test_a_country_that_nothing_fits_keeps_the_smallest_count():
    cells = one_cell([33.3, 66.7, 50.0, 0.0])
    found = question_counts(cells, cells.assign(accuracy=99.9)).iloc[0]
    assert (found["n"], found["solutions"], found["odd_run"]) == (6, 0, "")


def test_a_cell_that_fits_no_count_has_none():
    # By hand: up to 150, 0.4 % and 0.9 % are 1 of 223 and more, and 1 of 106 to 117.
    cells = one_cell([0.4, 0.4, 0.9, 0.9])
    found = question_counts(cells, cells).iloc[0]
    assert pd.isna(found["n"])
    assert pd.isna(found["smallest"])
    assert found["solutions"] == 0


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda cells: pd.concat([cells, cells[:1]]), "twice"),
        (lambda cells: pd.concat([cells, one_cell([50.0] * 4, "religion")[:1]]), "religion.* in some runs"),
    ],
)
def test_incomplete_cells_are_refused(spoil, message):
    cells = one_cell([33.3, 66.7, 50.0, 0.0])
    with pytest.raises(ValueError, match=message):
        question_counts(spoil(cells), cells)


def test_a_country_without_printed_percentages_is_refused():
    cells = one_cell([33.3, 66.7, 50.0, 0.0])
    with pytest.raises(ValueError, match="no row for Chile context"):
        question_counts(cells, cells.assign(country="Iran"))


def test_percentages_that_say_nothing_are_refused():
    cells = pd.concat([one_cell([50.0] * 4, category) for category in published.CATEGORIES])
    with pytest.raises(ValueError, match="over 1,000,000"):
        question_counts(cells, one_cell([50.0] * 4))


@pytest.mark.parametrize(
    ("percent", "n"), [(14.3, 7), (16.7, 6), (20.0, 5), (12.5, 8), (50.0, 6), (0.0, 6), (25.0, 8)]
)
def test_nearest_counts_by_hand(percent, n):
    assert nearest_counts([percent], 6, 5, 8).tolist() == [n]


def test_every_cell_of_tables_15_and_16_is_a_share_of_five_to_eight_questions(cells):
    veo = cells[cells["model"] == "Veo 3.1 Fast"]
    assert np.isin(nearest_counts(veo["accuracy"], 6, 5, 8), [5, 6, 7, 8]).all()


def test_a_share_of_no_count_in_the_range_is_refused():
    with pytest.raises(ValueError, match=r"11\.1 %.*5 to 8"):
        nearest_counts([50.0, 11.1], 6, 5, 8)


# Averages.


@given(st.integers(0, 200), st.integers(201, 400))
@settings(max_examples=25)
def test_one_dimension_has_statsmodels_normal_interval(yes, n):
    counted = pd.DataFrame({"model": ["a"], "dimension": ["identity"], "accuracy": [100 * yes / n], "n": [n]})
    row = averages(counted, ["model"], questions_per_clip=1).iloc[0]
    low, high = proportion_confint(yes, n, method="normal")
    # Clipped at 0 there, not here.
    assert max(row["low"], 0) == pytest.approx(100 * low, abs=1e-9)
    assert row["high"] == pytest.approx(100 * high)
    assert (row["clip_low"], row["clip_high"]) == pytest.approx((row["low"], row["high"]))


def test_the_mean_of_dimensions_is_that_of_section_4_1(counted):
    found = averages(counted, ["model", "variant"], questions_per_clip=9).set_index(["model", "variant"])
    # Section 4.1: 56.8 and 51.4, means of the rounded rows of Tables 14 and 12.
    assert found.loc[("Wan 2.2", "extended"), "average"] == pytest.approx(56.8, abs=0.05)
    assert found.loc[("LTX-2", "extended"), "average"] == pytest.approx(51.4, abs=0.1)


def test_clips_as_units_give_the_wider_interval(counted):
    found = averages(counted, ["model", "variant", "country"], questions_per_clip=9)
    assert (found["clip_high"] - found["clip_low"] > found["high"] - found["low"]).all()
    assert found["clips"].tolist() == pytest.approx((found["questions"] / 9).tolist())


@pytest.mark.parametrize(
    ("arguments", "message"), [({"level": 95}, "level"), ({"questions_per_clip": 0}, "questions_per_clip")]
)
def test_averages_refuse_values_out_of_range(counted, arguments, message):
    with pytest.raises(ValueError, match=message):
        averages(counted, ["model"], **{"questions_per_clip": 9} | arguments)
