"""Countries together: their average, and how far apart they are."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.scores.score import Scores
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.dispersion import dispersion
from helpers.stats.results import Estimate

# Paule and Mandel's variance needs three.
FEWEST_COUNTRIES = 3


def average_over_countries(scores: Scores, *, level: float = 0.95) -> Scores:
    """Each score averaged over countries, so that a country with many prompts weighs no more than another.

    Args:
        scores: of cells by country and possibly further columns.
        level: confidence level of the intervals.

    Returns:
        One row for each combination of the further columns and score: n counts countries with a score, asked
        all countries, and the t interval over countries speaks of further countries like these. Where a
        country has no score (it was refused) there is no average: the status says how many.

    Raises:
        ValueError: no column country.
    """
    rows, estimates = [], []
    for label, part in _groups(scores):
        values = part["estimate"].to_numpy(float)
        known = np.isfinite(values)
        about = {"n": int(known.sum()), "asked": len(values), "clusters": int(known.sum())}
        about["share_scored"] = about["n"] / len(values)
        if known.all():
            found = cluster_bootstrap(values, part["country"], method="t", level=level, unit="countries")
            status = found.method.partition("; ")[2] if np.isnan(found.low) else "ok"
        else:
            status = f"no score in {len(values) - about['n']} of {len(values)} countries"
            found = Estimate(estimate=np.nan, n=about["n"], method=f"mean; {status}", level=level)
        estimates.append(replace(found, details=found.details | about))
        ends = {"estimate": found.estimate, "low": found.low, "high": found.high}
        rows.append(label | ends | about | {"status": status})
    return Scores(table=pd.DataFrame(rows), estimates=tuple(estimates))


def country_dispersion(
    scores: Scores, *, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> pd.DataFrame:
    """How far apart countries are: largest minus smallest (Figure 5b), as printed and without the noise.

    Noise alone gives a range above zero, so the printed one overstates; see `helpers.stats.dispersion`.

    Args:
        scores: of cells by country and possibly further columns.
        resamples: as `helpers.stats.dispersion.dispersion`.
        level: see there.
        seed: see there.

    Returns:
        One row for each combination of the further columns and score: range (largest minus smallest), p (the
        chance of so large a range, were all countries alike), expected and noise_high (mean and upper
        quantile of the range that noise alone gives), corrected (the range shrunk to the spread without
        noise), sd, low and high (standard deviation between countries without noise, and its interval),
        highest and lowest (countries), n (countries used), asked (all) and status. Countries without a score
        or interval are left out and counted in the status; with fewer than three nothing is computed.

    Raises:
        ValueError: no column country.
    """
    rows = []
    for label, part in _groups(scores):
        # Dispersion needs a standard error above zero, which only a country with an interval has.
        used = part[part["low"].notna()]
        row = label | {"n": len(used), "asked": len(part)}
        left_out = len(part) - len(used)
        status = f"without {left_out} of {len(part)} countries" if left_out else "ok"
        if len(used) < FEWEST_COUNTRIES:
            rows.append(row | {"status": f"too few countries: {len(used)} of {len(part)}"})
            continue
        estimates = {name: scores.estimates[place] for place, name in used["country"].items()}
        found = dispersion(estimates, resamples=resamples, level=level, seed=seed)
        by_country = used.set_index("country")["estimate"]
        row |= {"range": found.range.estimate, "p": found.range.p} | found.range.details
        row |= {"corrected": found.corrected.estimate, "sd": found.sd.estimate}
        row |= {"low": found.sd.low, "high": found.sd.high}
        row |= {"highest": by_country.idxmax(), "lowest": by_country.idxmin(), "status": status}
        rows.append(row)
    return pd.DataFrame(rows)


def _groups(scores: Scores) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The rows of all countries for each score and combination of the other columns, with its labels."""
    table = scores.table
    if "country" not in table:
        raise ValueError(f"found no column 'country', expected scores by country; there are {list(table)}")
    further = [name for name in table.columns[: table.columns.get_loc("score")] if name != "country"]
    for names, part in table.groupby([*further, "score"], sort=False, dropna=False, observed=True):
        yield dict(zip([*further, "score"], names, strict=True)), part
