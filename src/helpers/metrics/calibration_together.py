"""Do several metrics say more than one? Correlations beyond what the dial explains, and a combination."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from helpers.metrics.calibration_settings import metrics
from helpers.metrics.calibration_tables import dial_values
from helpers.stats.auc import auc
from helpers.stats.results import Estimate


def correlations(values: pd.DataFrame, *, resamples: int, seed: int) -> pd.DataFrame:
    """Spearman's correlation of each two metrics over the dial's clips, as they are and beyond the dial.

    Beyond the dial, each value is told by its distance from the mean of all clips of its kind and strength:
    whether two metrics agree on which *place* does better under the same fault.

    Args:
        values: as `calibration.Measured` holds them.
        resamples: of places, for the interval; permutations of places, for the noise.
        seed: of both.

    Returns:
        A row a pair: first, second, together (over all clips) with low and high (percentile interval over
        resampled places), beyond (beyond the dial) and noise (the 95 % quantile of the absolute value of
        beyond where the places of one metric are exchanged at random), clips and places.
    """
    rows = dial_values(values).drop_duplicates(["metric", "video_id"])
    # Clips by place, since places are what is drawn and exchanged.
    wide = rows.pivot_table(index="place", columns=["kind", "strength", "metric"], values="value")
    names = [name for name in metrics() if name in set(rows["metric"])]
    cells = {name: wide.xs(name, axis=1, level="metric") for name in names}
    order = cells[names[0]].columns
    raw = np.stack([cells[name][order].to_numpy() for name in names])
    own = raw - raw.mean(axis=1, keepdims=True)
    rng = np.random.default_rng(seed)
    count = raw.shape[1]
    drawn = np.stack([_matrix(raw[:, rng.integers(count, size=count)]) for _ in range(resamples)])
    low, high = np.nanquantile(drawn, [0.025, 0.975], axis=0)
    ranked = stats.rankdata(own.reshape(len(names), -1), axis=1).reshape(own.shape)
    mixed = np.stack([_exchanged(ranked, rng.permutation(count)) for _ in range(resamples)])
    noise = np.nanquantile(np.abs(mixed), 0.95, axis=0)
    together, beyond = _matrix(raw), _matrix(own)
    found = [
        (names[i], names[j], together[i, j], low[i, j], high[i, j], beyond[i, j], noise[i, j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    columns = ["first", "second", "together", "low", "high", "beyond", "noise"]
    return pd.DataFrame(found, columns=columns).assign(clips=raw[0].size, places=count)


def combined(pairs: pd.DataFrame, names: Sequence[str]) -> Estimate:
    """How well a combination of metrics tells the same place from another, on places that it has not seen.

    For each reference, a logistic regression with scikit-learn's default penalty learns from the comparisons
    that involve neither that place's photograph nor its clip, on metrics brought to mean 0 and standard
    deviation 1, both groups weighing the same; it then scores that reference's comparisons.

    Args:
        pairs: as `calibration_tables.real_pairs`, under one setting.
        names: of the metrics that are combined.

    Returns:
        As `helpers.stats.auc.auc`, over places.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    about = ["video_id", "place", "reference", "same_place"]
    wide = pairs.pivot_table(index=about, columns="metric", values="value")[list(names)]
    same, place, reference = (wide.index.get_level_values(name).to_numpy() for name in about[3:] + about[1:3])
    same = same.astype(bool)
    scores = np.zeros(len(wide))
    for left_out in np.unique(reference):
        unseen = reference == left_out
        seen = ~unseen & (place != left_out)
        model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        model.fit(wide.to_numpy()[seen], same[seen])
        scores[unseen] = model.decision_function(wide.to_numpy()[unseen])
    return auc(scores, same, place, reference, name="places")


def _matrix(values: np.ndarray) -> np.ndarray:
    """Spearman's correlations of the first axis; NaN where one does not vary."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.corrcoef(stats.rankdata(values.reshape(len(values), -1), axis=1))


def _exchanged(ranked: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Correlations of ranks with those of exchanged places, each metric with each."""
    flat, other = ranked.reshape(len(ranked), -1), ranked[:, order].reshape(len(ranked), -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.corrcoef(flat, other)[: len(ranked), len(ranked) :]
