"""Proportions with intervals, and the counts that stand behind printed percentages."""

from collections.abc import Sequence
from decimal import Decimal

from statsmodels.stats.proportion import proportion_confint

from helpers.stats.results import Estimate


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """A proportion with Wilson's score interval.

    The interval treats the n trials as independent. Questions about one clip or one scenario are not, so for
    them it is too narrow.

    Args:
        successes: trials that succeeded, 0 to n.
        n: trials, at least 1.
        level: confidence level, between 0 and 1.

    Returns:
        The share in [0, 1]; its interval never has zero width, not even at 0 or 1. Nothing is tested.

    Raises:
        ValueError: no trials, counts that are not whole, more successes than trials, a level outside (0, 1).

    Source: Wilson (1927), J. Am. Stat. Assoc. 22, 209-212; recommended by Brown, Cai and DasGupta (2001),
    Stat. Sci. 16, 101-133.
    """
    if not 0 <= successes <= max(n, 0) or successes != int(successes):
        raise ValueError(f"successes: found {successes}, expected a whole number from 0 to n = {n}")
    return _wilson(successes, n, level)


def interval_from_percent(percent: float, n: int, level: float = 0.95) -> Estimate:
    """Wilson's interval of a printed percentage, in per cent.

    Args:
        percent: the percentage, 0 to 100; it need not be a whole number of n-ths.
        n: the trials behind it, at least 1.
        level: confidence level, between 0 and 1.

    Returns:
        As `wilson`, with the estimate and its interval in per cent.

    Raises:
        ValueError: a percentage outside 0-100, no trials, a level outside (0, 1).
    """
    _check_percent(percent)
    share = _wilson(percent * n / 100, n, level)
    return Estimate(
        estimate=percent,
        low=100 * share.low,
        high=100 * share.high,
        n=share.n,
        method=share.method + ", in per cent",
        level=level,
    )


def consistent_counts(percent: float, n: int, decimals: int = 1) -> list[int]:
    """The whole numbers k for which k of n, as a percentage with so many decimals, prints as given.

    An exact half is accepted in both directions, since programs round it up or to the even digit: 1 of 8 is
    12.5 %, which may print as 12 or as 13 without decimals.

    Args:
        percent: the printed percentage, 0 to 100.
        n: the trials, at least 1.
        decimals: printed decimals.

    Returns:
        All such k in rising order; empty where n cannot give the percentage.

    Raises:
        ValueError: a percentage outside 0-100 or with more decimals than stated, or n below 1.
    """
    _check_trials(n)
    return list(_counts(_in_last_digits(percent, decimals), n, decimals))


def smallest_common_n(
    percents: Sequence[float], decimals: int = 1, at_least: int = 1, at_most: int = 400
) -> int | None:
    """The smallest number of trials from which every one of several printed percentages can come.

    Args:
        percents: percentages, 0 to 100, that share one unknown denominator.
        decimals: printed decimals.
        at_least: smallest denominator to try, at least 1.
        at_most: largest denominator to try. From 10^(2 + decimals) trials on every percentage is possible,
            so a hit near that number says nothing.

    Returns:
        The smallest denominator (its multiples fit as well), or None where none in the range fits.

    Raises:
        ValueError: no percentages, one outside 0-100 or with more decimals than stated, or an empty range.
    """
    if len(percents) == 0:
        raise ValueError("percents: found none, expected at least one percentage")
    if not 1 <= at_least <= at_most:
        raise ValueError(
            f"found at_least = {at_least}, at_most = {at_most}; expected 1 <= at_least <= at_most"
        )
    printed = {_in_last_digits(percent, decimals) for percent in percents}
    fits = (n for n in range(at_least, at_most + 1) if all(_counts(value, n, decimals) for value in printed))
    return next(fits, None)


def _wilson(successes: float, n: int, level: float) -> Estimate:
    _check_trials(n)
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a number between 0 and 1, such as 0.95")
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    return Estimate(
        estimate=successes / n,
        # At the ends the library's value is 0 or 1 only up to rounding.
        low=float(low) if successes > 0 else 0.0,
        high=float(high) if successes < n else 1.0,
        n=int(n),
        method="share of n trials, Wilson interval",
        level=level,
    )


def _counts(last_digits: int, n: int, decimals: int) -> range:
    """The k with |100 k / n - percent| <= half a last digit, in whole numbers and hence exactly."""
    scale = 200 * 10**decimals
    lowest = -((n - 2 * last_digits * n) // scale)
    highest = (n + 2 * last_digits * n) // scale
    return range(max(lowest, 0), min(highest, n) + 1)


def _in_last_digits(percent: float, decimals: int) -> int:
    """A printed percentage in units of its last decimal: 24.5 is 245."""
    _check_percent(percent)
    digits = Decimal(repr(float(percent))).scaleb(decimals)
    if digits != int(digits):
        raise ValueError(f"percent: found {percent}, expected at most {decimals} decimals")
    return int(digits)


def _check_percent(percent: float) -> None:
    if not 0 <= percent <= 100:
        raise ValueError(f"percent: found {percent}, expected a number from 0 to 100")


def _check_trials(n: int) -> None:
    if n < 1 or n != int(n):
        raise ValueError(f"n: found {n}, expected a whole number of at least 1")
