"""A simulated study of country gaps in which each threat to the comparison acts on countries of its own."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import pandas as pd

from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.published import CRITERIA
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.latent import stream
from helpers.simulate.raters import Rater, check_names, cohort
from helpers.simulate.study import Simulation, checked

FAITHFULNESS, SEMANTIC = (
    [name for name, group in CRITERIA.items() if group == wanted]
    for wanted in ("cultural_faithfulness", "semantic_adherence")
)
# Prompts an aspect: everywhere; and in an uneven country, by whether the aspect is harder than usual.
EVEN, UNEVEN = 2, {True: 3, False: 1}


def gap_study(
    *,
    seed: int,
    gap: Mapping[str, float] | None = None,
    uneven: Collection[str] = (),
    difficulty: Mapping[str, float] | None = None,
    leniency: Mapping[str, float] | None = None,
    cultural_leniency: Mapping[str, float] | None = None,
    judge_leniency: Mapping[str, float] | None = None,
    raters: int = 3,
    spread: float = 0.15,
    matched_sets: int = 14,
) -> Simulation:
    """Simulate people and one judge who score a CultureVidBench study with known country gaps.

    Each country's people rate all its clips, those of matched sets too; the judge rates the clips of all
    countries. Sizes are log-odds by country; above zero means higher scores.

    Args:
        seed: the same seed gives the same study; changing one dial leaves all other draws as they were.
        gap: acts on the cultural criteria of all clips: what models know less (or more) of a country. This is
            the truth to be found; what the other dials do only looks like it.
        uneven: countries with three prompts in each aspect that is harder than usual (`difficulty` below
            zero) and one in each other, instead of two everywhere.
        difficulty: acts on all criteria of ordinary prompts, by country or aspect; below zero they are hard.
        leniency: acts on all ratings by the country's people.
        cultural_leniency: acts on their ratings of cultural faithfulness alone.
        judge_leniency: acts on the judge's ratings of the country's clips.
        raters: people a country.
        spread: standard deviation of people's leniency, beyond that.
        matched_sets: sets of prompts that differ only in the country's name; the aspects take turns.

    Returns:
        Tables prompts, videos, raters, ratings. Truth: that of `culturevidbench_study`, and `gaps`: by
        country, its true mean cultural faithfulness minus the mean over countries, in the matched sets
        (`gap`), and the same of cultural faithfulness minus semantic adherence in ordinary prompts with equal
        weights of the aspects (`difference`), both as shares of the scale.

    Raises:
        ValueError: unknown names, or as `culturevidbench_study`.
    """
    difficulty, leniency, cultural = difficulty or {}, leniency or {}, cultural_leniency or {}
    for name, given in (
        ("uneven", dict.fromkeys(uneven)),
        ("leniency", leniency),
        ("cultural_leniency", cultural),
        ("judge_leniency", judge_leniency or {}),
    ):
        check_names(given, CULTUREVIDBENCH_COUNTRIES, name)
    person = Rater(rater_id="person", kind="human", native=True, reliability=0.8)
    group = cohort(CULTUREVIDBENCH_COUNTRIES, raters, person)
    own = spread * stream(seed, "leniency").standard_normal(len(group))
    people = [
        replace(
            each,
            leniency=float(shift) + leniency.get(each.country, 0.0),
            bias=dict.fromkeys(FAITHFULNESS, cultural.get(each.country, 0.0)),
        )
        for each, shift in zip(group, own, strict=True)
    ]
    judge = Rater(rater_id="simulated-judge", reliability=0.8, bias=judge_leniency or {})
    study = culturevidbench_study(
        seed=seed,
        judges=[judge, *people],
        prompts_per_aspect=max(UNEVEN.values()),
        matched_sets=matched_sets,
        effects=gap,
        difficulty=difficulty,
    )
    tables = _thinned(study.tables, uneven, difficulty)
    return Simulation(tables, study.truth | {"gaps": _gaps(study.truth["countries"])})


def _thinned(
    tables: dict[str, pd.DataFrame], uneven: Collection[str], difficulty: Mapping[str, float]
) -> dict[str, pd.DataFrame]:
    """The tables with the ordinary prompts that each country and aspect is to have."""
    prompts = tables["prompts"]
    number = prompts.groupby(["country", "aspect", prompts["matched_set"].isna()]).cumcount()
    wanted = prompts["aspect"].map(lambda aspect: UNEVEN[difficulty.get(aspect, 0.0) < 0])
    wanted = wanted.where(prompts["country"].isin(uneven), EVEN)
    prompts = prompts[prompts["matched_set"].notna() | number.lt(wanted)]
    videos = tables["videos"][tables["videos"]["prompt_id"].isin(prompts["prompt_id"])]
    ratings = tables["ratings"][tables["ratings"]["video_id"].isin(videos["video_id"])]
    kept = {"prompts": prompts, "videos": videos, "ratings": ratings, "raters": tables["raters"]}
    return checked({name: table.reset_index(drop=True) for name, table in kept.items()})


def _gaps(rates: pd.DataFrame) -> pd.DataFrame:
    """What `gap_study` says of `gaps`, from the true rates by country and criterion."""
    wide = rates.pivot_table(index=["matched", "country"], columns="criterion", values="rate", observed=True)
    cultural, semantic = wide[FAITHFULNESS].mean(axis=1), wide[SEMANTIC].mean(axis=1)
    found = pd.DataFrame({"gap": cultural.loc[True], "difference": (cultural - semantic).loc[False]})
    return (found - found.mean()).rename_axis("country").reset_index()
