"""What changed between two runs: the same clips and another judge, or the same prompts and another model."""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.reports.elements import counted
from helpers.reports.judged import Judged
from helpers.reports.pairs import paired_cases
from helpers.reports.panels import Panel, of_variant
from helpers.reports.profiles import main_variant
from helpers.scores.cells import score_cells
from helpers.scores.outcomes import SCORED
from helpers.scores.score import Score
from helpers.stats.country_gaps import GapChange, gap_change
from helpers.stats.matched import CountryDifferences, difference_by_country
from helpers.stats.spread_change import FEWEST_PROMPTS, SpreadChange, spread_change

# A gap is to the mean over countries, and one country is its own mean.
SHARED_COUNTRIES = 2


@dataclass(frozen=True)
class JudgeChange:
    """Two judges of the same clips.

    Attributes:
        differences: one row a score and then the headline: score, estimate (second minus first), low, high,
            n (pairs), asked, clusters, status, alike (share of pairs with the very same score).
        countries: differences of clips' headline means by country; None where no clip was scored twice.
        clips: one row a clip scored by both: video_id, prompt_id, country, model, first, second and change
            (second minus first), 0 to 1.
        outcomes: how many things ended how with the first (rows: outcome) and with the second judge.
    """

    differences: pd.DataFrame
    countries: CountryDifferences | None
    clips: pd.DataFrame
    outcomes: pd.DataFrame


@dataclass(frozen=True)
class ModelChange:
    """Two models' scores for the same prompts, by country.

    Attributes:
        before: the earlier model, as a reader reads it.
        after: the later one.
        judge: whose scores.
        prompts: how many both have a scored clip of.
        gaps: each country's gap to the mean over countries, and its change.
        spread: how far countries lie apart, and its change; or why nothing can be said of it.
    """

    before: str
    after: str
    judge: str
    prompts: int
    gaps: GapChange
    spread: SpreadChange | str


class Run(NamedTuple):
    """One judge's (or people's) look at a study's clips.

    Attributes:
        judged: a benchmark's judgements.
        panel: whose.
    """

    judged: Judged
    panel: Panel

    @property
    def cases(self) -> pd.DataFrame:
        """As `Judged.cases`."""
        return self.judged.cases(self.panel)


def judge_change(first: Run, second: Run) -> JudgeChange:
    """What another judge, or another revision of one, changes on the same clips.

    Args:
        first: the run to compare with; of another study, its clips count where they have the same video_id.
        second: the run that is compared, of the same benchmark.

    Returns:
        Differences on what both scored, t intervals over the benchmark's clusters.
    """
    framework = second.judged.framework
    pairs = paired_cases(second.cases, first.cases, framework)
    headline = framework.score(framework.headline)
    parts = [name for name in dict.fromkeys(pairs["part"].astype(str)) if name in headline.parts]
    wanted = [framework.score(name) for name in framework.columns]
    bounds = (-framework.top, framework.top)
    signed = [replace(score, bounds=bounds, signed=True) for score in wanted if not score.against]
    table = score_cells(pairs, [], signed, cluster=framework.cluster).table
    columns = ["score", "estimate", "low", "high", "n", "asked", "clusters", "status"]
    table = table[columns].assign(alike=[_alike(pairs, score) for score in signed])
    clips = _clip_changes(pairs[pairs["part"].isin(parts)], framework.top)
    countries = None
    if len(clips):
        countries = difference_by_country(
            clips["second"], clips["first"], country=clips["country"], prompt=clips["prompt_id"],
            names=("second", "first"),
        )  # fmt: skip
    return JudgeChange(table, countries, clips, _outcomes(first, second))


def changed_most(clips: pd.DataFrame, most: int, seed: int = 0) -> list[str]:
    """The clips whose scores changed most, in either direction, equals in a random order.

    Args:
        clips: as `JudgeChange.clips`.
        most: how many at most; unchanged ones are none of them.
        seed: of the order.
    """
    changed = clips[clips["change"].ne(0)].sample(frac=1, random_state=seed)
    order = changed["change"].abs().sort_values(ascending=False, kind="stable").index
    return list(changed.loc[order[:most], "video_id"])


def chosen_models(first: Run, second: Run, before: str = "", after: str = "") -> tuple[str, str]:
    """The two models to compare, where not both are named.

    Of all pairs with scored clips of the same prompts in at least two countries the one that shares enough
    prompts for a spread in most countries, then any prompts in most, then the first by name; in two studies,
    one of two names where there is any.

    Args:
        first: who judged the earlier model's clips.
        second: who judged the later one's.
        before: the earlier model; any where empty.
        after: the later one; any where empty.

    Raises:
        ValueError: there is no such pair.
    """
    old, new = _prompts_of(first), _prompts_of(second)
    pairs = []
    for pair in product(old, new):
        if first.judged is second.judged and pair[0] == pair[1]:
            continue
        shared = Counter(country for country, _ in old[pair[0]] & new[pair[1]])
        enough = sum(count >= FEWEST_PROMPTS for count in shared.values())
        if len(shared) >= SHARED_COUNTRIES and before in ("", pair[0]) and after in ("", pair[1]):
            pairs.append((pair[0] == pair[1], -enough, -len(shared), pair))
    if not pairs:
        known = [f"{name} ({counted(len({at for at, _ in old[name]}), 'countries')})" for name in sorted(old)]
        raise ValueError(
            f"found no two models with scored clips of the same prompts in {SHARED_COUNTRIES} countries, "
            f"expected some; there are {', '.join(known) or 'none'}"
        )
    return min(pairs)[-1]


def model_change(first: Run, second: Run, before: str, after: str) -> ModelChange:
    """Whether countries' gaps to the mean over countries changed from one model to another.

    Args:
        first: who judged the earlier model's clips.
        second: who judged the later one's; another judge would mix the judges' change with the models'.
        before: the earlier model.
        after: the later one; of the same name only in another study.

    Returns:
        By country and for all together, on prompts that both models have a scored clip of.

    Raises:
        ValueError: as `helpers.stats.country_gaps.gap_change`; no prompt that both have; a model with itself.
    """
    if before == after and first.judged is second.judged:
        raise ValueError(f"found '{before}' as both models, expected two")
    sides = [
        means[means["model"].eq(model)].drop(columns="model")
        for means, model in ((prompt_means(first), before), (prompt_means(second), after))
    ]
    wide = sides[0].merge(sides[1], on=["prompt_id", "country"], suffixes=("_before", "_after"))
    if wide.empty:
        raise ValueError(
            f"found no prompt with a scored clip of both '{before}' and '{after}', expected some"
        )
    values = (wide["mean_before"], wide["mean_after"])
    gaps = gap_change(*values, country=wide["country"], prompt=wide["prompt_id"])
    try:
        spread = spread_change(*values, country=wide["country"])
    except ValueError as error:
        spread = str(error)
    names = [run.judged.label(model) for run, model in ((first, before), (second, after))]
    if names[0] == names[1]:
        names = [f"{names[0]}, study {run.judged.page.name}" for run in (first, second)]
    judge = " and ".join(dict.fromkeys(run.panel.title for run in (first, second)))
    return ModelChange(*names, judge, len(wide), gaps, spread)


def prompt_means(run: Run) -> pd.DataFrame:
    """Each model's mean headline score for each prompt, in the variant that report cards look at.

    Returns:
        prompt_id, country, model and mean (0 to 1): means of the parts' means.
    """
    framework = run.judged.framework
    cases = of_variant(run.cases, main_variant(run.cases))
    headline = framework.score(framework.headline)
    scored = cases[cases["outcome"].eq(SCORED) & cases["part"].isin(headline.parts)]
    keys = ["prompt_id", "country", "model"]
    parts = scored.astype({"part": str}).groupby([*keys, "part"], observed=True)["value"].mean()
    return parts.groupby(level=keys, observed=True).mean().div(framework.top).rename("mean").reset_index()


def _prompts_of(run: Run) -> dict[str, set[tuple[str, str]]]:
    """By model, the countries and prompts that it has scored clips of."""
    means = prompt_means(run).astype({"model": str})
    return {
        name: set(zip(part["country"].astype(str), part["prompt_id"].astype(str), strict=True))
        for name, part in means.groupby("model")
    }


def _clip_changes(pairs: pd.DataFrame, top: float) -> pd.DataFrame:
    """Each clip's mean over its parts' means, by both; `paired_cases` had the second judge come first."""
    both = pairs[pairs["value"].notna()]
    keys = ["video_id", "prompt_id", "country", "model"]
    both = both.astype(dict.fromkeys([*keys, "part"], str))
    parts = both.groupby([*keys, "part"])[["second", "first"]].mean()
    means = parts.groupby(level=keys).mean().div(top).reset_index()
    means = means.rename(columns={"second": "first", "first": "second"})
    return means.assign(change=means["second"] - means["first"])


def _alike(pairs: pd.DataFrame, score: Score) -> float:
    values = pairs.loc[pairs["part"].isin(score.parts), "value"].dropna()
    return float(np.isclose(values, 0).mean()) if len(values) else np.nan


def _outcomes(first: Run, second: Run) -> pd.DataFrame:
    counts = {
        name: run.cases["outcome"].value_counts().rename(index=str)
        for name, run in (("first", first), ("second", second))
    }
    table = pd.DataFrame(counts).fillna(0).astype(int)
    return table[table.sum(axis=1).gt(0)].rename_axis("outcome").reset_index()
