"""Keypoint alignment: a second model's clips with what the first left behind, and matchers pair by pair.

The photographs are those that this machine has; the clips are simulated from them. LoFTR runs with random
weights: it finds no matches, so that its time is a lower bound. Grounded SAM runs with tiny parts, whose time
is one, too.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch
from benchmarks.harness import Row, at_most, seconds
from numpy.typing import NDArray

from helpers.metrics.cases import reference_at
from helpers.metrics.grounded_sam import GroundedSam
from helpers.metrics.keypoints import KeypointAlignment
from helpers.metrics.matchers import LoFTRMatcher, Matcher, XFeatMatcher
from helpers.metrics.measurer import Reference
from helpers.metrics.working import working_copy
from helpers.photographs.collection import load
from helpers.simulate.checkpoints.grounding_dino import build_grounding_dino
from helpers.simulate.checkpoints.sam import build_sam
from helpers.simulate.clips.study import simulate_clip

LANDMARKS, FRAMES, MOST = 50, 5, 0.6


def landmarks() -> list[tuple[Reference, NDArray[np.uint8]]]:
    """References, each with five frames of 256 x 256; photographs are used again where there are too few."""
    paths = load(download=False).photographs.drop_duplicates("scene")["path"].tolist()
    references = [reference_at(paths[number % len(paths)]) for number in range(LANDMARKS)]
    return [
        (one, simulate_clip(one.picture(), "warped_structure", 0.3, frames=FRAMES, seed=seed))
        for seed, one in enumerate(references)
    ]


def each_anew(work: list[tuple[Reference, NDArray[np.uint8]]]) -> None:
    for reference, frames in work:
        KeypointAlignment(MATCHER).align(reference, frames)


def with_kept(work: list[tuple[Reference, NDArray[np.uint8]]], folder: Path) -> None:
    metric = KeypointAlignment(MATCHER, folder=folder)
    for reference, frames in work:
        metric.align(reference, frames)


def pair(matcher: Matcher, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> None:
    [one], [other] = matcher.features(first[None]), matcher.features(second[None])
    matcher.match(one, other)


MATCHER = XFeatMatcher()


def run() -> list[Row]:
    torch.set_num_threads(1)
    MATCHER.load()
    work = landmarks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        anew = seconds(lambda: each_anew(work), repeats=2)
        with_kept(work, folder / "kept")
        second = seconds(lambda: with_kept(work, folder / "kept"), repeats=2)
        kept = sum(path.stat().st_size for path in (folder / "kept").iterdir()) / 1e6

        weights = folder / "loftr_random.ckpt"
        from kornia.feature import LoFTR

        torch.save({"state_dict": LoFTR(pretrained=None).state_dict()}, weights)
        loftr = LoFTRMatcher(weights)
        loftr.load()
        copies = [working_copy(reference.picture()) for reference, _ in work[:2]]
        quick = seconds(lambda: pair(MATCHER, *copies))
        dense = seconds(lambda: pair(loftr, *copies), repeats=1)

        source = GroundedSam(build_grounding_dino(folder / "detector"), build_sam(folder / "segmenter"))
        source.find(copies[0])
        tiny = seconds(lambda: source.find(copies[0]))
    size = " x ".join(str(side) for side in copies[0].shape[1::-1])
    return [
        Row(what=f"{LANDMARKS} clips of {FRAMES} frames, XFeat, nothing kept", value=anew, unit="s"),
        Row(what="the same for a second model, references kept", value=second, unit="s"),
        at_most("second model: time with references kept over without", second / anew, MOST, "×"),
        Row(what="kept for each landmark", value=kept / len({one.sha256 for one, _ in work}), unit="MB"),
        Row(what=f"XFeat, one pair, about {size}", value=quick, unit="s"),
        Row(what="LoFTR, the same pair, random weights: a lower bound", value=dense, unit="s"),
        Row(what="LoFTR over XFeat, a lower bound", value=dense / quick, unit="×"),
        Row(what="regions of one landmark, tiny random Grounded SAM: a lower bound", value=tiny, unit="s"),
    ]
