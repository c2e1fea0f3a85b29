"""What the run asks of whoever measures, and what it hands over: a clip's frames, photograph and prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from helpers.metrics.registry import Metric
from helpers.photographs.pictures import read_picture
from helpers.video.frames import Frames


class ModelError(RuntimeError):
    """A model that cannot be loaded: it ends the run, since no clip can be measured with it."""


@dataclass(frozen=True)
class Reference:
    """A photograph that clips are compared with.

    Attributes:
        path: its file.
        sha256: of the file, by which whatever is computed from it is known.
        category: what it shows ("church"), as the table landmarks has it.
    """

    path: Path
    sha256: str
    category: str | None = None

    def picture(self) -> NDArray[np.uint8]:
        """The photograph, RGB (height, width, 3), read-only; the latest ones stay in memory.

        Raises:
            DataError: it does not decode, or a side is below 16 pixels.
        """
        return _picture(self.path, self.sha256)


@lru_cache(maxsize=4)
def _picture(path: Path, sha256: str) -> NDArray[np.uint8]:
    return read_picture(path)


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A clip as a measurer receives it.

    Attributes:
        video_id: its name.
        frames: by the measurer's rule.
        reference: the photograph, for those who need one.
        prompt: what the clip was to show, for those who need it.
    """

    video_id: str
    frames: Frames
    reference: Reference | None = None
    prompt: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a measurer found in one clip.

    Attributes:
        values: of its metrics, by name; None where there is something that cannot be read as a value. A
            metric that has no meaning for the clip, such as errors in a text that the prompt does not quote,
            is left out, and has no row then.
        notes: what is odd about the values, a few words each.
        details: what is worth keeping beside them, as JSON: values of single frames, a model's own words.
    """

    values: Mapping[str, float | None]
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class Measurer(Protocol):
    """Whoever computes one metric, or several that come together.

    Attributes:
        name: a file's name for its journal: small letters, digits, hyphens. Two measurers of a study that
            differ in settings have different names, and so have their metrics.
        metrics: what it yields; all share the frames' rule and the needs.
        settings: everything that its values depend on, as far as it is known before a model is loaded, as
            JSON: model, revision, mode, sizes; the content of weights in a file. A clip is measured again
            where they have changed. What a name stands for, such as the commit of a branch or the files in a
            model's folder, need not be among them: name a revision, and give other files another folder.
    """

    name: str
    metrics: tuple[Metric, ...]
    settings: Mapping[str, Any]

    def load(self) -> Mapping[str, Any]:
        """Make ready to measure; called once, and only if a clip is to be measured.

        Returns:
            What is known only now and worth keeping, as JSON: the commit of the weights, the device.

        Raises:
            ModelError: the model cannot be loaded.
        """

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips.

        Args:
            clips: a few; clips of one reference stand side by side.

        Returns:
            One outcome a clip, in their order.

        Raises:
            ValueError, OSError, ArithmeticError, RuntimeError: a clip cannot be measured. The run then asks
                for each of these clips alone, and the one that fails again gets the status "failed".
        """
