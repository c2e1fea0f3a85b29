"""Examples around quality: clips that move, flicker or stand still by plan, soft scores, text to read."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from scipy import stats

from helpers.metrics.measurer import Clip
from helpers.metrics.motion import Bursts, Motion
from helpers.metrics.quoted_text import character_error_rate
from helpers.metrics.scripts import country_scripts, letters_by_script
from helpers.metrics.tesseract import read_words
from helpers.simulate.clips.study import simulate_clip
from helpers.stats.association import spearman
from helpers.video.frames import Frames

FRAMES, FPS = 32, 8.0
# Standard deviation of noise, half the swing of brightness by turns, and brightening from end to end, in grey
# levels.
NOISE, SWING, DAWN = 12.0, 12.0, 60.0
KINDS = ("still", "moving camera", "still with noise", "still that flickers", "still that brightens")


def planned_clips(
    photographs: Mapping[str, NDArray[np.uint8]], *, frames: int = FRAMES, fps: float = FPS, seed: int = 0
) -> Iterator[tuple[str, str, NDArray[np.uint8]]]:
    """Clips of each photograph that differ in what changes: place, kind (`KINDS`), frames.

    Args:
        photographs: RGB (height, width, 3) by place.
        frames: of each clip.
        fps: of the moving camera, whose speed is by second.
        seed: of the camera's path and of noise.
    """
    rng = np.random.default_rng(seed)
    turn = np.arange(frames, dtype=np.float32)[:, None, None, None]
    for number, (place, photograph) in enumerate(photographs.items()):
        moving = simulate_clip(photograph, "identity", 0.0, frames=frames, fps=fps, seed=seed + number)
        still = np.repeat(moving[:1], frames, axis=0)
        swing = SWING * np.where(turn % 2, 1, -1).astype(np.float32)
        dawn = DAWN * (turn / np.float32(frames - 1) - np.float32(0.5))
        noise = NOISE * rng.standard_normal(still.shape, np.float32)
        changes = (0.0, None, noise, swing, dawn)
        for kind, change in zip(KINDS, changes, strict=True):
            yield place, kind, moving if change is None else brightened(still, change)


def brightened(frames: NDArray[np.uint8], change: NDArray[np.floating] | float) -> NDArray[np.uint8]:
    """Frames with grey levels added, kept within 0 to 255."""
    return np.clip(np.rint(frames + change), 0, 255).astype(np.uint8)


def motion_values(images: NDArray[np.uint8], fps: float = FPS) -> dict[str, float | None]:
    """Motion and flicker of a clip that is held in memory, by the measurer and its rule of sampling.

    Args:
        images: every frame, RGB (frames, height, width, 3).
        fps: frames per second.
    """
    times = np.arange(len(images)) / fps
    rule = Bursts(5)
    taken = rule.pick(times, len(images) / fps)
    frames = Frames(
        images=images[taken],
        indices=taken,
        times=times[taken],
        rule=rule,
        total=len(images),
        fps=fps,
        sha256="",
    )
    (outcome,) = Motion().measure([Clip(video_id="in memory", frames=frames)])
    return dict(outcome.values)


def means_with_intervals(rows: pd.DataFrame, by: str, value: str) -> pd.DataFrame:
    """Means of groups with 95 % t intervals over their rows: `by`, n, mean, low, high.

    Args:
        rows: with both columns; rows of one group are of different photographs.
        by: the column of groups, kept in their order.
        value: the column of numbers.
    """
    found = rows.groupby(by, sort=False)[value].agg(n="size", mean="mean", sem="sem").reset_index()
    reach = stats.t.ppf(0.975, found["n"] - 1) * found.pop("sem")
    return found.assign(low=found["mean"] - reach, high=found["mean"] + reach)


def within_runs(scores: pd.DataFrame, column: str) -> pd.DataFrame:
    """Spearman's rho of every two dimensions of a score, over the cells of each run.

    Args:
        scores: model, variant, country, category, the dimension in `column`, and score.
        column: the dimension's column.

    Returns:
        first and second dimension, model, variant, rho, low and high (95 %, cells as independent) and n.
    """
    cells = ["model", "variant", "country", "category"]
    wide = scores.pivot_table(index=cells, columns=column, values="score", sort=False)
    rows = []
    for (model, variant), run in wide.groupby(["model", "variant"], sort=False):
        for first, second in combinations(run, 2):
            rho = spearman(run[first], run[second])
            rows.append((first, second, model, variant, rho.estimate, rho.low, rho.high, rho.n))
    columns = ["first", "second", "model", "variant", "rho", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def soft_scores(probabilities: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two readings of a model's probabilities for the scores 1 to 5.

    Args:
        probabilities: (n, 5), each row of sum 1.

    Returns:
        The likeliest score times its probability, as VideoScore2's authors compute their soft score (the
        first of equal ones), and the expectation; both (n,).
    """
    probabilities = np.asarray(probabilities, float)
    scores = np.arange(1, 6)
    best = probabilities.argmax(axis=1)
    return scores[best] * probabilities.max(axis=1), probabilities @ scores


def error_matrix(wanted: str, read: str) -> NDArray[np.int64]:
    """The fewest errors between the first i letters wanted and any text that ends at the j-th letter read.

    Args:
        wanted: what should stand there.
        read: what was read.

    Returns:
        (wanted + 1, read + 1). The smallest number of the last row is `quoted_text.fewest_errors`.
    """
    errors = np.zeros((len(wanted) + 1, len(read) + 1), int)
    errors[:, 0] = np.arange(len(wanted) + 1)
    for i, expected in enumerate(wanted, 1):
        for j, found in enumerate(read, 1):
            swapped = errors[i - 1, j - 1] + (expected != found)
            errors[i, j] = min(swapped, errors[i - 1, j] + 1, errors[i, j - 1] + 1)
    return errors


def with_sign(
    photograph: NDArray[np.uint8],
    text: str,
    height: int,
    *,
    size: tuple[int, int] = (640, 360),
    blur: float = 0,
) -> NDArray[np.uint8]:
    """A photograph with a white sign in its middle that says a text.

    Args:
        photograph: RGB (height, width, 3).
        text: one line of letters of matplotlib's DejaVu Sans: Latin, Greek, Cyrillic.
        height: of the font in pixels.
        size: (width, height) of the result.
        blur: radius of a Gaussian blur over everything, in pixels.
    """
    picture = Image.fromarray(photograph).convert("RGB").resize(size, Image.Resampling.LANCZOS)
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", height)
    draw = ImageDraw.Draw(picture)
    middle = (size[0] / 2, size[1] / 2)
    left, top, right, bottom = draw.textbbox(middle, text, font=font, anchor="mm")
    border = height / 2
    draw.rectangle((left - border, top - border, right + border, bottom + border), fill="white")
    draw.text(middle, text, font=font, fill="black", anchor="mm")
    return np.asarray(picture.filter(ImageFilter.GaussianBlur(blur)) if blur else picture)


def letters_of_country(text: str, country: str) -> float:
    """The share of a text's letters in the scripts of a country's language, 0 to 1; NaN without letters.

    Raises:
        ValueError: a country that is none of the benchmarks'.
    """
    letters = letters_by_script(text)
    if not letters:
        return np.nan
    return sum(letters.get(script, 0) for script in country_scripts(country)) / sum(letters.values())


def read_signs(photograph: NDArray[np.uint8], text: str, heights: Sequence[int], blur: float) -> pd.DataFrame:
    """What Tesseract reads on signs of several sizes, sharp and blurred.

    Args:
        photograph: on which they stand.
        text: what they say.
        heights: of the font, in pixels of a frame 360 pixels high.
        blur: of the blurred ones, the radius in pixels.

    Returns:
        height, sign ("sharp", "blurred"), read (what was read) and rate (character error rate).
    """
    rows = []
    for height in heights:
        for sign, radius in (("sharp", 0.0), ("blurred", blur)):
            words = text_in(with_sign(photograph, text, height, blur=radius))
            rows.append((height, sign, words, character_error_rate([text], [words])))
    return pd.DataFrame(rows, columns=["height", "sign", "read", "rate"])


def text_in(picture: NDArray[np.uint8]) -> str:
    """The English words that Tesseract is sure enough of in a picture, in one line."""
    return " ".join(word.text for word in read_words(picture))
