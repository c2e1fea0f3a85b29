"""Each metric in one row: what it may be, what it was, what moves it and what does not, and what it costs."""

import pandas as pd

from helpers.metrics.calibration_settings import COMPARED, WORDS, metrics
from helpers.metrics.calibration_tables import KINDS, changes, usual


def control_table(values: pd.DataFrame) -> pd.DataFrame:
    """What each metric says of the faithful clip, of what is wrong, and of second photographs.

    Returns:
        A row a metric that compares, a column for each: its mean over places, or over comparisons.
    """
    rows = usual(values)
    rows = rows[rows["metric"].isin(COMPARED)]
    real = rows["group"].eq("real")
    same = rows["place"].eq(rows["reference"])
    last = rows["kind"].eq("other_landmark") & rows["strength"].eq(rows["strength"].max())
    shown = pd.Series(pd.NA, index=rows.index, dtype=object)
    shown[rows["group"].isin(["faithful", "wrong"])] = rows["kind"]
    shown[last] = "another place"
    shown[real & same] = "second photograph"
    shown[real & ~same] = "second photograph of another place"
    order = ["faithful", "second photograph", "second photograph of another place", "another place"]
    order += [kind for kind in ("mirrored", "scrambled", "noise", "blank") if kind in set(shown.dropna())]
    found = rows.assign(shown=shown).pivot_table(index="metric", columns="shown", values="value")
    found = found.reindex(index=COMPARED, columns=[one for one in order if one in found.columns])
    return found.rename(index=WORDS).rename_axis("metric", axis=0).rename_axis(None, axis=1).reset_index()


def cost_table(costs: pd.DataFrame) -> pd.DataFrame:
    """What measuring a clip takes, as a multiple of decoding the frames that it looks at.

    Args:
        costs: as `calibration.Measured` holds them.

    Returns:
        A row a measurer: measurer, ratio (median over clips), lowest, highest and clips.
    """
    ratios = costs["measuring"] / costs["decoding"]
    found = ratios.groupby(costs["measurer"], sort=False).agg(["median", "min", "max", "size"])
    return found.set_axis(["ratio", "lowest", "highest", "clips"], axis=1).reset_index()


def summary(values: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """One row a metric, drawn from the values alone.

    What moves a metric, what hardly does and what stays unclear are the verdicts of
    `calibration_tables.changes`; a fault of the dial moves it "from" the least strength that does, and a sign
    stands where the value rises.

    Args:
        values: as `calibration.Measured` holds them.
        costs: likewise.

    Returns:
        Columns metric, allowed, seen, clips (values behind the range seen), moved_by, hardly_moved_by,
        unclear and cost (as a multiple of the decoding; missing where it was not timed).
    """
    rows, moved = usual(values), changes(values)
    ratios = cost_table(costs).set_index("measurer")["ratio"]
    measurer = {
        name: "motion" if name in ("motion", "flicker") else "patch-hog" if "patch" in name else _KEYPOINTS
        for name in metrics()
    }
    found = []
    for name, metric in metrics().items():
        own = rows.loc[rows["metric"].eq(name), "value"]
        verdicts = _verdicts(moved[moved["metric"].eq(name)])
        cost = None if name == "patch_random" else ratios.get(measurer[name])
        seen = f"{own.min():.3g} to {own.max():.3g}"
        found.append((WORDS[name], metric.range, seen, len(own), *verdicts, cost))
    columns = ["metric", "allowed", "seen", "clips", "moved_by", "hardly_moved_by", "unclear", "cost"]
    return pd.DataFrame(found, columns=columns)


_KEYPOINTS = "keypoint-alignment-xfeat"


def _verdicts(moved: pd.DataFrame) -> tuple[str, str, str]:
    """What moves a metric, what hardly does, and what is unclear, in words."""
    words: dict[str, list[str]] = {"moves": [], "hardly moves": [], "unclear": []}
    for kind, cells in moved[moved["group"].eq("dial")].groupby("kind", sort=False):
        moving = cells[cells["verdict"].isin(["moves", "scale"])].sort_values("strength")
        if len(moving):
            first = moving.iloc[0]
            words["moves"].append(f"{KINDS[kind]} from {first['strength']:.2f}{_sign(first['change'])}")
        else:
            strongest = cells.loc[cells["strength"].idxmax()]
            words.get(strongest["verdict"], []).append(KINDS[kind])
    for row in moved[moved["group"].ne("dial")].itertuples():
        words.get(row.verdict, []).append(f"{row.kind}{_sign(row.change) if row.verdict == 'moves' else ''}")
    return tuple(", ".join(found) or "nothing" for found in words.values())


def _sign(change: float) -> str:
    return " (+)" if change > 0 else ""
