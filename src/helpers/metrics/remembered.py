"""Backbones and matchers that remember pictures, so that a clip compared with many photographs costs once."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.matchers import Matcher, Matches

if TYPE_CHECKING:
    from helpers.metrics.backbones import Backbone, Tokens


class RememberedBackbone:
    """A backbone that keeps the tokens of every picture in memory; see `backbones.Backbone`.

    For some hundred small clips: with histograms of oriented gradients, a picture takes 30 kB.
    """

    def __init__(self, backbone: "Backbone") -> None:
        self._backbone, self.name, self.settings = backbone, backbone.name, backbone.settings
        self._found: dict[str, Tokens] = {}

    def load(self) -> dict[str, Any]:
        """As `Backbone.load`."""
        return self._backbone.load()

    def tokens(self, pictures: NDArray[np.uint8]) -> "Tokens":
        """As `Backbone.tokens`."""
        import torch

        from helpers.metrics.backbones import Tokens

        names = [_name(picture) for picture in pictures]
        new = [at for at, name in enumerate(names) if name not in self._found]
        if new:
            made = self._backbone.tokens(pictures[new])
            for at, own in zip(new, made.tokens, strict=True):
                self._found[names[at]] = Tokens(tokens=own, grid=made.grid, region=made.region)
        found = [self._found[name] for name in names]
        together = torch.stack([one.tokens for one in found])
        return Tokens(tokens=together, grid=found[0].grid, region=found[0].region)


class RememberedMatcher:
    """A matcher that keeps features and matches in memory; see `matchers.Matcher`.

    The matcher's features have to be arrays. For some hundred small clips: with XFeat, a frame of 256 x 256
    pixels takes 350 kB.
    """

    keeps = True

    def __init__(self, matcher: Matcher) -> None:
        if not matcher.keeps:
            raise ValueError(f"{matcher.settings['matcher']} has features too large to be remembered")
        self._matcher, self.settings = matcher, matcher.settings
        self._features: dict[str, Mapping[str, Any]] = {}
        self._matches: dict[tuple[str, str], Matches] = {}

    def load(self) -> Mapping[str, Any]:
        """As `Matcher.load`."""
        return self._matcher.load()

    def features(self, pictures: NDArray[np.uint8]) -> list[Mapping[str, Any]]:
        """As `Matcher.features`, with the picture's name beside them."""
        names = [_name(picture) for picture in pictures]
        new = [at for at, name in enumerate(names) if name not in self._features]
        if new:
            for at, found in zip(new, self._matcher.features(pictures[new]), strict=True):
                self._features[names[at]] = {**found, "name": np.array(names[at])}
        return [self._features[name] for name in names]

    def match(self, reference: Mapping[str, Any], frame: Mapping[str, Any]) -> Matches:
        """As `Matcher.match`."""
        key = str(reference["name"]), str(frame["name"])
        if key not in self._matches:
            self._matches[key] = self._matcher.match(reference, frame)
        return self._matches[key]


def _name(picture: NDArray[np.uint8]) -> str:
    shape = "x".join(map(str, picture.shape))
    return f"{shape} {hashlib.blake2b(np.ascontiguousarray(picture), digest_size=16).hexdigest()}"
