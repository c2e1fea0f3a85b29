"""Cosine similarity between countries: a matrix for each category and two over all of them.

A document stands for its country and category by the mean of its chunks' vectors, brought back to length 1
(CultureScore, A.2, averages too; it does not say how it treats texts longer than the model reads).

A mean of few chunks lies apart from what very many would give, in a direction of its own, so that cosines
come out too low, the more so the shorter the texts. The correction divides by what the documents' own chunks
agree with each other: Spearman's (1904) correction for attenuation, applied to vectors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.similarity.embedding import Embedded

# Over all categories: the mean of their cosines, and the cosine of the countries' mean vectors, as in A.2.
MEAN, COMPOSITE = "mean of categories", "mean text"
# Fewer chunks than this say too little about how much a document's chunks differ.
LEAST_CHUNKS = 3


@dataclass(frozen=True)
class Similarities:
    """Similarities of countries.

    Attributes:
        layers: the categories, then `MEAN` and `COMPOSITE`.
        countries: in the order of rows and columns.
        cosines: shape (…, layers, countries, countries), symmetric, 1 on the diagonal; NaN where one of the
            two has no usable document (over all: no category in common). Before the layers may stand one
            axis of resamples.
    """

    layers: tuple[str, ...]
    countries: tuple[str, ...]
    cosines: np.ndarray

    def matrix(self, layer: str) -> pd.DataFrame:
        """One layer as a table with countries as rows and columns."""
        return pd.DataFrame(
            self.cosines[self.layers.index(layer)], index=self.countries, columns=self.countries
        )

    def pairs(self) -> tuple[list[tuple[str, str]], np.ndarray]:
        """Each two countries once: their names, and the values of shape (…, layers, pairs)."""
        first, second = np.triu_indices(len(self.countries), 1)
        names = [
            (self.countries[one], self.countries[other]) for one, other in zip(first, second, strict=True)
        ]
        return names, self.cosines[..., first, second]


def similarities(
    embedded: Embedded, weights: np.ndarray | None = None, *, corrected: bool = False
) -> Similarities:
    """Cosine similarities of countries in each category and over all.

    Over all, two countries are compared in the categories that both have: `MEAN` is the mean of those
    cosines, `COMPOSITE` the cosine between the means of their document vectors, the paper's way. Averaging
    cancels what is peculiar to single texts and to single categories, and what all texts of a country share,
    such as its name, adds up. So the two can lie far apart, either way.

    Args:
        embedded: the documents.
        weights: how much each chunk counts in its document, shape (…, chunks), at least 0 and more than 0
            for one chunk of each document; 1 each where left out. How often a resample draws it, for example.
        corrected: divide by the agreement of chunks within documents, which estimates what very long texts
            of the same kind would give. Then documents with fewer than three chunks are missing, as are
            those whose chunks do not agree at all; values above 1 can occur.

    Raises:
        ValueError: weights of another shape, negative, or 0 for a whole document.
    """
    weights = np.ones(len(embedded.owner)) if weights is None else np.asarray(weights, dtype=float)
    _check(weights, embedded.owner)
    documents = embedded.documents
    countries, categories = (tuple(sorted(documents[name].unique())) for name in ("country", "category"))
    place = np.full((len(countries), len(categories)), -1)
    place[documents["country"].map(countries.index), documents["category"].map(categories.index)] = range(
        len(documents)
    )
    values = _layers(_gram(embedded, weights, corrected), place)
    return Similarities((*categories, MEAN, COMPOSITE), countries, values)


def within_documents(embedded: Embedded) -> np.ndarray:
    """How much the chunks of a document agree: the mean cosine of two different ones.

    Returns:
        Shape (documents,); NaN where there are fewer than three chunks.
    """
    return _agreement(*_sums(embedded, np.ones(len(embedded.owner))), embedded.documents["chunks"])


def regions_of(countries: Sequence[str], regions: Mapping[str, str]) -> list[str]:
    """Each country's region.

    Args:
        countries: their names.
        regions: regions by country.

    Raises:
        ValueError: a country without one; the message names it.
    """
    absent = [country for country in countries if country not in regions]
    if absent:
        raise ValueError(f"regions: found none for {', '.join(absent)}, expected one for every country")
    return [regions[country] for country in countries]


def _check(weights: np.ndarray, owner: np.ndarray) -> None:
    if weights.shape[-1:] != owner.shape:
        raise ValueError(f"weights: found shape {weights.shape}, expected (…, {len(owner)}), one a chunk")
    totals = np.add.reduceat(weights, np.flatnonzero(np.diff(owner, prepend=-1)), axis=-1)
    if weights.min() < 0 or totals.min() <= 0:
        raise ValueError("weights: found a negative one, or a document without any; expected shares")


def _gram(embedded: Embedded, weights: np.ndarray, corrected: bool) -> np.ndarray:
    """Similarities of documents, (…, documents, documents): 1 on the diagonal, NaN for unusable ones."""
    sums, totals, squares = _sums(embedded, weights)
    means = sums / totals[..., None]
    if corrected:
        own = _agreement(sums, totals, squares, embedded.documents["chunks"])
    else:
        own = (means**2).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        scaled = means / np.sqrt(np.where(own > 0, own, np.nan))[..., None]
    gram = scaled @ np.swapaxes(scaled, -1, -2)
    rows = np.arange(gram.shape[-1])
    gram[..., rows, rows] = np.where(np.isnan(gram[..., rows, rows]), np.nan, 1.0)
    return gram


def _sums(embedded: Embedded, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each document: its chunks' weighted sum, their total weight, and that of their squares."""
    sums, totals, squares = [], [], []
    vectors = embedded.vectors.astype(float)
    for row in range(len(embedded.documents)):
        mine = embedded.owner == row
        share, own = weights[..., mine], vectors[mine]
        sums.append(share @ own)
        totals.append(share.sum(axis=-1))
        squares.append(share**2 @ (own**2).sum(axis=1))
    return np.stack(sums, axis=-2), np.stack(totals, axis=-1), np.stack(squares, axis=-1)


def _agreement(sums: np.ndarray, totals: np.ndarray, squares: np.ndarray, chunks: pd.Series) -> np.ndarray:
    """The weighted mean cosine of two different chunks of a document; NaN for those with too few chunks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = ((sums**2).sum(axis=-1) - squares) / (totals**2 - squares)
    return np.where(chunks.to_numpy() >= LEAST_CHUNKS, agreement, np.nan)


def _layers(gram: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The categories' matrices, their mean and the composite, from similarities of documents.

    Args:
        gram: shape (…, documents, documents).
        place: the document of each country and category, -1 for none, shape (countries, categories).
    """
    cube = gram[..., place[:, :, None, None], place]
    cube = np.where((place >= 0)[:, :, None, None] & (place >= 0), cube, np.nan)
    by_category = np.einsum("...icjc->...cij", cube)
    both = np.moveaxis(~np.isnan(by_category), -3, -1).astype(float)
    cube = np.nan_to_num(cube)
    dots = np.einsum("...ijc,...icjd,...ijd->...ij", both, cube, both, optimize=True)
    own = np.einsum("...ijc,...icid,...ijd->...ij", both, cube, both, optimize=True)
    product = own * np.swapaxes(own, -1, -2)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nan_to_num(by_category).sum(axis=-3) / both.sum(axis=-1)
        composite = dots / np.sqrt(np.where((own > 0) & (product > 0), product, np.nan))
    return np.concatenate([by_category, mean[..., None, :, :], composite[..., None, :, :]], axis=-3)
