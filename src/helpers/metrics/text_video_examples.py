"""What can be learnt about text-video similarity without trained weights: what is read, averaged, and asked.

A CLIP with random weights runs through the same code as a trained one; its values mean nothing, and whatever
shows them says "random weights". Its words are cut into tokens by the real tokenizer, which open_clip brings.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import open_clip
import pandas as pd
import torch
from numpy.typing import NDArray
from open_clip.constants import OPENAI_DATASET_MEAN, OPENAI_DATASET_STD
from safetensors.torch import save_file
from scipy import stats

from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.results import Estimate

# How many tokens are read, the marks of beginning and end among them; ViCLIP uses CLIP's own vocabulary.
CLIP_TOKENS, VICLIP_TOKENS = 77, 32
MARKS = 2
PERMUTATIONS = 4999


def untrained_clip(folder: Path | str, *, architecture: str = "ViT-S-32-alt", seed: int = 0) -> str:
    """Write a CLIP of a published architecture with random weights.

    Args:
        folder: where to; made where it is missing. ViT-S-32-alt takes 180 MB.
        architecture: one that open_clip lists.
        seed: of the weights.

    Returns:
        "local-dir:<folder>", the name by which `text_video.ClipText` loads it.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = open_clip.get_model_config(architecture)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        weights = open_clip.CLIP(**about).state_dict()
    pictures = {"mean": OPENAI_DATASET_MEAN, "std": OPENAI_DATASET_STD}
    text = json.dumps({"model_cfg": about, "preprocess_cfg": pictures}, indent=1)
    (folder / "open_clip_config.json").write_text(text, encoding="utf-8")
    whole = {name: value.contiguous() for name, value in weights.items()}
    save_file(whole, folder / "open_clip_model.safetensors")
    return f"local-dir:{folder}"


def token_count(text: str) -> int:
    """How many of CLIP's tokens a text has, the marks of beginning and end among them, without a limit."""
    return len(_tokenizer().encode(text)) + MARKS


def part_read(text: str, limit: int) -> str:
    """What is left of a text, in small letters, where a model reads so many tokens, marks included."""
    return _tokenizer().decode(_tokenizer().encode(text)[: limit - MARKS]).strip()


def share_read(text: str, part: str, limits: Sequence[int]) -> NDArray[np.float64]:
    """How much of a part of a text is read, in tokens, for each of several limits.

    Args:
        text: all of it.
        part: what stands in it, from one word's beginning to another's end.
        limits: how many tokens are read, marks included.

    Returns:
        (limits,), 0 to 1.

    Raises:
        ValueError: the part does not stand in the text.
    """
    start = text.find(part)
    if start < 0 or not part.strip():
        raise ValueError(f"found no '{part[:40]}' in '{text[:40]}…', expected a part of the text")
    before, end = (token_count(text[:at]) - MARKS for at in (start, start + len(part)))
    return np.clip((np.asarray(limits) - MARKS - before) / (end - before), 0, 1)


def averages(frames: NDArray[np.floating], words: NDArray[np.floating]) -> dict[str, float]:
    """Two ways to make one number of several frames, and what lies between them.

    The cosine of the mean vector is the mean cosine divided by the mean vector's length, which is 1 where all
    frames are alike and less where they differ.

    Args:
        frames: (n, dims), the frames' vectors, each of length 1.
        words: (dims,), of length 1.

    Returns:
        "mean of cosines", "length of the mean vector" (0 to 1) and "cosine of the mean vector" (NaN where
        the mean vector is 0).
    """
    mean = np.asarray(frames, float).mean(axis=0)
    inner, length = float(mean @ np.asarray(words, float)), float(np.linalg.norm(mean))
    return {
        "mean of cosines": inner,
        "length of the mean vector": length,
        "cosine of the mean vector": inner / length if length > 0 else np.nan,
    }


def own_shares(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """The share of the other prompts that a prompt outscores on a clip; ties count half.

    Args:
        scores: (clips, prompts), at least two prompts.

    Returns:
        The same shape, 0 to 1.
    """
    ranks = stats.rankdata(np.asarray(scores, float), axis=1)
    return (ranks - 1) / (ranks.shape[1] - 1)


def own_prompt(scores: NDArray[np.floating], *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """How often a clip's own prompt outscores another prompt: 0.5 by chance, 1 where it always does.

    The probability is over other prompts within a clip, and then averaged over clips: what is high for every
    prompt on one clip, or for one clip under every prompt, makes no difference to it.

    Args:
        scores: (n, n), of every clip (row) with every prompt (column); clip i was made for prompt i.
        resamples: of clips, for the interval.
        seed: of resamples and permutations.

    Returns:
        The interval takes the prompts as given and clips as drawn. p, one-sided, is the share of random
        assignments of prompts to clips that do at least as well, the actual one included.

    Raises:
        ValueError: not a square of at least 3 by 3.
    """
    scores = np.asarray(scores, float)
    n = len(scores)
    if scores.shape != (n, n) or n < 3:
        raise ValueError(f"found scores of shape {scores.shape}, expected a square of at least 3 by 3")
    shares = own_shares(scores)
    own = shares.diagonal()
    found = cluster_bootstrap(
        own, np.arange(n), method="percentile", resamples=resamples, seed=seed, unit="clips"
    )
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.broadcast_to(np.arange(n), (PERMUTATIONS, n)), axis=1)
    drawn = shares[np.arange(n), orders].mean(axis=1)
    p = (1 + np.sum(drawn >= own.mean() - 1e-12)) / (PERMUTATIONS + 1)
    return Estimate(
        estimate=float(own.mean()),
        low=found.low,
        high=found.high,
        p=float(p),
        n=n,
        method="share of other prompts outscored within a clip; bootstrap over clips, permuted prompts",
        details={
            "chance_low": float(np.quantile(drawn, 0.025)),
            "chance_high": float(np.quantile(drawn, 0.975)),
        },
    )


def planted_scores(
    n: int, *, level: float, clips: float, prompts: float, signal: float, noise: float, seed: int
) -> NDArray[np.float64]:
    """Simulated scores of n clips with n prompts, of known parts.

    Args:
        n: clips, and prompts; clip i was made for prompt i.
        level: the mean of all scores that are not a clip's own prompt's.
        clips: standard deviation of what a clip adds to its score under every prompt.
        prompts: standard deviation of what a prompt adds on every clip.
        signal: what the own prompt adds.
        noise: standard deviation of the rest.
        seed: the same seed gives the same scores.
    """
    rng = np.random.default_rng(seed)
    scores = level + clips * rng.standard_normal((n, 1)) + prompts * rng.standard_normal((1, n))
    return scores + signal * np.eye(n) + noise * rng.standard_normal((n, n))


def prompt_pairs(prompts: pd.DataFrame, vectors: NDArray[np.floating]) -> pd.DataFrame:
    """Cosines of every two prompts, by what they have in common.

    Args:
        prompts: with matched_set (the scene) and country, one row a prompt.
        vectors: (prompts, dims), each of length 1.

    Returns:
        One row a pair: differing ("country", "scene" or "both") and cosine.
    """
    first, second = np.triu_indices(len(prompts), 1)
    scene, country = prompts["matched_set"].to_numpy(), prompts["country"].to_numpy()
    same_scene, same_country = scene[first] == scene[second], country[first] == country[second]
    differing = np.select(
        [same_scene & ~same_country, ~same_scene & same_country], ["country", "scene"], "both"
    )
    cosines = np.einsum("nd,nd->n", vectors[first], vectors[second])
    return pd.DataFrame({"differing": differing, "cosine": cosines})


def letters_per_token(texts: Sequence[str]) -> float:
    """Letters, marks and digits for each of CLIP's tokens, over all the texts; spaces count for nothing."""
    letters = sum(len("".join(text.split())) for text in texts)
    return letters / sum(token_count(text) - MARKS for text in texts)


@cache
def _tokenizer() -> open_clip.SimpleTokenizer:
    return open_clip.SimpleTokenizer()
