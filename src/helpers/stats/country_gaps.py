"""What goes with a country's gap: how much of it a model may have seen, and a change of the model."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from helpers.stats.association import linear_slope, spearman
from helpers.stats.matched import complete_rows, means_by_country, with_holm
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import combined_error, t_estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexAssociation:
    """An index of how much of a country a model may have seen, against the country's score.

    Attributes:
        rank: Spearman's rho.
        slope: change of the score for a tenfold index.
    """

    rank: Estimate
    slope: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class GapChange:
    """Country gaps before and after a change of model.

    Attributes:
        before: by country, its mean minus the reference's, before.
        after: the same, after.
        change: after minus before; above zero for a country below the reference, its gap has narrowed.
    """

    before: dict[str, Estimate]
    after: dict[str, Estimate]
    change: dict[str, Estimate]


def index_against_score(index: Any, score: Any, *, source: str, level: float = 0.95) -> IndexAssociation:
    """What "underrepresented" can mean: does an index of a country's presence go with its score?

    Args:
        index: one value a country, shape (n,), above zero (page views, share of a corpus, speakers online).
        score: the country's mean score, shape (n,); countries without one of the two are left out and
            counted.
        source: where the index comes from and of which date; carried in the details and the caption.
        level: confidence level of the intervals.

    Returns:
        Spearman's rho and the least-squares slope on log10 of the index; `n` counts countries. With a
        constant index or score, or too few countries, they are undefined and say so. A dozen countries leave
        wide intervals, and an association is not a cause.

    Raises:
        ValueError: as `complete_rows`; an index that is not above zero; an empty source; fewer than 3
            countries.
    """
    if not source.strip():
        raise ValueError("source: found nothing, expected where the index comes from")
    rows = complete_rows({"index": index, "score": score}, {})
    values, scores = rows.numbers["index"], rows.numbers["score"]
    if values.min() <= 0:
        raise ValueError(f"index: found {values.min():g}, expected values above zero")
    rank = spearman(values, scores, level=level)
    slope = linear_slope(np.log10(values), scores, level=level)
    details = {"source": source, "missing": rows.missing}
    return IndexAssociation(
        rank=replace(rank, method=f"{rank.method}; index: {source}", details=rank.details | details),
        slope=replace(
            slope,
            method=f"{slope.method}, for a tenfold index; index: {source}",
            details=slope.details | details,
        ),
    )


def gap_change(
    before: Any,
    after: Any,
    *,
    country: Any,
    prompt: Any,
    reference: str | None = None,
    level: float = 0.95,
) -> GapChange:
    """Did countries' gaps to a reference change with the model (difference in differences)?

    Both models answer the same prompts, so a prompt's difficulty cancels in after - before, and what all
    countries gain alike cancels between them.

    Args:
        before: one row a clip of the earlier model, shape (n,); NaN where missing (rows without both are left
            out and counted).
        after: the later model's clip of the same prompt, shape (n,).
        country: shape (n,).
        prompt: shape (n,).
        reference: the country to which gaps are measured; None for the mean over all countries.
        level: confidence level of the intervals.

    Returns:
        Gaps before and after and their change by country, without the reference: t intervals over prompts
        with Satterthwaite's degrees of freedom, the countries' prompts being independent; p tests 0, the
        details hold Holm's over countries. A country (or the reference) with one prompt, or without variation
        anywhere, has no interval.

    Raises:
        ValueError: as `complete_rows`; fewer than two countries; an unknown reference.
    """
    rows = complete_rows({"before": before, "after": after}, {"country": country, "prompt": prompt})
    where, prompts = rows.labels["country"], rows.labels["prompt"]
    columns = rows.numbers | {"change": rows.numbers["after"] - rows.numbers["before"]}
    names = [str(name) for name in np.unique(where)]
    if len(names) < 2:
        raise ValueError(f"country: found only '{names[0]}', expected at least two countries")
    if reference is not None and reference not in names:
        raise ValueError(f"reference: found '{reference}', expected one of {', '.join(names)}")
    base = (
        np.array([name == reference for name in names]) if reference else np.full(len(names), 1 / len(names))
    )
    result: dict[str, dict[str, Estimate]] = {}
    for part, values in columns.items():
        means = list(means_by_country(values, where, prompts, level=level).values())
        centre = np.array([mean.estimate for mean in means])
        errors = np.array([mean.details["se"] for mean in means])
        freedoms = np.array([mean.details["df"] for mean in means])
        found = {}
        for position, name in enumerate(names):
            if name == reference:
                continue
            weights = np.eye(len(names))[position] - base
            used = weights != 0
            se, df = combined_error((weights[used] * errors[used]) ** 2, freedoms[used])
            caption = f"{part}, {name} minus {reference or 'mean over countries'}; t interval over prompts"
            found[name] = t_estimate(weights @ centre, se, df, means[position].n, caption, level, test=True)
            found[name].details.update(clusters=means[position].details["clusters"], missing=rows.missing)
        result[part] = with_holm(found)
    return GapChange(**result)
