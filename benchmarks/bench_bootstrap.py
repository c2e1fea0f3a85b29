"""The clustered bootstrap beside a pandas loop and scipy.stats.bootstrap.

Everywhere 7,000 videos x 3 raters and 10,000 resamples. The pandas loops are timed over a few resamples and
scaled up, since 10,000 take minutes.
"""

import numpy as np
import pandas as pd
from benchmarks.harness import Row, at_least, at_most, peak_megabytes, seconds
from scipy import stats

from helpers.stats.bootstrap import cluster_bootstrap

VIDEOS, RATERS, RESAMPLES = 7_000, 3, 10_000
# What may be drawn, and its number. Videos are the worst case; a claim usually generalises over the others.
UNITS = {"videos": 7_000, "prompts": 1_000, "countries": 12, "raters": 36}
TARGETED = ("prompts", "countries", "raters")
# Resamples for which the pandas loops are timed.
TIMED, TIMED_GROUPS = 30, 3

IMPORTS = "from benchmarks.bench_bootstrap import ours, scipys\n"


def ratings() -> pd.DataFrame:
    """Scores 1 to 5: seven models on 1,000 prompts of twelve countries, three raters a country."""
    rng = np.random.default_rng(0)
    video = np.repeat(np.arange(VIDEOS), RATERS)
    prompt, rater = video // 7, np.tile(np.arange(RATERS), VIDEOS)
    quality = rng.normal(size=VIDEOS)[video] + rng.normal(size=1_000)[prompt]
    score = np.clip(np.round(3 + 0.5 * quality + rng.normal(size=video.size)), 1, 5)
    country = prompt % 12
    units = {"videos": video, "prompts": prompt, "countries": country, "raters": 3 * country + rater}
    return pd.DataFrame(units).assign(score=score)


def ours(unit: str, method: str = "bootstrap-t", resamples: int = RESAMPLES) -> None:
    frame = ratings()
    cluster_bootstrap(frame["score"], frame[unit], method=method, resamples=resamples)


def scipys(batch: int | None) -> None:
    """It knows no clusters: it gets the means of the videos, which are equally large here."""
    means = ratings().groupby("videos")["score"].mean().to_numpy()
    stats.bootstrap((means,), np.mean, n_resamples=RESAMPLES, batch=batch, method="percentile", rng=0)


def pandas_rows(frame: pd.DataFrame, unit: str) -> None:
    """Look the drawn clusters' rows up in an index and average them."""
    indexed, rng = frame.set_index(unit)["score"].sort_index(), np.random.default_rng(0)
    names = indexed.index.unique().to_numpy()
    for _ in range(TIMED):
        indexed.loc[rng.choice(names, names.size)].mean()


def pandas_groups(frame: pd.DataFrame, unit: str) -> None:
    """Put the drawn clusters' groups together and average them."""
    groups, rng = dict(list(frame.groupby(unit)["score"])), np.random.default_rng(0)
    names = np.array(list(groups))
    for _ in range(TIMED_GROUPS):
        pd.concat([groups[name] for name in rng.choice(names, names.size)]).mean()


def pandas_totals(frame: pd.DataFrame, unit: str) -> None:
    """Sum each cluster once, as ours does, and draw rows of that table."""
    totals, rng = frame.groupby(unit)["score"].agg(["sum", "size"]), np.random.default_rng(0)
    for _ in range(TIMED):
        drawn = totals.sample(frac=1, replace=True, random_state=rng).sum()
        drawn["sum"] / drawn["size"]


def against_pandas(frame: pd.DataFrame, unit: str) -> list[Row]:
    clusters = f"{UNITS[unit]:,} {unit}"
    took = seconds(lambda: ours(unit))
    rows = seconds(lambda: pandas_rows(frame, unit)) * RESAMPLES / TIMED
    groups = seconds(lambda: pandas_groups(frame, unit), repeats=1) * RESAMPLES / TIMED_GROUPS
    totals = seconds(lambda: pandas_totals(frame, unit)) * RESAMPLES / TIMED
    ratio = f"{clusters}: ours faster than the faster loop over rows or groups"
    faster = min(rows, groups) / took
    return [
        Row(what=f"{clusters}: ours, bootstrap-t", value=took, unit="s"),
        Row(what=f"{clusters}: pandas loop over rows (scaled up)", value=rows, unit="s"),
        Row(what=f"{clusters}: pandas loop over groups (scaled up)", value=groups, unit="s"),
        Row(what=f"{clusters}: pandas loop over cluster totals (scaled up)", value=totals, unit="s"),
        at_least(ratio, faster, 20, "x") if unit in TARGETED else Row(what=ratio, value=faster, unit="x"),
    ]


def against_scipy() -> list[Row]:
    return [
        Row(what="percentile, ours", value=seconds(lambda: ours("videos", "percentile")), unit="s"),
        Row(what="percentile, scipy, batch=100", value=seconds(lambda: scipys(100)), unit="s"),
        Row(what="percentile, scipy, default batch", value=seconds(lambda: scipys(None)), unit="s"),
        Row(what="memory of the imports alone", value=peak_megabytes(IMPORTS), unit="MB"),
        at_most("peak memory, ours", peak_megabytes(IMPORTS + "ours('videos')"), 500, "MB"),
        Row(what="peak memory, scipy, batch=100", value=peak_megabytes(IMPORTS + "scipys(100)"), unit="MB"),
        Row(what="peak memory, scipy, default", value=peak_megabytes(IMPORTS + "scipys(None)"), unit="MB"),
    ]


def run() -> list[Row]:
    frame = ratings()
    rows = [row for unit in UNITS for row in against_pandas(frame, unit)]
    few, many = (seconds(lambda resamples=n: ours("videos", resamples=resamples)) for n in (5_000, 20_000))
    linear = at_most("time of 20,000 resamples over time of 5,000 (linear: 4)", many / few, 5, "x")
    return [*rows, *against_scipy(), linear]
