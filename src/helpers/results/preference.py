"""What people prefer (CultureScore, RQ4): mean ranks, and which dimension goes with them, pair by pair.

The paper calls identity the strongest predictor of preference and prints no analysis. Here every person's
ranking of a prompt's clips gives pairs of clips, one preferred to the other; both are judged by the same
questions, so that prompt, country and person cancel.
"""

import warnings
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from helpers.published import DIMENSIONS
from helpers.results.page import LackingError
from helpers.stats.bootstrap import cluster_bootstrap


def mean_ranks(rankings: pd.DataFrame) -> pd.DataFrame:
    """Each model's mean rank by people, with the standard error over people and the one over rankings.

    Args:
        rankings: rows of the table rankings.

    Returns:
        One row a model, the most preferred first: model, mean_rank, se (between people, who give several
        ranks each), low and high (95 % t interval over people), se_naive (standard deviation over the root of
        n, as if all ranks were independent), n (ranks), people.
    """
    rows = []
    for model, part in rankings.groupby("model"):
        ranks = part["rank"].to_numpy(float)
        found = cluster_bootstrap(ranks, part["rater_id"], method="t", unit="people")
        ends = {"se": found.details["se"], "low": found.low, "high": found.high}
        naive = ranks.std(ddof=1) / np.sqrt(ranks.size) if ranks.size > 1 else np.nan
        row = {"model": model, "mean_rank": found.estimate} | ends
        rows.append(row | {"se_naive": naive, "n": found.n, "people": found.details["clusters"]})
    return pd.DataFrame(rows).sort_values("mean_rank", ignore_index=True)


def ranked_by_people(rankings: pd.DataFrame, raters: pd.DataFrame) -> pd.DataFrame:
    """The rankings by people who may not be among judges.

    Raises:
        LackingError: there is none.
    """
    people = raters.loc[raters["kind"].eq("human"), "rater_id"]
    found = rankings[rankings["rater_id"].isin(people)]
    if found.empty:
        raise LackingError("The study's table 'rankings' has no rows by people.")
    return found


def dimension_shares(cases: pd.DataFrame) -> pd.DataFrame:
    """Each clip's share of yes in each dimension.

    Args:
        cases: as `helpers.scores.culturescore.asked_questions` returns them.

    Returns:
        One row a clip: prompt_id, model, scenario_id and a column for each dimension, missing without answer.
    """
    keys = ["prompt_id", "model", "scenario_id"]
    scored = cases[cases["outcome"].eq("scored")].astype(dict.fromkeys([*keys, "dimension"], str))
    wide = scored.pivot_table(index=keys, columns="dimension", values="value", aggfunc="mean")
    return wide.reindex(columns=list(DIMENSIONS)).reset_index()


def ranked_pairs(rankings: pd.DataFrame, shares: pd.DataFrame) -> pd.DataFrame:
    """All pairs of clips that one person put in an order.

    Args:
        rankings: rows of the table rankings.
        shares: as `dimension_shares`; one clip a prompt and model (clips of several seeds are averaged).

    Returns:
        One row a pair: rater_id, prompt_id, scenario_id, and for each dimension the preferred clip's share
        minus the other's, missing where either has none. Equal ranks make no pair.
    """
    clips = shares.groupby(["prompt_id", "model", "scenario_id"], as_index=False)[list(DIMENSIONS)].mean()
    rows = rankings.astype({"rank": float}).merge(clips, on=["prompt_id", "model"])
    both = rows.merge(rows, on=["prompt_id", "rater_id", "scenario_id"], suffixes=("", "_other"))
    both = both[both["rank"] < both["rank_other"]].reset_index(drop=True)
    found = both[["rater_id", "prompt_id", "scenario_id"]].copy()
    for dimension in DIMENSIONS:
        found[dimension] = both[dimension] - both[f"{dimension}_other"]
    return found


def concordance(pairs: pd.DataFrame, *, cluster: str = "scenario_id") -> pd.DataFrame:
    """How often the preferred clip has more yes, by dimension; and how far dimensions are apart.

    Args:
        pairs: as `ranked_pairs`.
        cluster: what is independent. People rank the same prompts, so that scenarios are fewer than rankings.

    Returns:
        One row a dimension: dimension, estimate (share of pairs in which the preferred clip has the larger
        share of yes, equal shares counting half; 0.5 is no relation), low and high (t interval over
        clusters), n (pairs), tied (share of pairs with equal shares). Then a row for each two dimensions,
        "identity − behavior" and so on: the difference on the pairs that have both, with p.

    Raises:
        LackingError: no pair of ranked clips that the judge answered about.
    """
    if pairs.empty:
        raise LackingError("No pair of clips was both ranked by people and answered about.")
    won = {name: np.sign(pairs[name].to_numpy(float)) / 2 + 0.5 for name in DIMENSIONS}
    rows = []
    for name in DIMENSIONS:
        known = np.isfinite(won[name])
        tied = float(np.mean(won[name][known] == 0.5)) if known.any() else np.nan
        rows.append({"dimension": name} | _over(won[name], pairs[cluster], 0.5) | {"tied": tied})
    for first, second in combinations(DIMENSIONS, 2):
        row = {"dimension": f"{first} − {second}"}
        rows.append(row | _over(won[first] - won[second], pairs[cluster], 0.0) | {"tied": np.nan})
    return pd.DataFrame(rows)


def joint_effects(pairs: pd.DataFrame, *, cluster: str = "scenario_id") -> pd.DataFrame:
    """How the chance of being preferred moves with each dimension, the others held fixed.

    A logistic regression of "preferred" on the differences in the three shares, without intercept (Bradley
    and Terry's model with covariates: a pair and its mirror image say the same); the covariance is
    cluster-robust (statsmodels, GLM).

    Args:
        pairs: as `ranked_pairs`; those that lack a dimension are left out.
        cluster: what is independent.

    Returns:
        One row a dimension: dimension, estimate (log-odds for ten percentage points more yes), low, high, p,
        n (pairs) and clusters.

    Raises:
        LackingError: fewer than ten clusters with complete pairs, or dimensions that do not vary or decide
            all.
    """
    complete = pairs.dropna(subset=list(DIMENSIONS))
    clusters = complete[cluster].nunique()
    x = complete[list(DIMENSIONS)].to_numpy(float) * 10
    if clusters < 10 or np.linalg.matrix_rank(x) < len(DIMENSIONS):
        raise LackingError(
            f"Ranked pairs with all three dimensions come from {clusters} scenarios; a joint model takes at "
            "least 10 "
            "and answers that differ."
        )
    groups = pd.factorize(complete[cluster])[0]
    model = sm.GLM(np.ones(len(x)), x, family=sm.families.Binomial())
    with warnings.catch_warnings():
        # Probabilities that reach 0 or 1 divide by zero, shortly before the fit is called separated.
        warnings.simplefilter("error", PerfectSeparationWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
        except (PerfectSeparationWarning, RuntimeWarning):
            raise LackingError(
                "The answers tell every preferred clip from the other: no finite effect."
            ) from None
    ends = fit.conf_int()
    return pd.DataFrame(
        {
            "dimension": list(DIMENSIONS),
            "estimate": fit.params,
            "low": ends[:, 0],
            "high": ends[:, 1],
            "p": fit.pvalues,
            "n": len(complete),
            "clusters": clusters,
        }
    )


def _over(values: np.ndarray, clusters: Sequence[str], null: float) -> dict[str, float]:
    """The mean of what is known, with a t interval over clusters and p against a value."""
    known = np.isfinite(values)
    if not known.any():
        return {"estimate": np.nan, "low": np.nan, "high": np.nan, "p": np.nan, "n": 0}
    found = cluster_bootstrap(values[known], np.asarray(clusters)[known], method="t", null=null)
    return {name: getattr(found, name) for name in ("estimate", "low", "high", "p", "n")}
