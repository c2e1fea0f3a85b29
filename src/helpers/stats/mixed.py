"""Country effects with prompt difficulty and rater strictness held apart.

A country's plain average mixes how well its culture is shown with how hard its prompts are and how strict its
raters. In the crossed mixed model scenarios (prompts) and raters are random effects, so that their variation
widens a country's interval, and models and aspects are fixed effects, so that an unequal mix of them cannot
look like a country's deficit. The other functions reach the same end with less: a difference between two
scores of the same clip, and equal weights for every aspect.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse, stats
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from helpers.stats.differences import t_interval
from helpers.stats.matched import (
    CountryDifferences,
    complete_rows,
    difference_by_country,
    means_by_country,
    with_holm,
)
from helpers.stats.results import Estimate

RANDOM = ("scenario", "rater")
# A variance below this share of the total is at the boundary, zero.
BOUNDARY = 1e-6
# Relative size below which two parts of the information matrix are the same part.
SINGULAR = 1e-9
# Relative sum of squares below which nothing is left for the residual.
EXACT = 1e-18
# Independent groups are merged into so many: statsmodels loops over them.
MOST_GROUPS = 16


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
    x, marginal = _fixed_effects(labels)
    codes = {name: pd.factorize(labels[name])[0] for name in RANDOM}
    products, omitted = _estimable(x, codes)
    fit = _fit(y, products, {name: codes[name] for name in products.blocks})

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
    adjusted = _estimates(marginal, fit, products, counts, f"marginal mean; {method}", level)
    relative = marginal - marginal.mean(axis=0)
    effects = _estimates(
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
        shares=_shares(fit, products, omitted, level),
        converged=fit.converged,
        details={
            "variances": _variances(fit, products),
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


class _Products(NamedTuple):
    """Cross products of the fixed (X) and random (Z) designs, all that the likelihood needs of them."""

    x: np.ndarray
    z: sparse.csr_array
    xx: np.ndarray
    xz: np.ndarray
    zz: np.ndarray
    blocks: dict[str, slice]  # the columns of Z that belong to each component


class _Fit(NamedTuple):
    beta: np.ndarray
    theta: np.ndarray | None  # variances in the order of the blocks, the residual last; None without residual
    converged: bool
    warnings: list[str]


def _fixed_effects(labels: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The design matrix (n, p), and the weights (countries, p) that turn coefficients into marginal means."""
    columns, weights = [np.ones((len(labels["country"]), 1))], []
    for name in ("country", "model", "aspect"):
        codes, levels = pd.factorize(labels[name], sort=True)
        identity = np.eye(len(levels))[:, 1:]
        columns.append(identity[codes])
        weights.append(identity)
    x = np.hstack(columns)
    countries, *others = weights
    shared = np.hstack([other.mean(axis=0) for other in others])
    marginal = np.hstack([np.ones((len(countries), 1)), countries, np.tile(shared, (len(countries), 1))])
    if len(x) <= x.shape[1]:
        raise ValueError(
            f"found {len(x)} rows for {x.shape[1]} fixed effects, expected more rows than effects"
        )
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise ValueError(
            "found countries, models and aspects that cannot be told apart, expected models and aspects that "
            "several countries share"
        )
    return x, marginal


def _products(x: np.ndarray, codes: Mapping[str, np.ndarray]) -> _Products:
    """The products of a fixed design (n, p) and of indicators of each component's levels."""
    n, start, blocks, parts = len(x), 0, {}, [sparse.csr_array((len(x), 0))]
    for name, code in codes.items():
        size = int(code.max()) + 1
        parts.append(sparse.csr_array((np.ones(n), (np.arange(n), code)), shape=(n, size)))
        blocks[name] = slice(start, start + size)
        start += size
    z = sparse.hstack(parts, format="csr")
    return _Products(x, z, x.T @ x, (z.T @ x).T, (z.T @ z).toarray(), blocks)


def _projected(products: _Products, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Z'PZ, the covariance C of the fixed effects, and X'V⁻¹Z, by Woodbury's identity.

    V is the covariance of the scores, P = V⁻¹ - V⁻¹XCX'V⁻¹ (Searle, Casella & McCulloch 1992, section 6.6).
    """
    _, _, xx, xz, zz, blocks = products
    *variances, residual = theta
    root = np.sqrt(np.repeat(variances, [block.stop - block.start for block in blocks.values()]))
    inner = root[:, None] * np.linalg.solve(
        residual * np.eye(len(zz)) + root[:, None] * zz * root, np.diag(root)
    )
    zvz = (zz - zz @ inner @ zz) / residual
    xvz = (xz - xz @ inner @ zz) / residual
    covariance = np.linalg.inv((xx - xz @ inner @ xz.T) / residual)
    return zvz - xvz.T @ covariance @ xvz, covariance, xvz


def _information(products: _Products, theta: np.ndarray) -> np.ndarray:
    """Expected information of the variances under REML: half the traces of P V_i P V_j.

    Traces with the residual follow from PVP = P and tr(PV) = n - p.
    """
    zpz, covariance, _ = _projected(products, theta)
    variances, residual, blocks = theta[:-1], theta[-1], products.blocks.values()
    between = np.array([[np.sum(zpz[a, b] ** 2) for b in blocks] for a in blocks]).reshape(
        len(blocks), len(blocks)
    )
    single = np.array([np.trace(zpz[a, a]) for a in blocks])
    with_residual = (single - between @ variances) / residual
    trace = (len(products.x) - len(covariance) - variances @ single) / residual
    corner = (trace - variances @ with_residual) / residual
    return 0.5 * np.block([[between, with_residual[:, None]], [with_residual, corner]])


def _estimable(x: np.ndarray, codes: Mapping[str, np.ndarray]) -> tuple[_Products, list[str]]:
    """The components that the design can tell from all other effects, and the names of the rest."""
    kept: dict[str, np.ndarray] = {}
    for name, code in codes.items():
        trial = _products(x, {**kept, name: code})
        information = _information(trial, np.ones(len(kept) + 2))
        size = np.sqrt(np.diag(information).clip(min=0))
        if size.min() > SINGULAR and np.linalg.eigvalsh(information / np.outer(size, size))[0] > SINGULAR:
            kept[name] = code
    return _products(x, kept), [name for name in codes if name not in kept]


def _fit(y: np.ndarray, products: _Products, codes: Mapping[str, np.ndarray]) -> _Fit:
    """Coefficients and variances by REML; without random components, least squares."""
    x, z, xx, xz, zz, _ = products
    beta, *_ = np.linalg.lstsq(x, y)
    every, *_ = np.linalg.lstsq(np.block([[xx, xz], [xz.T, zz]]), np.concatenate([x.T @ y, z.T @ y]))
    left = np.sum((y - x @ every[: x.shape[1]] - z @ every[x.shape[1] :]) ** 2)
    if left <= EXACT * np.sum(y**2):
        return _Fit(beta, None, True, [])
    if not codes:
        return _Fit(beta, np.array([left / (len(x) - x.shape[1])]), True, [])
    groups, matrices = _independent_groups(list(codes.values()))
    names = [[[str(column) for column in range(m.shape[1])] for m in part] for part in matrices]
    scale = y.std()  # so that the optimiser's tolerances do not depend on the unit of the scores
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MixedLM(y / scale, x, groups, exog_vc=VCSpec(list(codes), names, matrices))
        result = _optimum(model)
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    if result is None:
        return _Fit(beta, None, False, [*said, "MixedLM left the region where the covariance has an inverse"])
    variances = np.where(result.vcomp > BOUNDARY * (result.vcomp.sum() + result.scale), result.vcomp, 0)
    theta = np.append(variances, result.scale) * scale**2
    return _Fit(np.asarray(result.fe_params) * scale, theta, bool(result.converged), said)


def _optimum(model: MixedLM) -> Any:
    """The fitted model; None where no optimiser stays where the covariance has an inverse.

    `MixedLM`'s gradient optimisers stopped short of the optimum in 25 of 60 simulated studies of four
    countries, in 11 or more of them reporting convergence; Powell's method, which needs no gradient, reached
    it in all. Where one of its long steps fails, the slower Nelder-Mead simplex takes over.
    """
    for method in ("powell", "nm"):
        try:
            return model.fit(method=method, ftol=1e-10)
        except np.linalg.LinAlgError:
            continue
    return None


def _independent_groups(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, list[list[np.ndarray]]]:
    """A group a row such that no random effect spans two, and each component's indicators in each group."""
    offset, edges = 0, []
    for code in codes:
        edges.append(code + offset)
        offset += code.max() + 1
    ones = np.ones(len(codes[0]))
    graph = sparse.coo_array((ones, (edges[0], edges[-1])), shape=(offset, offset))
    groups = connected_components(graph, directed=False)[1][edges[0]] % MOST_GROUPS
    matrices = []
    for code in codes:
        inside = [np.unique(code[groups == group], return_inverse=True)[1] for group in np.unique(groups)]
        matrices.append([np.eye(member.max() + 1)[member] for member in inside])
    return groups, matrices


def _estimates(
    contrasts: np.ndarray,
    fit: _Fit,
    products: _Products,
    counts: pd.DataFrame,
    method: str,
    level: float,
    *,
    test: bool = False,
) -> dict[str, Estimate]:
    """An estimate for each contrast of the fixed effects, named as the rows of `counts`."""
    estimates, results = contrasts @ fit.beta, {}
    errors, freedoms = (
        np.full((2, len(contrasts)), np.nan) if fit.theta is None else _errors(contrasts, products, fit.theta)
    )
    for name, estimate, se, df in zip(counts.index, estimates, errors, freedoms, strict=True):
        low, high = t_interval(estimate, se, df, level)
        results[name] = Estimate(
            estimate=float(estimate),
            low=low,
            high=high,
            p=float(2 * stats.t.sf(abs(estimate) / se, df)) if test and se > 0 else np.nan,
            n=int(counts.loc[name, "n"]),
            method=method,
            level=level,
            details={
                "se": float(se),
                "df": float(df),
                "scenarios": int(counts.loc[name, "scenarios"]),
                "raters": int(counts.loc[name, "raters"]),
            },
        )
    return results


def _errors(contrasts: np.ndarray, products: _Products, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors and Satterthwaite's degrees of freedom of contrasts of the fixed effects.

    Variances at the boundary count as known.
    """
    _, covariance, xvz = _projected(products, theta)
    variance = np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts)
    through = contrasts @ covariance @ xvz
    slopes = [np.sum(through[:, block] ** 2, axis=1) for block in products.blocks.values()]
    # The variance of a contrast is homogeneous of degree one in the variances, which gives the last slope.
    slopes.append((variance - sum(t * s for t, s in zip(theta, slopes, strict=False))) / theta[-1])
    active = theta > 0
    gradient = np.array(slopes)[active]
    spread = np.linalg.inv(_information(products, theta)[np.ix_(active, active)])
    with np.errstate(invalid="ignore"):
        freedom = 2 * variance**2 / np.einsum("ji,jk,ki->i", gradient, spread, gradient)
    return np.sqrt(variance), freedom


def _variances(fit: _Fit, products: _Products) -> dict[str, float]:
    if fit.theta is None:
        return {}
    return dict(zip([*products.blocks, "residual"], fit.theta.tolist(), strict=True))


def _shares(fit: _Fit, products: _Products, omitted: list[str], level: float) -> dict[str, Estimate]:
    """Each component's share of the variance, with a delta-method interval on the logit scale."""
    names = [*products.blocks, "residual"]
    common = {"n": len(products.x), "level": level}
    if fit.theta is None:
        method = "share of variance: not estimated"
        return {name: Estimate(estimate=np.nan, method=method, **common) for name in (*names, *omitted)}
    shares = fit.theta / fit.theta.sum()
    active = fit.theta > 0
    gradient = (np.eye(len(shares)) - shares[:, None]) / fit.theta.sum()
    spread = np.zeros((len(shares), len(shares)))
    spread[np.ix_(active, active)] = np.linalg.inv(_information(products, fit.theta)[np.ix_(active, active)])
    errors = np.sqrt(np.einsum("ij,jk,ik->i", gradient, spread, gradient))
    results = {}
    for name, share, se, inside in zip(names, shares, errors, active, strict=True):
        low, high, method = np.nan, np.nan, "share of variance (REML); estimated as zero, no interval"
        if inside and share < 1:
            logit, half = (
                np.log(share / (1 - share)),
                stats.norm.ppf((1 + level) / 2) * se / (share * (1 - share)),
            )
            low, high = expit(logit + half * np.array([-1, 1]))
            method = "share of variance (REML), delta-method interval on the logit scale"
        elif inside:
            method = "share of variance (REML); nothing else varies, no interval"
        results[name] = Estimate(
            estimate=float(share),
            low=float(low),
            high=float(high),
            method=method,
            details={"se": float(se)},
            **common,
        )
    unknown = "share of variance: the design cannot tell it from the other effects"
    return results | {name: Estimate(estimate=np.nan, method=unknown, **common) for name in omitted}


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
