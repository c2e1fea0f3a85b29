"""Checks of the human study (Section 4.2, Appendix B): which counts can stand behind its numbers."""

import math
from collections.abc import Sequence

import pandas as pd

from helpers.evidence.claims.paper import Check, Paper
from helpers.evidence.claims.tables import WAN
from helpers.evidence.questions import VEO
from helpers.published import DIMENSIONS, MODELS
from helpers.stats.association import spearman
from helpers.stats.proportions import consistent_counts

NAMES = ("ltx", "wan", "veo")
"""The models of `MODELS["culturescore"]` as the claims abbreviate them."""


def fits_rankings(means: Sequence[float], n: int, decimals: int = 2) -> bool:
    """Whether n complete rankings without ties can have these printed mean ranks.

    Each ranking hands out the ranks 1, 2, … once, so the ranks of all items add up to n (1 + 2 + …).

    Args:
        means: the items' mean ranks as printed.
        n: the number of rankings.
        decimals: printed decimals.
    """
    half = (0.5 + 1e-9) * 10.0**-decimals
    least = sum(math.ceil((mean - half) * n) for mean in means)
    most = sum(math.floor((mean + half) * n) for mean in means)
    return least <= n * len(means) * (len(means) + 1) // 2 <= most


def agreement_with_ranks(paper: Paper) -> pd.DataFrame:
    """Each automatic score beside the mean human rank, over the three models.

    Returns:
        One row a score (VideoScore of Section 4.2, CultureScore and its dimensions with extended prompts of
        Section 4.1): score, one column a model, rho with preference (a low mean rank is a high preference)
        and p over all six orders.
    """
    models = MODELS["culturescore"]
    ranks = pd.Series([paper.claim(f"cs-rank-{name}") for name in NAMES])
    scores = {
        "VideoScore": [paper.claim(f"cs-human-videoscore-{name}") for name in NAMES],
        "CultureScore": [paper.claim(f"cs-average-{name}") for name in NAMES],
    }
    for dimension in DIMENSIONS:
        scores[dimension] = [paper.text.loc[(model, dimension), "extended"] for model in models]
    rows = []
    for name, values in scores.items():
        rho = spearman(values, -ranks)
        by_model = dict(zip(models, values, strict=True))
        rows.append({"score": name} | by_model | {"rho": rho.estimate, "p": rho.p})
    return pd.DataFrame(rows)


def denominators(paper: Paper, tried: Sequence[int]) -> pd.DataFrame:
    """Which numbers of judgments can give the countries' printed shares of relevant questions.

    Args:
        paper: the published tables.
        tried: numbers of judgments.

    Returns:
        country, dimension, value (per cent) and, for each number tried, whether it fits.
    """
    printed = paper.quantity("question relevance").dropna(subset="country")
    rows = printed[["country", "dimension", "value"]].reset_index(drop=True)
    fits = {n: [bool(consistent_counts(value, n)) for value in rows["value"]] for n in tried}
    return rows.assign(**{str(n): column for n, column in fits.items()})


def checks(paper: Paper) -> list[Check]:
    """The checks of this module."""
    parts = (_preference, _accuracy, _rankings, _shares)
    return [check for part in parts for check in part(paper)]


def _preference(paper: Paper) -> list[Check]:
    found = agreement_with_ranks(paper).set_index("score")
    rho, p = found["rho"], found["p"]
    ranks = {name: paper.claim(f"cs-rank-{name}") for name in NAMES}
    return [
        Check(
            "Abstract, 4.2",
            "human ranks align with CultureScore and are inverted to VideoScore",
            f"over n = 3 models ρ with preference is {rho['CultureScore']:.2f} and {rho['VideoScore']:.2f}, "
            f"exact p = {p['CultureScore']:.2f} and {p['VideoScore']:.2f}",
            bool(rho["CultureScore"] > rho["VideoScore"]),
        ),
        Check(
            "Figure 8",
            "Wan 2.2 ranks highest on human preference",
            f"Section 4.2: mean rank {ranks['veo']} ({VEO}), {ranks['wan']} ({WAN}); 1 is best",
            ranks["wan"] == min(ranks.values()),
        ),
        Check(
            "Conclusion",
            "identity is the strongest predictor of human preference",
            f"no test is printed; over n = 3 models ρ = {rho['identity']:+.1f} for identity, "
            f"{rho['behavior']:+.1f} for behavior (exact p = {p['behavior']:.2f})",
            rho.idxmax() == "identity",
        ),
    ]


def _accuracy(paper: Paper) -> list[Check]:
    printed = paper.quantity("answer accuracy")
    people = printed[printed["country"].isna()].set_index("dimension")["value"].sort_values()
    by_country = printed.dropna(subset="country").groupby("dimension")["value"].agg(["min", "max"])
    ranges = [f"{d} {low} to {high}" for d, (low, high) in by_country.iterrows()]
    judge = paper.last_rows.xs("extended", level="variant").mean()
    order = spearman(people, judge.loc[people.index])
    whole = {value: bool(consistent_counts(value, 81)) for value in people}
    return [
        Check(
            "4.2",
            "people's answers confirm behavior as the weakest dimension",
            ", ".join(f"{dimension} {value}" for dimension, value in people.items())
            + f"; the judge's averages have the reverse order (ρ = {order.estimate:.0f}, n = 3 dimensions)",
            people.idxmin() == "behavior",
        ),
        Check(
            "4.2",
            "answer accuracy varies most between countries for behavior",
            "printed extremes: " + ", ".join(ranges),
            (by_country["max"] - by_country["min"]).idxmax() == "behavior",
        ),
        Check(
            "4.2",
            f"average answer accuracies {', '.join(map(str, people))} over nine countries",
            "every printed country value is a number of ninths, so that averages should be shares of 81: "
            + ", ".join(f"{value} {'is' if fits else 'is not'}" for value, fits in whole.items()),
            all(whole.values()),
        ),
    ]


def _rankings(paper: Paper) -> list[Check]:
    n, raters, triplets = (
        int(paper.claim(f"cs-{name}")) for name in ("rank-observations", "raters", "triplets")
    )
    means = [paper.claim(f"cs-rank-{name}") for name in NAMES]
    error = max(paper.claim(f"cs-rank-se-{name}") for name in NAMES)
    # Ranks 1 to 3 have a standard deviation of at most 1; half a last digit is taken off the printed error.
    most = int(1 / (error - 0.005) ** 2)
    every, prompts = raters * triplets, paper.claim("cs-human-prompts")
    return [
        Check(
            "4.2, B.3",
            f"{raters} raters see {triplets} triplets each, one prompt a triplet: {n} rankings",
            f"{raters} × {triplets} = {every}; {n} rankings and {prompts:.0f} prompts fit three prompts a "
            "country, each shown once for each dimension",
            every == n,
        ),
        Check(
            "4.2",
            f"mean ranks {', '.join(map(str, means))} of {n} rankings",
            f"{n} complete rankings {_can(fits_rankings(means, n))} have them, {every} "
            f"{_can(fits_rankings(means, every))}; but a standard error of {error} needs at most {most} "
            "independent ranks",
            fits_rankings(means, n),
        ),
    ]


def _shares(paper: Paper) -> list[Check]:
    fits = denominators(paper, [15, 18])
    not_15, not_18 = (", ".join(map(str, sorted(set(fits.loc[~fits[n], "value"])))) for n in ("15", "18"))
    share, prompts = paper.claim("cs-human-accuracy-wan"), int(paper.claim("cs-human-prompts"))
    possible = [n for n in range(1, 3 * prompts + 1) if consistent_counts(round(100 * share, 1), n)]
    return [
        Check(
            "4.2",
            "relevance by country: five raters, three questions a dimension",
            f"{not_15} % are shares of 18 but not of 15, {not_18} % is one of 15 but not of 18: the "
            "denominators differ",
            bool(fits["15"].all()),
        ),
        Check(
            "4.2",
            f"CultureScore {share} of Wan 2.2 over n = {prompts} prompts",
            f"no share of {prompts}; up to {3 * prompts} questions only of "
            f"{' or '.join(map(str, possible))}: questions are counted, and some were left out",
            prompts in possible,
        ),
    ]


def _can(fits: bool) -> str:
    return "can" if fits else "cannot"
