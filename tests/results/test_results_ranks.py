"""Rank ranges: Holm's procedure as statsmodels has it, the tests as scipy has them, and their promise."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from helpers.results import ranks
from helpers.results.culturevidbench_exhibits import _place_words
from helpers.scores.outcomes import OUTCOMES
from helpers.scores.score import Score

MEAN = Score(name="mean", groups=(("part",),))


def cases(values: dict[str, np.ndarray], part="part") -> pd.DataFrame:
    """One case a model and prompt."""
    rows = [
        {"model": model, "prompt_id": f"p{at}", "value": value, "weight": 1.0}
        for model, column in values.items()
        for at, value in enumerate(column)
    ]
    frame = pd.DataFrame(rows)
    frame["part"] = pd.Categorical([part] * len(frame))
    outcome = np.where(frame["value"].notna(), "scored", "failed")
    return frame.assign(outcome=pd.Categorical(outcome, categories=list(OUTCOMES)))


def places(found: pd.DataFrame) -> dict[str, tuple[int, int]]:
    return {row.model: (row.best, row.worst) for row in found.itertuples()}


@settings(max_examples=20, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=12))
def test_rejects_what_statsmodels_holm_rejects(p_values):
    tested = [place for place, p in enumerate(p_values) if np.isfinite(p)]
    expected = set()
    if tested:
        reject = multipletests([p_values[place] for place in tested], alpha=0.05, method="holm")[0]
        expected = {place for place, sure in zip(tested, reject, strict=True) if sure}
    found = set(ranks._rejected(p_values, 0.05))
    # statsmodels counts p = alpha / m as rejected, we do not; only exact ties differ.
    assert found <= expected
    assert all(p_values[place] in {0.05 / m for m in range(1, 13)} for place in expected - found)


def test_two_models_are_ordered_as_scipys_paired_t_test_says():
    rng = np.random.default_rng(1)
    for shift in (0.0, 0.05, 0.1, 0.2):
        base = rng.random(30)
        other = base + shift + rng.normal(0, 0.2, 30)
        sure = ttest_rel(base, other).pvalue < 0.05
        both = cases({"a": base, "b": other})
        found = places(ranks.rank_ranges(both, [MEAN], {"mean": ["a", "b"]}, cluster="prompt_id"))
        higher, lower = ("b", "a") if other.mean() > base.mean() else ("a", "b")
        assert found == ({higher: (1, 1), lower: (2, 2)} if sure else {"a": (1, 2), "b": (1, 2)})


def test_far_apart_models_have_one_place_each_and_one_without_a_score_none():
    rng = np.random.default_rng(2)
    values = {name: at / 4 + rng.normal(0, 0.01, 20) for at, name in enumerate("abc")}
    values["lost"] = np.full(20, np.nan)
    found = ranks.rank_ranges(cases(values), [MEAN], {"mean": ["a", "b", "c"]}, cluster="prompt_id")
    assert places(found) == {"c": (1, 1), "b": (2, 2), "a": (3, 3)}
    assert set(found["of"]) == {3}


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_a_range_holds_the_place_and_moves_with_a_change_of_names(seed, models):
    values = np.random.default_rng(seed).normal(0.5, 0.2, (models, 8))
    names = [f"m{number}" for number in range(models)]
    found, other = (
        places(
            ranks.rank_ranges(
                cases(dict(zip(order, values, strict=True))), [MEAN], {"mean": names}, cluster="prompt_id"
            )
        )
        for order in (names, names[::-1])
    )
    for name, own in zip(names, values, strict=True):
        place = 1 + sum(own.mean() < each.mean() for each in values)
        assert found[name][0] <= place <= found[name][1]
    assert [found[name] for name in names] == [other[name] for name in names[::-1]]


@pytest.mark.parametrize("values", [{"a": [0.1], "b": [0.9]}, {"a": [0.5, 0.5], "b": [0.7, 0.7]}])
def test_without_a_test_every_place_remains(values):
    values = {name: np.array(each) for name, each in values.items()}
    found = ranks.rank_ranges(cases(values), [MEAN], {"mean": ["a", "b"]}, cluster="prompt_id")
    assert places(found) == {"a": (1, 2), "b": (1, 2)}


def test_ranges_hold_every_true_place_at_once_as_promised():
    """Mogstad et al. (2024): with probability 1 - alpha all true ranks lie in their ranges."""
    rng = np.random.default_rng(3)
    truth = {"a": 0.3, "b": 0.3, "c": 0.35, "d": 0.5}
    missed = 0
    for _ in range(150):
        prompt = rng.normal(0, 0.2, 25)
        values = {name: mean + prompt + rng.normal(0, 0.1, 25) for name, mean in truth.items()}
        found = places(ranks.rank_ranges(cases(values), [MEAN], {"mean": list(truth)}, cluster="prompt_id"))
        # The two equal models may stand third or fourth, either way round.
        right = found["d"][0] == 1 and found["c"][0] <= 2 <= found["c"][1]
        right &= all(found[name][0] <= 3 and found[name][1] == 4 for name in "ab")
        missed += not right
    assert missed <= 0.05 * 150 + 3 * np.sqrt(150 * 0.05 * 0.95)


def test_places_in_words():
    rows = pd.DataFrame({"model": ["a"], "rank": [2], "best": [1], "worst": [3]})
    assert _place_words(rows, ["a", "b"]) == ["2 (1–3)", "–"]
