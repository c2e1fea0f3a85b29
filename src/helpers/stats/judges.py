"""Do a judge's scores stand in for people's, country by country, and does it matter which people?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from helpers.stats.association import kendall, spearman
from helpers.stats.differences import without_noise
from helpers.stats.matched import (
    CountryDifferences,
    compared,
    complete_rows,
    difference_by_country,
    means_by_country,
)
from helpers.stats.results import Estimate
from helpers.stats.t_intervals import combined_error, t_estimate


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
    se, df = combined_error(np.array(parts), np.array(freedoms))
    over = "prompts and raters" if known else "prompts only (one rater in a group)"
    method = f"{names[0]} minus {names[1]}, t interval over {over}, Satterthwaite degrees of freedom"
    found = t_estimate(plain.estimate, se, df, plain.n, method, plain.level, test=True)
    counts = {f"raters_{name}": int(count) for name, count in zip(names, raters, strict=True)}
    found.details.update(clusters=plain.details["clusters"], rater_error=known, **counts)
    return found
