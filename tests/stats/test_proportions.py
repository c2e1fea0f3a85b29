import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.stats.proportions import consistent_counts, interval_from_percent, smallest_common_n, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_newcombe_1998_table_1_method_3(successes, n, low, high):
    result = wilson(successes, n)
    assert (round(result.low, 4), round(result.high, 4)) == (low, high)
    assert result.estimate == successes / n


def test_percent_interval_is_wilsons_in_per_cent():
    share, percent = wilson(15, 148), interval_from_percent(100 * 15 / 148, 148)
    assert percent.low == pytest.approx(100 * share.low)
    assert percent.high == pytest.approx(100 * share.high)


@pytest.mark.parametrize(
    ("percents", "at_least", "n"),
    [
        # CultureScore, tables 11-14: Brazil, dates of significance, identity.
        ([24.5, 42.6, 31.9, 43.6], 1, 94),
        # By hand: 33.3 % is 1 of 3; with 50 % it needs 6, from 7 on 12.
        ([33.3], 1, 3),
        ([33.3, 50.0], 1, 6),
        ([33.3, 50.0], 7, 12),
        ([0.0, 100.0], 1, 1),
    ],
)
def test_smallest_common_denominator(percents, at_least, n):
    assert smallest_common_n(percents, at_least=at_least) == n


def test_no_common_denominator_in_the_range():
    assert smallest_common_n([33.3], at_most=2) is None


@pytest.mark.parametrize(
    ("percent", "n", "decimals", "counts"),
    [
        (12, 8, 0, [1]),  # 1 of 8 is 12.5: half to even gives 12,
        (13, 8, 0, [1]),  # half up gives 13
        (24.5, 94, 1, [23]),
        (24.4, 94, 1, []),
        (0.0, 3000, 1, [0, 1]),
        (100.0, 3000, 1, [2999, 3000]),
    ],
)
def test_counts_that_print_as_given(percent, n, decimals, counts):
    assert consistent_counts(percent, n, decimals) == counts


counts_of_trials = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts_of_trials, st.integers(0, 3))
def test_every_count_is_found_behind_its_own_percentage(count, decimals):
    k, n = count
    printed = round(100 * k / n, decimals)
    assert k in consistent_counts(printed, n, decimals)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 120), st.data())
def test_the_smallest_denominator_is_never_above_the_true_one(n, data):
    counts = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=4))
    assert smallest_common_n([round(100 * k / n, 1) for k in counts]) <= n


@given(counts_of_trials)
def test_wilson_holds_the_estimate_and_mirrors(count):
    k, n = count
    result, mirrored = wilson(k, n), wilson(n - k, n)
    assert 0 <= result.low <= result.estimate <= result.high <= 1
    assert result.low < result.high
    assert mirrored.low == pytest.approx(1 - result.high, abs=1e-12)


@given(counts_of_trials)
def test_wilson_narrows_with_more_trials_and_widens_with_the_level(count):
    k, n = count
    width = [r.high - r.low for r in (wilson(10 * k, 10 * n), wilson(k, n), wilson(k, n, 0.99))]
    assert width[0] < width[1] < width[2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(3, 0), "successes: found 3, expected a whole number from 0 to n = 0"),
        (lambda: wilson(0, 0), "n: found 0"),
        (lambda: wilson(5, 4), "successes: found 5"),
        (lambda: wilson(1.5, 4), "successes: found 1.5"),
        (lambda: wilson(float("nan"), 4), "successes: found nan"),
        (lambda: wilson(1, 4, level=95), "level: found 95"),
        (lambda: interval_from_percent(101, 4), "percent: found 101"),
        (lambda: interval_from_percent(float("nan"), 4), "percent: found nan"),
        (lambda: consistent_counts(24.55, 94), "at most 1 decimals"),
        (lambda: consistent_counts(24.5, 0), "n: found 0"),
        (lambda: smallest_common_n([]), "percents: found none"),
        (lambda: smallest_common_n([50.0], at_least=9, at_most=8), "at_least = 9"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
