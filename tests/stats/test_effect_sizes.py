import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.stats.effect_sizes import cohens_d, d_z_from_p

# R, datasets::sleep: extra hours of sleep of ten patients under two drugs (Student 1908).
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

# Lakens (2013), Front. Psychol. 4:863, table 1: ratings of two films by ten people.
MOVIE_1 = [9, 7, 8, 9, 8, 9, 9, 10, 9, 9]
MOVIE_2 = [9, 6, 7, 8, 7, 9, 8, 8, 8, 7]

paired_scores = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 5), min_size=n, max_size=n)] * 2)
)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("d_z", 1.5),
        ("d_av", 1.128696),
        ("d_rms", 1.125880),
        ("d_rm", 1.111332),
        ("g_av", 1.081005),
    ],
)
def test_effect_sizes_of_lakens_2013_film_ratings(kind, expected):
    result = cohens_d(MOVIE_1, MOVIE_2, kind)
    assert result.estimate == pytest.approx(expected, abs=5e-7)
    assert result.p == pytest.approx(0.00105387, abs=5e-9)
    assert result.details["r"] == pytest.approx(0.725542, abs=5e-7)


def test_d_z_interval_gives_r_effectsize_on_sleep():
    result = cohens_d(SLEEP_1, SLEEP_2, "d_z")
    assert [round(v, 2) for v in (result.estimate, result.low, result.high)] == [-1.28, -2.12, -0.41]


def test_d_rms_gives_r_effectsize_pooled_d_on_sleep():
    assert round(cohens_d(SLEEP_1, SLEEP_2, "d_rms").estimate, 2) == -0.83


def test_hedges_g_z_gives_r_effectsize_hedges_correction():
    # Hedges (1981): 1 - 3/(4 df - 1) with 9 degrees of freedom is 32/35.
    assert cohens_d(SLEEP_1, SLEEP_2, "g_z").estimate == pytest.approx(
        cohens_d(SLEEP_1, SLEEP_2, "d_z").estimate * 32 / 35
    )


@settings(max_examples=40, deadline=None)
@given(paired_scores, st.sampled_from(["d_z", "d_av", "d_rms", "d_rm", "g_z", "g_av"]), st.floats(0.1, 10))
def test_effect_sizes_are_antisymmetric_and_free_of_scale(xy, kind, factor):
    x, y = (np.array(values, float) for values in xy)
    assume(np.ptp(x - y) > 0)
    result, swapped = cohens_d(x, y, kind), cohens_d(y, x, kind)
    scaled = cohens_d(x * factor + 3, y * factor + 3, kind)
    assert swapped.estimate == pytest.approx(-result.estimate, nan_ok=True)
    assert (swapped.low, swapped.high) == pytest.approx((-result.high, -result.low), nan_ok=True, abs=1e-6)
    # At r = 1, 1 - r is rounding error, of which d_rm takes the root.
    assert scaled.estimate == pytest.approx(result.estimate, nan_ok=True, abs=1e-6)
    assert not result.low > result.high


@pytest.mark.parametrize("kind", ["d_z", "d_rm", "g_av"])
def test_effect_size_without_variation_is_nan_and_says_so(kind):
    result = cohens_d([0.3, 0.2], [0.2, 0.1], kind)
    assert np.isnan(result.estimate)
    assert "do not vary" in result.method


def test_d_rm_of_a_constant_condition_is_nan_and_says_so():
    result = cohens_d([1, 2, 3], [2, 2, 2], "d_rm")
    assert np.isnan(result.estimate)
    assert "r is undefined" in result.method


@pytest.mark.parametrize(("p", "printed"), [(0.00027, 0.57), (0.041, 0.26), (0.017, 0.33)])
def test_gap_table_4_p_and_d_fit_d_z_of_50_pairs(p, printed):
    implied = d_z_from_p(p, 50)
    assert implied.t == pytest.approx(printed, abs=0.04)
    assert implied.wilcoxon == pytest.approx(printed, abs=0.06)


def test_d_z_from_p_inverts_the_paired_t_test_of_the_film_ratings():
    assert d_z_from_p(cohens_d(MOVIE_1, MOVIE_2).p, 10).t == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohens_d([1], [2]), "found 1 pairs, expected at least 2"),
        (lambda: cohens_d([1, 2], [2, 4], "d"), "kind: found 'd', expected one of d_z"),
        (lambda: d_z_from_p(0, 50), "p: found 0"),
        (lambda: d_z_from_p(0.5, 1), "n: found 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
