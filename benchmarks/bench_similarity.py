"""How often intervals from resampled chunks hold the true similarity of two texts, plain and corrected.

Every simulated study has ten countries and five categories. A text has a true direction, made of one that all
share, its country's, its category's and its own; its chunks scatter about it. What very long texts would give
is known then.
"""

import numpy as np
import pandas as pd
from benchmarks.harness import Row

from helpers.similarity.embedding import DIMENSIONS, Embedded
from helpers.similarity.matrices import similarities
from helpers.similarity.resampling import resampled
from helpers.similarity.summaries import mean_of_pairs

COUNTRIES, CATEGORIES = 10, 5
STUDIES, RESAMPLES = 50, 300
CHUNKS = (4, 8)
# As wide as makes two chunks of a text as alike as those of the starter's texts, about 0.3.
NOISE = 1.5


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def true_directions(rng: np.random.Generator) -> np.ndarray:
    """Of every country's text in every category, shape (countries, categories, dimensions)."""
    shared, country, category, own = (
        unit(rng.standard_normal((*shape, DIMENSIONS)))
        for shape in ((1, 1), (COUNTRIES, 1), (1, CATEGORIES), (COUNTRIES, CATEGORIES))
    )
    return unit(shared + country + category + own)


def texts(directions: np.ndarray, chunks: int, rng: np.random.Generator, noise: float = NOISE) -> Embedded:
    """Texts whose chunks scatter about their true directions."""
    means = directions.reshape(-1, 1, DIMENSIONS)
    scatter = rng.standard_normal((len(means), chunks, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    places = pd.MultiIndex.from_product(
        [[f"country {n}" for n in range(COUNTRIES)], [f"category {n}" for n in range(CATEGORIES)]],
        names=["country", "category"],
    )
    vectors = unit(means + noise * scatter).reshape(-1, DIMENSIONS).astype(np.float32)
    owner = np.repeat(np.arange(len(means)), chunks)
    return Embedded(places.to_frame(index=False).assign(chunks=chunks), vectors, owner)


def intervals_hold(chunks: int, seed: int) -> dict[str, float]:
    """The share of a study's 95 % percentile intervals that hold the truth, by what they are of."""
    rng = np.random.default_rng([chunks, seed])
    directions = true_directions(rng)
    # Three equal chunks are a text without noise.
    whole = similarities(texts(directions, 3, rng, noise=0))
    sample = texts(directions, chunks, rng)
    drawn = rng.multinomial(chunks, np.full(chunks, 1 / chunks), (RESAMPLES, COUNTRIES * CATEGORIES))
    # Texts have equally many chunks: a text's draws stand in its chunks' places.
    draws = {
        "plain cosines": similarities(sample, drawn.reshape(RESAMPLES, -1)),
        "corrected": resampled(sample, RESAMPLES, seed=seed),
    }
    held = {}
    for reading, each in draws.items():
        for what, statistic in (("pairs", lambda found: found.pairs()[1]), ("means of pairs", mean_of_pairs)):
            low, high = np.quantile(statistic(each)[:, :CATEGORIES], [0.025, 0.975], axis=0)
            truth = statistic(whole)[:CATEGORIES]
            held[f"{reading}, {what}"] = np.mean((low <= truth) & (truth <= high))
    return held


def run() -> list[Row]:
    rows = []
    for chunks in CHUNKS:
        held = pd.DataFrame([intervals_hold(chunks, seed) for seed in range(STUDIES)]).mean()
        rows += [
            Row(
                what=f"95 % interval, {name}, {chunks} chunks a text, {STUDIES} studies",
                value=100 * share,
                unit="% hold the truth",
            )
            for name, share in held.items()
        ]
    return rows
