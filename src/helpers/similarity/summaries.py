"""What similarity matrices say in numbers: means, extreme pairs, swings, central countries, regional gaps.

Every number comes twice: as the plain cosine, which CultureScore prints (A.2), and corrected for the short
texts, with an interval from resampled chunks. Both compare English texts about countries. They cannot say how
alike the countries' cultures are, and no order of countries by them is one of merit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.similarity.embedding import Embedded
from helpers.similarity.matrices import Similarities, regions_of, similarities
from helpers.similarity.resampling import resampled

LEVEL = 0.95


@dataclass(frozen=True)
class Comparison:
    """Similarities of the same documents in three readings.

    Attributes:
        plain: cosines.
        corrected: corrected for the shortness of the texts.
        draws: corrected, in resamples of chunks.
    """

    plain: Similarities
    corrected: Similarities
    draws: Similarities

    def both(self, statistic: Callable[[Similarities], np.ndarray]) -> dict[str, np.ndarray]:
        """A statistic as the plain cosines give it, corrected, and the corrected one's percentile interval.

        Args:
            statistic: maps similarities to an array whose leading axis, if any, is that of resamples.

        Returns:
            Arrays cosine, corrected, low, high; low and high are missing where every resample lacks it.
        """
        low, high = _interval(statistic(self.draws))
        return {
            "cosine": statistic(self.plain),
            "corrected": statistic(self.corrected),
            "low": low,
            "high": high,
        }


def compare(embedded: Embedded, *, resamples: int = 2000, seed: int = 0) -> Comparison:
    """Plain and corrected similarities of documents, and the corrected ones in resamples.

    Args:
        embedded: the documents.
        resamples: as `resampling.resampled`.
        seed: of the random generator.
    """
    plain, corrected = (similarities(embedded, corrected=corrected) for corrected in (False, True))
    return Comparison(plain, corrected, resampled(embedded, resamples, seed=seed))


def by_layer(comparison: Comparison) -> pd.DataFrame:
    """Mean and range over the pairs of countries, for each category and over all.

    Returns:
        Columns layer, pairs (with documents on both), lowest, highest, range (of plain cosines), cosine
        (mean), corrected (mean), low, high.
    """
    _, values = comparison.plain.pairs()
    lowest, highest = _nan(np.nanmin, values), _nan(np.nanmax, values)
    return pd.DataFrame(
        {
            "layer": comparison.plain.layers,
            "pairs": (~np.isnan(values)).sum(axis=-1),
            "lowest": lowest,
            "highest": highest,
            "range": highest - lowest,
            **comparison.both(mean_of_pairs),
        }
    )


def extreme_pairs(comparison: Comparison) -> pd.DataFrame:
    """The least and the most similar pair of each layer, and how firmly they hold that place.

    Returns:
        Columns layer, which ("least" or "most"), pair, cosine, share (of the resamples in which this pair has
        that place among the corrected similarities; missing where the pair has none). Layers without a pair
        are left out.
    """
    names, plain = comparison.plain.pairs()
    _, drawn = comparison.draws.pairs()
    rows = []
    for index, layer in enumerate(comparison.plain.layers):
        for which, sign in (("least", -1), ("most", 1)):
            first = _first(sign * plain[index])
            if np.isnan(plain[index, first]):
                continue
            share = np.nan
            if not np.isnan(drawn[:, index, first]).all():
                share = np.mean(_first(sign * drawn[:, index]) == first)
            rows.append((layer, which, " – ".join(names[first]), plain[index, first], share))
    return pd.DataFrame(rows, columns=["layer", "which", "pair", "cosine", "share"])


def swings(comparison: Comparison) -> pd.DataFrame:
    """How far each pair's similarity differs between its most and its least similar category.

    The two categories are those of the plain cosines. The largest of many swings is large by chance too.

    Returns:
        One row a pair, the largest swing first: pair, high_category, low_category, and the difference between
        them as cosine and corrected with low and high; pairs with fewer than two categories are left out.
    """
    names, values = comparison.plain.pairs()
    categories = values[:-2]
    usable = np.flatnonzero((~np.isnan(categories)).sum(axis=0) >= 2)
    top, bottom = _first(categories[:, usable].T), _first(-categories[:, usable].T)
    difference = comparison.both(
        lambda found: found.pairs()[1][..., top, usable] - found.pairs()[1][..., bottom, usable]
    )
    layers = np.array(comparison.plain.layers)
    table = pd.DataFrame(
        {
            "pair": [" – ".join(names[pair]) for pair in usable],
            "high_category": layers[top],
            "low_category": layers[bottom],
            **difference,
        }
    )
    return table.sort_values("cosine", ascending=False, ignore_index=True)


def centrality(comparison: Comparison) -> pd.DataFrame:
    """Each country's mean similarity to the others, in each layer.

    Returns:
        Columns layer, country, others (how many), cosine, corrected, low, high, and the shares of resamples
        in which the country is the most central and the most distinctive one of its layer (missing where it
        has no corrected similarity).
    """
    found = comparison.both(_mean_to_others)
    drawn = _mean_to_others(comparison.draws)
    countries = np.arange(len(comparison.plain.countries))
    known = ~np.isnan(drawn).all(axis=0)
    shares = {
        name: np.where(known, np.mean(_first(sign * drawn)[..., None] == countries, axis=0), np.nan)
        for name, sign in (("most_central", 1), ("most_distinctive", -1))
    }
    others = (~np.isnan(_others(comparison.plain))).sum(axis=-1)
    index = pd.MultiIndex.from_product(
        [comparison.plain.layers, comparison.plain.countries], names=["layer", "country"]
    )
    columns = {"others": others, **found, **shares}
    return pd.DataFrame({name: array.ravel() for name, array in columns.items()}, index=index).reset_index()


def region_gap(
    comparison: Comparison, regions: Mapping[str, str], *, permutations: int = 4999, seed: int = 0
) -> pd.DataFrame:
    """Mean similarity of pairs within a region minus that of pairs across regions.

    The interval is about chunks only. Few pairs lie within a region, and each country is in many pairs, so
    the question whether a gap could come from any grouping is answered by dealing the regions out to the
    countries anew (a Mantel test; Mantel 1967).

    Args:
        comparison: as `compare` gives it.
        regions: each country's region.
        permutations: how often the regions are dealt out.
        seed: of the random generator.

    Returns:
        Columns layer, within and across (pairs with documents on both), cosine (the gap), corrected, low,
        high, p (two-sided, for the plain gap; missing without pairs of both kinds).

    Raises:
        ValueError: a country without a region; the message names it.
    """
    labels = pd.factorize(np.array(regions_of(comparison.plain.countries, regions)))[0]
    rng = np.random.default_rng(seed)
    dealt = np.array([gaps(comparison.plain, rng.permutation(labels)) for _ in range(permutations)])
    found = comparison.both(lambda each: gaps(each, labels))
    beyond = (np.abs(dealt) >= np.abs(found["cosine"]) - 1e-12).sum(axis=0)
    p = np.where(np.isnan(found["cosine"]), np.nan, (beyond + 1) / (permutations + 1))
    known = ~np.isnan(comparison.plain.pairs()[1])
    same = _same(labels)
    return pd.DataFrame(
        {
            "layer": comparison.plain.layers,
            "within": (known & same).sum(axis=-1),
            "across": (known & ~same).sum(axis=-1),
            **found,
            "p": p,
        }
    )


def mean_of_pairs(found: Similarities) -> np.ndarray:
    """The mean over pairs of countries, shape (…, layers); missing pairs do not count.

    Args:
        found: similarities.
    """
    return _nan(np.nanmean, found.pairs()[1])


def gaps(found: Similarities, labels: np.ndarray) -> np.ndarray:
    """Of each layer the mean over pairs with the same label minus that over the others, shape (…, layers).

    Args:
        found: similarities.
        labels: one for each country, in their order.
    """
    same, values = _same(labels), found.pairs()[1]
    return _nan(np.nanmean, values[..., same]) - _nan(np.nanmean, values[..., ~same])


def _interval(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the percentile interval over the first axis."""
    known = ~np.isnan(drawn).all(axis=0)
    ends = np.full((2, *drawn.shape[1:]), np.nan)
    if known.any():
        ends[:, known] = np.nanquantile(drawn[:, known], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return ends[0], ends[1]


def _same(labels: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(len(labels), 1)
    return labels[first] == labels[second]


def _mean_to_others(found: Similarities) -> np.ndarray:
    return _nan(np.nanmean, _others(found))


def _others(found: Similarities) -> np.ndarray:
    """Similarities without those of countries to themselves."""
    return np.where(np.eye(len(found.countries), dtype=bool), np.nan, found.cosines)


def _nan(function: Callable[..., np.ndarray], values: np.ndarray) -> np.ndarray:
    """A NaN-aware function over the last axis; NaN, without its warning, where there is no number at all."""
    known = ~np.isnan(values).all(axis=-1) if values.shape[-1] else np.zeros(values.shape[:-1], bool)
    result = np.full(values.shape[:-1], np.nan)
    result[known] = function(values[known], axis=-1)
    return result


def _first(values: np.ndarray) -> np.ndarray:
    """Where the largest value of the last axis is; NaN is never it."""
    return np.argmax(np.where(np.isnan(values), -np.inf, values), axis=-1)
