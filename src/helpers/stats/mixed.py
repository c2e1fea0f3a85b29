"""Country effects with prompt difficulty and rater strictness held apart.

A country's plain average mixes how well its culture is shown with how hard its prompts are and how strict its
raters. In the crossed mixed model scenarios (prompts) and raters are random effects, so that their variation
widens a country's interval, and models and aspects are fixed effects, so that an unequal mix of them cannot
look like a country's deficit. The other functions reach the same end with less: a difference between two
scores of the same clip, and equal weights for every aspect.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from helpers.stats._crossed import EXACT, estimable_components, fit_crossed, fixed_effects
from helpers.stats._crossed_results import contrast_estimates, named_variances, variance_shares
from helpers.stats.matched import (
    CountryDifferences,
    complete_rows,
    difference_by_country,
    means_by_country,
    with_holm,
)
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import t_interval

RANDOM = ("scenario", "rater")


@dataclass(frozen=True, kw_only=True, slots=True)
class MixedFit:
    """A crossed mixed model of scores, read by country.

    Attributes:
        adjusted: by country, the marginal mean (equal weight to every model and every aspect).
        effects: by country, the marginal mean minus the mean over countries; p tests 0, details hold p_holm.
            Empty where there is one country.
        unadjusted: by country, the plain mean of its rows, scenarios as clusters.
        shares: by "scenario", "rater" and "residual", its share of the variance that the fixed effects leave.
        converged: whether the optimiser converged.
        details: variances (by component), omitted (components that the design cannot estimate), warnings
            (what the optimiser said), missing (rows without a score).
    """

    adjusted: dict[str, Estimate]
    effects: dict[str, Estimate]
    unadjusted: dict[str, Estimate]
    shares: dict[str, Estimate]
    converged: bool
    details: dict[str, Any]

    def table(self) -> pd.DataFrame:
        """One row a country: unadjusted and adjusted means with their intervals, side by side."""
        parts = {"unadjusted": self.unadjusted, "adjusted": self.adjusted}
        rows = {
            country: {"n": self.unadjusted[country].n}
            | {
                f"{name}{end}": getattr(part[country], attribute)
                for name, part in parts.items()
                for end, attribute in (("", "estimate"), ("_low", "low"), ("_high", "high"))
            }
            for country in self.adjusted
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("country")


@dataclass(frozen=True, kw_only=True, slots=True)
class AspectMeans:
    """Country means in which every aspect weighs the same.

    Attributes:
        standardised: by country, the mean over the aspects that all countries have.
        plain: by country, the mean of all its rows, prompts as clusters.
        cells: the mean of each country (rows) in each aspect (columns), over prompts; NaN where it has none.
    """

    standardised: dict[str, Estimate]
    plain: dict[str, Estimate]
    cells: pd.DataFrame


def country_effects(
    score: Any,
    *,
    country: Any,
    model: Any,
    aspect: Any,
    scenario: Any,
    rater: Any,
    level: float = 0.95,
) -> MixedFit:
    """Country means adjusted for models and aspects, with scenarios and raters as crossed random effects.

    score = country + model + aspect (fixed) + scenario + rater (random, crossed) + residual, by restricted
    maximum likelihood (statsmodels `MixedLM`, variance components). Scenarios and raters that share no rows,
    as where each country has its own, fall into independent groups; the likelihood is that of one group, and
    faster. Intervals use Satterthwaite's degrees of freedom (Satterthwaite 1946, Biometrics Bulletin 2,
    110-114; Giesbrecht & Burns 1985, Biometrics 41, 477-486) with the expected information of the variances:
    with three raters a country a normal interval would be too narrow. Shares of variance have delta-method
    intervals on the logit scale.

    A component that the design cannot tell apart (one rater a country; one row a scenario) is left out, its
    share is NaN, and `details["omitted"]` names it: the intervals then do not cover its variation. A
    component estimated as zero counts as known to be zero.

    Args:
        score: one row a rating, shape (n,), any scale; NaN where missing (left out and counted).
        country: shape (n,), as are the labels below.
        model: the text-to-video model; the same label throughout where there is one.
        aspect: the cultural aspect or category.
        scenario: what the prompt asks for; distinct labels for distinct prompts.
        rater: who scored; distinct labels for distinct people.
        level: confidence level of the intervals.

    Returns:
        The fit. Where nothing is left for the residual (all scores equal, or exactly a sum of the effects)
        the means come without intervals and the methods say so. Without convergence `converged` is False, the
        methods say so and `details["warnings"]` says why; where no solution was found at all (as good as
        saturated data), the means are those of least squares, without intervals.

    Raises:
        ValueError: as `complete_rows`; too few rows for the fixed effects; countries, models and aspects that
            cannot be told apart (none in common).
    """
    rows = complete_rows(
        {"score": score},
        {"country": country, "model": model, "aspect": aspect, "scenario": scenario, "rater": rater},
    )
    y, labels = rows.numbers["score"], rows.labels
    x, marginal = fixed_effects(labels)
    codes = {name: pd.factorize(labels[name])[0] for name in RANDOM}
    products, omitted = estimable_components(x, codes)
    fit = fit_crossed(y, products, {name: codes[name] for name in products.blocks})

    method = (
        f"REML mixed model, country, model, aspect fixed, {' and '.join(products.blocks) or 'nothing'} random"
    )
    if fit.theta is None:
        why = "no residual variation" if fit.converged else "THE OPTIMISER FOUND NO SOLUTION"
        method += f"; least squares, no interval: {why}"
    else:
        method += "; Satterthwaite t interval" + ("" if fit.converged else "; DID NOT CONVERGE")
    counts = (
        pd.DataFrame(labels)
        .groupby("country")
        .agg(n=("country", "size"), scenarios=("scenario", "nunique"), raters=("rater", "nunique"))
    )
    adjusted = contrast_estimates(marginal, fit, products, counts, f"marginal mean; {method}", level)
    relative = marginal - marginal.mean(axis=0)
    effects = contrast_estimates(
        relative,
        fit,
        products,
        counts,
        f"marginal mean minus mean over countries; {method}",
        level,
        test=True,
    )
    return MixedFit(
        adjusted=adjusted,
        effects=with_holm(effects) if len(effects) > 1 else {},
        unadjusted=means_by_country(y, labels["country"], labels["scenario"], unit="scenarios", level=level),
        shares=variance_shares(fit, products, omitted, level),
        converged=fit.converged,
        details={
            "variances": named_variances(fit, products),
            "omitted": omitted,
            "warnings": fit.warnings,
            "missing": rows.missing,
        },
    )


def cultural_minus_semantic(
    cultural: Any, semantic: Any, *, country: Any, prompt: Any, level: float = 0.95
) -> CountryDifferences:
    """By country, how far the cultural score of a clip lies from the semantic score of the same clip.

    A prompt that is hard to film lowers both scores; what remains in the difference is the cultural part.
    CultureVidBench compares the two by aspect (section 5.4); here it is by country and with uncertainty. Give
    aspects as `country` for the comparison by aspect.

    Args:
        cultural: mean of a clip's cultural criteria, shape (n,), NaN where missing.
        semantic: mean of its semantic criteria, same scale, shape (n,).
        country: shape (n,).
        prompt: shape (n,); clips of one prompt by several models are one cluster.
        level: confidence level of the intervals.

    Returns:
        As `difference_by_country`.
    """
    return difference_by_country(
        cultural, semantic, country=country, prompt=prompt, names=("cultural", "semantic"), level=level
    )


def country_means_by_aspect(
    score: Any, *, country: Any, aspect: Any, prompt: Any, level: float = 0.95
) -> AspectMeans:
    """Country means standardised to equal weight of every aspect, beside the plain means.

    A country with more prompts in difficult aspects has a lower plain mean; standardised means compare all
    countries on the same mix. Prompt means are averaged within a country's aspect, then over aspects (direct
    standardisation). Only aspects that every country has take part; the others are named in the details.

    The interval takes the spread of prompt means around country + aspect as the error, pooled over countries
    (N prompts - C countries - A aspects + 1 degrees of freedom), as in a randomised block design; it contains
    the interaction of country and aspect, so the interval is, if anything, too wide.

    Args:
        score: one row a rating or clip, shape (n,); NaN where missing (left out and counted).
        country: shape (n,).
        aspect: shape (n,).
        prompt: shape (n,).
        level: confidence level of the intervals.

    Returns:
        The means; `n` counts prompts in `standardised` and rows in `plain`. Without degrees of freedom (one
        country with one prompt an aspect) or without spread there is no interval and the method says so.

    Raises:
        ValueError: as `complete_rows`; no aspect that every country has.
    """
    rows = complete_rows({"score": score}, {"country": country, "aspect": aspect, "prompt": prompt})
    labels = rows.labels
    frame = pd.DataFrame(labels).assign(score=rows.numbers["score"])
    prompts = frame.groupby(["country", "aspect", "prompt"], as_index=False)["score"].mean()
    cells = prompts.pivot_table(index="country", columns="aspect", values="score", aggfunc="mean")
    common = cells.columns[cells.notna().all()]
    if common.empty:
        raise ValueError(
            f"found no aspect that all {len(cells)} countries have among {', '.join(cells.columns)}"
        )
    used = prompts[prompts["aspect"].isin(common)]
    error, df = _additive_error(used)
    sizes = used.pivot_table(index="country", columns="aspect", values="score", aggfunc="size")
    method = f"mean over {len(common)} aspects of prompt means"
    method += (
        f"; t interval, prompt spread pooled over countries, {df} degrees of freedom"
        if error > 0
        else "; no interval: prompts do not vary around country and aspect, or are too few"
    )
    standardised = {}
    for name, row in cells[common].iterrows():
        se = error / len(common) * float(np.sqrt((1 / sizes.loc[name]).sum()))
        low, high = t_interval(row.mean(), se, df, level) if error > 0 else (np.nan, np.nan)
        standardised[name] = Estimate(
            estimate=float(row.mean()),
            low=low,
            high=high,
            n=int(sizes.loc[name].sum()),
            method=method,
            level=level,
            details={
                "se": se if error > 0 else np.nan,
                "df": df,
                "aspects": len(common),
                "aspects_left_out": [aspect for aspect in cells.columns if aspect not in common],
                "missing": rows.missing,
            },
        )
    plain = means_by_country(rows.numbers["score"], labels["country"], labels["prompt"], level=level)
    return AspectMeans(standardised=standardised, plain=plain, cells=cells)


def _additive_error(prompts: pd.DataFrame) -> tuple[float, int]:
    """Standard deviation of prompt means around country + aspect, 0 where none; its degrees of freedom."""
    x = pd.get_dummies(prompts[["country", "aspect"]], dtype=float).to_numpy()
    y = prompts["score"].to_numpy()
    coefficients, _, rank, _ = np.linalg.lstsq(x, y)
    df = len(y) - int(rank)
    left = np.sum((y - x @ coefficients) ** 2)
    if df < 1 or left <= EXACT * np.sum(y**2):
        return 0.0, df
    return float(np.sqrt(left / df)), df
