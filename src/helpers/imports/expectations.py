"""What clips should be: as a paper states it (`data/models.yaml`), or else as most of a model's clips are."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from helpers.generation.catalogue import Expected, expected, load
from helpers.published import FRAMEWORKS
from helpers.video.probe import Probe

# Fewer clips than this have no majority worth the name.
FEWEST = 3


def read_expected(benchmark: str) -> dict[str, Expected]:
    """What the clips of every known model should be for a benchmark.

    Values that the catalogue marks as unsaid are left out: they are the publisher's or ours, and no clip made
    by others has to follow them. A model that the benchmark did not run has an empty entry.

    Args:
        benchmark: one of `published.FRAMEWORKS`.
    """
    catalogue = load()
    names = [model.name for model in (*catalogue.models, *catalogue.hosted)]
    return {name: _stated(expected(name, benchmark), benchmark) for name in names}


def _stated(found: Expected | None, benchmark: str) -> Expected:
    if found is None:
        return Expected(benchmark=benchmark)
    unsaid = set(found.unsaid)
    drop = [name for name in ("fps", "audio") if name in unsaid]
    if unsaid & {"width", "height"}:
        # An orientation beside a size is worked out from it, and so is a duration beside frames.
        drop += ["width", "height"] + (["orientation"] if found.width else [])
    if unsaid & {"frames", "num_frames"}:
        drop += ["frames"] + (["seconds"] if found.frames else [])
    return found.model_copy(update=dict.fromkeys(drop))


def usual(probes: Sequence[Probe], benchmark: str) -> Expected:
    """What most of a model's clips are, to check the rest against where nothing is stated.

    Args:
        probes: the model's readable clips.
        benchmark: their prompts' benchmark.

    Returns:
        Each property that more than half of at least three clips share; a rate to two decimals.
    """
    if len(probes) < FEWEST:
        return Expected(benchmark=benchmark)
    values = {
        "size": [(probe.width, probe.height) for probe in probes],
        "frames": [probe.frames for probe in probes],
        "fps": [probe.fps and round(probe.fps, 2) for probe in probes],
        "audio": [probe.audio for probe in probes],
    }
    shared = {name: _most(found) for name, found in values.items()}
    width, height = shared.pop("size") or (None, None)
    return Expected(benchmark=benchmark, width=width, height=height, **shared)


def _most(values: list[Any]) -> Any:
    commonest = max(set(values), key=values.count)
    return commonest if values.count(commonest) > len(values) / 2 else None


def stated_clips() -> pd.DataFrame:
    """Every model's clips as the papers state them, for readers.

    Returns:
        Columns model, benchmark, width, height, frames, fps, seconds, audio ("yes" or "no") and orientation;
        missing where the paper does not say it. Only `fps` is given wherever the paper counts frames: as in
        the catalogue, or else worked out from rounded seconds.
    """
    rows = []
    for benchmark in FRAMEWORKS:
        for model, found in read_expected(benchmark).items():
            if not (found.frames or found.seconds):
                continue
            row = {"model": model, **found.model_dump(exclude={"unsaid", "notes"})}
            row["audio"] = {True: "yes", False: "no", None: None}[found.audio]
            if found.frames:
                row["fps"] = expected(model, benchmark).fps or round(found.frames / found.seconds)
            rows.append(row)
    columns = ["model", "benchmark", "width", "height", "frames", "fps", "seconds", "audio", "orientation"]
    return pd.DataFrame(rows, columns=columns)
