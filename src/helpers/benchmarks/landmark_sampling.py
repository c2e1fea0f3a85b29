"""Drawing landmarks evenly over regions and popularity.

GAP (section 3.1) spreads its 500 landmarks over regions and levels of popularity without saying how. Here
levels have equal width in the logarithm of page views, every region's levels get the same quota, and what a
small stratum cannot fill is shared by the others.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Sample:
    """Landmarks drawn.

    Attributes:
        landmarks: the rows drawn, with `popularity_level` (1 is the least viewed), in the order given.
        quotas: one row for each region and level: the region, popularity_level, views_from and views_below
            (page views that bound the level; the last includes its upper bound), available, quota (an equal
            share), drawn, short (how many it lacks of its quota).
        without_views: how many landmarks had no page views and could not be drawn.
    """

    landmarks: pd.DataFrame
    quotas: pd.DataFrame
    without_views: int


def sample_landmarks(
    landmarks: pd.DataFrame, size: int, *, seed: int, region: str = "continent", levels: int = 5
) -> Sample:
    """Draw landmarks, as evenly as they allow over regions and levels of popularity.

    Args:
        landmarks: rows with landmark_id, pageviews (missing where unknown) and the region's column.
        size: how many to draw.
        seed: the same seed draws the same landmarks, in whatever order they are given.
        region: the column to spread over (continent, country, global_north_south, …); rows without it are an
            error.
        levels: how many levels of popularity, from the least to the most viewed landmark of all.

    Returns:
        The landmarks, the quotas, and how many were left out for want of page views.

    Raises:
        ValueError: fewer landmarks with page views than asked for, a missing region, or less than one level.
    """
    if landmarks[region].isna().any():
        raise ValueError(
            f"{region}: {landmarks[region].isna().sum()} landmarks have none; expected one for each"
        )
    if levels < 1:
        raise ValueError(f"levels: found {levels}, expected 1 or more")
    viewed = landmarks[landmarks["pageviews"].notna()]
    if not 0 < size <= len(viewed):
        raise ValueError(f"size: found {size}, expected 1 to {len(viewed)}, the landmarks with page views")
    popularity = np.log10(1 + viewed["pageviews"].astype(float))
    edges = np.linspace(popularity.min(), popularity.max(), levels + 1)
    level = np.clip(np.searchsorted(edges, popularity, side="right"), 1, levels)
    rows = viewed.assign(popularity_level=level).reset_index(drop=True)
    quotas = _strata(rows, region, levels)
    rng = np.random.default_rng(seed)
    drawn = _shared_out(quotas["available"].to_numpy(), size, rng)
    chosen = []
    for (name, number), count in zip(quotas[[region, "popularity_level"]].to_numpy(), drawn, strict=True):
        stratum = rows[rows[region].eq(name) & rows["popularity_level"].eq(number)].sort_values("landmark_id")
        chosen.append(rng.choice(stratum.index, count, replace=False))
    bounds, place = np.power(10, edges) - 1, quotas["popularity_level"].to_numpy()
    quota = size / len(quotas)
    quotas = quotas.assign(
        views_from=bounds[place - 1],
        views_below=bounds[place],
        quota=quota,
        drawn=drawn,
        short=np.maximum(0, quota - quotas["available"]),
    )
    kept = rows.loc[np.sort(np.concatenate(chosen))].reset_index(drop=True)
    return Sample(kept, quotas, len(landmarks) - len(viewed))


def _strata(rows: pd.DataFrame, region: str, levels: int) -> pd.DataFrame:
    """How many rows each region has at each level, also where it has none."""
    names = pd.MultiIndex.from_product(
        [sorted(rows[region].unique()), range(1, levels + 1)], names=[region, "popularity_level"]
    )
    sizes = rows.groupby([region, "popularity_level"]).size().reindex(names, fill_value=0)
    return sizes.rename("available").reset_index()


def _shared_out(available: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Equal shares of `size`, none above what is available; a rest that cannot be split goes by lot."""
    share = np.zeros(available.size, int)
    while (rest := size - share.sum()) > 0:
        able = np.flatnonzero(share < available)
        if rest < able.size:
            share[rng.choice(able, rest, replace=False)] += 1
        else:
            share[able] += np.minimum(rest // able.size, available[able] - share[able])
    return share
