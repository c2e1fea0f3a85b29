"""Simulated clips of real photographs on which a metric can be calibrated, with all that is known of each."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from helpers.generation.journal import slug
from helpers.paths import file_hash
from helpers.photographs.collection import Collection
from helpers.photographs.pictures import read_picture
from helpers.simulate.clips.dial import KINDS
from helpers.simulate.clips.edits import HARMLESS, MOVING, WRONG
from helpers.simulate.clips.study import simulate_clip
from helpers.video.write import write_clip

FPS = 8.0
WRITERS = 2
VERSION = 1
"""Raised whenever the clips change, which outdates those that are there."""
ANYWHERE = ("blank", "noise")
"""What shows no place at all and so serves every reference."""
COLUMNS = ["clip", "place", "group", "kind", "strength", "path"]

_Make = Callable[[], NDArray[np.uint8]]


def calibration_places(collection: Collection, count: int, seed: int) -> pd.DataFrame:
    """Photographs of different places: first those of which there is a second photograph, then others.

    Args:
        collection: as `helpers.photographs.collection.load` gives it.
        count: how many at most, at least two.
        seed: of the draw of which come first.

    Returns:
        Columns place, name, reference (the photograph's file), other (another photograph of the place, no
        copy or crop of the first; missing where there is none), author, licence and doubt, in random order
        within both groups.

    Raises:
        ValueError: fewer than two places.
    """
    photographs = collection.photographs.assign(doubted=collection.photographs["doubt"].notna())
    scenes = photographs.sort_values("doubted", kind="stable").drop_duplicates("scene")
    chosen = set(collection.landmarks["reference_image"])
    is_landmark = photographs["path"].isin(chosen)
    found = pd.concat([photographs[is_landmark], scenes[scenes["landmark_id"].isna()]])
    found = found.assign(place=found["scene"], other=found["landmark_id"].map(collection.others()))
    found = found.rename(columns={"path": "reference"}).sample(frac=1, random_state=seed)
    found = found.sort_values("other", key=pd.Series.isna, kind="stable").head(count)
    if len(found) < 2:
        raise ValueError(f"found {len(found)} places, expected at least two")
    columns = ["place", "name", "reference", "other", "author", "licence", "doubt"]
    return found[columns].reset_index(drop=True)


def calibration_clips(
    places: pd.DataFrame,
    folder: Path,
    *,
    dialled: int,
    strengths: Sequence[float],
    frames: int,
    size: tuple[int, int],
    seed: int,
    quiet: bool | None = None,
) -> pd.DataFrame:
    """Write the clips of a calibration; those that are there from an earlier call stay as they are.

    Every place that has a second photograph gets a clip of that photograph (group "real"). The first
    `dialled` places get clips of their reference: the faithful one (group "faithful"), faults of each kind of
    `dial.KINDS` and strength (group "dial"; what replaces a place is the reference of the place that follows
    it in the table), and the faithful clip after each of `edits.HARMLESS`, `edits.WRONG` and `edits.MOVING`
    (groups "harmless", "wrong", "moving"). Clips of one place share a camera path. Blank and noisy clips are
    there once, with no place.

    Args:
        places: as `calibration_places`.
        folder: where clips lie, in a folder named by all that they depend on.
        dialled: how many of the places get the dial, at least one.
        strengths: of each fault, above 0, at most 1.
        frames: of each clip; clips that hurry have half of them.
        size: (width, height) in pixels.
        seed: of camera paths and faults.
        quiet: without a progress bar; by default it is shown on a terminal alone.

    Returns:
        Columns clip (its name), place (missing for blank and noisy clips), group, kind, strength (0 unless in
        the dial) and path.

    Raises:
        ValueError: as `simulate_clip`.
        DataError: a photograph that does not decode.
    """
    about = {
        "version": VERSION,
        "photographs": [file_hash(Path(path)) for path in [*places["reference"], *places["other"].dropna()]],
        "rest": [dialled, list(strengths), frames, list(size), seed],
    }
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:12]
    film = {"frames": frames, "fps": FPS, "size": size}
    plan, makers = [], []
    for *row, make in _all_clips(places, dialled, strengths, film, seed):
        place, group, kind, strength = row
        name = f"{place or 'anywhere'}/{slug(kind)}" + (f"-{strength:.4g}" if strength else "")
        path = Path(folder) / digest / f"{name}.mp4"
        plan.append((name, place, group, kind, strength, str(path)))
        if not path.exists():
            makers.append(partial(_write, path, make, f"simulated {kind}: {place or 'no place'}"))
    with ThreadPoolExecutor(WRITERS) as pool:
        done = pool.map(lambda make: make(), makers)
        for _ in tqdm(done, total=len(makers), desc="clips", unit="clip", disable=quiet):
            pass
    return pd.DataFrame(plan, columns=COLUMNS)


def _all_clips(
    places: pd.DataFrame, dialled: int, strengths: Sequence[float], film: dict, seed: int
) -> Iterator[tuple[str | None, str, str, float, _Make]]:
    """Place, group, kind, strength, and what makes the frames."""
    rows = list(places.itertuples(index=False))
    for number, (row, following) in enumerate(zip(rows, rows[1:] + rows[:1], strict=True)):
        filmed = partial(_filmed, seed=seed + number, **film)
        if isinstance(row.other, str):
            yield row.place, "real", "other photograph", 0.0, partial(filmed, row.other, "identity", 0.0)
        if number >= dialled:
            continue
        faithful = partial(filmed, row.reference, "identity", 0.0)
        yield row.place, "faithful", "faithful", 0.0, faithful
        for kind in KINDS:
            replaced = following.reference if kind == "other_landmark" else None
            for strength in strengths:
                make = partial(filmed, row.reference, kind, strength, other=replaced)
                yield row.place, "dial", kind, strength, make
        for group, edits in (("harmless", HARMLESS), ("wrong", WRONG), ("moving", MOVING)):
            for kind, edit in edits.items():
                # Whatever frames they are given, these come out the same.
                if kind not in ANYWHERE:
                    yield row.place, group, kind, 0.0, partial(_edited, edit, faithful)
                elif number == 0:
                    yield None, group, kind, 0.0, partial(_edited, edit, faithful)


def _filmed(
    path: str, kind: str, strength: float, *, other: str | None = None, seed: int, **film: object
) -> NDArray[np.uint8]:
    replaced = None if other is None else _picture(other)
    return simulate_clip(_picture(path), kind, strength, other=replaced, seed=seed, **film)


# Clips of one place follow each other, and show it and the next one.
_picture = lru_cache(maxsize=4)(read_picture)


def _edited(edit: Callable[[NDArray[np.uint8]], NDArray[np.uint8]], make: _Make) -> NDArray[np.uint8]:
    return edit(make())


def _write(path: Path, make: _Make, title: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_clip(path, make(), FPS, title=title)
