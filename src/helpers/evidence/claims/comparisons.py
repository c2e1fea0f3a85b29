"""Checks of VideoScore, of prompts without the country's name, and of the reference texts' similarity."""

import numpy as np
import pandas as pd

from helpers.evidence.claims.paper import Check, Paper
from helpers.evidence.claims.tables import LTX, WAN
from helpers.evidence.questions import RUN, VEO
from helpers.evidence.videoscore import correlations, over_models, score_pairs
from helpers.stats.association import spearman


def checks(paper: Paper) -> list[Check]:
    """The checks of this module."""
    parts = (_inverse, _regions, _video_averages, _without_name, _filter, _countries_without_name, _texts)
    return [check for part in parts for check in part(paper)]


def _inverse(paper: Paper) -> list[Check]:
    pairs = score_pairs(paper.cells, paper.videoscore)
    base = pairs[pairs["variant"] == "base"].groupby("model")[["videoscore", "culturescore"]].mean()
    names = ("ltx", "wan", "veo")
    video = [paper.claim(f"cs-human-videoscore-{name}") for name in names]
    text = spearman(video, [paper.claim(f"cs-average-{name}") for name in names])
    rho = spearman(base["videoscore"], base["culturescore"])
    cells = correlations(pairs, resamples=1).query("over == 'cells'")["estimate"]
    return [
        Check(
            "Introduction, 4.1",
            "VideoScore and CultureScore are inversely related, statistically validated",
            f"over n = {rho.n} models ρ = {rho.estimate:.1f} with base prompts (exact p = {rho.p:.2f}) and "
            f"{text.estimate:.1f} as the text pairs them (p = {text.p:.2f}); over n = 49 cells within a run "
            f"{cells.min():.2f} to {cells.max():+.2f}",
            bool(text.p < 0.05 and (cells < 0).all()),
        )
    ]


def _regions(paper: Paper) -> list[Check]:
    found = over_models(paper.cells, paper.videoscore)
    top, bottom = found["highest_videoscore"].eq(LTX), found["lowest_videoscore"].eq(WAN)
    full, half, positive = (
        (found["rho"] == -1).sum(),
        (found["rho"] == -0.5).sum(),
        (found["rho"] > 0).sum(),
    )
    return [
        Check(
            "4.1",
            "the inverse relationship holds in 8 of 10 countries",
            f"over n = 3 models ρ is -1 in {full} countries, -0.5 in {half} and positive in {positive}",
            bool(full == 8),
        ),
        Check(
            "Figure 5",
            "LTX-2 has the highest VideoScore in all regions",
            f"in {top.sum()} of {len(top)} countries",
            bool(top.all()),
        ),
        Check(
            "Figure 5",
            "Wan 2.2, the most accurate model, has the lowest VideoScore",
            f"in {bottom.sum()} of {len(bottom)} countries (base prompts against Veo's extended ones)",
            bool(bottom.all()),
        ),
    ]


def _video_averages(paper: Paper) -> list[Check]:
    means = paper.videoscore.groupby(RUN)["score"].mean()
    extended = paper.videoscore.query("model == @LTX and variant == 'extended'")
    cells = extended.groupby(["country", "category"])["score"].mean()
    weights = paper.counts.groupby(["country", "category"])["n"].sum().astype(float)
    weighted = np.average(cells, weights=weights.loc[cells.index])
    first, second = paper.claim("cs-videoscore-average-ltx"), paper.claim("cs-human-videoscore-ltx")
    wan = paper.claim("cs-videoscore-average-wan")
    return [
        Check(
            "4.1 and 4.2",
            f"LTX-2's average VideoScore is {first}, and {second}",
            ", ".join(f"{value:.2f} ({variant})" for variant, value in means[LTX].items())
            + f" in Tables 2 to 4; extended weighted by questions {weighted:.2f}, all three together "
            f"{means[LTX].mean():.2f}; {first} is none of these",
            first == second,
        ),
        Check(
            "4.1",
            f"Wan 2.2's average VideoScore is {wan}, beside a CultureScore of extended prompts",
            f"its one table, of base prompts, gives {means[WAN, 'base']:.2f}",
            round(means[WAN, "base"], 2) == wan,
        ),
    ]


def _without_name(paper: Paper) -> list[Check]:
    text = paper.text.dropna(subset="no_country")
    base = paper.by_dimension["base"].loc[text.index]
    changes = pd.DataFrame(
        {"extended": text["no_country"] - text["extended"], "base": text["no_country"] - base}
    )
    printed = paper.quantity("drop from extended to no_country").set_index(["model", "dimension"])["value"]
    same = (printed + changes["extended"]).abs() < 0.05
    mean, context = changes.groupby("model").mean(), changes.xs("context", level="dimension")
    return [
        Check(
            "4.1",
            f"{len(same)} drops from extended prompts to those without the name",
            f"{same.sum()} of {len(same)} recomputed",
            bool(same.all()),
        ),
        Check(
            "4.1",
            "the drops come from removing the country's name",
            "from extended prompts the description goes as well: "
            f"{mean.loc[LTX, 'extended']:.1f} (LTX-2), {mean.loc[VEO, 'extended']:.1f} (Veo) on average; "
            f"from base prompts {mean.loc[LTX, 'base']:.1f} and {mean.loc[VEO, 'base']:.1f}",
            False,
        ),
        Check(
            "Figure 7",
            "Veo is reduced most, in context",
            f"from extended prompts LTX-2 {context.loc[LTX, 'extended']:.1f}, Veo "
            f"{context.loc[VEO, 'extended']:.1f}; from base prompts {context.loc[LTX, 'base']:.1f} and "
            f"{context.loc[VEO, 'base']:.1f}",
            context["extended"].idxmin() == VEO,
        ),
    ]


def _filter(paper: Paper) -> list[Check]:
    return [
        Check(
            "4.1 and C.7",
            f"{paper.claim('cs-unique-prompts-share')} % of prompts are kept: those whose base version the "
            "model processed correctly",
            "C.7 describes another filter: scenes that are unique to the country",
            False,
        )
    ]


def _countries_without_name(paper: Paper) -> list[Check]:
    change = paper.quantity("change without the country's name").set_index("country")["value"]
    text = paper.text.loc[LTX]
    average = (text["no_country"] - text["extended"]).mean()
    base = paper.countries.query("model == @LTX and level == 'country' and dimension == 'overall'")
    base = base.set_index("country")["base"].sort_values()
    return [
        Check(
            "4.1",
            f"LTX-2's largest drop by country is {change.min()} ({change.idxmin()})",
            f"its average drop from extended prompts is {average:.1f}, larger than that: countries are "
            "measured from another variant than the sentences before",
            bool(change.min() <= average),
        ),
        Check(
            "4.1",
            "Canada and Chile hardly drop, perhaps being near to Western defaults",
            "LTX-2's lowest base scores in Table 9 are "
            + ", ".join(f"{country} {value}" for country, value in base[:3].items())
            + ": there is little to lose",
            False,
        ),
    ]


def _texts(paper: Paper) -> list[Check]:
    mean = paper.quantity("mean cosine similarity").query("country.isna()")
    mean = mean.set_index("category")["value"]
    return [
        Check(
            "A.2",
            "religion is the most divisive category of the reference texts",
            f"mean similarity: religion {mean['religion']}, etiquette {mean['etiquette']}, which is lower",
            mean.idxmin() == "religion",
        )
    ]
