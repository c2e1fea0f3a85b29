"""Do two scores rise together within countries, over country means, and over model means?

Three different questions: a judge may order models as people do without seeing which clip is better.
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from helpers.stats._rank_coefficients import coefficient as coefficient_of
from helpers.stats._rank_coefficients import why_undefined
from helpers.stats.association import kendall, spearman
from helpers.stats.differences import mean_test, without_noise
from helpers.stats.results import Estimate, check_size, paired
from helpers.stats.t_intervals import check_level

Statistic = Literal["spearman", "kendall"]


def country_averaged(
    x: Any, y: Any, country: Any, statistic: Statistic = "spearman", *, level: float = 0.95
) -> Estimate:
    """Correlation over clips within each country, then the plain mean over countries.

    Removes each country's own use of the scale, since raters of different countries never share a clip.

    Args:
        x: first rater's (or judge's) scores, shape (clips,).
        y: the second's scores of the same clips.
        country: each clip's country, shape (clips,).
        statistic: Spearman's rho or Kendall's tau-b.
        level: confidence level.

    Returns:
        The mean over countries, its t interval with G - 1 degrees of freedom over the G countries, and the p
        of a t test against 0; `n` is G. Details: `per_country` (country: value), `excluded` (country: why),
        `clips`, `excluded_clips`, se and df. A country in which a score does not vary, or with a single
        clip, is excluded. NaN where none is left; no interval with one left.

    Raises:
        ValueError: as `paired`, no clips, a country missing, an unknown statistic.

    Source: CultureVidBench, appendix, equation 1.
    """
    x, y = paired(x, y)
    check_size(x, 1)
    check_level(level)
    coefficient = coefficient_of(statistic)
    clips = pd.DataFrame({"x": x, "y": y, "country": _labels(country, x.size, "country")})
    per_country, excluded, excluded_clips = {}, {}, 0
    for name, group in clips.groupby("country", sort=True):
        reason = why_undefined(group["x"].to_numpy(), group["y"].to_numpy())
        if reason:
            excluded[name] = reason
            excluded_clips += len(group)
        else:
            per_country[name] = coefficient.of(group["x"].to_numpy(), group["y"].to_numpy())
    details = {
        "per_country": per_country,
        "excluded": excluded,
        "clips": x.size - excluded_clips,
        "excluded_clips": excluded_clips,
    }
    method = f"country-averaged {coefficient.name}"
    values = np.array(list(per_country.values()))
    if values.size < 2:
        return Estimate(
            estimate=float(values[0]) if values.size else np.nan,
            n=values.size,
            method=f"{method}: {'one country' if values.size else 'no country'} left, so no interval",
            level=level,
            details=details,
        )
    se = float(values.std(ddof=1) / np.sqrt(values.size)) if np.ptp(values) > 0 else 0.0
    test = mean_test(
        float(values.mean()),
        se,
        values.size - 1,
        n=values.size,
        method=f"{method}, t(G - 1) over countries",
        level=level,
    )
    return replace(test, details=details | test.details)


def levels(
    x: Any,
    y: Any,
    item: Any,
    country: Any,
    model: Any,
    *,
    statistic: Statistic = "spearman",
    level: float = 0.95,
) -> dict[str, Estimate]:
    """The same two scores correlated over items, over country means and over model means.

    Three different questions: a judge may rank models as people do without seeing which clip is better, and
    the other way round.

    Args:
        x: first scores, shape (rows,).
        y: second scores.
        item: what each row scores (a clip, or a prompt); rows of one item are averaged.
        country: each row's country.
        model: each row's model.
        statistic: Spearman's rho or Kendall's tau-b.
        level: confidence level.

    Returns:
        The estimates under "item", "country" and "model", each over the plain means of the rows that share
        the label; `n` counts labels. With fewer than two labels NaN, saying so.

    Raises:
        ValueError: as `paired`, no rows, a label missing.
    """
    x, y = paired(x, y)
    check_size(x, 1)
    check_level(level)
    name_of = coefficient_of(statistic).name
    correlate = {"spearman": spearman, "kendall": kendall}[statistic]
    results = {}
    for name, labels in (("item", item), ("country", country), ("model", model)):
        rows = pd.DataFrame({"x": x, "y": y, "label": _labels(labels, x.size, name)})
        means = rows.groupby("label", sort=True)[["x", "y"]].mean()
        if len(means) < 2:
            results[name] = Estimate(
                estimate=np.nan,
                n=len(means),
                method=f"{name_of} over {name} means: there is only one",
                level=level,
            )
            continue
        # The same scores added in another order may differ in the last bit, and would no longer tie.
        first, second = (
            without_noise(means[column].to_numpy(), np.abs(rows[column]).max()) for column in "xy"
        )
        results[name] = correlate(first, second, level=level)
    return results


def _labels(values: Any, size: int, name: str) -> np.ndarray:
    labels = np.asarray(values, dtype=object)
    if labels.shape != (size,):
        raise ValueError(f"{name}: found shape {labels.shape}, expected ({size},), a label for each pair")
    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        raise ValueError(
            f"{name}: found no label at position {missing[0]} ({missing.size} such), expected one each"
        )
    return labels
