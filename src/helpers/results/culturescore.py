"""CultureScore's results (RQ1-RQ4) from a study's tables: what is computed, before it is drawn."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.published import DIMENSIONS, VARIANTS
from helpers.results.page import LackingError, Page, scored
from helpers.results.preference import mean_ranks, ranked_by_people
from helpers.scores import variants
from helpers.scores.culturescore import agreement_with_people, asked_questions, culturescore
from helpers.scores.metrics import measured_clips, metric_means
from helpers.scores.score import Scores
from helpers.stats.association import spearman

# What can stand where the paper has VideoScore, the paper's own measure first.
QUALITY = (
    "videoscore_mean",
    "videoscore_1_1_mean",
    "videoscore2_visual_quality_expected",
    "videoscore2_visual_quality",
    "aigve_macs_overall",
    "aigve_macs",
    # Only an amount, of which VideoScore grades whether there is enough; figures name the metric.
    "motion",
)
TEXT_VIDEO = ("viclip", "clip_text")


def answered(page: Page, who: str) -> pd.DataFrame:
    """Every question about every clip with the answer by a judge or by people, and what became of it.

    Args:
        page: of culturescore.
        who: a judge's name or "human".

    Returns:
        As `helpers.scores.culturescore.asked_questions`.

    Raises:
        LackingError: a table without rows.
    """
    page.need("prompts", "questions", "videos", "answers")
    # A study that verified no question (the starter's have no second opinion) counts all of them.
    verified = bool(page.tables["questions"]["verified"].notna().any())
    cases = asked_questions(page.tables, who, verified_only=verified)
    if cases.empty:
        raise LackingError(f"No question of the study {page.name} is about the scenario of one of its clips.")
    return cases


def variant_of(cases: pd.DataFrame, wanted: str) -> str:
    """The prompt variant that a page is about: the one wanted, or the only one that has clips.

    Raises:
        LackingError: several variants have clips, and the one wanted has none.
    """
    there = sorted(cases["variant"].astype(str).unique())
    if wanted in there or len(there) == 1:
        return wanted if wanted in there else there[0]
    raise LackingError(
        f"No clip was made from a prompt of the variant '{wanted}'; the parameter `variant` can be "
        f"{' or '.join(there)}."
    )


def of_variant(cases: pd.DataFrame, variant: str) -> pd.DataFrame:
    """The cases of one prompt variant.

    Raises:
        LackingError: no clip of it.
    """
    part = cases[cases["variant"].eq(variant)]
    if part.empty:
        raise LackingError(
            f"No clip was made from a prompt of the variant '{variant}'; there are clips of "
            f"{', '.join(sorted(cases['variant'].astype(str).unique()))}."
        )
    return part


def by_dimension(cases: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """The three dimensions and their mean ("macro"), by model and further columns, in percent."""
    return percent(scored(culturescore(cases, by), *DIMENSIONS, "macro"))


def by_country(cases: pd.DataFrame) -> pd.DataFrame:
    """The mean of the three dimensions by model and country, in percent."""
    return percent(scored(culturescore(cases, ["model", "country"]), "macro"))


def quality_by_country(page: Page, metric: str, variant: str) -> pd.DataFrame:
    """A quality metric by model and country, in its own unit."""
    return scored(metric_means(_measured(page, metric, variant), ["model", "country"], cluster="scenario_id"))


def quality_against_culture(culture: pd.DataFrame, quality: pd.DataFrame) -> pd.DataFrame:
    """Do countries, and models, that score high on one score high on the other (Spearman's rho)?

    Args:
        culture: as `by_country`.
        quality: as `quality_by_country`.

    Returns:
        One row a model (over countries), then "all models" (over models, each its mean over countries):
        over, model, rho, low, high, p, n.
    """
    both = culture.merge(quality, on=["model", "country"], suffixes=("_culture", "_quality"))
    pairs = {("countries", model): part for model, part in both.groupby("model", observed=True)}
    means = both.groupby("model", observed=True)[["estimate_culture", "estimate_quality"]].mean()
    pairs[("models", "all models")] = means
    rows = []
    for (over, model), part in pairs.items():
        x, y = part["estimate_quality"].to_numpy(float), part["estimate_culture"].to_numpy(float)
        rows.append({"over": over, "model": model} | correlated(x, y))
    return pd.DataFrame(rows)


def correlated(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Spearman's rho of what both have: rho, low, high, p, n; missing below three pairs."""
    known = np.isfinite(x) & np.isfinite(y)
    n = int(known.sum())
    if n < 3:
        return {"rho": np.nan, "low": np.nan, "high": np.nan, "p": np.nan, "n": n}
    found = spearman(x[known], y[known])
    return {"rho": found.estimate, "low": found.low, "high": found.high, "p": found.p, "n": n}


def gained(cases: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """Extended minus base prompts by dimension and model, in percentage points, with the scores of both."""
    for variant in ("base", "extended"):
        of_variant(cases, variant)
    gains = percent(scored(variants.gains(cases, list(by)), *DIMENSIONS, "macro"))
    levels = by_dimension(cases, ["variant", *by]).pivot_table(
        index=[*by, "score"], columns="variant", values="estimate", observed=True
    )
    return gains.merge(levels[["base", "extended"]].reset_index(), on=[*by, "score"])


def by_variant(cases: pd.DataFrame) -> pd.DataFrame:
    """Scores by model and variant, in percent, the variants in the paper's order."""
    rows = by_dimension(cases, ["model", "variant"])
    order = {name: place for place, name in enumerate(VARIANTS["culturescore"])}
    return rows.sort_values("variant", key=lambda names: names.map(order), kind="stable")


def unique_scenarios(path: Path | str) -> set[str]:
    """The scenarios that were classified as belonging to one country (its Appendix C.7).

    Args:
        path: a CSV file with the columns scenario_id and unique (yes or no), such as the starter's.

    Raises:
        LackingError: no such file, or not these columns.
    """
    path = Path(path)
    if not path.is_file():
        raise LackingError(f"{path}: no such file; expected a CSV with the columns scenario_id and unique.")
    rows = pd.read_csv(path, dtype=str)
    if not {"scenario_id", "unique"} <= set(rows):
        raise LackingError(f"{path}: found the columns {', '.join(rows)}; expected scenario_id and unique.")
    said = rows["unique"].str.lower()
    return set(rows.loc[said.isin(["yes", "true", "1"]), "scenario_id"])


def removed(cases: pd.DataFrame, unique: Collection[str], by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """What leaving out the country's name costs on unique scenarios, in percentage points (negative: a drop).

    Returns:
        Rows by `against` (extended, as the paper compares; base, where the name is all that differs), `by`
        and score.

    Raises:
        LackingError: no clip of a variant, or no unique scenario among the clips.
    """
    of_variant(cases, "no_country")
    against = [name for name in ("extended", "base") if cases["variant"].eq(name).any()]
    if not against:
        raise LackingError(
            "There are clips without the country's name, and none with it to compare them with."
        )
    if not set(cases["scenario_id"].astype(str).unique()) & set(unique):
        raise LackingError(
            f"None of the {len(unique)} scenarios classified as unique has clips in this study."
        )
    found = variants.country_removal(cases, unique, list(by), against=against)
    return percent(scored(found, *DIMENSIONS, "macro"))


def rankings(page: Page) -> pd.DataFrame:
    """The rankings by people.

    Raises:
        LackingError: there is none.
    """
    page.need("rankings")
    return ranked_by_people(page.tables["rankings"], page.tables["raters"])


def metrics_against_ranks(
    page: Page, judged: pd.DataFrame, people: pd.DataFrame | None, metrics: Sequence[str]
) -> pd.DataFrame:
    """Each model's scores on the ranked clips beside its mean rank by people (Figure 8).

    Args:
        page: with rankings.
        judged: the judge's `answered`.
        people: people's; without them the two scores that rest on them are left out.
        metrics: further metrics on the same clips; those that the study lacks are left out.

    Returns:
        One row a model and measure: measure, model, x, x_se (mean rank, standard error over people), y, y_se
        (over scenarios), n (ranks), scored (cases behind y).

    Raises:
        LackingError: no rankings by people.
    """
    given = rankings(page)
    ranked = set(map(tuple, given[["prompt_id", "model"]].drop_duplicates().to_numpy()))
    measures = {"CultureScore by the judge (%)": _macro(_of_ranked(judged, ranked))}
    if people is not None:
        own = _of_ranked(people, ranked)
        same = agreement_with_people(judged, own)
        measures["judge answers as the majority (%)"] = _pooled(same)
        measures["people's share of yes (%)"] = _pooled(own)
    there = set(page.tables["metric_values"].dropna(subset="value")["metric"])
    for name in dict.fromkeys(metrics):
        if name in there:
            cases = _of_ranked(_measured(page, name), ranked)
            measures[name] = metric_means(cases, ["model"], cluster="scenario_id")
    places = mean_ranks(given).set_index("model")
    rows = []
    for title, found in measures.items():
        for row, estimate in zip(found.table.itertuples(), found.estimates, strict=True):
            if row.model in places.index and np.isfinite(row.estimate):
                factor = 100 if title.endswith("(%)") else 1
                x = {"x": places.loc[row.model, "mean_rank"], "x_se": places.loc[row.model, "se"]}
                y = {"y": factor * row.estimate, "y_se": factor * estimate.details.get("se", np.nan)}
                counts = {"n": places.loc[row.model, "n"], "scored": row.n}
                rows.append({"measure": title, "model": row.model} | x | y | counts)
    if not rows:
        raise LackingError("No model that people ranked has a score on the ranked clips.")
    return pd.DataFrame(rows)


def rank_correlations(placed: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rho over models between each measure and preference (minus the mean rank).

    Args:
        placed: as `metrics_against_ranks`.

    Returns:
        measure, rho, smallest_p (that so many models can reach at best), p, n (models).
    """
    rows = []
    for measure, part in placed.groupby("measure", sort=False):
        found = correlated(-part["x"].to_numpy(float), part["y"].to_numpy(float))
        n = found["n"]
        perfect = correlated(np.arange(n, dtype=float), np.arange(n, dtype=float))["p"]
        rows.append(
            {"measure": measure, "rho": found["rho"], "p": found["p"], "smallest_p": perfect, "models": n}
        )
    return pd.DataFrame(rows)


def percent(rows: pd.DataFrame) -> pd.DataFrame:
    """Shares as percent: estimate, low and high."""
    ends = ["estimate", "low", "high"]
    return rows.assign(**{name: 100 * rows[name] for name in ends})


def _measured(page: Page, metric: str, variant: str | None = None) -> pd.DataFrame:
    page.metric(metric)
    cases = measured_clips(page.tables, [metric])
    return cases if variant is None else of_variant(cases, variant)


def _of_ranked(cases: pd.DataFrame, ranked: Collection[tuple[str, str]]) -> pd.DataFrame:
    pairs = zip(cases["prompt_id"].astype(str), cases["model"].astype(str), strict=True)
    part = cases[[pair in ranked for pair in pairs]].reset_index(drop=True)
    if part.empty:
        raise LackingError("None of the clips that people ranked has been scored.")
    return part


def _macro(cases: pd.DataFrame) -> Scores:
    return _only(culturescore(cases, ["model"]), "macro")


def _pooled(cases: pd.DataFrame) -> Scores:
    # People answer one question about a clip: too few for three dimensions in each model.
    return _only(culturescore(cases, ["model"]), "pooled")


def _only(scores: Scores, name: str) -> Scores:
    kept = np.flatnonzero(scores.table["score"].eq(name))
    return Scores(
        table=scores.table.iloc[kept].reset_index(drop=True),
        estimates=tuple(scores.estimates[place] for place in kept),
    )
