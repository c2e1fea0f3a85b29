import numpy as np
import pytest

from helpers.stats.spread_change import spread_change


def simulated(rng, before, after, *, countries=10, prompts=6, noise=0.2):
    """Scores of prompts, shape (2, countries, prompts), whose countries spread by exactly these."""
    true = rng.normal(size=(2, countries))
    true = (true - true.mean(axis=1, keepdims=True)) / true.std(axis=1, ddof=1, keepdims=True)
    true *= np.array([[before], [after]])
    return true[:, :, None] + rng.normal(0, noise, (2, countries, prompts))


def found(scores, **options):
    country = np.repeat(np.arange(scores.shape[1]), scores.shape[2])
    return spread_change(scores[0].ravel(), scores[1].ravel(), country=country, **options)


def test_the_noise_is_what_countries_own_errors_give_and_is_taken_off():
    scores = simulated(np.random.default_rng(1), 0.3, 0.1)
    result = found(scores, resamples=50)
    for each, side in ((result.before, scores[0]), (result.after, scores[1])):
        variance, noise = side.mean(axis=1).var(ddof=1), side.var(axis=1, ddof=1).mean() / 6
        assert each.details == pytest.approx({"observed": variance**0.5, "noise": noise**0.5})
        assert each.estimate == pytest.approx(max(variance - noise, 0) ** 0.5)
        assert each.n == 60
    assert result.change.estimate == pytest.approx(result.after.estimate - result.before.estimate)
    assert (result.countries, result.left_out) == (10, 0)


def test_intervals_cover_the_truth_and_find_a_gap_that_closed():
    rng = np.random.default_rng(2)
    covered, seen = [], []
    for _ in range(60):
        result = found(simulated(rng, 0.3, 0.1), resamples=200)
        truths = ((result.before, 0.3), (result.after, 0.1), (result.change, -0.2))
        covered.append([each.low <= truth <= each.high for each, truth in truths])
        seen.append(result.change.high < 0)
    assert np.min(np.mean(covered, axis=0)) > 0.85
    assert np.mean(seen) > 0.9


def test_more_noise_alone_is_no_wider_gap():
    rng = np.random.default_rng(3)
    claimed, raw = [], []
    for _ in range(60):
        scores = simulated(rng, 0, 0)
        scores[1] *= 3
        result = found(scores, resamples=200)
        claimed.append(not result.change.low <= 0 <= result.change.high)
        raw.append(result.after.details["observed"] - result.before.details["observed"])
    assert np.mean(claimed) < 0.2
    assert np.mean(raw) > 0.1  # what a change of plain standard deviations would have claimed


def test_countries_with_few_prompts_are_counted_and_a_seed_gives_the_same():
    scores = simulated(np.random.default_rng(4), 0.2, 0.2)
    country = np.repeat(np.arange(10), 6)
    values = scores.reshape(2, -1)
    values[1, :4] = np.nan  # leaves country 0 two prompts
    result = spread_change(*values, country=country, resamples=100, seed=7)
    assert (result.countries, result.left_out, result.change.n) == (9, 1, 54)
    again = spread_change(*values, country=country, resamples=100, seed=7)
    assert again.change == result.change
    assert spread_change(*values, country=country, resamples=100, seed=8).change.low != result.change.low


def test_without_variation_within_countries_there_is_no_interval():
    scores = simulated(np.random.default_rng(5), 0.2, 0.2)
    scores[0] = np.linspace(0, 0.9, 10)[:, None]
    result = found(scores, resamples=100)
    assert np.isnan([result.before.low, result.change.low, result.change.high]).all()
    assert "nothing varies" in result.before.method
    assert "nothing varies" in result.change.method
    assert result.after.low <= result.after.estimate <= result.after.high


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ((2, 2, 5), {}, "found 2 of 2 countries with at least 3 prompts"),
        ((2, 5, 2), {}, "found 0 of 5 countries"),
        ((2, 5, 3), {"resamples": 0}, "resamples: found 0"),
        ((2, 5, 3), {"level": 95}, "level: found 95"),
    ],
)
def test_what_is_refused(scores, options, message):
    with pytest.raises(ValueError, match=message):
        found(np.random.default_rng(0).random(scores), **options)
