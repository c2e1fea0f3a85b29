import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.evidence.scores import example_scores, score_sets


class TestScoreSets:
    # Numbers of samples that the R package unsum 0.2 prints for `closure_generate` in its documentation.
    @pytest.mark.parametrize(
        ("mean", "sd", "n", "samples"),
        [(3.5, 1.7, 70, 2492), pytest.param(3.5, 1.8, 80, 2215, marks=pytest.mark.slow)],
    )
    def test_as_many_as_closure_in_the_r_package_unsum_finds(self, mean, sd, n, samples):
        assert len(score_sets(n, mean, sd, step=1, low=1, high=5, decimals=1)) == samples

    # The example in Wikipedia's article "GRIM test": 20 rolls of a die cannot average to 3.48, but to 3.45.
    @pytest.mark.parametrize(("mean", "sets"), [(3.45, 1), (3.48, 0), (3.50, 1)])
    def test_mean_of_20_rolls_ends_in_0_or_5_as_wikipedia_says(self, mean, sets):
        assert len(score_sets(20, mean, 0.51, step=1, low=3, high=4)) == sets

    def test_five_half_points_by_hand(self):
        # Squared distances from 3.6 add up to 4 x 0.42²: 0.36 + 2 x 0.01 + 2 x 0.16 = 0.70.
        assert score_sets(5, 3.6, 0.42, step=0.5).to_numpy().tolist() == [[3, 3.5, 3.5, 4, 4]]

    @given(st.lists(st.integers(0, 10), min_size=2, max_size=6))
    def test_holds_the_scores_that_were_summarised(self, halves):
        scores = np.sort(halves) / 2
        found = score_sets(len(scores), round(scores.mean(), 2), round(scores.std(ddof=1), 2), step=0.5)
        assert scores.tolist() in found.to_numpy().tolist()
        assert np.abs(found.mean(axis=1) - scores.mean()).max() <= 0.01 + 1e-9
        assert np.abs(found.std(axis=1, ddof=1) - scores.std(ddof=1)).max() <= 0.01 + 1e-9

    def test_no_set_is_an_empty_frame(self):
        assert score_sets(5, 3.6, 0.42, step=1).shape == (0, 5)

    @pytest.mark.parametrize(
        ("n", "step", "message"),
        [(1, 0.5, "n: found 1"), (5, 0.3, "step: found 0.3"), (5, 9, "step: found 9")],
    )
    def test_impossible_input_is_refused(self, n, step, message):
        with pytest.raises(ValueError, match=message):
            score_sets(n, 3.6, 0.42, step=step)


class TestExampleScores:
    @settings(max_examples=40)
    @given(st.lists(st.integers(0, 10), min_size=2, max_size=80), st.integers(0, 5))
    def test_prints_as_asked(self, halves, seed):
        scores = np.array(halves) / 2
        mean, sd = round(scores.mean(), 2), round(scores.std(ddof=1), 2)
        found = example_scores(len(scores), mean, sd, step=0.5, seed=seed)
        assert found.size == scores.size
        assert abs(found.mean() - mean) <= 0.005 + 1e-9
        assert abs(found.std(ddof=1) - sd) <= 0.005 + 1e-9
        assert np.isin(found, np.arange(11) / 2).all()

    def test_one_seed_gives_one_set_and_another_seed_another(self):
        first, again, other = (example_scores(67, 3.62, 0.77, step=0.5, seed=seed) for seed in (0, 0, 1))
        assert first.tolist() == again.tolist()
        assert sorted(first) != sorted(other)

    @pytest.mark.parametrize(("mean", "sd"), [(3.57, 0.42), (3.6, 0.1)])
    def test_scores_that_do_not_exist_are_refused(self, mean, sd):
        with pytest.raises(ValueError, match=r"found no 5 scores in steps of 0\.5"):
            example_scores(5, mean, sd, step=0.5)
