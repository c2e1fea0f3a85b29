"""What a given design can see: the other side of `helpers.stats.design`.

There a claim is given and the design is sought. Here the design is given, as in a published study, and the
smallest gap that it would have seen is sought, and the smallest margin within which it could have claimed
equivalence. `two_country_gap` is the analysis whose power `power_grid` simulates, for a study's own scores.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from helpers.stats.design import CLAIMS
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import check_level, t_interval

DESIGN = ["countries", "prompts", "raters", "ratings", "coverage"]


def detectable(grid: pd.DataFrame, *, power: float = 0.8) -> pd.DataFrame:
    """The smallest gap that each design of a grid sees, and the smallest margin for equivalence.

    Power is interpolated linearly between the grid's gaps; at gap 0 a difference is "seen" as often as the
    interval misses the truth, and equivalence is never claimed.

    Args:
        grid: as from `design.power_grid`, with gaps close enough for interpolation.
        power: to be reached, in (0, 1).

    Returns:
        A row a design: countries, prompts, raters, ratings, coverage (of the interval: a design that covers
        too rarely sees what is not there), difference (the smallest gap seen) and equivalence (the smallest
        margin); NaN where the grid's largest gap does not reach the power, or where gap 0 does already.

    Raises:
        ValueError: a power out of range.
    """
    if not 0 < power < 1:
        raise ValueError(f"power: found {power}, expected a number between 0 and 1, such as 0.8")
    return pd.DataFrame(
        [
            dict(zip(DESIGN, design, strict=True))
            | {claim: _crossing(rows, claim, power) for claim in CLAIMS}
            for design, rows in grid.groupby(DESIGN)
        ]
    )


def detectable_between(
    sd: tuple[float, float],
    n: tuple[float, float],
    *,
    design_effect: float = 1.0,
    power: float = 0.8,
    level: float = 0.95,
) -> dict[str, float]:
    """The same for two groups of independent units of unequal size and spread, without simulation.

    The difference of means has Welch's standard error and degrees of freedom (Welch 1947, Biometrika 34,
    28-35). A true gap of (t(1 - alpha/2) + t(power)) standard errors is seen with the power; with no gap,
    equivalence is claimed with the power within (t(1 - alpha) + t((1 + power)/2)) standard errors (Julious
    2004, Stat. Med. 23, 1921-1986, with t for the normal quantiles). Both are approximations, good to a few
    per cent from about ten units a group.

    Args:
        sd: standard deviations of the units of both groups, above zero.
        n: units in each group, at least 2.
        design_effect: by how much clustering raises the variance of a mean, at least 1; it divides n.
        power: to be reached, in (0, 1).
        level: 1 - alpha.

    Returns:
        difference, equivalence (in the unit of sd), se and df.

    Raises:
        ValueError: a number out of range.
    """
    check_level(level)
    check_level(power)
    if min(sd) <= 0 or min(n) < 2 or design_effect < 1:
        raise ValueError(
            f"found sd {sd}, n {n}, design_effect {design_effect}; expected above 0, at least 2, at least 1"
        )
    size = np.array(n, dtype=float)
    parts = np.array(sd, dtype=float) ** 2 / size * design_effect
    se = float(np.sqrt(parts.sum()))
    df = float(parts.sum() ** 2 / np.sum(parts**2 / (size / design_effect - 1).clip(min=1)))
    quantile = stats.t(df).ppf
    return {
        "difference": float(se * (quantile((1 + level) / 2) + quantile(power))),
        "equivalence": float(se * (quantile(level) + quantile((1 + power) / 2))),
        "se": se,
        "df": df,
    }


def two_country_gap(scores: Any, *, level: float = 0.95) -> Estimate:
    """The first country minus the second, when every rater of a country rates all its prompts.

    The standard error adds the variance of prompt means over prompts and that of rater means over raters,
    each pooled over all countries of the study, with Satterthwaite's degrees of freedom: the analysis that
    `design.power_grid` simulates for two named countries. Both parts contain the residual, so the interval is
    a little wide. With one rater a country the raters' part is unknown and left out; `rater_error` is False.

    Args:
        scores: shape (countries, prompts, raters), at least (2, 2, 1), none missing.
        level: confidence level of the interval.

    Returns:
        The gap; p tests 0, `n` counts scores of the two countries. Details: se, df, rater_error.

    Raises:
        ValueError: another shape, or numbers that are not finite.
    """
    values = np.asarray(scores, dtype=float)
    if values.ndim != 3 or values.shape[0] < 2 or values.shape[1] < 2 or values.shape[2] < 1:
        raise ValueError(f"scores: found shape {values.shape}, expected (countries, prompts, raters)")
    if not np.isfinite(values).all():
        raise ValueError(
            "scores: found missing or infinite numbers, expected a score for each prompt and rater"
        )
    countries, prompts, raters = values.shape
    parts = [values.mean(axis=2).var(axis=1, ddof=1).mean() / prompts]
    freedoms = [countries * (prompts - 1)]
    if raters > 1:
        parts.append(values.mean(axis=1).var(axis=1, ddof=1).mean() / raters)
        freedoms.append(countries * (raters - 1))
    total = sum(parts)
    se = float(np.sqrt(2 * total))
    df = float(total**2 / sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True)))
    gap = float(values[0].mean() - values[1].mean())
    low, high = t_interval(gap, se, df, level)
    return Estimate(
        estimate=gap,
        low=low,
        high=high,
        p=float(2 * stats.t.sf(abs(gap) / se, df)),
        n=2 * prompts * raters,
        method=f"difference of two countries, t over prompts{' and raters' * (raters > 1)}, pooled over "
        f"{countries} countries",
        level=level,
        details={"se": se, "df": df, "rater_error": raters > 1},
    )


def _crossing(rows: pd.DataFrame, claim: str, power: float) -> float:
    """The gap at which the power is reached, between the grid's gaps."""
    rows = rows.sort_values("gap")
    at_zero = 1 - rows["coverage"].iloc[0] if claim == "difference" else 0.0
    gaps, reached = np.append(0.0, rows["gap"]), np.append(at_zero, rows[claim])
    enough = reached >= power
    if enough[0] or not enough.any():
        return np.nan
    k = int(np.argmax(enough))
    return float(np.interp(power, reached[k - 1 : k + 1], gaps[k - 1 : k + 1]))
