"""Clips of landmarks whose faithfulness is known, for calibrating metrics and for the demo study."""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checking import DataError
from helpers.paths import file_hash
from helpers.photographs.pictures import read_picture
from helpers.schemas import check
from helpers.simulate.clips.camera import MARGIN, draw_motion, fill, film
from helpers.simulate.clips.faithfulness import KINDS, REPLACING, altered
from helpers.simulate.study import Simulation
from helpers.video.write import Written, write_clip

FRAMES, FPS, SIZE = 32, 8.0, (256, 256)
STRENGTHS = (0.25, 0.5, 0.75, 1.0)

_SAFE = re.compile(r"\w[\w.-]*")
_TRUTH = ["video_id", "landmark_id", "kind", "strength", "other", "seed", "motion"]
_NOTHING = {
    "other_photograph": "no other photograph of the place",
    "other_landmark": "no other landmark of the country",
    "other_country": "no landmark of another country",
}


def simulate_clip(
    photograph: np.ndarray,
    kind: str,
    strength: float,
    *,
    other: np.ndarray | None = None,
    frames: int = FRAMES,
    fps: float = FPS,
    size: tuple[int, int] = SIZE,
    seed: int,
) -> np.ndarray:
    """A clip of a photograph, filmed by a slowly moving camera and unfaithful in one way.

    Args:
        photograph: uint8 RGB (height, width, 3), of any size and proportions; its middle is used.
        kind: one of `faithfulness.KINDS`, which `faithfulness.altered` explains.
        strength: 0 (equal to identity) to 1.
        other: the photograph that replaces it, for the kinds of `faithfulness.REPLACING`.
        frames: how many.
        fps: frames per second; the camera's speed is by second.
        size: (width, height) of the clip in pixels.
        seed: the same seed gives the same clip; the camera's path depends on nothing else but the duration.

    Returns:
        uint8 (frames, height, width, 3).

    Raises:
        ValueError: as `faithfulness.altered`; no frame, no size, or an fps that is not above 0.
    """
    if frames < 1 or not fps > 0 or min(size) < 1:
        raise ValueError(f"found {frames} frames at {fps} fps of {size} pixels; expected all of them above 0")
    larger = (round(MARGIN * size[0]), round(MARGIN * size[1]))
    still = altered(
        fill(photograph, larger),
        kind,
        strength,
        other=None if other is None else fill(other, larger),
        seed=seed,
    )
    return film(still, draw_motion(seed, (frames - 1) / fps), frames, size)


def simulate_clips(
    landmarks: pd.DataFrame,
    folder: Path | str,
    *,
    others: Mapping[str, str | Path] | None = None,
    kinds: Sequence[str] = KINDS,
    strengths: Sequence[float] = STRENGTHS,
    variant: str = "detailed",
    frames: int = FRAMES,
    fps: float = FPS,
    size: tuple[int, int] = SIZE,
    seed: int,
) -> Simulation:
    """Write clips of each landmark, one for each kind and strength, as if each pair of them were a model.

    Clips of one landmark share the camera's path, so that they differ in faithfulness alone. A landmark's
    clips do not depend on which kinds and strengths are asked for, nor, but for the replacing ones, on the
    other landmarks.

    Args:
        landmarks: rows of a table `landmarks` with reference images.
        folder: where the clips are written: `<model>/<prompt_id>.mp4`, with "simulated" in their title.
        others: another photograph of a landmark by landmark_id, as
            `helpers.photographs.collection.Collection.others` gives them.
        kinds: which of `faithfulness.KINDS`; identity has one clip, of strength 0.
        strengths: for each of the other kinds.
        variant: the prompts that the clips are taken to answer: prompt_id is landmark_id and this.
        frames: as in `simulate_clip`.
        fps: as in `simulate_clip`.
        size: as in `simulate_clip`.
        seed: the same seed gives the same clips.

    Returns:
        Table videos. Truth: `clips` (video_id, landmark_id, kind, strength, other: the landmark_id of what
        replaces it, seed, motion) and `left_out` (landmark_id, kind, reason), the kinds for which there is
        nothing else to show.

    Raises:
        ValueError: as `simulate_clip`, or a landmark_id or variant that cannot name a file.
        DataError: a landmark without a reference image, or a photograph that does not decode; clips written
            before that stay.
        OSError: a clip cannot be written.
    """
    landmarks = check("landmarks", landmarks, "landmarks")
    for name in (*landmarks["landmark_id"], variant):
        if not _SAFE.fullmatch(name):
            raise ValueError(f"found the name '{name}', expected letters, digits, '.', '_' and '-'")
    duration = (frames - 1) / fps
    videos, truth, left_out = [], [], []
    for place in landmarks.itertuples():
        if pd.isna(place.reference_image):
            raise DataError(f"{place.landmark_id}: found no reference image, expected a photograph to film")
        own = _seed(seed, place.landmark_id)
        photograph, motion = read_picture(place.reference_image), str(draw_motion(own, duration))
        for kind in kinds:
            other_id, path = _other(kind, place, landmarks, others or {}, own)
            if kind in REPLACING and path is None:
                left_out.append((place.landmark_id, kind, _NOTHING[kind]))
                continue
            other = None if path is None else read_picture(path)
            for strength in [0.0] if kind == "identity" else strengths:
                clip = simulate_clip(
                    photograph, kind, strength, other=other, frames=frames, fps=fps, size=size, seed=own
                )
                model, prompt_id = model_name(kind, strength), f"{place.landmark_id}-{variant}"
                file = Path(folder) / model / f"{prompt_id}.mp4"
                file.parent.mkdir(parents=True, exist_ok=True)
                written = write_clip(file, clip, fps, title=f"{model}: {place.name}")
                video_id = f"{prompt_id}/{model}"
                truth.append((video_id, place.landmark_id, kind, strength, other_id, own, motion))
                settings = dict(zip(_TRUTH[2:], truth[-1][2:], strict=True))
                videos.append((video_id, prompt_id, model, own, json.dumps(settings), written))
    return Simulation(
        tables={"videos": _video_table(videos)},
        truth={
            "clips": pd.DataFrame(truth, columns=_TRUTH),
            "left_out": pd.DataFrame(left_out, columns=["landmark_id", "kind", "reason"]),
        },
    )


def _video_table(rows: list[tuple[str, str, str, int, str, Written]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["video_id", "prompt_id", "model", "seed", "settings", "written"])
    files = frame.pop("written")
    return check(
        "videos",
        frame.assign(
            path=[str(file.path) for file in files],
            width=[file.width for file in files],
            height=[file.height for file in files],
            frames=[file.frames for file in files],
            fps=[float(file.fps) for file in files],
            audio=False,
            sha256=[file_hash(file.path) for file in files],
            status="ok",
        ),
        "simulated videos",
    )


def model_name(kind: str, strength: float) -> str:
    """What a kind and strength are called where models are compared ("simulated detail loss 0.50").

    Different strengths have different names, with as many decimals as that takes.
    """
    words, short = kind.replace("_", " "), f"{strength:.2f}"
    told = short if float(short) == strength else repr(float(strength))
    return f"simulated {words}" if kind == "identity" else f"simulated {words} {told}"


def _other(
    kind: str,
    place: tuple,
    landmarks: pd.DataFrame,
    others: Mapping[str, str | Path],
    seed: int,
) -> tuple[str | None, str | Path | None]:
    """What a clip of a replacing kind shows instead: its landmark_id and its photograph, or nothing."""
    if kind == "other_photograph":
        path = others.get(place.landmark_id)
        return (None if path is None else place.landmark_id), path
    with_picture = landmarks["reference_image"].notna()
    home = landmarks["country"].eq(place.country)
    fitting = {
        "other_landmark": home & landmarks["landmark_id"].ne(place.landmark_id),
        "other_country": ~home,
    }
    if kind not in fitting or not (with_picture & fitting[kind]).any():
        return None, None
    choice = landmarks[with_picture & fitting[kind]].sort_values("landmark_id")
    chosen = choice.iloc[np.random.default_rng([seed, 4]).integers(len(choice))]
    return chosen["landmark_id"], chosen["reference_image"]


def _seed(seed: int, landmark_id: str) -> int:
    """A landmark's own seed, whatever other landmarks there are."""
    return int(np.random.SeedSequence([seed, zlib.crc32(landmark_id.encode())]).generate_state(1)[0])
