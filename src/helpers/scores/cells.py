"""Cases, one row for each thing that was asked, become scores: means of means, each with n of N.

A score is a function of totals by cluster, so that one pass over the cases serves every cell and every score,
and an interval costs as much as a cell has clusters.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.checking import nearest
from helpers.scores.outcomes import LOST, OUTCOMES, REASONS, SCORED
from helpers.scores.score import Score, Scores
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.clusters import Statistic
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level

# Below this share of scored cases no score is printed.
LEAST_SHARE = 0.8
UNITS = {
    "scenario_id": "scenarios",
    "prompt_id": "prompts",
    "matched_set": "matched sets",
    "landmark_id": "landmarks",
    "country": "countries",
}
_COLUMNS = ["score", "estimate", "low", "high", "n", "asked", "clusters", "share_scored", "status", *REASONS]


def score_cells(
    cases: pd.DataFrame,
    by: Sequence[str],
    scores: Sequence[Score],
    *,
    cluster: str,
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """Every score of every cell.

    Args:
        cases: one row for each thing that was asked: part, value (read where the outcome is "scored"), weight
            (above 0), outcome (a categorical of `OUTCOMES`), the columns of `by` and of `cluster`.
        by: columns whose combinations are the cells; none for one cell of everything.
        scores: what to compute.
        cluster: the column of what is independent: what the claim is about further ones of.
        least_share: a score of which fewer of the asked cases were scored, in any of its parts, is refused.
        level: confidence level of the intervals.

    Returns:
        Intervals by the delta method over clusters (Student's t, on the logit scale where the score has
        bounds and is no difference). A refused score is missing, and its status says "too few scored: 12 of
        40"; where one cluster is all there is, or nothing varies, the interval is missing and the status says
        so. Time and memory grow in proportion to the cases.

    Raises:
        ValueError: a column that the cases lack (the nearest is offered); no case; a share or level out of
            range; a case without cluster.
    """
    _check(cases, by, cluster, least_share, level)
    parts = list(dict.fromkeys(part for score in scores for part in score.parts))
    part = _positions(cases["part"], parts)
    cells, labels = _cells(cases, by)
    shape = (len(labels), len(parts), len(OUTCOMES))
    spots = np.ravel_multi_index((cells, part, cases["outcome"].cat.codes.to_numpy()), shape)
    counts = np.bincount(spots, minlength=np.prod(shape)).reshape(shape)
    totals = _totals(cases, cells, part, cluster, shape[:2])
    unit = UNITS.get(cluster, f"values of {cluster}")
    rows, estimates = [], []
    for label, counted, clusters in zip(labels, counts, totals, strict=True):
        for score in scores:
            tally = _tally(score, dict(zip(parts, counted, strict=True)))
            chosen = clusters[:, [parts.index(name) for name in tally.used]]
            estimate, status = _estimate(score, tally, chosen, unit, least_share, level)
            row = {"score": score.name, "status": status} | estimate.row()
            rows.append(label | row)
            estimates.append(estimate)
    return Scores(table=pd.DataFrame(rows)[[*by, *_COLUMNS]], estimates=tuple(estimates))


def _check(cases: pd.DataFrame, by: Sequence[str], cluster: str, least_share: float, level: float) -> None:
    check_level(level)
    if not 0 <= least_share <= 1:
        raise ValueError(f"least_share: found {least_share}, expected a share from 0 to 1, such as 0.8")
    for column in (*by, cluster):
        if column not in cases:
            raise ValueError(
                f"found no column '{column}' among the cases{nearest(column, cases)}; "
                f"expected some of {', '.join(cases)}"
            )
    if cases.empty:
        raise ValueError("cases: found none, expected at least one")
    if cases[cluster].isna().any():
        raise ValueError(f"{cluster}: found a case without, expected one for each")


def _cells(cases: pd.DataFrame, by: Sequence[str]) -> tuple[np.ndarray, list[dict]]:
    """The number of each case's cell, and the cells' labels."""
    if not by:
        return np.zeros(len(cases), dtype=np.int64), [{}]
    groups = cases.groupby(list(by), observed=True, dropna=False, sort=True)
    cells = groups.ngroup().to_numpy(np.int64)
    first = np.zeros(cells.max() + 1, dtype=np.int64)
    first[cells[::-1]] = np.arange(len(cells))[::-1]
    return cells, cases[list(by)].iloc[first].to_dict("records")


def _positions(values: pd.Series, names: list[str]) -> np.ndarray:
    """Where each case's part stands among the parts."""
    found = pd.Index(names).get_indexer(values.cat.categories)
    codes = values.cat.codes.to_numpy()
    positions = np.where(codes < 0, -1, found[codes]).astype(np.int64)
    if (positions < 0).any():
        raise ValueError(f"part: found '{values[positions.argmin()]}', expected one of {', '.join(names)}")
    return positions


def _totals(
    cases: pd.DataFrame, cells: np.ndarray, part: np.ndarray, cluster: str, shape: tuple[int, int]
) -> list[np.ndarray]:
    """For each cell the totals of value x weight and of weight: (clusters with a scored case, parts, 2)."""
    scored = cases["outcome"].eq(SCORED).to_numpy()
    codes, names = pd.factorize(cases[cluster])
    keys, row = np.unique(cells[scored] * len(names) + codes[scored], return_inverse=True)
    n_cells, n_parts = shape
    spots, size = row * n_parts + part[scored], len(keys) * n_parts
    weight, value = (cases[name].to_numpy(float)[scored] for name in ("weight", "value"))
    columns = [np.bincount(spots, each, minlength=size) for each in (value * weight, weight)]
    totals = np.stack(columns, axis=-1).reshape(len(keys), n_parts, 2)
    return np.split(totals, np.searchsorted(keys, np.arange(1, n_cells) * len(names)))


class _Tally(NamedTuple):
    """What became of the cases behind one score of one cell."""

    used: list[str]
    lacking: list[str]
    n: dict[str, int]
    asked: dict[str, int]
    reasons: dict[str, int]


def _tally(score: Score, counted: dict[str, np.ndarray]) -> _Tally:
    n = {part: int(counted[part][0]) for part in score.parts}
    asked = {part: int(counted[part][: 1 + len(LOST)].sum()) for part in score.parts}
    lacking = [part for part in score.parts if part in score.may_lack and not asked[part]]
    reasons = sum(counted[part][1:] for part in score.parts)
    return _Tally(
        used=[part for part in score.parts if part not in lacking],
        lacking=lacking,
        n=n,
        asked=asked,
        reasons=dict(zip(REASONS, reasons.tolist(), strict=True)),
    )


def _estimate(
    score: Score, tally: _Tally, totals: np.ndarray, unit: str, least_share: float, level: float
) -> tuple[Estimate, str]:
    """One score of one cell, and its status.

    Args:
        score: which.
        tally: of its cases.
        totals: shape (clusters, parts used, 2).
        unit: what a cluster is, in the plural.
        least_share: as `score_cells`.
        level: as `score_cells`.
    """
    totals = totals[totals[..., 1].any(axis=1)]
    totals = totals.reshape(len(totals), 2 * len(tally.used))
    n, asked = sum(tally.n.values()), sum(tally.asked.values())
    counts = {"asked": asked, "clusters": len(totals), "share_scored": n / asked if asked else np.nan}
    function = score.statistic(tally.used)
    problem = _problem(score, tally, least_share) or _undefined(score, function, totals)
    if problem:
        found = Estimate(estimate=np.nan, n=n, method=f"{score.name}; {problem}", level=level)
        return replace(found, details=counts | tally.reasons), problem
    found = cluster_bootstrap(
        totals,
        np.arange(len(totals)),
        function,
        method=score.method,
        level=level,
        unit=unit,
        bounds=score.bounds,
    )
    without = [f"without {', '.join(tally.lacking)}"] if tally.lacking else []
    why = "ok" if np.isfinite(found.low) else found.method.partition("; ")[2]
    found = replace(
        found,
        n=n,
        method="; ".join([found.method, *without]),
        details=found.details | counts | tally.reasons,
    )
    return found, "; ".join([why, *without])


def _undefined(score: Score, function: Statistic, totals: np.ndarray) -> str:
    """Why a score of scored cases does not exist; empty where it does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = function(totals.sum(axis=0))
    return "" if np.isfinite(value) else f"undefined: {' and '.join(score.against)} 0"


def _problem(score: Score, tally: _Tally, least_share: float) -> str:
    """Why a score is refused; empty where it is not."""
    if score.pooled:
        return _too_few(sum(tally.n.values()), sum(tally.asked.values()), least_share)
    groups = [group for group in (*score.groups, score.against) if group]
    if any(set(group).isdisjoint(tally.used) for group in groups):
        return "nothing to score"
    for part in tally.used:
        if problem := _too_few(tally.n[part], tally.asked[part], least_share):
            return f"{problem} in {part}" if len(tally.used) > 1 else problem
    return ""


def _too_few(n: int, asked: int, least_share: float) -> str:
    if not asked:
        return "nothing to score"
    return "" if n and n / asked >= least_share else f"too few scored: {n} of {asked}"
