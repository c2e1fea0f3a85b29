"""What a fitted crossed model says: contrasts of its fixed effects, and shares of the variance."""

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from helpers.stats._crossed import Fit, Products, expected_information, projected
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import t_interval


def contrast_estimates(
    contrasts: np.ndarray,
    fit: Fit,
    products: Products,
    counts: pd.DataFrame,
    method: str,
    level: float,
    *,
    test: bool = False,
) -> dict[str, Estimate]:
    """An estimate for each contrast of the fixed effects, named as the rows of `counts`."""
    estimates, results = contrasts @ fit.beta, {}
    errors, freedoms = np.full((2, len(contrasts)), np.nan)
    if fit.theta is not None:
        errors, freedoms = contrast_errors(contrasts, products, fit.theta)
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


def contrast_errors(
    contrasts: np.ndarray, products: Products, theta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors and Satterthwaite's degrees of freedom of contrasts of the fixed effects.

    Variances at the boundary count as known.
    """
    _, covariance, xvz = projected(products, theta)
    variance = np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts)
    through = contrasts @ covariance @ xvz
    slopes = [np.sum(through[:, block] ** 2, axis=1) for block in products.blocks.values()]
    # The variance of a contrast is homogeneous of degree one in the variances, which gives the last slope.
    slopes.append((variance - sum(t * s for t, s in zip(theta, slopes, strict=False))) / theta[-1])
    active = theta > 0
    gradient = np.array(slopes)[active]
    spread = np.linalg.inv(expected_information(products, theta)[np.ix_(active, active)])
    with np.errstate(invalid="ignore"):
        freedom = 2 * variance**2 / np.einsum("ji,jk,ki->i", gradient, spread, gradient)
    return np.sqrt(variance), freedom


def named_variances(fit: Fit, products: Products) -> dict[str, float]:
    if fit.theta is None:
        return {}
    return dict(zip([*products.blocks, "residual"], fit.theta.tolist(), strict=True))


def variance_shares(fit: Fit, products: Products, omitted: list[str], level: float) -> dict[str, Estimate]:
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
    estimated = np.ix_(active, active)
    spread[estimated] = np.linalg.inv(expected_information(products, fit.theta)[estimated])
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
