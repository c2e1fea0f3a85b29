"""Keypoint-based local alignment as a metric: GAP's score, its two parts, and the inliers of one movement."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.kept import Kept
from helpers.metrics.keypoint_formula import GAP, Constants
from helpers.metrics.keypoint_score import ClipScore, KeypointReference, known, score_clip
from helpers.metrics.matchers import Matcher, Matches, XFeatMatcher
from helpers.metrics.measurer import Clip, Outcome, Reference
from helpers.metrics.regions import Regions, RegionSource, Superpixels
from helpers.metrics.registry import Metric
from helpers.metrics.working import LONG_SIDE, working_copy
from helpers.video.sampling import Uniform

_NEIGHBOURS = (1, 2)
_MOVEMENTS = ("homography", "fundamental")
VERSION = 1
"""Raised whenever what is known of a reference changes, which outdates what is kept."""


def declare(suffix: str, parts: str, cost: str) -> tuple[Metric, ...]:
    """The five metrics of a matcher and a source of regions: alignment, its two parts, two kinds of inliers.

    Inliers are counted in the frame that has most of them, as a share of the photograph's matches with
    itself. Those of a homography ask for one plane or one spot; those of a fundamental matrix for any rigid
    scene, and so accept more, of wrong matches too: see `inliers`.

    Args:
        suffix: ends their names.
        parts: matcher and source of regions, in words for titles.
        cost: what one clip costs, in words.
    """
    gap, magsac = "GAP, section 3.2, Eqs.", "not GAP's: MAGSAC, Barath et al. 2019"
    rows = [
        ("keypoint_alignment", "Keypoint alignment", 2, f"{gap} 2-8"),
        ("keypoint_density", "Match density of the best frame", 1, f"{gap} 2-5 and 7"),
        ("keypoint_geometry", "Match geometry of the best frame", 1, f"{gap} 6 and 7"),
        ("homography_inliers", "Matches that one homography explains", 1, magsac),
        ("fundamental_inliers", "Matches that one fundamental matrix explains", 1, magsac),
    ]
    return tuple(
        Metric(
            name=f"{name}{suffix}",
            title=f"{title} ({parts})",
            low=0,
            high=high,
            direction="higher is better",
            needs=frozenset({"reference"}),
            frames=Uniform(5),
            source=source,
            cost=cost,
        )
        for name, title, high, source in rows
    )


PAPER = declare("", "LoFTR, Grounded SAM", "5 pairs through LoFTR, half a minute on one core")
"""GAP's own: `KeypointAlignment(LoFTRMatcher(), GroundedSam(), metrics=PAPER)`."""
XFEAT = declare("_xfeat", "XFeat, merged superpixels", "5 pairs through XFeat, half a second on one core")
"""What needs no download."""
METRICS = PAPER + XFEAT


class KeypointAlignment:
    """Measures clips against their reference photographs.

    What is known of a reference (its regions, their detail, where it matches itself) is computed once and
    kept, whichever clips follow: about a megabyte each with XFeat, whose features are kept too.
    """

    def __init__(
        self,
        matcher: Matcher | None = None,
        regions: RegionSource | None = None,
        *,
        folder: Path | None = None,
        constants: Constants = GAP,
        long_side: int = LONG_SIDE,
        metrics: tuple[Metric, ...] = XFEAT,
    ) -> None:
        """Choose what measures.

        Args:
            matcher: XFeat where left out; GAP's is `matchers.LoFTRMatcher`.
            regions: merged superpixels where left out; GAP's are `grounded_sam.GroundedSam`.
            folder: where what is known of references is kept; without one, in memory.
            constants: the formula's.
            long_side: of the working copies, in pixels.
            metrics: what the values are called, as `declare` gives it; its names are to fit the parts.
        """
        self.metrics, self.name = metrics, metrics[0].name.replace("_", "-")
        self.constants, self.long_side = constants, long_side
        self.matcher = matcher or XFeatMatcher()
        self.source = regions or Superpixels()
        self._known = Kept(folder)
        # The features of a dense matcher fill tens of megabytes: those of one reference are enough.
        self._features = Kept(folder) if self.matcher.keeps else Kept(most=1)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """See `measurer.Measurer`.

        Raises:
            ModelError: weights that lie in a file cannot be read.
        """
        return {
            **self.matcher.settings,
            **self.source.settings,
            "long_side": self.long_side,
            "tau": self.constants.tau,
            "beta": self.constants.beta,
            "neighbour": self.constants.neighbour,
            "movements": list(_MOVEMENTS),
        }

    def load(self) -> Mapping[str, Any]:
        """Load the matcher; see `measurer.Measurer.load`."""
        return self._loaded

    @cached_property
    def _loaded(self) -> Mapping[str, Any]:
        return self.matcher.load()

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `measurer.Measurer.measure`."""
        return [self._measure(clip) for clip in clips]

    def known(self, reference: Reference) -> KeypointReference:
        """What is known of a reference: kept from before, or computed now."""
        about = self._about("reference", reference)
        about |= {"category": reference.category, **self.source.settings}
        return _unpacked(self._known.get(about, lambda: _packed(self._compute(reference))))

    def matches(self, reference: Reference, images: NDArray[np.uint8]) -> list[Matches]:
        """The matches of a reference with each frame.

        Args:
            reference: the photograph.
            images: (frames, height, width, 3), RGB.
        """
        own = self._reference_features(reference)
        copies = np.stack([working_copy(image, self.long_side) for image in images])
        return [self.matcher.match(own, frame) for frame in self.matcher.features(copies)]

    def align(self, reference: Reference, images: NDArray[np.uint8]) -> ClipScore:
        """The alignment of a clip's frames with a reference; arguments as `matches`."""
        return score_clip(self.known(reference), self.matches(reference, images), self.constants)

    def _measure(self, clip: Clip) -> Outcome:
        # OpenCV is not needed by those who only read what metrics there are.
        from helpers.metrics.inliers import inliers

        reference = self.known(clip.reference)
        matches = self.matches(clip.reference, clip.frames.images)
        score = score_clip(reference, matches, self.constants)
        moved = {model: [inliers(one, model) for one in matches] for model in _MOVEMENTS}
        best = score.frames[score.best]
        notes = [f"{region.label}: {region.note}" for region in best.regions if region.note]
        most = len(reference.points)
        shares = [max(one.share_of(most) for one in frames) for frames in moved.values()]
        values = best.score, best.density, best.geometry, *shares
        return Outcome(
            values={metric.name: value for metric, value in zip(self.metrics, values, strict=True)},
            notes=(*reference.regions.notes, *notes),
            details={
                "best_frame": int(clip.frames.indices[score.best]),
                "density": [frame.density for frame in score.frames],
                "geometry": [frame.geometry for frame in score.frames],
                "matches": [frame.matches for frame in score.frames],
                "inliers": [len(one) for one in moved["homography"]],
                "fundamental_inliers": [len(one) for one in moved["fundamental"]],
                "self_matches": most,
                "regions": len(reference.regions),
            },
        )

    def _compute(self, reference: Reference) -> KeypointReference:
        copy = working_copy(reference.picture(), self.long_side)
        regions = self.source.find(copy, reference.category)
        own = self._reference_features(reference)
        return known(copy, regions, self.matcher.match(own, own))

    def _reference_features(self, reference: Reference) -> Mapping[str, Any]:
        return self._features.get(
            self._about("features", reference),
            lambda: self.matcher.features(working_copy(reference.picture(), self.long_side)[None])[0],
        )

    def _about(self, what: str, reference: Reference) -> dict[str, Any]:
        return {
            "what": f"keypoints: {what}",
            "version": VERSION,
            "picture": reference.sha256,
            "long_side": self.long_side,
            "loaded": dict(self._loaded),
            **self.matcher.settings,
        }


def _packed(reference: KeypointReference) -> dict[str, NDArray]:
    masks = reference.regions.masks
    return {
        "bits": np.packbits(masks),
        "shape": np.array(masks.shape),
        "labels": np.array(reference.regions.labels, dtype=str),
        "notes": np.array(reference.regions.notes, dtype=str),
        "variances": reference.variances,
        "points": reference.points,
        "baselines": np.stack([reference.baselines(neighbour) for neighbour in _NEIGHBOURS]),
    }


def _unpacked(arrays: Mapping[str, NDArray]) -> KeypointReference:
    shape = tuple(arrays["shape"].tolist())
    masks = np.unpackbits(arrays["bits"], count=int(np.prod(shape))).astype(bool).reshape(shape)
    regions = Regions(masks, tuple(arrays["labels"].tolist()), tuple(arrays["notes"].tolist()))
    baselines = dict(zip(_NEIGHBOURS, arrays["baselines"], strict=True))
    return KeypointReference(regions, arrays["variances"], arrays["points"], baselines)
