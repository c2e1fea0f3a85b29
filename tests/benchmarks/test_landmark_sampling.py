import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.benchmarks.landmark_sampling import sample_landmarks


def landmarks(seed=0, sizes=(("Africa", 30), ("Asia", 300), ("Europe", 900))):
    rng = np.random.default_rng(seed)
    continent = np.repeat([name for name, _ in sizes], [count for _, count in sizes])
    views = np.round(np.power(10, rng.uniform(1, 6, continent.size))).astype(int)
    ids = [f"gldv2-{number}" for number in range(continent.size)]
    return pd.DataFrame({"landmark_id": ids, "continent": continent, "pageviews": pd.array(views, "Int64")})


def test_strata_that_hold_enough_get_equal_shares():
    rows = landmarks(sizes=(("Asia", 900), ("Europe", 900)))
    sample = sample_landmarks(rows, 100, seed=1)
    assert sample.quotas["drawn"].tolist() == [10] * 10
    assert sample.quotas["quota"].tolist() == [10] * 10
    assert (sample.quotas["short"] == 0).all()
    assert sample.landmarks.groupby(["continent", "popularity_level"]).size().tolist() == [10] * 10


def test_what_a_small_stratum_lacks_goes_to_the_others_and_is_reported():
    sample = sample_landmarks(landmarks(), 300, seed=1)
    quotas = sample.quotas
    assert quotas["drawn"].sum() == len(sample.landmarks) == 300
    africa = quotas[quotas["continent"].eq("Africa")]
    assert (africa["drawn"] == africa["available"]).all()
    assert (africa["short"] > 0).all()
    rest = quotas[quotas["drawn"].lt(quotas["available"])]["drawn"]
    assert rest.max() - rest.min() <= 1
    assert rest.min() > 20


def test_a_stratum_without_landmarks_is_reported():
    rows = landmarks(sizes=(("Asia", 50), ("Europe", 50)))
    rows = rows[rows["continent"].eq("Europe") | rows["pageviews"].lt(1000)]
    quotas = sample_landmarks(rows, 10, seed=1).quotas
    assert len(quotas) == 10
    assert quotas.loc[quotas["available"].eq(0), ["drawn", "short"]].to_numpy().tolist() == [[0, 1.0]] * 3


def test_levels_hold_the_page_views_between_their_bounds():
    sample = sample_landmarks(landmarks(), 200, seed=1, levels=4)
    merged = sample.landmarks.merge(sample.quotas, on=["continent", "popularity_level"])
    assert (merged["pageviews"] >= merged["views_from"] - 1e-6).all()
    assert (merged["pageviews"] <= merged["views_below"] + 1e-6).all()
    bounds = sample.quotas.drop_duplicates("popularity_level")
    assert np.allclose(
        np.diff(np.log10(1 + bounds["views_from"])), np.log10(1 + bounds["views_from"]).diff().iloc[1]
    )


def test_the_seed_decides_and_the_order_does_not():
    rows = landmarks()
    drawn = set(sample_landmarks(rows, 60, seed=2).landmarks["landmark_id"])
    shuffled = rows.sample(frac=1, random_state=3)
    assert drawn == set(sample_landmarks(shuffled, 60, seed=2).landmarks["landmark_id"])
    assert drawn != set(sample_landmarks(rows, 60, seed=3).landmarks["landmark_id"])


def test_every_landmark_of_a_stratum_is_drawn_equally_often():
    rows = landmarks(sizes=(("Asia", 40),))
    counts = pd.Series(0, index=rows["landmark_id"])
    for seed in range(150):
        counts[sample_landmarks(rows, 10, seed=seed, levels=1).landmarks["landmark_id"]] += 1
    assert counts.sum() == 1500
    # Binomial, 150 draws at a quarter: mean 37.5, standard deviation 5.3; four of them either way.
    assert counts.between(16, 59).all()


def test_landmarks_without_page_views_are_counted_and_not_drawn():
    rows = landmarks()
    rows.loc[:99, "pageviews"] = pd.NA
    sample = sample_landmarks(rows, 50, seed=1)
    assert sample.without_views == 100
    assert sample.landmarks["pageviews"].notna().all()


def test_equal_page_views_share_one_level():
    rows = landmarks().assign(pageviews=pd.array([7] * 1230, "Int64"))
    assert len(sample_landmarks(rows, 30, seed=1).landmarks) == 30


@settings(max_examples=25)
@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 99), st.sampled_from([1, 7, 50]))
def test_any_size_is_drawn_exactly_and_never_twice(size, levels, seed, largest):
    rows = landmarks(seed, (("Africa", 3), ("Asia", 7 + largest), ("Europe", 60)))
    sample = sample_landmarks(rows, size, seed=seed, levels=levels)
    assert len(sample.landmarks) == size
    assert sample.landmarks["landmark_id"].is_unique
    assert (sample.quotas["drawn"] <= sample.quotas["available"]).all()
    assert sample.quotas["available"].sum() == len(rows)


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({}, {"size": 2000}, "size: found 2000, expected 1 to 1230"),
        ({}, {"size": 0}, "size: found 0"),
        ({}, {"size": 5, "levels": 0}, "levels: found 0"),
        ({"continent": None}, {"size": 5}, "continent: 1230 landmarks have none"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, arguments, message):
    with pytest.raises(ValueError, match=message):
        sample_landmarks(landmarks().assign(**change), seed=1, **arguments)
