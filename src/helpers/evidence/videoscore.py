"""CultureScore beside VideoScore, from the paper's tables: the same cells, three levels.

A relation between two scores can hold between models, between countries or between cells, and in one of these
without the others (Robinson 1950, Am. Sociol. Rev. 15, 351-357). Source of the numbers: Rani et al. 2026
(arXiv:2606.07311), Tables 2 to 8 and 11 to 16.
"""

import pandas as pd

from helpers.evidence.questions import RUN
from helpers.stats.association import spearman

PAIRED_IN_THE_TEXT = {"LTX-2": "extended", "Wan 2.2": "base", "Veo 3.1 Fast": "extended"}
"""The VideoScore set beside each CultureScore of extended prompts; Wan 2.2 has one for base prompts only."""


def score_pairs(cells: pd.DataFrame, videoscore: pd.DataFrame) -> pd.DataFrame:
    """CultureScore beside VideoScore in every cell of country and category that has both.

    Args:
        cells: the rows of "culturescore_cells".
        videoscore: the rows of "culturescore_videoscore".

    Returns:
        model, variant, country, category, culturescore (mean of the dimensions, per cent) and videoscore
        (mean of its five dimensions, 1 to 4); means are rounded to 9 digits, so that equal ones tie.
    """
    keys = [*RUN, "country", "category"]
    culture = cells.groupby(keys)["accuracy"].mean().rename("culturescore")
    video = videoscore.groupby(keys)["score"].mean().rename("videoscore")
    return pd.concat([culture, video], axis=1, join="inner").round(9).reset_index()


def correlations(pairs: pd.DataFrame, *, resamples: int = 2000, seed: int = 0) -> pd.DataFrame:
    """Spearman's rho of VideoScore and CultureScore within each run, over cells and over country means.

    Args:
        pairs: as `score_pairs` returns them.
        resamples: bootstrap resamples for the interval.
        seed: of the random generator.

    Returns:
        Two rows a run: model, variant, over ("cells" or "countries"), and the fields of the estimate.
    """
    rows = []
    for run, group in pairs.groupby(RUN, sort=False):
        scores = group.set_index(["country", "category"])[["videoscore", "culturescore"]]
        means = scores.groupby("country").mean().round(9)
        for over, frame in (("cells", scores), ("countries", means)):
            x, y = frame["videoscore"], frame["culturescore"]
            rho = spearman(x, y, interval="bootstrap", resamples=resamples, seed=seed)
            rows.append(dict(zip(RUN, run, strict=True)) | {"over": over} | rho.row())
    return pd.DataFrame(rows)


def over_models(cells: pd.DataFrame, videoscore: pd.DataFrame) -> pd.DataFrame:
    """In each country, Spearman's rho of the two scores over the three models, paired as the text pairs them.

    Args:
        cells: the rows of "culturescore_cells"; extended prompts are used.
        videoscore: the rows of "culturescore_videoscore"; variants as `PAIRED_IN_THE_TEXT`.

    Returns:
        One row a country: country, rho (n = 3), and the models with the highest and the lowest score:
        highest_videoscore, lowest_videoscore, highest_culturescore, lowest_culturescore.
    """
    extended = cells[cells["variant"] == "extended"]
    used = videoscore[videoscore["variant"] == videoscore["model"].map(PAIRED_IN_THE_TEXT)]
    culture = _by_country(extended, "accuracy")
    video = _by_country(used, "score")[culture.columns]
    rho = [spearman(video.loc[country], culture.loc[country]).estimate for country in culture.index]
    return pd.DataFrame(
        {
            "country": culture.index,
            "rho": rho,
            "highest_videoscore": video.idxmax(axis=1).to_numpy(),
            "lowest_videoscore": video.idxmin(axis=1).to_numpy(),
            "highest_culturescore": culture.idxmax(axis=1).to_numpy(),
            "lowest_culturescore": culture.idxmin(axis=1).to_numpy(),
        }
    )


def counting_share(counted: pd.DataFrame) -> pd.DataFrame:
    """How much of the variance between a run's cells the small number of questions alone would make.

    The binomial variance of each dimension's percentage, averaged over the dimensions as CultureScore is and
    then over cells, divided by the observed variance of the cells. Questions are taken as independent; since
    those about one clip are not, the true share is larger.

    Args:
        counted: model, variant, country, category, dimension, accuracy (per cent) and n (questions).

    Returns:
        One row a run: model, variant, cells, variance (between cells, squared points), share (0 to 1, or
        above where the cells vary less than chance would).
    """
    binomial = counted["accuracy"] * (100 - counted["accuracy"]) / counted["n"]
    places = counted.assign(binomial=binomial).groupby([*RUN, "country", "category"], sort=False)
    score, parts = places["accuracy"].mean(), places["accuracy"].size()
    by_run = pd.DataFrame({"score": score, "noise": places["binomial"].sum() / parts**2}).groupby(
        RUN, sort=False
    )
    result = by_run.agg(cells=("score", "size"), variance=("score", "var"), noise=("noise", "mean"))
    return result.assign(share=result["noise"] / result["variance"]).drop(columns="noise").reset_index()


def _by_country(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """Means by country (rows) and model (columns), rounded so that equal ones tie."""
    return rows.pivot_table(index="country", columns="model", values=value, aggfunc="mean").round(9)
