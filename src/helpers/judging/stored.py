"""A clip's frames that are read when they are sent, and a small memory for what is sent many times."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from helpers.chat.clips import ClipFrames
from helpers.chat.pictures import PIXELS_PER_TOKEN, Picture, scaled
from helpers.checking import DataError
from helpers.judging.altered import GREY
from helpers.paths import shown
from helpers.video.cache import Cache
from helpers.video.frames import Frames, sample
from helpers.video.sampling import Uniform

Change = Literal["", "reversed", "blank", "muted", "swapped sound"]
# Clips held in memory as they are sent: more than are in flight, far fewer than a study has.
MOST_HELD = 24
# numpy parses an array file's header as Python, which in Python 3.11 now and then fails in two threads at
# once ("AST constructor recursion depth mismatch").
_ONE_AT_A_TIME = threading.Lock()


class Held:
    """The latest things that were made, each made once however many threads ask for it at once.

    Attributes:
        wanted: told of each clip whose frames are about to be sent.
    """

    def __init__(self, most: int = MOST_HELD) -> None:
        self.wanted: Callable[[StoredFrames], None] = lambda part: None
        self._most = most
        self._lock = threading.Lock()
        self._made: OrderedDict[Any, Future] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under a key, or else what is made now; whatever that raises is not kept."""
        with self._lock:
            future = self._made.get(key)
            mine = future is None
            if mine:
                future = self._made[key] = Future()
            self._made.move_to_end(key)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                with self._lock:
                    self._made.pop(key, None)
                future.set_exception(error)
        return future.result()


@dataclass(frozen=True)
class StoredFrames(ClipFrames):
    """A clip's frames, decoded and encoded once they are sent.

    Attributes:
        path: the clip's file.
        sha256: what the file held when the table was made.
        rule: which frames.
        total: the clip's frames.
        fps: the clip's frames a second.
        longest: pixels of a frame's longer side, to which larger frames are scaled down.
        quality: of the JPEGs that are sent.
        change: what is done to the frames, for controls: reversed or blank; empty for nothing.
        size: the clip's width and height in pixels where known, for counting tokens.
    """

    path: Path = field(compare=False)
    sha256: str
    rule: Uniform
    total: int
    fps: float
    longest: int
    quality: int
    change: Change
    size: tuple[float, float] = field(compare=False)
    held: Held = field(compare=False, repr=False)
    cache: Cache | None = field(compare=False, repr=False)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The frames as they are sent.

        Raises:
            DataError: the clip is gone, another one, or does not decode.
        """
        return self._loaded[0]

    @property
    def times(self) -> tuple[float, ...]:
        """When each frame is shown, in seconds; of a reversed clip, when it would be."""
        return self._loaded[1]

    @property
    def indices(self) -> list[int]:
        """The place of each frame in the clip, from 0, in the order of time; nothing is read for it."""
        return self.rule.pick(np.arange(self.total) / self.fps, self.total / self.fps).tolist()

    @property
    def tokens(self) -> int:
        """About how many tokens the frames take."""
        width, height = self.size
        factor = min(1.0, self.longest / max(width, height))
        return len(self.indices) * int(np.ceil(width * height * factor**2 / PIXELS_PER_TOKEN))

    def content(self) -> dict[str, Any]:
        """What the request's key is made from."""
        about = {"sha256": self.sha256, "rule": self.rule.name, "total": self.total, "fps": self.fps}
        sent = {"longest": self.longest, "quality": self.quality, "change": self.change}
        return {"type": "frames from a clip"} | about | sent

    @property
    def _loaded(self) -> tuple[tuple[Picture, ...], tuple[float, ...]]:
        self.held.wanted(self)
        return self.held.get(self, self._load)

    def read_ahead(self) -> None:
        """Read the frames before they are wanted. If that fails, whoever sends them hears of it."""
        with suppress(ValueError, OSError):
            self.held.get(self, self._load)

    def _load(self) -> tuple[tuple[Picture, ...], tuple[float, ...]]:
        with _ONE_AT_A_TIME if self.cache else nullcontext():
            frames = sample(self.path, self.rule, self.cache)
        check_same(self.path, frames.sha256, self.sha256)
        if frames.indices.tolist() != self.indices:
            raise DataError(
                f"{shown(self.path)}: found {frames.total} frames, expected {self.total} as the table says"
            )
        images = self._changed(frames)
        pictures = tuple(Picture.encode(scaled(image, self.longest), self.quality) for image in images)
        return pictures, tuple(frames.times.tolist())

    def _changed(self, frames: Frames) -> np.ndarray:
        if self.change == "reversed":
            return frames.images[::-1]
        if self.change == "blank":
            return np.full_like(frames.images, GREY)
        return frames.images


def check_same(path: Path, found: str, expected: str) -> None:
    """Say that a file is another one than the table videos knows.

    Raises:
        DataError: the hashes differ.
    """
    if found != expected:
        raise DataError(
            f"{shown(path)}: found another file (SHA-256 {found[:12]}…) than the table videos knows "
            f"({expected[:12]}…)"
        )
