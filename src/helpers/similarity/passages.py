"""What makes two passages alike: the same text, category or country, or the same place in their texts."""

import numpy as np
import pandas as pd

from helpers.similarity.embedding import Embedded

RELATIONS = (
    "same text",
    "same category, other country",
    "same country, other category",
    "other country, other category",
)


def relations(embedded: Embedded) -> pd.DataFrame:
    """Mean cosine of two passages (chunks) by what they have in common.

    The correction for short texts takes a text's chunks as passages drawn at random. Where texts follow one
    plan, passages at the same place are more alike than others, and corrected similarities come out too high.

    Args:
        embedded: the documents.

    Returns:
        For each of `RELATIONS`: relation; pairs and cosine over all pairs of passages; same_place and
        other_place, the means over those at the same and at another place of their texts (missing where
        there are none).
    """
    documents = embedded.documents
    rows = documents.loc[embedded.owner].reset_index(drop=True)
    place = rows.groupby(embedded.owner).cumcount().to_numpy()
    first, second = np.triu_indices(len(rows), 1)
    same = {name: _equal(rows[name].to_numpy(), first, second) for name in ("country", "category")}
    pairs = pd.DataFrame(
        {
            "relation": np.select(
                [same["country"] & same["category"], same["category"], same["country"]],
                RELATIONS[:3],
                RELATIONS[3],
            ),
            "same_place": place[first] == place[second],
            "cosine": (embedded.vectors @ embedded.vectors.T)[first, second].astype(float),
        }
    )
    grouped = pairs.groupby("relation")["cosine"]
    by_place = pairs.pivot_table("cosine", "relation", "same_place").reindex(columns=[True, False])
    by_place.columns = ["same_place", "other_place"]
    table = grouped.agg(pairs="count", cosine="mean").join(by_place)
    return table.reindex(RELATIONS).dropna(subset="pairs").astype({"pairs": int}).reset_index()


def _equal(values: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return values[first] == values[second]
