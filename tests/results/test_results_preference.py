import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from helpers.results.page import LackingError
from helpers.results.preference import (
    concordance,
    dimension_shares,
    joint_effects,
    mean_ranks,
    ranked_by_people,
    ranked_pairs,
)

DIMENSIONS = ["identity", "behavior", "context"]


def shares_and_rankings(seed: int, effects: dict[str, float], prompts: int = 60, raters: int = 4):
    """Clips of three models with random shares, ranked by what the effects and Gumbel noise make of them."""
    rng = np.random.default_rng(seed)
    shares = pd.DataFrame(
        [
            {"prompt_id": f"p{p}", "scenario_id": f"s{p}", "model": model}
            | dict(zip(DIMENSIONS, rng.integers(0, 11, 3) / 10, strict=True))
            for p in range(prompts)
            for model in "abc"
        ]
    )
    utility = sum(10 * effect * shares[name] for name, effect in effects.items())
    rows = []
    for rater in range(raters):
        drawn = shares.assign(utility=utility + rng.gumbel(size=len(shares)), rater_id=f"r{rater}")
        drawn["rank"] = drawn.groupby("prompt_id")["utility"].rank(ascending=False).astype(int)
        rows.append(drawn[["prompt_id", "rater_id", "model", "rank"]])
    return shares, pd.concat(rows, ignore_index=True)


def test_pairs_are_preferred_minus_other():
    shares = pd.DataFrame(
        {
            "prompt_id": "p",
            "scenario_id": "s",
            "model": ["a", "b"],
            "identity": [0.2, 0.9],
            "behavior": [0.5, 0.5],
            "context": [1.0, np.nan],
        }
    )
    rankings = pd.DataFrame({"prompt_id": "p", "rater_id": "r", "model": ["a", "b"], "rank": [2, 1]})
    pairs = ranked_pairs(rankings, shares)
    assert len(pairs) == 1
    assert pairs["identity"].iloc[0] == pytest.approx(0.7)
    assert pairs["behavior"].iloc[0] == 0
    assert np.isnan(pairs["context"].iloc[0])
    found = concordance(pairs).set_index("dimension")
    assert found.loc["identity", "estimate"] == 1
    assert found.loc["behavior", "estimate"] == 0.5
    assert found.loc["context", "n"] == 0


def test_equal_ranks_make_no_pair():
    shares, rankings = shares_and_rankings(0, {}, prompts=2, raters=1)
    assert ranked_pairs(rankings.assign(rank=1), shares).empty
    with pytest.raises(LackingError, match="No pair"):
        concordance(ranked_pairs(rankings.assign(rank=1), shares))


def test_the_dimension_that_was_planted_is_found_and_no_other():
    shares, rankings = shares_and_rankings(1, {"behavior": 0.3})
    pairs = ranked_pairs(rankings, shares)
    alone = concordance(pairs).set_index("dimension")
    assert alone.loc["behavior", "low"] > 0.55
    assert alone.loc["identity", "low"] < 0.5 < alone.loc["identity", "high"]
    assert alone.loc["identity − behavior", "p"] < 0.001
    joint = joint_effects(pairs).set_index("dimension")
    # With Gumbel noise, differences of utilities are logistic: the model holds, and the effect is its own.
    assert joint.loc["behavior", "low"] < 0.3 < joint.loc["behavior", "high"]
    assert joint.loc["context", "low"] < 0 < joint.loc["context", "high"]


def test_joint_effects_are_the_maximum_of_the_likelihood_that_scipy_finds():
    shares, rankings = shares_and_rankings(2, {"identity": 0.1, "context": 0.2}, prompts=20)
    pairs = ranked_pairs(rankings, shares)
    x = 10 * pairs[DIMENSIONS].to_numpy()
    best = optimize.minimize(lambda b: np.logaddexp(0, -x @ b).sum(), np.zeros(3), method="BFGS")
    assert joint_effects(pairs)["estimate"].to_numpy() == pytest.approx(best.x, abs=1e-4)


def test_too_few_scenarios_for_a_joint_model():
    shares, rankings = shares_and_rankings(3, {}, prompts=9)
    with pytest.raises(LackingError, match="9 scenarios"):
        joint_effects(ranked_pairs(rankings, shares))


def test_dimensions_that_decide_every_pair_have_no_finite_effect():
    shares, rankings = shares_and_rankings(4, {"identity": 1e6}, prompts=20, raters=1)
    pairs = ranked_pairs(rankings, shares)
    with pytest.raises(LackingError, match="no finite effect"):
        joint_effects(pairs[pairs["identity"] > 0])


def test_shares_leave_out_what_was_not_scored():
    cases = pd.DataFrame(
        {
            "prompt_id": "p",
            "scenario_id": "s",
            "model": "a",
            "dimension": ["identity", "identity", "behavior"],
            "value": [1.0, 0.0, np.nan],
            "outcome": ["scored", "scored", "failed"],
        }
    )
    found = dimension_shares(cases).iloc[0]
    assert found["identity"] == 0.5
    assert np.isnan(found["behavior"])


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
