import shutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.checking import DataError
from helpers.similarity import embedding
from helpers.similarity.chunks import MODEL_FOLDER, MOST_PIECES, chunk, word_pieces
from helpers.similarity.embedding import check_weights, embed, embed_documents

SENTENCE = "Each guest brings a small present, and the host opens it once everyone has gone home. "


@pytest.fixture(scope="module")
def tokenizer():
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(MODEL_FOLDER)


# Worked values of the published model, by sentence-transformers 6.2's own `encode` and `similarity`.
def test_worked_values_of_all_minilm_l6_v2():
    temple, shrine, football = embed(["a temple in Kyoto", "a shrine in Japan", "football match"])
    assert temple @ shrine == pytest.approx(0.6755, abs=5e-5)
    assert temple @ football == pytest.approx(0.0249, abs=5e-5)


def test_vectors_have_384_numbers_and_length_1():
    vectors = embed([SENTENCE, "Ä", "?"])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert embed([]).shape == (0, 384)


def test_what_lies_beyond_256_pieces_is_not_read_without_chunks():
    start = SENTENCE * 20
    assert word_pieces(start) > MOST_PIECES
    one, other = embed([start + "A temple.", start + "A football match."])
    np.testing.assert_allclose(one, other, atol=1e-6)


words = st.lists(
    st.sampled_from(
        ["a", "temple", "Saudade", "x" * 40, "não,", "3.14", "祭", "don't", "—", "unbelievableness"]
    ),
    min_size=1,
    max_size=150,
)


@given(words=words, pieces=st.sampled_from([16, 17, 30, 64, 256]))
@settings(max_examples=60)
def test_chunks_fit_cover_the_text_and_are_about_equal(tokenizer, words, pieces):
    text = " ".join(words)
    whole = tokenizer(text, add_special_tokens=False, truncation=False)["input_ids"]
    if "x" * 40 in words and pieces < 32:
        pieces = 64
    parts = chunk(text, pieces)
    cut = [tokenizer(part, truncation=False)["input_ids"] for part in parts]
    assert max(map(len, cut)) <= pieces
    # Nothing lost, nothing twice, and each chunk read alone gives the pieces that it had in the text.
    assert [piece for ids in cut for piece in ids[1:-1]] == whole
    longest = max(len(tokenizer(word, add_special_tokens=False)["input_ids"]) for word in words)
    lengths = [len(ids) - 2 for ids in cut]
    assert max(lengths) - min(lengths) <= 2 * longest + 1


# 254 pieces and the two special ones are what the model card's 256 hold.
@pytest.mark.parametrize(("pieces", "count"), [(254, 1), (255, 2), (508, 2), (509, 3)])
def test_the_special_pieces_count(pieces, count):
    parts = chunk("temple " * pieces)
    assert len(parts) == count
    assert max(len(part.split()) for part in parts) <= 254


@pytest.mark.parametrize(
    ("text", "pieces", "message"),
    [
        ("a", 15, "pieces: found 15, expected a number from 16 to 256"),
        ("a", 257, "pieces: found 257"),
        (" \n", 256, "found a text without words"),
        ("x" * 99, 16, "found a word of .* pieces, expected at most 14"),
    ],
)
def test_texts_that_cannot_be_cut_are_refused(text, pieces, message):
    with pytest.raises(ValueError, match=message):
        chunk(text, pieces)


def documents(**texts):
    return pd.DataFrame(
        [("Brazil", category, text) for category, text in texts.items()],
        columns=["country", "category", "text"],
    )


def test_documents_keep_their_chunks_apart():
    found = embed_documents(documents(family=SENTENCE * 30, religion="A temple."))
    assert found.documents["chunks"].tolist() == [3, 1]
    assert found.owner.tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(found.vectors[3], embed(["A temple."])[0], atol=1e-6)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (documents(), "found no documents"),
        (documents(family=" "), "Brazil, family: found a text without words"),
        (pd.concat([documents(family="a")] * 2), "found two documents on Brazil, family; expected one"),
    ],
)
def test_unusable_documents_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        embed_documents(rows)


def test_nothing_is_embedded_twice(tmp_path, monkeypatch):
    store = tmp_path / "deep" / "vectors.sqlite"
    first = embed(["a", "b", "a"], cache=store)
    np.testing.assert_array_equal(first[0], first[2])
    asked = []
    monkeypatch.setattr(embedding, "_computed", lambda texts: asked.extend(texts) or np.zeros((1, 384), "f"))
    again = embed(["b", "new", "a"], cache=store)
    assert asked == ["new"]
    np.testing.assert_array_equal(again[[0, 2]], first[[1, 0]])


def test_another_file_as_cache_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database, just words" * 50)
    with pytest.raises(DataError, match=r"notes\.txt: .*expected a cache of embeddings, or no file"):
        embed(["a"], cache=tmp_path / "notes.txt")


# The hash stands in public lock files for the published revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41.
def test_the_weights_are_the_published_ones(tmp_path):
    weights = MODEL_FOLDER / "model.safetensors"
    check_weights(weights)
    copy = tmp_path / "model.safetensors"
    shutil.copy(weights, copy)
    with copy.open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\1")
    with pytest.raises(DataError, match=r"model\.safetensors: found the SHA-256 \w{64}, expected 53aa5117"):
        check_weights(copy)
