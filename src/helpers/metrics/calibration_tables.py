"""What a calibration says of each metric: does it follow the dial, tell places apart, mind harmless edits?

All take the values of `calibration.Measured`. The unit is the place: intervals are over places,
however many clips each has.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from helpers.metrics.calibration_settings import COMPARED, CONSTANTS, DEFAULT, RANDOM, metrics
from helpers.stats.auc import auc
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.results import Estimate

KINDS = {"detail_loss": "blurred", "warped_structure": "warped", "other_landmark": "another place"}
"""The dial's faults in words."""
MARGIN = 0.1
"""What counts as no change: a tenth of what the metric falls between the faithful clip and another place."""


def usual(values: pd.DataFrame) -> pd.DataFrame:
    """The values under the default settings."""
    return values[values["setting"].eq(DEFAULT)]


def dial_values(values: pd.DataFrame) -> pd.DataFrame:
    """The dial's values; the faithful clip stands in every kind, with strength 0."""
    rows = usual(values)
    faithful, dial = rows[rows["group"].eq("faithful")], rows[rows["group"].eq("dial")]
    starts = [faithful.assign(kind=kind) for kind in dial["kind"].unique()]
    return pd.concat([*starts, dial], ignore_index=True)


def dial_table(values: pd.DataFrame) -> pd.DataFrame:
    """Whether each metric follows the dial.

    Returns:
        A row a metric and kind: rho (Spearman's correlation of value and strength within a place, mean over
        places), falling (places in which every step lowers the value), slope, low and high (of value by
        strength within a place: the mean over places with its t interval; per whole dial) and places (n). A
        place whose values are all equal has rho 0.
    """
    rows = []
    for (metric, kind), cells in dial_values(values).groupby(["metric", "kind"], sort=False):
        table = cells.pivot_table(index="place", columns="strength", values="value")
        strengths = table.columns.to_numpy(float)
        centred = strengths - strengths.mean()
        slopes = table.to_numpy() @ centred / (centred @ centred)
        slope = over_places(slopes, table.index)
        ranks = stats.rankdata(table.to_numpy(), axis=1)
        rho = [_correlation(own, stats.rankdata(strengths)) for own in ranks]
        falling = int((np.diff(table.to_numpy(), axis=1) < 0).all(axis=1).sum())
        about = (metric, kind, float(np.mean(rho)), falling)
        rows.append((*about, slope.estimate, slope.low, slope.high, len(table)))
    columns = ["metric", "kind", "rho", "falling", "slope", "low", "high", "places"]
    return in_order(pd.DataFrame(rows, columns=columns))


def over_places(values: Sequence[float], places: Sequence[str]) -> Estimate:
    """The mean over places with a t interval."""
    return cluster_bootstrap(values, places, method="t", unit="places")


def scale(values: pd.DataFrame) -> pd.DataFrame:
    """By metric and place: the faithful value, and the scale by which changes are told.

    The scale is what the value falls from the faithful clip to one that shows another place (the dial's
    "other_landmark" at its greatest strength). Of motion and flicker, which know no place, it is the faithful
    value.

    Returns:
        Columns metric, place, faithful, scale.
    """
    rows = usual(values)
    dial = rows[rows["kind"].eq("other_landmark") & rows["strength"].eq(rows["strength"].max())]
    other = dial.set_index(["metric", "place"])["value"]
    faithful = rows[rows["group"].eq("faithful")].set_index(["metric", "place"])["value"]
    compared = faithful.index.get_level_values("metric").isin(COMPARED)
    return pd.DataFrame(
        {"faithful": faithful, "scale": faithful.where(~compared, faithful - other)}
    ).reset_index()


def changes(values: pd.DataFrame) -> pd.DataFrame:
    """How far each edit or fault moves each metric from the faithful clip of the same place.

    Returns:
        A row a metric, group, kind and strength: change (mean change over places as a share of the mean
        scale, see `scale`: -1 is the fall to another place), low and high (delta-method t interval over
        places), places, and verdict: "moves" where the interval lies beyond `MARGIN` on one side, "hardly
        moves" where it lies within, "unclear" otherwise. Of a metric whose scale is not above 0, change is
        missing and the verdict "no scale"; at the end of the scale itself it is "scale".
    """
    rows = usual(values)
    rows = rows[rows["group"].isin(["dial", "harmless", "wrong", "moving"])]
    rows = rows.assign(place=rows["reference"]).merge(scale(values), on=["metric", "place"])
    found = []
    for key, cells in rows.groupby(["metric", "group", "kind", "strength"], sort=False):
        moved = cells["value"] - cells["faithful"]
        change, low, high, verdict = _share(moved, cells["scale"], cells["place"])
        if verdict != "no scale" and key[0] in COMPARED and moved.eq(-cells["scale"]).all():
            verdict = "scale"
        found.append((*key, change, low, high, verdict, len(cells)))
    columns = ["metric", "group", "kind", "strength", "change", "low", "high", "verdict", "places"]
    return in_order(pd.DataFrame(found, columns=columns))


def same_loss(values: pd.DataFrame) -> pd.DataFrame:
    """How much of another place lowers the mean as much as each harmless edit does.

    Returns:
        A row a metric that compares: a column for each harmless edit, with the strength of "other_landmark"
        read off the line through the dial's means; 0 where the edit does not lower the mean, missing where it
        lowers it further than the dial at its end.
    """
    dial = dial_values(values)
    means = dial[dial["kind"].eq("other_landmark")].pivot_table(
        index="metric", columns="strength", values="value"
    )
    rows = usual(values)
    harmless = rows[rows["group"].eq("harmless")].groupby(["metric", "kind"], sort=False)["value"].mean()
    found = {}
    for metric in COMPARED:
        # Where the mean rises with the fault, the lowest so far is what an edit is compared with.
        curve = np.minimum.accumulate(means.loc[metric].to_numpy())
        strengths = means.columns.to_numpy(float)
        edits = harmless.loc[metric]
        found[metric] = {
            edit: np.nan if value < curve[-1] else float(np.interp(-value, -curve, strengths))
            for edit, value in edits.items()
        }
    return in_order(pd.DataFrame(found).T.rename_axis("metric").reset_index())


def simulated_pairs(values: pd.DataFrame) -> pd.DataFrame:
    """Clips of the reference itself and of another place: the ends of the dial, with same_place.

    What stands in for another place is a further place's photograph, which its rows do not name: that these
    rows share it with another reference's is not told.
    """
    rows = usual(values)
    ends = rows["group"].eq("faithful") | (
        rows["kind"].eq("other_landmark") & rows["strength"].eq(rows["strength"].max())
    )
    found = rows[ends & rows["metric"].isin(COMPARED)]
    return found.assign(same_place=found["group"].eq("faithful"))


def real_pairs(values: pd.DataFrame) -> pd.DataFrame:
    """Clips of second photographs against references, under every setting, with same_place."""
    found = values[values["group"].eq("real") & values["metric"].isin(COMPARED)]
    return found.assign(same_place=found["place"].eq(found["reference"]))


def auc_table(pairs: pd.DataFrame, by: Sequence[str] = ("metric",)) -> pd.DataFrame:
    """How well each metric tells the same place from another.

    Args:
        pairs: as `simulated_pairs` or `real_pairs`.
        by: the columns whose combinations have a row; metric among them.

    Returns:
        Their columns, auc, low, high (over places), same, other (pairs), first (references whose own clip has
        the highest value of all, ties shared out), places and method.
    """
    rows = []
    for key, cells in pairs.groupby(list(by), sort=False):
        found = auc(
            cells["value"],
            cells["same_place"].to_numpy(bool),
            cells["place"],
            cells["reference"],
            name="places",
        )
        counts = found.details["positives"], found.details["negatives"]
        about = (found.estimate, found.low, found.high, *counts, _firsts(cells))
        rows.append((*key, *about, cells["reference"].nunique(), found.method))
    columns = [*by, "auc", "low", "high", "same", "other", "first", "places", "method"]
    return in_order(pd.DataFrame(rows, columns=columns))


def sensitivity(values: pd.DataFrame) -> pd.DataFrame:
    """What other settings do to the comparisons with second photographs.

    Returns:
        A row a metric and setting: order (Spearman's correlation of the values with those by default, over
        all comparisons), mean, and the columns of `auc_table`.
    """
    pairs = real_pairs(values)
    # Inliers do not ask for the constants, and the untrained model has one setting.
    inliers = ["homography_inliers_xfeat", "fundamental_inliers_xfeat"]
    unasked = pairs["metric"].isin(inliers) & pairs["setting"].isin(CONSTANTS)
    pairs = pairs[~unasked & pairs["metric"].ne(RANDOM.name)]
    if pairs.empty:
        return pd.DataFrame(columns=["metric", "setting", "order", "mean", "auc", "low", "high", "places"])
    wide = pairs.pivot_table(index=["metric", "video_id"], columns="setting", values="value")
    rows = []
    for (metric, setting), _ in pairs.groupby(["metric", "setting"], sort=False):
        both = wide.loc[metric, [DEFAULT]].assign(own=wide.loc[metric, setting])
        order = stats.spearmanr(both[DEFAULT], both["own"]).statistic
        rows.append((metric, setting, float(order), both["own"].mean()))
    orders = pd.DataFrame(rows, columns=["metric", "setting", "order", "mean"])
    found = in_order(orders.merge(auc_table(pairs, ["metric", "setting"]), on=["metric", "setting"]))
    return found.sort_values("setting", key=lambda s: s.ne(DEFAULT), kind="stable").sort_values(
        "metric", key=_place_in_order, kind="stable", ignore_index=True
    )


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in the order in which metrics are declared here."""
    return table.sort_values("metric", key=_place_in_order, kind="stable", ignore_index=True)


def _place_in_order(metric: pd.Series) -> pd.Series:
    return metric.map({name: number for number, name in enumerate(metrics())})


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    if not (np.ptp(first) and np.ptp(second)):
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _share(moved: pd.Series, scales: pd.Series, places: pd.Series) -> tuple[float, float, float, str]:
    """The change as a share of the scale, its interval, and the verdict."""
    if not scales.mean() > 0:
        return np.nan, np.nan, np.nan, "no scale"
    found = cluster_bootstrap(
        np.column_stack([moved, scales]), places, "ratio", method="t", unit="places", resamples=1
    )
    low, high = (found.estimate if np.isnan(end) else end for end in (found.low, found.high))
    if low > MARGIN or high < -MARGIN:
        verdict = "moves"
    elif low > -MARGIN and high < MARGIN:
        verdict = "hardly moves"
    else:
        verdict = "unclear"
    return found.estimate, found.low, found.high, verdict


def _firsts(cells: pd.DataFrame) -> float:
    best = cells["value"].eq(cells.groupby("reference")["value"].transform("max"))
    ties = best.groupby(cells["reference"]).transform("sum")
    return float((best & cells["same_place"]).div(ties).sum())
