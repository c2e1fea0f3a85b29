"""What the printed size, mean and standard deviation of groups allow one to conclude.

A table of groups decides more than it prints: every pair can be tested for a difference and for equivalence,
each spread has an interval, and the parts that a table leaves out follow by subtraction.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from helpers.stats.equivalence import tost_summary, verdict
from helpers.stats.t_intervals import t_interval

COLUMNS = ["n", "mean", "sd"]


def pooled(groups: pd.DataFrame) -> pd.Series:
    """Size, mean and standard deviation of several groups taken together.

    Args:
        groups: columns `n`, `mean`, `sd` (divisor n - 1); one row a group, no unit in two of them.

    Returns:
        `n`, `mean` and `sd` of all their values.

    Raises:
        ValueError: a missing or impossible number.
    """
    n, mean, sd = _columns(groups)
    total = n.sum()
    centre = (n * mean).sum() / total
    squares = ((n - 1) * sd**2 + n * (mean - centre) ** 2).sum()
    return pd.Series({"n": total, "mean": centre, "sd": np.sqrt(squares / (total - 1))})


def intervals(groups: pd.DataFrame, *, reference: str, level: float = 0.95) -> pd.DataFrame:
    """Each group's mean and standard deviation with intervals, and its spread against a reference group's.

    All of them assume independent, roughly normal values. Intervals of standard deviations rest on that much
    more than those of means do, and are conservative for scores that end at both sides.

    Args:
        groups: columns `n`, `mean`, `sd`; one row a group, its name in the index.
        reference: the group to whose standard deviation the others' are compared.
        level: confidence level.

    Returns:
        The frame with added columns: `se`, `mean_low`, `mean_high` (Student's t), `sd_low`, `sd_high`
        (chi-square), and of sd divided by the reference's: `ratio`, `ratio_low`, `ratio_high` and the
        two-sided `ratio_p` (F; missing for the reference itself).

    Raises:
        ValueError: a missing or impossible number, or an unknown reference.

    Source: Snedecor and Cochran (1989), Statistical Methods, chapters 4-6.
    """
    n, mean, sd = _columns(groups)
    if reference not in groups.index:
        raise ValueError(f"reference: found '{reference}', expected one of {list(groups.index)}")
    low, high = (1 - level) / 2, (1 + level) / 2
    df, se = n - 1, sd / np.sqrt(n)
    ends = [t_interval(*group, level) for group in zip(mean, se, df, strict=True)]
    base = groups.index.get_loc(reference)
    ratio = sd / sd[base]
    f = stats.f(df, df[base])
    p = 2 * np.minimum(f.cdf(ratio**2), f.sf(ratio**2))
    p[base] = np.nan
    return groups.assign(
        se=se,
        mean_low=[end[0] for end in ends],
        mean_high=[end[1] for end in ends],
        sd_low=sd * np.sqrt(df / stats.chi2.ppf(high, df)),
        sd_high=sd * np.sqrt(df / stats.chi2.ppf(low, df)),
        ratio=ratio,
        ratio_low=ratio / np.sqrt(f.ppf(high)),
        ratio_high=ratio / np.sqrt(f.ppf(low)),
        ratio_p=p,
    )


def compare(
    groups: pd.DataFrame, pairs: Iterable[tuple[str, str]], *, margin: float, alpha: float = 0.05
) -> pd.DataFrame:
    """Pairs of groups, each tested for difference and for equivalence (Welch).

    Args:
        groups: columns `n`, `mean`, `sd`; one row a group, its name in the index.
        pairs: names of first and second groups.
        margin: the largest difference that does not matter, in the unit of the means.
        alpha: level of the test against zero and of each one-sided test.

    Returns:
        One row a pair: `first`, `second`, `n_first`, `n_second`, `difference` (first minus second), its
        1 - alpha interval `low`, `high` and its 1 - 2 alpha interval `narrow_low`, `narrow_high`, `p` against
        zero, `p_equivalence`, `se`, `df`; `sd`, the root mean square of both standard deviations;
        `superiority`, the chance that a value of the first group is above one of the second if both are
        normal; `smallest_margin` (what two one-sided tests would accept) and `smallest_margin_wide` (the same
        from the 1 - alpha interval, which is GAP's rule).

    Raises:
        ValueError: an unknown group, or as `helpers.stats.equivalence.tost_summary`.
    """
    rows = []
    for first, second in pairs:
        for name in (first, second):
            if name not in groups.index:
                raise ValueError(f"pairs: found '{name}', expected one of {list(groups.index)}")
        (n1, mean1, sd1), (n2, mean2, sd2) = (groups.loc[name, COLUMNS] for name in (first, second))
        test = tost_summary(mean1, sd1, n1, mean2, sd2, n2, margin, alpha)
        ends = test.details["difference_low"], test.details["difference_high"]
        spread = np.hypot(sd1, sd2)
        rows.append(
            {
                "first": first,
                "second": second,
                "n_first": int(n1),
                "n_second": int(n2),
                "difference": test.estimate,
                "low": ends[0],
                "high": ends[1],
                "narrow_low": test.low,
                "narrow_high": test.high,
                "p": test.details["p_difference"],
                "p_equivalence": test.p,
                "se": test.details["se"],
                "df": test.details["df"],
                "sd": spread / np.sqrt(2),
                "superiority": float(stats.norm.cdf(test.estimate / spread)) if spread > 0 else np.nan,
                "smallest_margin": test.details["smallest_margin"],
                "smallest_margin_wide": max(np.abs(ends)),
            }
        )
    return pd.DataFrame(rows)


def verdicts(
    compared: pd.DataFrame, margins: Sequence[float], *, p: str = "p", alpha: float = 0.05
) -> pd.DataFrame:
    """The four-way verdict on each pair at each margin.

    Args:
        compared: what `compare` returns.
        margins: margins to try, above 0.
        p: the column that holds the p-value against zero (such as one adjusted for the number of tests).
        alpha: level of the test against zero.

    Returns:
        One row a pair, in the frame's order; one column a margin; values as
        `helpers.stats.equivalence.verdict`.

    Raises:
        ValueError: a margin that is not above 0.
    """
    return pd.DataFrame(
        {
            margin: [
                verdict(low, high, margin, p_difference=p_difference, alpha=alpha)
                for low, high, p_difference in zip(
                    compared["narrow_low"], compared["narrow_high"], compared[p], strict=True
                )
            ]
            for margin in margins
        },
        index=compared.index,
    )


def chance_of_claim(true: Any, se: float, df: float, margin: float, alpha: float = 0.05) -> np.ndarray:
    """How often two one-sided tests claim equivalence, were the true difference known.

    Normal theory with the standard error taken as known: the estimate must fall within the margin less a
    one-sided t quantile of standard errors. For a handful of values the chance varies with the estimated
    standard error, and this is an approximation.

    Args:
        true: true differences, shape (m,), in the unit of the margin.
        se: standard error of the difference, above 0.
        df: its degrees of freedom (infinite for the normal quantile).
        margin: the largest difference that does not matter, above 0.
        alpha: level of each one-sided test.

    Returns:
        Chances in [0, 1], shape (m,); all 0 where the margin is too narrow for any claim.

    Raises:
        ValueError: a standard error or margin that is not above 0.

    Source: Chow, Wang and Shao (2007), Sample Size Calculations in Clinical Research, section 3.2.
    """
    if not (se > 0 and margin > 0):
        raise ValueError(f"found se = {se}, margin = {margin}; expected numbers above 0")
    true = np.asarray(true, dtype=float)
    reach = margin - stats.t.isf(alpha, df) * se
    if reach <= 0:
        return np.zeros_like(true)
    return stats.norm.cdf((reach - true) / se) - stats.norm.cdf((-reach - true) / se)


def _columns(groups: pd.DataFrame) -> list[np.ndarray]:
    """The three columns as floats, checked."""
    n, mean, sd = (groups[column].to_numpy(dtype=float) for column in COLUMNS)
    bad = np.flatnonzero(~((n >= 2) & np.isfinite(mean) & (sd >= 0)))
    if bad.size:
        found = groups.iloc[bad[0]][COLUMNS].to_dict()
        raise ValueError(f"row {groups.index[bad[0]]}: found {found}, expected n of at least 2, mean and SD")
    return [n, mean, sd]
