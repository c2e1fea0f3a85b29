"""Do a judge's scores stand in for people's, country by country, and does it matter which people?"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from helpers.stats.association import kendall, linear_slope, spearman
from helpers.stats.bootstrap import check_level, t_interval
from helpers.stats.differences import without_noise
from helpers.stats.matched import (
    CountryDifferences,
    compared,
    complete_rows,
    difference_by_country,
    means_by_country,
    with_holm,
)
from helpers.stats.results import Estimate, as_floats, paired

# Relative variation below this is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class CountryComparison:
    """Two sets of scores of the same clips, country by country.

    Attributes:
        first: by country, the first scores' mean.
        second: by country, the second scores' mean.
        differences: first minus second, by country, and whether the countries differ in it (the interaction).
        spearman: rank correlation of the two sets of country means; `n` counts countries.
        kendall: their tau-b.
        names: what the first and the second are called.
    """

    first: dict[str, Estimate]
    second: dict[str, Estimate]
    differences: CountryDifferences
    spearman: Estimate
    kendall: Estimate
    names: tuple[str, str]

    def table(self) -> pd.DataFrame:
        """One row a country: both means and their difference, each with its interval."""
        parts = (
            *zip(self.names, (self.first, self.second), strict=True),
            ("difference", self.differences.countries),
        )
        columns = {
            f"{name}{end}": {country: getattr(estimate, attribute) for country, estimate in part.items()}
            for name, part in parts
            for end, attribute in (("", "estimate"), ("_low", "low"), ("_high", "high"))
        }
        return pd.DataFrame(columns).rename_axis("country")


@dataclass(frozen=True, kw_only=True, slots=True)
class BlandAltman:
    """How far a judge lies from people, clip by clip.

    Attributes:
        bias: mean of judge minus human.
        lower: lower limit of agreement.
        upper: upper limit of agreement: between the two lie about 95 % of the differences, if they are
            normal.
        slope: change of the difference for a unit more of the mean of both (proportional bias); p tests 0.
        sd: standard deviation of the differences.
    """

    bias: Estimate
    lower: Estimate
    upper: Estimate
    slope: Estimate
    sd: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictionPowered:
    """A judge's means corrected by the clips that people rated.

    Attributes:
        countries: by country, the prediction-powered mean.
        overall: the mean in which every country weighs the same.
    """

    countries: dict[str, Estimate]
    overall: Estimate


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


def country_means(
    human: Any, judge: Any, *, country: Any, prompt: Any, level: float = 0.95
) -> CountryComparison:
    """Country means of people and of a judge on the same clips, and whether both order the countries alike.

    Correlations within countries say nothing of this: a judge may agree with people on every clip of a
    country and still rate the whole country too low.

    Args:
        human: mean of a clip's human ratings, shape (n,); NaN where missing (rows without both are left out).
        judge: the judge's score of the same clip, same scale, shape (n,).
        country: shape (n,).
        prompt: the prompt of each clip, shape (n,).
        level: confidence level of the intervals.

    Returns:
        Means with t intervals over prompts, judge minus human as in `bias_by_country`, and rank correlations
        of the country means (undefined, saying so, with one country).

    Raises:
        ValueError: as `complete_rows`.
    """
    differences = bias_by_country(human, judge, country=country, prompt=prompt, level=level)
    rows = complete_rows({"judge": judge, "human": human}, {"country": country, "prompt": prompt})
    means = {
        name: means_by_country(values, rows.labels["country"], rows.labels["prompt"], level=level)
        for name, values in rows.numbers.items()
    }
    return _comparison(means, differences)


def bias_by_country(
    human: Any, judge: Any, *, country: Any, prompt: Any, level: float = 0.95
) -> CountryDifferences:
    """How much higher a judge scores the clips of each country than people do.

    One leniency for all countries leaves their order alone; what distorts it is a bias that differs between
    countries: `relative` in the details, tested as heterogeneity.

    Args, returns and errors as `difference_by_country` (judge minus human, Holm over countries).
    """
    return difference_by_country(
        judge, human, country=country, prompt=prompt, names=("judge", "human"), level=level
    )


def compare_groups(
    score: Any,
    group: Any,
    *,
    country: Any,
    prompt: Any,
    clip: Any,
    rater: Any,
    names: tuple[str, str],
    level: float = 0.95,
) -> CountryComparison:
    """Two groups of raters on the same clips: do they order the countries alike?

    Native against other raters, or raters who were not told the target country against those who were: if the
    order persists, scores follow what the clips show rather than who looks.

    A clip's score is the mean of a group's ratings; clips that only one group rated are left out and counted.
    The standard error of a country's difference adds two parts: between prompts (of the clips' differences)
    and between raters (variance of the raters' mean deviations from their group's clip means, over the number
    of raters, for each group), with Satterthwaite's degrees of freedom. Both contain the residual, so the
    interval is, if anything, too wide. With one rater in a group its part is unknown and left out;
    `rater_error` is False.

    Args:
        score: one row a rating, shape (n,); NaN where missing (left out and counted).
        group: which of the two groups the rater belongs to, shape (n,).
        country: shape (n,).
        prompt: shape (n,).
        clip: what was rated, shape (n,).
        rater: shape (n,).
        names: the two groups, as in `group`; differences are first minus second.
        level: confidence level of the intervals.

    Returns:
        The comparison; means have t intervals over prompts. Of a difference, `n` counts clips; details:
        clusters, clips_left_out (of all countries), missing, `raters_NAME` of each group, rater_error.

    Raises:
        ValueError: as `complete_rows`; a group other than the two; no clip that both rated.
    """
    rows = complete_rows(
        {"score": score},
        {"group": group, "country": country, "prompt": prompt, "clip": clip, "rater": rater},
    )
    frame = pd.DataFrame(rows.labels).assign(score=rows.numbers["score"])
    unknown = sorted(set(frame["group"]) - set(names))
    if unknown:
        raise ValueError(f"group: found '{unknown[0]}', expected '{names[0]}' or '{names[1]}'")
    keys = ["country", "prompt", "clip"]
    clips = frame.pivot_table(index=keys, columns="group", values="score").reindex(columns=list(names))
    both = clips.dropna()
    if both.empty:
        raise ValueError(f"found no clip that both {names[0]} and {names[1]} rated, expected at least one")
    where, prompts = (both.index.get_level_values(name).to_numpy() for name in keys[:2])
    means = {name: means_by_country(both[name].to_numpy(), where, prompts, level=level) for name in names}
    over_prompts = means_by_country((both[names[0]] - both[names[1]]).to_numpy(), where, prompts, level=level)

    clip_means = both.melt(ignore_index=False, value_name="clip_mean").reset_index()
    rated = frame.merge(clip_means, on=[*keys, "group"])
    rated["deviation"] = rated["score"] - rated["clip_mean"]
    strictness = rated.groupby(["country", "group", "rater"], as_index=False)["deviation"].mean()
    by_group = strictness.groupby(["country", "group"])["deviation"].agg(["var", "size"])
    found = {
        name: _with_raters(plain, by_group.loc[name].loc[list(names)], names)
        for name, plain in over_prompts.items()
    }
    for estimate in found.values():
        estimate.details.update(missing=rows.missing, clips_left_out=len(clips) - len(both))
    return _comparison(means, compared(found))


def bland_altman(
    human: Any, judge: Any, *, prompt: Any = None, multiple: float = 1.96, level: float = 0.95
) -> BlandAltman:
    """Bias and limits of agreement of a judge with people.

    Without `prompt` the clips count as independent and the intervals are Bland and Altman's (1999): t with n
    - 1 degrees of freedom, standard error sd sqrt(1/n) for the bias and sd sqrt(1/n + multiple²/(2(n - 1)))
    for the limits. With it they come from a jackknife that leaves out one prompt at a time (t, one degree of
    freedom less than prompts; with 14 prompts the intervals of the limits covered 92 % in simulations). The
    slope is half the difference of the two variances over the variance of the mean: a judge who spreads clips
    less than people do has one below zero.

    Args:
        human: mean of a clip's human ratings, shape (n,); NaN where missing (pairs without both are left
            out).
        judge: the judge's score of the same clip, same scale, shape (n,).
        prompt: the prompt of each clip, shape (n,); clips of one prompt depend on each other.
        multiple: limits lie this many standard deviations from the bias (1.96; the first article used 2).
        level: confidence level of the intervals.

    Returns:
        The four estimates; p only for bias and slope (against 0). All differences equal: limits equal the
        bias, no interval. Judge and human means all equal: no slope (NaN).

    Raises:
        ValueError: as `complete_rows`; fewer than three pairs, or prompts where they are given.

    Source: Bland & Altman (1986), Lancet 327, 307-310; (1999), Stat. Methods Med. Res. 8, 135-160.
    """
    check_level(level)
    labels = {} if prompt is None else {"prompt": prompt}
    rows = complete_rows({"human": human, "judge": judge}, labels)
    difference = rows.numbers["judge"] - rows.numbers["human"]
    mean = (rows.numbers["judge"] + rows.numbers["human"]) / 2
    units = pd.factorize(rows.labels["prompt"])[0] if labels else np.arange(len(mean))
    count = int(units.max()) + 1
    if count < 3:
        raise ValueError(f"found {count} {'prompts' if labels else 'pairs'}, expected at least 3")
    sd = float(difference.std(ddof=1)) if np.ptp(difference) > 0 else 0.0
    values = _agreement(difference, mean, multiple)
    n = len(mean)
    if labels:
        left = [_agreement(difference[units != unit], mean[units != unit], multiple) for unit in range(count)]
        errors = np.sqrt((count - 1) ** 2 / count * np.var(left, axis=0, ddof=1))
        freedoms, kind = [count - 1] * 4, f"t interval, jackknife over {count} prompts"
    else:
        limit = sd * np.sqrt(1 / n + multiple**2 / (2 * (n - 1)))
        slope_error = stats.linregress(mean, difference).stderr if np.ptp(mean) > 0 else np.nan
        errors = [sd / np.sqrt(n), limit, limit, slope_error]
        freedoms, kind = [n - 1, n - 1, n - 1, n - 2], "t interval"
    captions = {
        "mean of judge minus human": True,
        f"bias - {multiple:g} standard deviations": False,
        f"bias + {multiple:g} standard deviations": False,
        "slope of judge minus human on the mean of both": True,
    }
    bias, lower, upper, slope = (
        _tested(value, se, df, n, f"{caption}, {kind}", level, test=test)
        for value, se, df, (caption, test) in zip(values, errors, freedoms, captions.items(), strict=True)
    )
    for estimate in (bias, lower, upper, slope):
        estimate.details.update(clusters=count, missing=rows.missing)
    return BlandAltman(bias=bias, lower=lower, upper=upper, slope=slope, sd=sd)


def prediction_powered_mean(
    judge_unrated: Any,
    judge_rated: Any,
    human_rated: Any,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """A human mean over many prompts from a judge on all of them and people on some (PPI++).

    weight x mean(judge, unrated) + mean(human - weight x judge, rated). Whatever the judge's bias, the rated
    prompts correct it, provided that they are a random sample of all; the better the judge follows people,
    the narrower the interval. weight = 1 is prediction-powered inference, 0 the people alone; by default it
    is tuned, cov(human, judge) / ((1 + rated/unrated) var(judge)), cut to [0, 1].

    Every value must be independent of the others: average the clips of a prompt first.

    Args:
        judge_unrated: the judge on the prompts that nobody rated, shape (N,), at least 3.
        judge_rated: the judge on the rated prompts, shape (n,), at least 3.
        human_rated: people on the same prompts, shape (n,).
        weight: of the judge, in [0, 1]; None tunes it.
        level: confidence level of the interval.

    Returns:
        The mean; `n` counts rated prompts. The interval is Welch's t (two independent means), where the
        articles use the normal: with a dozen rated prompts that would be too narrow; a tuned weight costs a
        degree of freedom. Details: weight,
        unrated, se, df, human (mean of the rated alone), human_low, human_high (t) and width_ratio
        (interval's width over the people's alone). A judge that never varies has weight 0. No variation at
        all: no interval.

    Raises:
        ValueError: missing values, fewer than three of a kind, a weight outside [0, 1].

    Source: Angelopoulos et al. (2023), Science 382, 669-674; Angelopoulos, Duchi & Zrnic (2023),
    arXiv:2311.01453 (power tuning). Their package ppi_py (`ppi_mean_ci`) divides by n where this divides by n
    less the degrees of freedom spent, and uses the normal.
    """
    unrated = as_floats(judge_unrated, "judge_unrated")
    human, judge = paired(human_rated, judge_rated)
    if human.size < 3 or unrated.size < 3:
        raise ValueError(f"found {human.size} rated and {unrated.size} unrated, expected at least 3 of each")
    spent = (
        1 if weight is not None else 2
    )  # degrees of freedom: the mean, and a weight fitted to the same values
    weight = _tuned([(unrated, judge, human)]) if weight is None else weight
    if not 0 <= weight <= 1:
        raise ValueError(f"weight: found {weight}, expected a number from 0 to 1")
    rectified = human - weight * judge
    parts = np.array([weight**2 * unrated.var(ddof=1) / unrated.size, rectified.var(ddof=spent) / human.size])
    se, df = _combined(parts, np.array([unrated.size - 1, human.size - spent]))
    alone = _tested(
        human.mean(), human.std(ddof=1) / np.sqrt(human.size), human.size - 1, human.size, "", level
    )
    found = _tested(
        weight * unrated.mean() + rectified.mean(),
        se,
        df,
        human.size,
        f"prediction-powered mean (PPI++, weight of the judge {weight:.2f}), Welch t interval",
        level,
    )
    found.details.update(
        weight=float(weight),
        unrated=unrated.size,
        human=alone.estimate,
        human_low=alone.low,
        human_high=alone.high,
        width_ratio=(found.high - found.low) / (alone.high - alone.low),
    )
    return found


def prediction_powered_by_country(
    judge_unrated: Any,
    judge_rated: Any,
    human_rated: Any,
    *,
    country_unrated: Any,
    country_rated: Any,
    level: float = 0.95,
) -> PredictionPowered:
    """`prediction_powered_mean` within each country, with one weight of the judge for all.

    One tuned weight (from variances and covariances within countries) hardly depends on any one country's
    dozen rated prompts; the correction of the judge's bias remains each country's own.

    Args:
        judge_unrated: the judge on prompts that nobody rated, one value a prompt, shape (N,), none missing.
        judge_rated: the judge on the rated prompts, shape (n,).
        human_rated: people on the same prompts, shape (n,).
        country_unrated: shape (N,).
        country_rated: shape (n,).
        level: confidence level of the intervals.

    Returns:
        By country, as `prediction_powered_mean`, and over countries of equal weight.

    Raises:
        ValueError: as `prediction_powered_mean`; a country without rated or without unrated prompts.
    """
    rated = complete_rows({"judge": judge_rated, "human": human_rated}, {"country": country_rated})
    unrated = complete_rows({"judge": judge_unrated}, {"country": country_unrated})
    names = np.unique(np.concatenate([rated.labels["country"], unrated.labels["country"]]))
    data = {}
    for name in names:
        inside, outside = rated.labels["country"] == name, unrated.labels["country"] == name
        if inside.sum() < 3 or outside.sum() < 3:
            raise ValueError(
                f"{name}: found {inside.sum()} rated and {outside.sum()} unrated prompts, expected 3 of each"
            )
        data[str(name)] = (
            unrated.numbers["judge"][outside],
            rated.numbers["judge"][inside],
            rated.numbers["human"][inside],
        )
    weight = _tuned(list(data.values()))
    countries = {
        name: prediction_powered_mean(*values, weight=weight, level=level) for name, values in data.items()
    }
    for estimate in countries.values():
        estimate.details.update(missing=rated.missing + unrated.missing)
    found = list(countries.values())
    parts = np.array([estimate.details["se"] for estimate in found]) ** 2 / len(found) ** 2
    se, df = _combined(parts, np.array([estimate.details["df"] for estimate in found]))
    overall = _tested(
        float(np.mean([estimate.estimate for estimate in found])),
        se,
        df,
        sum(estimate.n for estimate in found),
        f"mean over {len(found)} countries of prediction-powered means, Satterthwaite t interval",
        level,
    )
    return PredictionPowered(countries=countries, overall=overall)


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
            se, df = _combined((weights[used] * errors[used]) ** 2, freedoms[used])
            caption = f"{part}, {name} minus {reference or 'mean over countries'}; t interval over prompts"
            found[name] = _tested(weights @ centre, se, df, means[position].n, caption, level, test=True)
            found[name].details.update(clusters=means[position].details["clusters"], missing=rows.missing)
        result[part] = with_holm(found)
    return GapChange(**result)


def _comparison(means: dict[str, dict[str, Estimate]], differences: CountryDifferences) -> CountryComparison:
    (one, first), (two, second) = means.items()
    # Equal means added up in another order may differ in the last bit, and would no longer tie.
    values = [
        without_noise(np.array(values), max(map(abs, values)))
        for values in ([mean.estimate for mean in part.values()] for part in (first, second))
    ]
    return CountryComparison(
        first=first,
        second=second,
        differences=differences,
        spearman=spearman(*values),
        kendall=kendall(*values),
        names=(one, two),
    )


def _with_raters(plain: Estimate, strictness: pd.DataFrame, names: tuple[str, str]) -> Estimate:
    """A difference whose standard error counts raters as well as prompts.

    Args:
        plain: the difference, with an interval over prompts.
        strictness: a row a group, the variance (var) of its raters' mean deviations and their number (size).
        names: the two groups.
    """
    raters = strictness["size"].to_numpy()
    known = bool((raters > 1).all())
    parts, freedoms = [plain.details["se"] ** 2], [plain.details["df"]]
    if known:
        parts += list(strictness["var"] / raters)
        freedoms += list(raters - 1)
    se, df = _combined(np.array(parts), np.array(freedoms))
    over = "prompts and raters" if known else "prompts only (one rater in a group)"
    method = f"{names[0]} minus {names[1]}, t interval over {over}, Satterthwaite degrees of freedom"
    found = _tested(plain.estimate, se, df, plain.n, method, plain.level, test=True)
    counts = {f"raters_{name}": int(count) for name, count in zip(names, raters, strict=True)}
    found.details.update(clusters=plain.details["clusters"], rater_error=known, **counts)
    return found


def _agreement(difference: np.ndarray, mean: np.ndarray, multiple: float) -> np.ndarray:
    """Bias, both limits, and the slope of the difference on the mean (NaN where the mean does not vary)."""
    bias, sd = difference.mean(), difference.std(ddof=1)
    centred = mean - mean.mean()
    slope = centred @ difference / (centred @ centred) if np.ptp(mean) > 0 else np.nan
    return np.array([bias, bias - multiple * sd, bias + multiple * sd, slope])


def _tuned(data: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> float:
    """The weight that minimises the variance, cut to [0, 1]; sums over strata of (unrated, judge, human)."""
    shared = sum(np.cov(human, judge)[0, 1] / human.size for _, judge, human in data)
    own = sum(
        np.concatenate([unrated, judge]).var(ddof=1) * (1 / judge.size + 1 / unrated.size)
        for unrated, judge, _ in data
    )
    return float(np.clip(shared / own, 0, 1)) if own > 0 else 0.0


def _combined(parts: np.ndarray, freedoms: np.ndarray) -> tuple[float, float]:
    """Standard error of a sum of independent parts, from their variances; Satterthwaite's df."""
    total = parts.sum()
    if not total > 0:
        return float(np.sqrt(total)), float(freedoms.sum())
    return float(np.sqrt(total)), float(total**2 / np.sum(parts**2 / freedoms))


def _tested(
    value: float, se: float, df: float, n: int, method: str, level: float, *, test: bool = False
) -> Estimate:
    """An estimate with a t interval; without one, saying so, where the standard error is zero or unknown."""
    low = high = p = np.nan
    if np.isnan(se):
        method += "; no interval: too little to tell the variation"
    elif se <= ROUNDING * abs(value):
        method += "; no interval: nothing varies"
        se = 0.0
    else:
        low, high = t_interval(value, se, df, level)
        p = float(2 * stats.t.sf(abs(value) / se, df)) if test else np.nan
    return Estimate(
        estimate=float(value),
        low=low,
        high=high,
        p=p,
        n=n,
        method=method,
        level=level,
        details={"se": float(se), "df": float(df)},
    )
