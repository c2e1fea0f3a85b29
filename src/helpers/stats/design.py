"""How many prompts, raters and countries does a claim need? Power and precision by simulation.

score = country + prompt (within country) + rater (within country) + residual, all normal, one score a prompt
and rater. Two sides are compared, with a true gap between them: two named countries (`countries` = 1, the
claim is about these two and its error comes from prompts and raters) or two groups of countries such as
regions (`countries` > 1 a side, the claim is about regions, and countries are the units).
"""

import hashlib
import itertools
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

from helpers.stats.t_intervals import check_level

# Scores simulated at once: a handful of arrays of this length, about 50 MB.
CHUNK = 2**20
# An interval may cover this much less often than its level.
UNDERCOVERAGE = 0.03
CLAIMS = ("difference", "equivalence")


@dataclass(frozen=True, kw_only=True, slots=True)
class Components:
    """Standard deviations of a score's parts, in the score's unit, each zero or more.

    Attributes:
        country: between the countries of one side; plays no part where two named countries are compared.
        prompt: between the prompts of a country.
        rater: between the raters of a country.
        residual: what remains of one rating (of one prompt by one rater; averaged over models, if it is).

    Raises:
        ValueError: a negative or missing one, or all zero.
    """

    country: float = 0.0
    prompt: float
    rater: float
    residual: float

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name}: found {value}, expected a standard deviation, zero or more")
        if self.prompt == self.rater == self.residual == 0:
            raise ValueError("found no variation in prompts, raters and residual, expected some")


def variance_of_mean(components: Components, *, prompts: int, raters: int, countries: int = 1) -> float:
    """Sampling variance of the mean of one side.

    (country² + prompt²/prompts + rater²/raters + residual²/(prompts raters)) / countries, without the first
    term for one named country (Searle, Casella & McCulloch 1992, Variance Components, ch. 4).

    Args:
        components: standard deviations.
        prompts: a country, at least 1.
        raters: a country, at least 1; each rates all prompts of the country.
        countries: on this side, at least 1.

    Raises:
        ValueError: a number below 1.
    """
    for name, number in (("prompts", prompts), ("raters", raters), ("countries", countries)):
        if number < 1:
            raise ValueError(f"{name}: found {number}, expected at least 1")
    within = (
        components.prompt**2 / prompts
        + components.rater**2 / raters
        + components.residual**2 / (prompts * raters)
    )
    return within if countries == 1 else (components.country**2 + within) / countries


def power_grid(
    components: Components,
    *,
    gap: Sequence[float],
    prompts: Sequence[int],
    raters: Sequence[int],
    countries: Sequence[int] = (1,),
    runs: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    pooled_over: int = 2,
    cache: Path | None = None,
) -> pd.DataFrame:
    """Simulate every combination of gap, prompts, raters and countries.

    Groups of countries are compared by a pooled t test of country means (2 countries - 2 degrees of freedom).
    Two named countries are compared as the mixed model (`mixed.country_effects`) does, which for such
    balanced data is the analysis of variance: mean squares of prompts and of raters less the residual's,
    pooled over the countries of the study, with Satterthwaite's degrees of freedom. With one rater a country
    the raters' part is unknown, as in a real study, and `coverage` shows what that costs.

    Args:
        components: standard deviations of the score's parts.
        gap: true differences to be seen, and margins within which equivalence is to be claimed, above zero.
        prompts: a country, each at least 2.
        raters: a country, each at least 1.
        countries: a side, each at least 1.
        runs: simulated studies a design; each column's Monte Carlo error is at most 0.5/sqrt(runs).
        level: 1 - alpha; the difference is tested two-sided at alpha, equivalence by two one-sided tests at
            alpha.
        seed: of the random generator; a design's result does not depend on the others in the grid.
        pooled_over: countries in the study where two named ones are compared; more of them tell more about
            how prompts and raters vary (CultureVidBench has 12).
        cache: a folder for results, one file for each set of inputs (and version of this module); None keeps
            none.

    Returns:
        A row a combination: gap, countries, prompts, raters, ratings (in all), difference (power to see a
        true difference of `gap`), equivalence (power to claim equivalence within `gap` when there is no
        difference), half_width (mean, of the interval), coverage (of the interval), level, se (closed form),
        runs.

    Raises:
        ValueError: a number out of range, or nothing to vary.
    """
    check_level(level)
    _check("gap", gap, 0, exclusive=True)
    for name, numbers, least in (
        ("prompts", prompts, 2),
        ("raters", raters, 1),
        ("countries", countries, 1),
        ("runs", [runs], 1),
        ("pooled_over", [pooled_over], 2),
    ):
        _check(name, numbers, least)
    grids = [sorted(set(map(int, numbers))) for numbers in (countries, prompts, raters)]
    gaps = sorted(set(map(float, gap)))
    inputs = [asdict(components), gaps, *grids, runs, level, seed, pooled_over]
    stored = None if cache is None else Path(cache) / f"design-{_key(inputs)}.parquet"
    if stored is not None and stored.exists():
        return pd.read_parquet(stored)
    rows: list[dict[str, float]] = []
    designs = list(itertools.product(*grids))
    for k, p, r in tqdm(designs, desc="designs", disable=None, leave=False):
        rows += _design(components, k, p, r, gaps, runs, level, seed, pooled_over)
    frame = pd.DataFrame(rows).sort_values(["gap", "countries", "prompts", "raters"], ignore_index=True)
    if stored is not None:
        stored.parent.mkdir(parents=True, exist_ok=True)
        unfinished = stored.with_suffix(f".{os.getpid()}.tmp")
        frame.to_parquet(unfinished)
        unfinished.replace(stored)
    return frame


def smallest_designs(grid: pd.DataFrame, claim: str, *, power: float = 0.8) -> pd.DataFrame:
    """For each gap and number of countries, the design with the fewest ratings that reaches the power.

    Designs whose interval covers the truth clearly less often than its level are passed over: what they "see"
    is often not there.

    Args:
        grid: as from `power_grid`.
        claim: "difference" or "equivalence".
        power: to be reached, in (0, 1).

    Returns:
        Rows of the grid, at most one for each gap and number of countries; none where no design reaches it.

    Raises:
        ValueError: an unknown claim or a power out of range.
    """
    if claim not in CLAIMS:
        raise ValueError(f"claim: found '{claim}', expected {' or '.join(CLAIMS)}")
    if not 0 < power < 1:
        raise ValueError(f"power: found {power}, expected a number between 0 and 1, such as 0.8")
    honest = grid["coverage"] >= grid["level"] - UNDERCOVERAGE
    reached = grid[honest & (grid[claim] >= power)].sort_values(["ratings", "raters"])
    return reached.groupby(["gap", "countries"], as_index=False).first()[list(grid.columns)]


def _design(
    components: Components,
    countries: int,
    prompts: int,
    raters: int,
    gaps: Sequence[float],
    runs: int,
    level: float,
    seed: int,
    pooled_over: int,
) -> list[dict[str, float]]:
    """One design's rows, one a gap: errors are simulated once, since a true gap only shifts the estimate."""
    rng = np.random.default_rng([seed, countries, prompts, raters])
    # Countries on two sides, or single ones of which the first two are compared.
    layout = (2, countries) if countries > 1 else (pooled_over, 1)
    studies = _studies(components, layout, prompts, raters, runs, rng)
    error, se, df = (np.concatenate(part) for part in zip(*studies, strict=True))
    half = stats.t.ppf((1 + level) / 2, df) * se
    one_sided = stats.t.ppf(level, df) * se
    variance = variance_of_mean(components, prompts=prompts, raters=raters, countries=countries)
    return [
        {
            "gap": gap,
            "countries": countries,
            "prompts": prompts,
            "raters": raters,
            "ratings": math.prod(layout) * prompts * raters,
            "difference": float(np.mean(np.abs(error + gap) > half)),
            "equivalence": float(np.mean(np.abs(error) + one_sided < gap)),
            "half_width": float(half.mean()),
            "coverage": float(np.mean(np.abs(error) <= half)),
            "level": level,
            "se": float(np.sqrt(2 * variance)),
            "runs": runs,
        }
        for gap in gaps
    ]


def _studies(
    components: Components,
    layout: tuple[int, int],
    prompts: int,
    raters: int,
    runs: int,
    rng: np.random.Generator,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Chunks of studies: error of the estimated difference, its standard error, its degrees of freedom."""
    chunk = max(1, CHUNK // (math.prod(layout) * prompts * raters))
    for start in range(0, runs, chunk):
        shape = (min(chunk, runs - start), *layout)
        scores = rng.normal(0, components.residual, (*shape, prompts, raters))
        scores += rng.normal(0, components.prompt, (*shape, prompts, 1))
        scores += rng.normal(0, components.rater, (*shape, 1, raters))
        if layout[1] > 1:
            yield _over_countries(scores + rng.normal(0, components.country, (*shape, 1, 1)))
        else:
            yield _over_prompts_and_raters(scores[:, :, 0])


def _over_countries(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pooled t test of country means; scores of shape (studies, 2, countries, prompts, raters)."""
    means = scores.mean(axis=(-2, -1))
    countries = means.shape[-1]
    estimate = means.mean(axis=-1) @ [1, -1]
    se = np.sqrt(means.var(axis=-1, ddof=1).sum(axis=-1) / countries)
    return estimate, se, np.full(len(estimate), 2.0 * countries - 2)


def _over_prompts_and_raters(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first two countries' means; scores of shape (studies, countries, prompts, raters).

    The mean squares are pooled over countries; a component that would be negative is zero, as under REML.
    """
    _, countries, prompts, raters = scores.shape
    mean = scores.mean(axis=(-2, -1), keepdims=True)
    by_prompt, by_rater = scores.mean(axis=-1, keepdims=True), scores.mean(axis=-2, keepdims=True)
    left = scores - by_prompt - by_rater + mean
    freedoms = np.array([prompts - 1, raters - 1, (prompts - 1) * (raters - 1)]) * countries
    squares = (
        np.stack(
            [
                raters * np.sum((by_prompt - mean) ** 2, axis=(1, 2, 3)),
                prompts * np.sum((by_rater - mean) ** 2, axis=(1, 2, 3)),
                np.sum(left**2, axis=(1, 2, 3)),
            ]
        )
        / np.maximum(freedoms, 1)[:, None]
    )
    if raters == 1:
        squares[1:] = 0
    between, strictness, residual = squares
    larger = np.stack([between * (between >= strictness), strictness * (strictness > between), 0 * residual])
    used = np.where(np.minimum(between, strictness) < residual, larger, squares)
    total = used[0] + used[1] - used[2]
    df = total**2 / np.sum(used**2 / np.maximum(freedoms, 1)[:, None], axis=0)
    first, second, *_ = mean[:, :, 0, 0].T
    return first - second, np.sqrt(2 * total / (prompts * raters)), df


def _key(inputs: list) -> str:
    """A name for a set of inputs that changes with them and with this module's code."""
    content = json.dumps(inputs, sort_keys=True).encode() + Path(__file__).read_bytes()
    return hashlib.sha256(content).hexdigest()[:16]


def _check(name: str, numbers: Sequence[float], least: float, *, exclusive: bool = False) -> None:
    if not len(numbers):
        raise ValueError(f"{name}: found none, expected at least one")
    low = min(numbers)
    if low < least or (exclusive and low == least):
        raise ValueError(f"{name}: found {low}, expected {'above' if exclusive else 'at least'} {least}")
