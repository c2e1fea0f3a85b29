"""Paired cells of CultureScore: what longer prompts add, and how far models are apart.

Rani et al. 2026 (arXiv:2606.07311), Tables 11 to 16. Two runs are compared within each cell of country,
category and dimension. Intervals resample whole countries: they speak about other countries like these, and
need no assumption about how questions hang together.
"""

from collections.abc import Sequence

import pandas as pd

from helpers.evidence.questions import CELL
from helpers.stats.bootstrap import cluster_bootstrap


def gains(cells: pd.DataFrame) -> pd.DataFrame:
    """Extended minus base prompts in every cell.

    Args:
        cells: the rows of "culturescore_cells".

    Returns:
        One row a model and cell: model, country, category, dimension, base, extended (per cent) and gain
        (percentage points).
    """
    index = ["model", *CELL]
    wide = cells.pivot_table(index=index, columns="variant", values="accuracy", sort=False).reset_index()
    return wide.rename_axis(columns=None).assign(gain=wide["extended"] - wide["base"])


def mean_gains(gained: pd.DataFrame, *, resamples: int = 2000, seed: int = 0) -> pd.DataFrame:
    """The mean gain of each model and dimension over cells, with an interval over countries.

    Args:
        gained: as `gains` returns them.
        resamples: bootstrap resamples of the countries.
        seed: of the random generator.

    Returns:
        One row a model and dimension: model, dimension, not_up (cells with a gain of 0 or less), and the
        fields of the estimate.
    """
    options = {"resamples": resamples, "seed": seed, "unit": "countries"}
    return pd.DataFrame(
        {"model": model, "dimension": dimension, "not_up": int((part["gain"] <= 0).sum())}
        | cluster_bootstrap(part["gain"], part["country"], **options).row()
        for (model, dimension), part in gained.groupby(["model", "dimension"], sort=False)
    )


def model_differences(
    cells: pd.DataFrame, versus: Sequence[tuple[str, str]], *, resamples: int = 2000, seed: int = 0
) -> pd.DataFrame:
    """The mean difference of two models' CultureScore over the cells of country and category that both have.

    Args:
        cells: rows of "culturescore_cells", of one variant.
        versus: pairs of models; the second is subtracted from the first.
        resamples: bootstrap resamples of the countries.
        seed: of the random generator.

    Returns:
        One row a pair: first, second, and the estimate's fields (percentage points; n counts paired cells).

    Raises:
        ValueError: more than one variant.
    """
    found = cells["variant"].unique()
    if len(found) != 1:
        raise ValueError(f"cells: found the variants {', '.join(found)}, expected one")
    scores = cells.pivot_table(index=["country", "category"], columns="model", values="accuracy")
    rows = []
    for first, second in versus:
        difference = (scores[first] - scores[second]).dropna()
        places = difference.index.get_level_values("country")
        test = cluster_bootstrap(difference, places, resamples=resamples, seed=seed, unit="countries")
        rows.append({"first": first, "second": second} | test.row())
    return pd.DataFrame(rows)
