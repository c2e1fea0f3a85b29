import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.results.page import LackingError
from helpers.results.ranks import mean_ranks, place_words, rank_ranges, ranked_by_people


def cases_of(values: dict[str, list[float]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"model": model, "prompt_id": f"p{number}", "value": value}
            for model, own in values.items()
            for number, value in enumerate(own)
        ]
    )


def test_models_far_apart_have_certain_places():
    noise = np.random.default_rng(0).normal(0, 0.01, (3, 30))
    values = {name: list(level + own) for name, level, own in zip("abc", (0.9, 0.5, 0.1), noise, strict=True)}
    found = rank_ranges(cases_of(values))
    assert found["model"].tolist() == ["a", "b", "c"]
    assert (found["rank"] == found["best"]).all()
    assert (found["rank"] == found["worst"]).all()


def test_equal_models_may_hold_every_place():
    values = np.random.default_rng(1).normal(0.5, 0.1, (4, 20))
    found = rank_ranges(cases_of({name: list(own) for name, own in zip("abcd", values, strict=True)}))
    assert found["best"].eq(1).all()
    assert found["worst"].eq(4).all()


def test_two_models_are_parted_exactly_where_scipys_paired_t_test_parts_them():
    rng = np.random.default_rng(2)
    for shift in (0.02, 0.05, 0.08):
        first, second = rng.normal(0.5, 0.1, 25), rng.normal(0.5 - shift, 0.1, 25)
        found = rank_ranges(cases_of({"a": list(first), "b": list(second)}))
        sure = stats.ttest_rel(first, second).pvalue < 0.05
        assert (found["best"] == found["worst"]).all() == sure


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_a_range_holds_the_place_and_moves_with_a_change_of_names(seed, models):
    values = np.random.default_rng(seed).normal(0.5, 0.2, (models, 8))
    names = [f"m{number}" for number in range(models)]
    found = rank_ranges(cases_of({name: list(own) for name, own in zip(names, values, strict=True)}))
    assert (found["best"] <= found["rank"]).all()
    assert (found["rank"] <= found["worst"]).all()
    other = rank_ranges(cases_of({name: list(own) for name, own in zip(names[::-1], values, strict=True)}))
    assert found[["best", "worst"]].to_numpy().tolist() == other[["best", "worst"]].to_numpy().tolist()


def test_a_missing_model_on_one_prompt_is_compared_on_the_others():
    cases = cases_of({"a": [0.9, 0.8, 0.9, 0.7], "b": [0.1, 0.2, 0.1, 0.3]})
    found = rank_ranges(cases[~(cases["model"].eq("b") & cases["prompt_id"].eq("p0"))])
    assert found.set_index("model")["n"].to_dict() == {"a": 4, "b": 3}


def rankings() -> pd.DataFrame:
    orders = {"r1": [1, 2, 3], "r2": [1, 3, 2], "r3": [2, 1, 3]}
    rows = [
        {"prompt_id": prompt, "rater_id": rater, "model": model, "rank": rank}
        for rater, order in orders.items()
        for prompt in ("p1", "p2")
        for model, rank in zip("abc", order, strict=True)
    ]
    return pd.DataFrame(rows)


def test_mean_ranks_and_both_standard_errors():
    found = mean_ranks(rankings()).set_index("model")
    assert found.index.tolist() == ["a", "b", "c"]
    assert found.loc["a", "mean_rank"] == pytest.approx(4 / 3)
    # Each person's two ranks are the same, so that three people, not six ranks, carry the information.
    assert found.loc["a", "se"] == pytest.approx(stats.sem([1, 1, 2]))
    assert found.loc["a", "se_naive"] == pytest.approx(stats.sem([1, 1, 1, 1, 2, 2]))
    assert found.loc["a", ["n", "people"]].tolist() == [6, 3]


def test_judges_rankings_are_no_peoples():
    raters = pd.DataFrame({"rater_id": ["r1", "r2", "r3"], "kind": ["human", "judge", "human"]})
    assert set(ranked_by_people(rankings(), raters)["rater_id"]) == {"r1", "r3"}
    with pytest.raises(LackingError, match="rankings"):
        ranked_by_people(rankings(), raters.assign(kind="judge"))


def test_places_in_words():
    rows = pd.DataFrame({"model": ["a"], "rank": [2], "best": [1], "worst": [3]})
    assert place_words(rows, ["a", "b"]) == ["2 (1–3)", "–"]
