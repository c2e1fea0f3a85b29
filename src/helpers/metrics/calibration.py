"""Measuring the clips of a calibration, as a study's clips are, against their own and other places.

The cases of one reference are one job; jobs run in processes side by side. Journals lie in a folder for each
reference, so that a second call measures nothing again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pandas as pd
from tqdm import tqdm

from helpers.metrics.calibration_settings import (
    CONSTANTS,
    DEFAULT,
    FRAMES,
    RANDOM,
    SMALLER,
    SMALLER_COPIES,
    SMALLER_PATCHES,
)
from helpers.metrics.cases import Case, reference_at
from helpers.metrics.keypoints import XFEAT, KeypointAlignment, declare
from helpers.metrics.matchers import Matcher
from helpers.metrics.measurer import Clip, Measurer
from helpers.metrics.motion import Motion
from helpers.metrics.patches import PATCH_HOG, PatchSimilarity
from helpers.metrics.registry import Metric
from helpers.metrics.remembered import RememberedBackbone, RememberedMatcher
from helpers.metrics.run import measure
from helpers.video.cache import Cache
from helpers.video.frames import sample

if TYPE_CHECKING:
    from helpers.metrics.backbones import Backbone

WORKERS = 2
MOST_BYTES = 512 * 2**20
TIMED = 4
"""Clips whose cost is measured."""


@dataclass(frozen=True)
class Measured:
    """What a calibration measured.

    Attributes:
        values: a row a comparison, setting and metric: the cases' columns without files, with setting
            (`DEFAULT`, `SMALLER`, or a key of `FRAMES` or `CONSTANTS`), metric (as the default's is called),
            value and status.
        costs: a row a clip and measurer: clip, measurer (its name), decoding and measuring in seconds, on
            this machine in this run.
    """

    values: pd.DataFrame
    costs: pd.DataFrame


def calibration_cases(places: pd.DataFrame, clips: pd.DataFrame) -> pd.DataFrame:
    """Which clip is compared with which place's reference.

    Clips of a reference are compared with it, blank and noisy ones with the reference of each place that has
    a dial, and the clips of second photographs with the reference of every place that has one.

    Args:
        places: as `helpers.simulate.clips.calibration.calibration_places`.
        clips: as `helpers.simulate.clips.calibration.calibration_clips`.

    Returns:
        A row a comparison: video_id, clip, place (what the clip shows), reference (the place whose reference
        it is), group, kind, strength, path, and photograph (the reference's file).
    """
    dialled = clips.loc[clips["group"].eq("faithful"), "place"]
    again = places.loc[places["other"].notna(), "place"]
    own = clips[clips["place"].notna() & clips["group"].ne("real")]
    anywhere = clips[clips["place"].isna()].merge(dialled.rename("reference"), how="cross")
    real = clips[clips["group"].eq("real")].merge(again.rename("reference"), how="cross")
    cases = pd.concat([own.assign(reference=own["place"]), anywhere, real], ignore_index=True)
    photographs = places.set_index("place")["reference"]
    return cases.assign(
        video_id=cases["clip"] + "@" + cases["reference"], photograph=cases["reference"].map(photographs)
    )


def measure_calibration(
    cases: pd.DataFrame, folder: Path, *, workers: int = WORKERS, quiet: bool | None = None
) -> Measured:
    """Measure every case with every metric that needs no hub, those of second photographs in other ways too.

    Motion and flicker, which need no reference, are measured of each clip of a reference alone.

    Args:
        cases: as `calibration_cases`.
        folder: where journals, decoded frames and what is known of references are kept.
        workers: processes side by side; each takes about 600 MB.
        quiet: without a progress bar; by default it is shown on a terminal alone.

    Raises:
        ModelError, DataError: as `run.measure`.
    """
    jobs: list[tuple[Callable[[pd.DataFrame, Path], pd.DataFrame], pd.DataFrame]] = [(_untrained, cases)]
    jobs += [(_of_reference, rows) for _, rows in cases.groupby("reference", sort=False)]
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=get_context("spawn")) as pool:
        running = [pool.submit(job, rows, folder) for job, rows in jobs]
        bar = tqdm(as_completed(running), total=len(jobs), desc="measuring", unit="job", disable=quiet)
        found = [done.result() for done in bar]
        # Last, when nothing else runs.
        costs = pool.submit(_costs, cases[cases["group"].eq("faithful")].head(TIMED), folder).result()
    values = cases.drop(columns=["path", "photograph"]).merge(pd.concat(found), on="video_id")
    return Measured(values.sort_values(["setting", "metric", "video_id"], ignore_index=True), costs)


def _of_reference(rows: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The job of one process: all cases of one reference."""
    import torch

    torch.set_num_threads(1)
    *compared, motion = _usual(*_shared(), folder)
    logs = folder / "logs" / rows["reference"].iloc[0]
    own, real = rows["place"].eq(rows["reference"]), rows["group"].eq("real")
    found = [
        _run(compared, rows[rows["group"].ne("moving")], folder, logs).assign(setting=DEFAULT),
        _run([motion], rows[own], folder, logs).assign(setting=DEFAULT),
    ]
    if real.any():
        varied = _varied(folder)
        table = _run([measurer for measurer, _ in varied], rows[real], folder, logs)
        called = {
            own.name: (default.name, setting)
            for measurer, setting in varied
            for own, default in zip(measurer.metrics, _default_metrics(measurer), strict=True)
        }
        names = [called[name] for name in table["metric"]]
        found.append(table.assign(metric=[one for one, _ in names], setting=[one for _, one in names]))
    return pd.concat(found)


def _untrained(rows: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The job of one process: all cases with a model that has learnt nothing."""
    import torch

    from helpers.metrics.backbones import backbone
    from helpers.simulate.checkpoints.dinov2 import build_dinov2

    torch.set_num_threads(1)
    model = folder / "dinov2-random"
    if not (model / "preprocessor_config.json").exists():
        build_dinov2(model)
    measurer = PatchSimilarity(RememberedBackbone(backbone(str(model), "whole", device="cpu")), RANDOM)
    compared = rows[rows["group"].ne("moving")]
    return _run([measurer], compared, folder, folder / "logs" / "untrained").assign(setting=DEFAULT)


def _costs(rows: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """What each measurer takes beside the decoding, clip by clip, with the reference known already."""
    from helpers.metrics.backbones import backbone
    from helpers.metrics.matchers import XFeatMatcher

    found = []
    for measurer in _usual(backbone("hog", "whole"), XFeatMatcher(), folder):
        for row in rows.itertuples():
            start = perf_counter()
            frames = sample(row.path, measurer.metrics[0].frames)
            decoding = perf_counter() - start
            clip = Clip(video_id=row.video_id, frames=frames, reference=reference_at(row.photograph))
            # Once before, so that what is loaded late, or known of the reference, is there.
            measurer.measure([clip])
            start = perf_counter()
            measurer.measure([clip])
            found.append((row.clip, measurer.name, decoding, perf_counter() - start))
    return pd.DataFrame(found, columns=["clip", "measurer", "decoding", "measuring"])


def _run(measurers: Sequence[Measurer], rows: pd.DataFrame, folder: Path, logs: Path) -> pd.DataFrame:
    references = {path: reference_at(path) for path in rows["photograph"].unique()}
    cases = [
        Case(video_id=row.video_id, path=Path(row.path), reference=references[row.photograph])
        for row in rows.itertuples()
    ]
    return measure(measurers, cases, logs, cache=Cache(folder / "frames", MOST_BYTES), quiet=True).table


@cache
def _shared() -> tuple[RememberedBackbone, RememberedMatcher]:
    """What remembers pictures, once a process."""
    from helpers.metrics.backbones import backbone
    from helpers.metrics.matchers import XFeatMatcher

    return RememberedBackbone(backbone("hog", "whole")), RememberedMatcher(XFeatMatcher())


def _usual(backbone: "Backbone", matcher: Matcher, folder: Path) -> list[Measurer]:
    """The measurers under their default settings, motion and flicker last."""
    known = folder / "known"
    patches = PatchSimilarity(backbone, PATCH_HOG, kept=known)
    return [patches, KeypointAlignment(matcher, folder=known), Motion()]


def _varied(folder: Path) -> list[tuple[Measurer, str]]:
    """The measurers under other settings, with metrics of their own names, and the settings in words."""
    from helpers.metrics.backbones import backbone

    tokens, matcher = _shared()
    known = folder / "known"
    found: list[tuple[Measurer, str]] = []
    for setting, rule in FRAMES.items():
        ending = f"_{rule.name.replace('-', '_')}"
        patches = replace(PATCH_HOG, name=f"{PATCH_HOG.name}{ending}", frames=rule)
        points = tuple(replace(one, frames=rule) for one in declare(f"_xfeat{ending}", "XFeat", ""))
        found.append((PatchSimilarity(tokens, patches, kept=known), setting))
        found.append((KeypointAlignment(matcher, folder=known, metrics=points), setting))
    small = replace(PATCH_HOG, name=f"{PATCH_HOG.name}_{SMALLER_PATCHES}")
    tokens = RememberedBackbone(backbone("hog", "whole", size=SMALLER_PATCHES))
    found.append((PatchSimilarity(tokens, small, kept=known), SMALLER))
    points = declare(f"_xfeat_{SMALLER_COPIES}", "XFeat", "")
    copies = {"folder": known, "long_side": SMALLER_COPIES}
    found.append((KeypointAlignment(matcher, metrics=points, **copies), SMALLER))
    for number, (setting, constants) in enumerate(CONSTANTS.items()):
        points = declare(f"_xfeat_constants_{number}", "XFeat", "")
        own = {"folder": known, "constants": constants}
        found.append((KeypointAlignment(matcher, metrics=points, **own), setting))
    return found


def _default_metrics(measurer: Measurer) -> tuple[Metric, ...]:
    return XFEAT if isinstance(measurer, KeypointAlignment) else (PATCH_HOG,)
