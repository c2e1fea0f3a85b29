"""GAP's results (its sections 5.1 to 5.4) from a study's tables: what is computed, before it is drawn."""

from itertools import combinations

import numpy as np
import pandas as pd

from helpers import landmark_scores
from helpers.geography import AXES, CONTINENTS
from helpers.results.page import LackingError, Page, scored
from helpers.scores.landmarks import alignment_scores, compared_clips
from helpers.stats import association
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.differences import wilcoxon_paired
from helpers.stats.effect_sizes import cohens_d
from helpers.stats.equivalence import bootstrap_equivalence

# GAP's measures and what can stand for each, the paper's own first.
MEASURES = {
    "structure": ("patch_clip", "patch_whole", "patch_hog"),
    "keypoints": ("keypoint_match", "keypoint_alignment", "keypoint_alignment_xfeat"),
    "quality": ("aigve_macs", "aigve_macs_overall", "videoscore_mean", "videoscore_1_1_mean"),
    "text": ("viclip", "clip_text"),
}
DETAILED, SHORT = "detailed", "short"
# What is independent: the landmark for a claim about these countries, the country for one about further ones.
UNITS = {"landmarks": "landmark_id", "countries": "country"}
FEWEST = 4
# Percentile bootstraps of fewer units than this in a group are much too narrow for a verdict.
FEW = 10
NO_VIEWS = (
    "The landmarks of this study have no page views (column pageviews of its table 'landmarks'). To fill "
    "them: notebook 13 with `contact` set, which asks Wikimedia for them."
)


def first_model(page: Page, name: str = "") -> str:
    """A model by name, or the one with most clips of landmarks.

    Raises:
        LackingError: no clips, or none of that name.
    """
    page.need("prompts", "landmarks", "videos")
    counts = page.tables["videos"]["model"].value_counts()
    if name and name not in counts:
        raise LackingError(
            f"The study {page.name} has no landmark clips of '{name}'; there are some of "
            f"{', '.join(counts.index)}."
        )
    return name or counts.sort_index().sort_values(ascending=False, kind="stable").index[0]


def clips(page: Page, model: str) -> pd.DataFrame:
    """Every clip of a model with its place, page views and scores (`helpers.landmark_scores.clip_scores`).

    Returns:
        Also lat, lon, name and category of the landmark.

    Raises:
        LackingError: a table without rows.
    """
    page.need("prompts", "landmarks", "videos")
    found = landmark_scores.clip_scores(page.tables, model)
    about = page.tables["landmarks"][["landmark_id", "name", "category", "lat", "lon"]]
    return found.merge(about, on="landmark_id", how="left")


def measures(rows: pd.DataFrame) -> list[str]:
    """The columns of scores that have any value: people, judge, then a metric for each of GAP's measures."""
    metrics = [next((name for name in names if _any(rows, name)), None) for names in MEASURES.values()]
    return [name for name in ("people", "judge", *metrics) if name and _any(rows, name)]


def first_choice(rows: pd.DataFrame) -> str:
    """Whose scores are mapped and compared: people's, or else the judge's, or else a measure of structure.

    Raises:
        LackingError: no clip has any score.
    """
    for name in measures(rows):
        if name in ("people", "judge") or name in (*MEASURES["structure"], *MEASURES["keypoints"]):
            return name
    raise LackingError(
        "No landmark clip has a score by people, a judge or a metric. To fill the table 'ratings': `python "
        "-m helpers.judging "
        "STUDY.yaml`; the table 'metric_values': `python -m helpers.metrics STUDY.yaml`."
    )


def of_variant(rows: pd.DataFrame) -> pd.DataFrame:
    """The clips of detailed prompts, as GAP analyses them; of short ones where there are no others."""
    detailed = rows[rows["variant"].eq(DETAILED)]
    return detailed if len(detailed) else rows


def correlation_matrix(rows: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rho of every two measures (Figure 3), each on the clips that have both.

    Returns:
        One row a pair: first, second, rho, low, high, p, n.

    Raises:
        LackingError: fewer than two measures with at least four clips in common.
    """
    names, found = measures(rows), []
    for first, second in combinations(names, 2):
        both = rows[[first, second]].dropna().astype(float)
        if len(both) >= FEWEST and (both.max() > both.min()).all():
            each = association.spearman(both[first], both[second])
            ends = {"rho": each.estimate, "low": each.low, "high": each.high, "p": each.p, "n": each.n}
            found.append({"first": first, "second": second} | ends)
    if not found:
        raise LackingError(
            f"A correlation takes two kinds of scores of at least {FEWEST} same clips; there is "
            f"{', '.join(names) or 'none'}."
        )
    return pd.DataFrame(found)


def popularity(rows: pd.DataFrame) -> pd.DataFrame:
    """Each measure against page views (Table 1): rank correlation, slope per view, slope per tenfold views.

    Returns:
        One row a measure: measure, rho, low, high, p, slope (per page view, as printed), tenfold,
        tenfold_low, tenfold_high (per tenfold page views), n.

    Raises:
        LackingError: no page views, or fewer than four clips with page views and a score that differ.
    """
    found = []
    for name in measures(rows):
        both = rows[[name, "pageviews", "log_views"]].dropna().astype(float)
        if len(both) < FEWEST or both["pageviews"].nunique() < 2 or both[name].nunique() < 2:
            continue
        rank = association.spearman(both["pageviews"], both[name])
        tenfold = association.linear_slope(both["log_views"], both[name])
        slope = association.linear_slope(both["pageviews"], both[name]).estimate
        row = {
            "measure": name,
            "rho": rank.estimate,
            "low": rank.low,
            "high": rank.high,
            "p": rank.p,
            "slope": slope,
        }
        row |= {"tenfold": tenfold.estimate, "tenfold_low": tenfold.low, "tenfold_high": tenfold.high}
        found.append(row | {"n": len(both)})
    if rows["pageviews"].isna().all():
        raise LackingError(NO_VIEWS)
    if not found:
        raise LackingError(f"No score differs among at least {FEWEST} clips whose page views differ.")
    return pd.DataFrame(found)


def regions(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Means and standard deviations by continent and axis (Table 2), with intervals by either unit.

    Args:
        rows: as `clips`.
        measure: the column of scores.

    Returns:
        One row a region and unit: grouping, region, unit (landmarks or countries), mean, sd (of clips), low,
        high, n (clips), countries. No interval where a region has one unit only.

    Raises:
        LackingError: no score.
    """
    found = []
    for grouping, names in (("continent", CONTINENTS), *AXES.items()):
        for region in names:
            part = rows[rows[grouping].eq(region)].dropna(subset=measure)
            if part.empty:
                continue
            about = {
                "grouping": grouping,
                "region": region,
                "n": len(part),
                "countries": part["country"].nunique(),
            }
            for unit, column in UNITS.items():
                values = part[measure].astype(float)
                mean = cluster_bootstrap(values, part[column], method="t", unit=unit, bounds=bounds(measure))
                ends = {"estimate": mean.estimate, "low": mean.low, "high": mean.high}
                found.append(about | {"unit": unit, "sd": part[measure].std(ddof=1)} | ends)
    if not found:
        raise LackingError(f"No clip with a score by {measure} lies in a known region.")
    return pd.DataFrame(found)


def bounds(measure: str) -> tuple[float, float]:
    """The lowest and the highest value that a measure's mean can take."""
    return (0.0, 5.0) if measure in ("people", "judge") else (-np.inf, np.inf)


def equivalence(
    rows: pd.DataFrame, measure: str, margin: float, *, resamples: int, seed: int
) -> pd.DataFrame:
    """GAP's rule (Table 3) for continents with at least two clips, and for both axes; and over countries.

    Args:
        rows: as `clips`.
        measure: the column of scores.
        margin: the largest difference that does not matter, in the score's unit.
        resamples: bootstrap resamples.
        seed: of these.

    Returns:
        One row a pair: pair, landmarks (of each), n, difference, low, high (95 % percentile bootstrap over
        landmarks), verdict, smallest_margin, then country_low, country_high and country_verdict with
        countries resampled. A verdict is withheld where a region has fewer than `FEW` units.

    Raises:
        LackingError: no two regions with two landmarks each.
    """
    known = rows.dropna(subset=measure)
    pairs = [("continent", *pair) for pair in combinations(CONTINENTS, 2)]
    pairs += [(axis, *names) for axis, names in AXES.items()]
    found = []
    for grouping, first, second in pairs:
        parts = [known[known[grouping].eq(name)] for name in (first, second)]
        if min(part["landmark_id"].nunique() for part in parts) < 2:
            continue
        values = [part[measure].astype(float).to_numpy() for part in parts]
        by = {}
        for unit, column in UNITS.items():
            labels = tuple(part[column].to_numpy() for part in parts)
            by[unit] = bootstrap_equivalence(*values, margin, clusters=labels, resamples=resamples, seed=seed)
        own, wide = by["landmarks"], by["countries"]
        few = {unit: min(part[column].nunique() for part in parts) < FEW for unit, column in UNITS.items()}
        found.append(
            {
                "pair": f"{first} − {second}",
                "landmarks": " and ".join(str(part["landmark_id"].nunique()) for part in parts),
                "n": own.n,
                "difference": own.estimate,
                "low": own.low,
                "high": own.high,
                "smallest_margin": own.details["smallest_margin"],
                "verdict": "too few landmarks" if few["landmarks"] else own.details["verdict"],
                "country_low": wide.low,
                "country_high": wide.high,
                "country_verdict": "too few countries" if few["countries"] else wide.details["verdict"],
            }
        )
    if not found:
        raise LackingError(
            "Comparing regions takes two landmarks with scores in each of two regions; this study has fewer."
        )
    return pd.DataFrame(found)


def specificity(rows: pd.DataFrame) -> pd.DataFrame:
    """Detailed against short prompts of the same landmarks (Table 4).

    Returns:
        One row a measure: measure, short, detailed (means), shift (median of the paired differences, Hodges
        and Lehmann), low, high, p (Wilcoxon's signed-rank test), d (Cohen's d_z), n (landmarks).

    Raises:
        LackingError: no four landmarks with clips of both prompts and a score.
    """
    found = []
    for name in measures(rows):
        wide = rows.pivot_table(index="landmark_id", columns="variant", values=name, aggfunc="mean")
        if not {SHORT, DETAILED} <= set(wide):
            continue
        both = wide[[SHORT, DETAILED]].dropna().astype(float)
        if len(both) < FEWEST or both[DETAILED].eq(both[SHORT]).all():
            continue
        test = wilcoxon_paired(both[DETAILED], both[SHORT])
        size = cohens_d(both[DETAILED], both[SHORT])
        row = {"measure": name, "short": both[SHORT].mean(), "detailed": both[DETAILED].mean()}
        row |= {"shift": test.estimate, "low": test.low, "high": test.high, "p": test.p, "d": size.estimate}
        found.append(row | {"n": len(both)})
    if not found:
        raise LackingError(
            f"No {FEWEST} landmarks have scored clips of a short and of a detailed prompt by this model."
        )
    return pd.DataFrame(found)


def first_rater(page: Page) -> str:
    """People, or else the first judge.

    Raises:
        LackingError: nobody rated.
    """
    people = page.get(page.people)
    return page.judge() if isinstance(people, LackingError) else people


def model_means(page: Page, who: str) -> pd.DataFrame:
    """Alignment by model and variant, with logit intervals over landmarks.

    Args:
        page: of landmarks.
        who: a judge's name or "human".

    Raises:
        LackingError: no score.
    """
    page.need("ratings")
    return scored(alignment_scores(compared_clips(page.tables, who), ["model", "variant"]))


def _any(rows: pd.DataFrame, name: str) -> bool:
    return name in rows and bool(rows[name].notna().any())
