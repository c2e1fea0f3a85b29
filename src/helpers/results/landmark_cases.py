"""Two landmark clips looked at: where the best frame does not recover the photograph (Figure 4).

GAP outlines deviating regions by hand. Here they are the regions of the reference in which keypoint alignment
finds little: matches half as dense as a perfect copy's, or less, or an arrangement that fits badly.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helpers.metrics.cases import Problem, reference_at
from helpers.metrics.keypoint_formula import saturated
from helpers.metrics.keypoint_score import FrameScore
from helpers.metrics.keypoints import KeypointAlignment
from helpers.metrics.matchers import Matches
from helpers.metrics.regions import Regions
from helpers.metrics.working import working_copy
from helpers.photographs.credits import credit_line
from helpers.results.page import Drawn, LackingError, Page
from helpers.results.plots import plain
from helpers.video.frames import Frames, sample
from helpers.video.sampling import Uniform
from helpers.video.sheets import contact_sheet

FRAMES = 5
# Below these a region counts as not recovered: share of a perfect copy's density, and geometry.
LEAST_DENSITY, LEAST_GEOMETRY = 0.5, 0.5
MISSED, OTHERS = "#d55e00", "#0072b2"
FREE = ("public domain", "CC0-1.0")


@dataclass(frozen=True, eq=False)
class Case:
    """A clip with its reference, matched.

    Attributes:
        row: of `landmarks.clips`.
        why: why it was chosen, in words.
        reference: working copy of the photograph, RGB.
        frame: working copy of the clip's best frame.
        frames: all frames that were matched.
        regions: of the reference.
        matches: of reference and best frame.
        score: of the best frame.
        missed: which regions it does not recover.
    """

    row: pd.Series
    why: str
    reference: NDArray[np.uint8]
    frame: NDArray[np.uint8]
    frames: Frames
    regions: Regions
    matches: Matches
    score: FrameScore
    missed: tuple[bool, ...]


def chosen(page: Page, rows: pd.DataFrame, measure: str) -> dict[str, pd.Series]:
    """The clip of the most and of the least viewed landmark that have a file and a photograph.

    Args:
        page: of landmarks.
        rows: as `landmarks.clips`.
        measure: where no landmark has page views, the highest and the lowest score of this stand for them.

    Returns:
        By why it was chosen, the row with path and reference_image. Photographs in the public domain come
        first; others are taken where there are not two of these.

    Raises:
        LackingError: fewer than two landmarks with a clip and a photograph on this machine.
    """
    files = page.tables["videos"].set_index("video_id")["path"]
    about = page.tables["landmarks"].set_index("landmark_id")[["reference_image", "author", "licence"]]
    found = rows.assign(path=rows["video_id"].map(files)).join(about, on="landmark_id")
    found = found.dropna(subset=["path", "reference_image"]).drop_duplicates("landmark_id")
    here = [
        (page.folder / row.path).is_file() and (page.folder / row.reference_image).is_file()
        for row in found.itertuples()
    ]
    found = found[np.array(here, dtype=bool)]
    free = found[found["licence"].isin(FREE)]
    found = free if len(free) > 1 else found
    if len(found) < 2:
        raise LackingError(
            "Two landmarks with a clip and a reference photograph on this machine are needed; "
            f"there {'is one' if len(found) == 1 else 'is none'}."
        )
    if len(found["pageviews"].dropna().unique()) > 1:
        by, what = found["pageviews"].astype(float), "page views"
    elif measure in found and len(found[measure].dropna().unique()) > 1:
        by, what = found[measure].astype(float), f"score by {measure}"
    else:
        return {"first by name": found.iloc[0], "last by name": found.iloc[-1]}
    return {f"highest {what}": found.loc[by.idxmax()], f"lowest {what}": found.loc[by.idxmin()]}


def looked_at(page: Page, picks: dict[str, pd.Series], metric: KeypointAlignment) -> list[Case]:
    """Match each clip's frames with its photograph.

    Raises:
        LackingError: a photograph or clip that cannot be read, or without detail.
    """
    cases = []
    for why, row in picks.items():
        reference = reference_at(page.folder / row["reference_image"])
        if isinstance(reference, Problem):
            raise LackingError(reference.reason)
        try:
            frames = sample(page.folder / row["path"], Uniform(FRAMES))
            score = metric.align(reference, frames.images)
            known = metric.known(reference)
            picture = reference.picture()
        except ValueError as error:
            raise LackingError(f"{row['video_id']}: {error}") from None
        best = score.best
        cases.append(
            Case(
                row=row,
                why=why,
                reference=working_copy(picture),
                frame=working_copy(frames.images[best]),
                frames=frames,
                regions=known.regions,
                matches=metric.matches(reference, frames.images[best][None])[0],
                score=score.frames[best],
                missed=missed(score.frames[best], metric.constants.beta),
            )
        )
    return cases


def missed(score: FrameScore, beta: float) -> tuple[bool, ...]:
    """Which regions a frame does not recover; regions that cannot be scored are not counted as missed.

    Args:
        score: of the frame.
        beta: the formula's constant, which says what a perfect copy of a region gets.
    """
    found = []
    for region in score.regions:
        perfect = float(saturated(1 / region.detail, beta)) if region.detail > 0 else np.inf
        poor = region.density < LEAST_DENSITY * perfect or region.geometry < LEAST_GEOMETRY
        found.append(bool(region.weight > 0 and poor))
    return tuple(found)


def cases_figure(cases: list[Case]) -> Drawn:
    """Each case: the photograph with missed regions outlined, the best frame with its matches, all frames."""
    # Photographs make large files: at this size a page with two cases stays below 3 MB.
    fig = plt.figure(figsize=(6.6, 4.1 * len(cases)), layout="constrained")
    grid = fig.add_gridspec(2 * len(cases), 2, height_ratios=[3, 1.3] * len(cases))
    for number, case in enumerate(cases):
        left, right = (fig.add_subplot(grid[2 * number, column]) for column in (0, 1))
        below = fig.add_subplot(grid[2 * number + 1, :])
        _outlined(left, case)
        right.imshow(case.frame)
        right.plot(*case.matches.frame.T, ".", color=OTHERS, markersize=2.5)
        left.set_title(f"{plain(case.row['name'])}\n{case.why}", fontsize=10)
        right.set_title(f"the clip's best frame\n{case.score.matches} matches", fontsize=10)
        below.imshow(np.asarray(contact_sheet(case.frames, columns=FRAMES)))
        for ax in (left, right, below):
            ax.set_axis_off()
            ax.set_anchor("N")
    said = "; ".join(
        f"{case.row['name']}: {sum(case.missed)} of {len(case.regions)} regions not recovered, "
        f"D = {case.score.density:.2f}, G = {case.score.geometry:.2f}"
        for case in cases
    )
    credits_ = " ".join(
        credit_line(case.row["name"], _text(case.row["author"]), _text(case.row["licence"])) for case in cases
    )
    return Drawn(
        fig,
        f"reference photographs (left), the best of {FRAMES} frames (right) and all of them (below), n = "
        f"{len(cases)} clips. "
        "Orange, dashed: regions whose matches are less than half as dense as a perfect copy's, or badly "
        "arranged; blue dots: "
        f"matched points. {said}. {credits_}",
        "For each of two landmarks a photograph with dashed orange outlines around regions that the clip "
        "does not "
        "recover, beside a frame with dots at matched points, and a strip of five frames below.",
    )


def _outlined(ax: plt.Axes, case: Case) -> None:
    ax.imshow(case.reference)
    for mask, is_missed in zip(case.regions.masks, case.missed, strict=True):
        if is_missed and not mask.all():
            # White below the orange keeps the outline visible on every background.
            ax.contour(mask, levels=[0.5], colors=["white"], linewidths=4)
            ax.contour(mask, levels=[0.5], colors=[MISSED], linewidths=2, linestyles="dashed")
    ax.plot(*case.matches.reference.T, ".", color=OTHERS, markersize=2.5)


def _text(value: object) -> str | None:
    return None if pd.isna(value) else str(value)
