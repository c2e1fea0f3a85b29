"""The committed table of coverage simulations, which `python -m benchmarks --only coverage` writes."""

import pandas as pd
import pytest

from helpers.paths import DATA

# Known shortfalls: fewer than 8 clusters of an unbounded, very skewed value; HC3 with few large x.
SHORT = {("mean", "t", 3), ("mean", "t", 5), ("slope", "HC3", 30)}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(DATA / "bench" / "coverage.csv")


def test_recommended_intervals_cover_93_to_97_percent_but_for_known_shortfalls(table):
    # Allowing for two Monte Carlo errors, and up to 98 % for rank correlations of few pairs.
    missed = table[table["recommended"] & ~table["on_target"]]
    assert set(zip(missed["quantity"], missed["interval"], missed["n"], strict=True)) == SHORT


def test_percentile_interval_of_ten_clusters_covers_too_rarely(table):
    ten = table[(table["quantity"] == "mean") & (table["n"] == 10)].set_index(["condition", "interval"])
    assert (ten.xs("percentile", level="interval")["coverage"] < 0.92).all()


def test_monte_carlo_error_and_number_of_simulations_stand_in_the_table(table):
    assert table["simulations"].min() >= 500
    assert table["mc_error"].max() < 0.015
    assert not table.drop(columns="condition").isna().any(axis=None)
