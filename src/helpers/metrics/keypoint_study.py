"""How keypoint alignment behaves: on clips of known faithfulness, under other constants, and by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from helpers.metrics.cases import reference_at
from helpers.metrics.inliers import inliers
from helpers.metrics.keypoint_formula import FEWEST, GAP, Constants, geometry
from helpers.metrics.keypoint_score import ClipScore, KeypointReference, score_clip
from helpers.metrics.matchers import Matches
from helpers.metrics.measurer import Reference
from helpers.photographs.collection import Collection
from helpers.photographs.credits import credit_line, shown_by_default


@dataclass(frozen=True, eq=False)
class Shot:
    """A simulated clip, matched with the photograph that it was to show.

    Attributes:
        place: the photograph's id.
        kind: in which way it is unfaithful.
        strength: 0 (the photograph, filmed) to 1.
        reference: what is known of the photograph.
        matches: of each frame.
    """

    place: str
    kind: str
    strength: float
    reference: KeypointReference
    matches: list[Matches]

    def score(self, constants: Constants = GAP) -> ClipScore:
        """The clip's alignment."""
        return score_clip(self.reference, self.matches, constants)


@dataclass(frozen=True)
class Example:
    """Three photographs that a published book may show: a reference, its place again, and another place.

    Attributes:
        reference: the reference.
        same: the same place; the reference itself where no other photograph of it may be shown.
        other: another place.
        credits: the line that is due under each, in this order.
    """

    reference: Reference
    same: Reference
    other: Reference
    credits: tuple[str, str, str]

    @property
    def filmed(self) -> bool:
        """Whether there is no second photograph, so that a simulated view has to stand for it."""
        return self.same == self.reference


def example(collection: Collection, scene: str) -> Example:
    """Photographs for a worked example.

    Args:
        collection: as `helpers.photographs.collection.load` gives it.
        scene: the place to take where two photographs of it may be shown; otherwise another such place is
            taken, or else the first photograph alone.
    """
    photographs = collection.photographs[shown_by_default(collection.photographs)].set_index("photograph_id")
    pairs = collection.pairs[
        collection.pairs["relation"].eq("same place")
        & collection.pairs[["first", "second"]].isin(photographs.index).all(axis=1)
    ]
    if len(pairs):
        wanted = pairs["first"].map(photographs["scene"]).eq(scene)
        pair = pairs.loc[wanted.idxmax()]
        ids = [pair["first"], pair["second"]]
    else:
        ids = [photographs.index[0]] * 2
    others = photographs[photographs["scene"].ne(photographs.loc[ids[0], "scene"])]
    ids.append(others.index[0])
    rows = photographs.loc[ids]
    credits_ = tuple(credit_line(row.name, row.author, row.licence) for row in rows.itertuples(index=False))
    return Example(*(reference_at(path) for path in rows["path"]), credits_)


def some_places(collection: Collection, count: int, seed: int) -> dict[str, Reference]:
    """Photographs of different scenes, drawn at random: by photograph_id."""
    scenes = collection.photographs.drop_duplicates("scene")
    drawn = scenes.sample(min(count, len(scenes)), random_state=seed).sort_index()
    return {row.photograph_id: reference_at(row.path) for row in drawn.itertuples()}


def shot_scores(shots: Sequence[Shot], constants: Constants = GAP) -> pd.DataFrame:
    """One row a shot; the faithful ones (kind "identity") stand in every other kind, with strength 0.

    Returns:
        Columns place, kind, strength, density, geometry and alignment (of the best frame), inliers (share of
        the matches of the photograph with itself that one homography explains in the best frame for it) and
        matches (of the best frame).
    """
    rows = []
    for shot in shots:
        score = shot.score(constants)
        best = score.frames[score.best]
        most = len(shot.reference.points)
        explained = max(inliers(matches).share_of(most) for matches in shot.matches)
        about = (shot.place, shot.kind, shot.strength)
        rows.append((*about, best.density, best.geometry, best.score, explained, best.matches))
    columns = ["place", "kind", "strength", "density", "geometry", "alignment", "inliers", "matches"]
    scores = pd.DataFrame(rows, columns=columns)
    faithful = scores["kind"].eq("identity")
    others = scores.loc[~faithful, "kind"].unique()
    return pd.concat(
        [*(scores[faithful].assign(kind=kind) for kind in others), scores[~faithful]], ignore_index=True
    )


def mean_with_interval(scores: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean over places of one column by kind and strength, with a 95 % t interval.

    Returns:
        Columns kind, strength, mean, low, high, n.
    """
    found = (
        scores.groupby(["kind", "strength"], sort=False)[column].agg(["mean", "sem", "size"]).reset_index()
    )
    reach = stats.t.ppf(0.975, found["size"] - 1) * found["sem"]
    return found.assign(low=found["mean"] - reach, high=found["mean"] + reach, n=found["size"])


def constants_table(shots: Sequence[Shot], choices: Sequence[Constants]) -> pd.DataFrame:
    """What other constants do to the same matches.

    Returns:
        One row a choice: tau, beta, neighbour; faithful and other (mean alignment of faithful clips and of
        clips that show another place), drop (from the first to the second, mean over places), and order
        (Spearman's correlation of all clips' alignments with those under GAP's constants).
    """
    ours = pd.Series([shot.score().score for shot in shots])
    about = pd.DataFrame([(shot.place, shot.kind, shot.strength) for shot in shots], columns=["p", "k", "s"])
    faithful = about["k"].eq("identity")
    other = about["k"].eq("other_landmark") & about["s"].eq(about["s"].max())
    rows = []
    for choice in choices:
        found = pd.Series([shot.score(choice).score for shot in shots])
        means = found[faithful].mean(), found[other].mean()
        order = stats.spearmanr(found, ours).statistic
        rows.append((choice.tau, choice.beta, choice.neighbour, *means, means[0] - means[1], order))
    columns = ["tau", "beta", "neighbour", "faithful", "other", "drop", "order"]
    return pd.DataFrame(rows, columns=columns)


def chance_geometry(counts: Sequence[int], draws: int, seed: int) -> pd.DataFrame:
    """Geometry of points that are matched without any sense: both sides uniform in a square, independent.

    Args:
        counts: matches, each at least 3.
        draws: sets of matches for each count.
        seed: of the draws.

    Returns:
        Columns matches, mean, low and high (the middle 95 % of the draws).

    Raises:
        ValueError: a count below 3.
    """
    if min(counts) < FEWEST:
        raise ValueError(f"found {min(counts)} matches; expected at least {FEWEST}")
    rng = np.random.default_rng(seed)
    rows = []
    for count in counts:
        values = [geometry(*rng.uniform(size=(2, count, 2))) for _ in range(draws)]
        rows.append((count, np.mean(values), *np.quantile(values, [0.025, 0.975])))
    return pd.DataFrame(rows, columns=["matches", "mean", "low", "high"])


def copies_table(references: Mapping[str, KeypointReference], constants: Constants = GAP) -> pd.DataFrame:
    """What a perfect copy of each photograph gets.

    Returns:
        Columns place, detail (mean of the regions', by area), density, geometry, alignment.
    """
    rows = []
    for place, reference in references.items():
        itself = Matches(reference.points, reference.points)
        [frame] = score_clip(reference, [itself], constants).frames
        detail = sum(region.weight * region.detail for region in frame.regions)
        rows.append((place, detail, frame.density, frame.geometry, frame.score))
    return pd.DataFrame(rows, columns=["place", "detail", "density", "geometry", "alignment"])
