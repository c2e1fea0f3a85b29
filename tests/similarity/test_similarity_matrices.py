import itertools

import numpy as np
import pandas as pd
import pytest

from helpers.similarity.embedding import Embedded
from helpers.similarity.matrices import COMPOSITE, MEAN, similarities, within_documents
from helpers.similarity.passages import RELATIONS, relations
from helpers.similarity.resampling import resampled, subsets

COUNTRIES, CATEGORIES = ("Brazil", "Chile", "India", "Japan"), ("family", "greetings", "religion")


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def embedded(vectors, places=None):
    """Documents from a list of arrays of chunks, one for each place (country, category)."""
    places = places or list(itertools.product(COUNTRIES, CATEGORIES))[: len(vectors)]
    rows = pd.DataFrame(places, columns=["country", "category"])
    counts = [len(each) for each in vectors]
    owner = np.repeat(np.arange(len(vectors)), counts)
    return Embedded(rows.assign(chunks=counts), np.concatenate(vectors).astype(np.float32), owner)


@pytest.fixture
def texts():
    rng = np.random.default_rng(7)
    shared = rng.standard_normal(24)
    return [unit(shared + rng.standard_normal((n, 24))) for n in [1, 3, 4, 2, 5, 3, 4, 4, 3, 3, 6, 4]]


def slow_cosine(one, other):
    return float(one @ other / np.sqrt(one @ one) / np.sqrt(other @ other))


# A.2 read word by word, in loops: mean of chunks, length 1, cosine; over all, the cosine of mean vectors.
def test_matrices_are_what_loops_give(texts):
    found = similarities(embedded(texts))
    documents = {}
    for place, chunks in zip(itertools.product(COUNTRIES, CATEGORIES), texts, strict=True):
        documents[place] = unit(sum(chunks) / len(chunks))
    for one, other in itertools.product(COUNTRIES, COUNTRIES):
        cosines = [slow_cosine(documents[one, c], documents[other, c]) for c in CATEGORIES]
        for category, cosine in zip(CATEGORIES, cosines, strict=True):
            assert found.matrix(category).loc[one, other] == pytest.approx(cosine, abs=1e-6)
        assert found.matrix(MEAN).loc[one, other] == pytest.approx(sum(cosines) / 3, abs=1e-6)
        means = [sum(documents[country, c] for c in CATEGORIES) / 3 for country in (one, other)]
        assert found.matrix(COMPOSITE).loc[one, other] == pytest.approx(slow_cosine(*means), abs=1e-6)


@pytest.mark.parametrize("corrected", [False, True])
def test_matrices_are_symmetric_with_ones_on_the_diagonal(texts, corrected):
    values = similarities(embedded(texts), corrected=corrected).cosines
    np.testing.assert_allclose(values, np.swapaxes(values, -1, -2), atol=1e-12)
    diagonal = np.diagonal(values, axis1=-2, axis2=-1)
    known = ~np.isnan(diagonal)
    assert known.any()
    np.testing.assert_allclose(diagonal[known], 1, atol=1e-12)


def test_two_countries_are_compared_in_the_categories_that_both_have(texts):
    places = [("Brazil", "family"), ("Brazil", "greetings"), ("Chile", "family"), ("India", "greetings")]
    found = similarities(embedded(texts[:4], places))
    one, two, three, four = (unit(each.sum(axis=0)) for each in texts[:4])
    for layer in (MEAN, COMPOSITE):
        matrix = found.matrix(layer)
        assert matrix.loc["Brazil", "Chile"] == pytest.approx(one @ three, abs=1e-6)
        assert matrix.loc["Brazil", "India"] == pytest.approx(two @ four, abs=1e-6)
        assert np.isnan(matrix.loc["Chile", "India"])
    family = found.matrix("family")
    assert family.loc["India"].isna().all()
    assert family.loc["Brazil", "Brazil"] == 1
    names, values = found.pairs()
    assert names == [("Brazil", "Chile"), ("Brazil", "India"), ("Chile", "India")]
    assert np.isnan(values[0]).tolist() == [False, True, True]


def with_agreement(within, across, chunks, documents=2):
    """Unit vectors whose cosines are exactly these: within a document, and across documents."""
    owner = np.repeat(np.arange(documents), chunks)
    gram = np.where(owner[:, None] == owner, within, across) + (1 - within) * np.eye(len(owner))
    return np.split(np.linalg.cholesky(gram), documents)


# Spearman 1904: r_xy / sqrt(r_xx r_yy); Spearman and Brown 1910: the mean of m parts has reliability
# m r / (1 + (m - 1) r), which is what the plain cosine of means is lowered by.
@pytest.mark.parametrize("chunks", [3, 4, 8])
def test_the_correction_is_spearmans_for_attenuation(chunks):
    within, across = 0.4, 0.3
    texts = embedded(with_agreement(within, across, chunks), [("Brazil", "family"), ("Chile", "family")])
    reliability = chunks * within / (1 + (chunks - 1) * within)
    plain, corrected = (
        similarities(texts, corrected=each).matrix("family").loc["Brazil", "Chile"] for each in (False, True)
    )
    assert corrected == pytest.approx(across / within, abs=1e-6)
    assert plain == pytest.approx(across / within * reliability, abs=1e-6)
    np.testing.assert_allclose(within_documents(texts), within, atol=1e-6)


def noisy(rng, means, chunks, noise=0.8):
    """Chunks that scatter about the documents' true vectors."""
    return [
        unit(mean + noise / np.sqrt(len(mean)) * rng.standard_normal((chunks, len(mean)))) for mean in means
    ]


@pytest.fixture
def truth():
    rng = np.random.default_rng(3)
    means = unit(unit(rng.standard_normal(60)) + unit(rng.standard_normal((12, 60))))
    whole = [np.repeat(mean[None], 3, axis=0) for mean in means]
    return means, similarities(embedded(whole)).pairs()[1]


def test_plain_cosines_are_too_low_for_short_texts_and_corrected_ones_are_not(truth):
    means, values = truth
    rng = np.random.default_rng(5)
    samples = [embedded(noisy(rng, means, 4)) for _ in range(60)]
    plain, corrected = (
        np.mean([similarities(each, corrected=c).pairs()[1] for each in samples], axis=0) - values
        for c in (False, True)
    )
    assert plain[:3].max() < -0.03
    assert abs(corrected[:3].mean()) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("chunks", [4, 6, 8])
def test_resampled_intervals_hold_the_truth(truth, chunks):
    means, values = truth
    rng = np.random.default_rng(chunks)
    held = []
    for seed in range(200):
        draws = resampled(embedded(noisy(rng, means, chunks)), 300, seed=seed).pairs()[1]
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        held.append((low[:3] <= values[:3]) & (values[:3] <= high[:3]))
    # 1,200 pairs, not independent: four chunks give somewhat short intervals, never useless ones.
    assert 0.87 < np.mean(held) < 0.995


def test_documents_with_fewer_than_three_chunks_have_no_corrected_similarity(texts):
    found = similarities(embedded(texts), corrected=True)
    few = {("Brazil", "family"), ("Chile", "family")}
    for country, category in itertools.product(COUNTRIES, CATEGORIES):
        diagonal = found.matrix(category).loc[country, country]
        assert np.isnan(diagonal) == ((country, category) in few)
    assert not np.isnan(found.matrix(MEAN)).any(axis=None)


def test_chunks_that_do_not_agree_have_no_corrected_similarity():
    texts = [np.eye(4)[:3], unit(np.ones((3, 4)))]
    found = similarities(embedded(texts, [("Brazil", "family"), ("Chile", "family")]), corrected=True)
    assert np.isnan(found.matrix("family").loc["Brazil"]).all()


def test_weights_count_chunks_as_often_as_they_say(texts):
    counts = np.array([2, 1, 3])
    places = [("Brazil", "family"), ("Chile", "family")]
    repeated = embedded([np.repeat(texts[1], counts, axis=0), texts[2]], places)
    weighted = similarities(embedded([texts[1], texts[2]], places), np.array([*counts, 1, 1, 1, 1]))
    np.testing.assert_allclose(weighted.cosines, similarities(repeated).cosines, atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"weights: found shape \(3,\), expected \(…, 7\), one a chunk"),
        (np.array([0, 0, 0, 1, 1, 1, 1]), "found a negative one, or a document without any"),
        (np.array([-1, 1, 1, 1, 1, 1, 1]), "found a negative one"),
    ],
)
def test_wrong_weights_are_refused(texts, weights, message):
    with pytest.raises(ValueError, match=message):
        similarities(embedded(texts[1:3]), weights)


def test_resamples_are_reproducible_and_differ_by_seed(texts):
    data = embedded(texts)
    first, again, other = (resampled(data, 130, seed=seed).cosines for seed in (1, 1, 2))
    assert first.shape == (130, 5, 4, 4)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other, equal_nan=True)


def test_resampled_similarities_surround_the_corrected_ones(truth):
    means, _ = truth
    data = embedded(noisy(np.random.default_rng(1), means, 12))
    middle = np.median(resampled(data, 500).pairs()[1], axis=0)
    assert abs(middle - similarities(data, corrected=True).pairs()[1]).max() < 0.03


def test_subsets_keep_as_many_chunks_of_every_document(texts):
    data = embedded([each for each in texts if len(each) >= 3])
    weights = subsets(data, 3, 50, seed=4)
    assert weights.shape == (50, len(data.owner))
    for row in range(len(data.documents)):
        assert (weights[:, data.owner == row].sum(axis=1) == 3).all()
    assert len(np.unique(weights, axis=0)) > 40
    with pytest.raises(ValueError, match="chunks: found 4, expected 1 to 3, as the shortest document has"):
        subsets(data, 4, 5)


def test_no_resamples_are_refused(texts):
    with pytest.raises(ValueError, match="resamples: found 0, expected at least 1"):
        resampled(embedded(texts), 0)


def test_passages_by_what_they_share(texts):
    data = embedded(texts)
    table = relations(data).set_index("relation")
    places = [
        (*place, row)
        for place, n in zip(data.documents.to_numpy(), data.documents["chunks"], strict=True)
        for row in range(n)
    ]
    found = {name: [] for name in RELATIONS}
    for (one, a), (other, b) in itertools.combinations(enumerate(places), 2):
        country, category = a[0] == b[0], a[1] == b[1]
        name = RELATIONS[0 if country and category else 1 if category else 2 if country else 3]
        found[name].append((data.vectors[one] @ data.vectors[other], a[-1] == b[-1]))
    for name, cosines in found.items():
        assert table.loc[name, "pairs"] == len(cosines)
        assert table.loc[name, "cosine"] == pytest.approx(
            np.mean([cosine for cosine, _ in cosines]), abs=1e-6
        )
        same = [cosine for cosine, place in cosines if place]
        assert table.loc[name, "same_place"] == pytest.approx(
            np.mean(same) if same else np.nan, nan_ok=True, abs=1e-6
        )
