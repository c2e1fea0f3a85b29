"""A study's clips as judges are shown them: read when they are sent, encoded once, asked about many times.

A clip is known by the SHA-256 that the table videos records. What is asked about it stays on record under
that hash, wherever the file lies, and whether or not it is still there.
"""

import hashlib
import mimetypes
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from helpers.chat.clips import WholeClip
from helpers.checking import DataError
from helpers.judging import altered
from helpers.judging.photographs import Photographs
from helpers.judging.stored import Change, Held, StoredFrames, check_same
from helpers.paths import file_hash, shown
from helpers.video.cache import Cache
from helpers.video.probe import WITH_FRAMES, Probe, probe
from helpers.video.sampling import Uniform

Problem = Literal["not made", "vanished", "changed", "undecodable"]
FASTEST = 24.0
READERS = 4
# Clips that are read before their turn comes.
AHEAD = 2


@dataclass(frozen=True)
class ClipProblem:
    """Why a clip cannot be shown.

    Attributes:
        kind: not made (the table says so), vanished, changed (another file than the table knows) or
            undecodable.
        reason: in words.
    """

    kind: Problem
    reason: str

    @property
    def status(self) -> Literal["missing", "failed"]:
        """What the judge's answers are: missing where there is no clip, failed where it is not usable."""
        return "missing" if self.kind in ("not made", "vanished") else "failed"


class Clips:
    """The clips of a study.

    Attributes:
        folder: the study's, where relative paths start.
    """

    def __init__(
        self,
        videos: pd.DataFrame,
        folder: Path,
        *,
        cache: Cache | None = None,
        longest: int = 768,
        quality: int = 90,
    ) -> None:
        """Take clips from the table videos; nothing is read yet where the table is complete.

        Args:
            videos: rows of the table. What they lack of sha256, frames and fps is read from the files.
            folder: the study's, where relative paths start.
            cache: where decoded frames are kept for all who need them.
            longest: pixels of a frame's longer side.
            quality: of the JPEGs.
        """
        self._rows = {row.video_id: row for row in videos.itertuples()}
        self.folder = folder
        self._about = {"longest": longest, "quality": quality}
        self._cache = cache
        self._held = Held()
        self._probes: dict[str, Probe] = {}
        self._known: dict[str, ClipProblem] = {}
        self._hashes: dict[str, str] = {}
        self.photographs = Photographs(folder)
        for video_id, row in self._rows.items():
            problem = self._first_look(row)
            if problem:
                self._known[video_id] = problem

    def path(self, video_id: str) -> Path:
        """A clip's file."""
        return self.folder / self._rows[video_id].path

    def sha256(self, video_id: str) -> str:
        """What a clip is known by."""
        return self._hashes[video_id]

    def has_sound(self, video_id: str) -> bool:
        """Whether the table says that a clip has sound."""
        audio = self._rows[video_id].audio
        return bool(pd.notna(audio) and audio)

    def problem(self, video_id: str) -> ClipProblem | None:
        """Why a clip cannot be shown, as far as it is known without reading a whole file."""
        return self._known.get(video_id)

    @property
    def not_made(self) -> set[str]:
        """The clips that the table says are not there."""
        return {video_id for video_id, problem in self._known.items() if problem.kind == "not made"}

    def check(self, video_ids: Iterable[str]) -> dict[str, ClipProblem]:
        """Look at files before anybody is asked about them: are they there, and the same?

        A file that the table does not know by its hash, frames and rate is probed too.

        Args:
            video_ids: clips; those with a known problem keep it.

        Returns:
            The problems of those that have one.
        """
        wanted = list(dict.fromkeys(video_ids))
        with ThreadPoolExecutor(READERS) as pool:
            found = dict(zip(wanted, pool.map(self._second_look, wanted), strict=True))
        self._known |= {video_id: problem for video_id, problem in found.items() if problem}
        return {video_id: self._known[video_id] for video_id in wanted if video_id in self._known}

    @contextmanager
    def read_ahead(self, parts: Iterable[object]) -> Iterator[None]:
        """While calls are made, have the next clips ready when their turn comes.

        Args:
            parts: what the calls send, in their order; only frames of clips are read ahead.
        """
        order = list(dict.fromkeys(part for part in parts if isinstance(part, StoredFrames)))
        following = {part: order[at + 1 : at + 1 + AHEAD] for at, part in enumerate(order)}
        pool = ThreadPoolExecutor(AHEAD, "reading ahead")

        def wanted(part: StoredFrames) -> None:
            for other in following.pop(part, ()):
                with suppress(RuntimeError):  # the run has just ended
                    pool.submit(other.read_ahead)

        self._held.wanted = wanted
        try:
            yield
        finally:
            self._held.wanted = lambda part: None
            pool.shutdown(cancel_futures=True)

    def frames(self, video_id: str, rule: Uniform, change: Change = "") -> StoredFrames:
        """A clip as frames; it must have no known problem."""
        row = self._rows[video_id]
        total, fps, size = self._measures(video_id)
        return StoredFrames(
            path=self.folder / row.path,
            sha256=self._hashes[video_id],
            rule=rule,
            total=total,
            fps=fps,
            change=change,
            size=size,
            held=self._held,
            cache=self._cache,
            **self._about,
        )

    def whole(
        self, video_id: str, frames: int, *, sound: bool, change: Change = "", sound_of: str | None = None
    ) -> WholeClip:
        """A clip as a file; it must have no known problem.

        Args:
            video_id: the clip.
            frames: how many frames the model is told to look at, spread over the clip; fewer where that would
                be more than 24 a second.
            sound: whether it is sent with its sound.
            change: what is done to it first.
            sound_of: the clip whose sound it gets, for "swapped sound".
        """
        total, fps, _ = self._measures(video_id)
        path = self.folder / self._rows[video_id].path
        sha256 = self._hashes[video_id]
        quiet = change == "muted" or not (sound and self.has_sound(video_id))
        other = None if sound_of is None else self.folder / self._rows[sound_of].path
        named = f"{change} {self._hashes[sound_of]}" if sound_of else change
        media = "video/mp4" if change in ("reversed", "blank") else mimetypes.guess_type(path.name)[0]

        silenced = quiet and self.has_sound(video_id)

        def load() -> bytes:
            data = path.read_bytes()
            check_same(path, hashlib.sha256(data).hexdigest(), sha256)
            if not named and not silenced:
                return data
            return self._held.get((sha256, named, quiet), lambda: _altered(path, change, quiet, other))

        return WholeClip(
            sha256=sha256,
            media=media or "video/mp4",
            fps=min(round(frames * fps / total, 3), FASTEST),
            frames=min(frames, total),
            sound=not quiet,
            change=named,
            load=load,
        )

    def _measures(self, video_id: str) -> tuple[int, float, tuple[float, float]]:
        row = self._rows[video_id]
        if _has_measures(row):
            size = (row.width, row.height) if pd.notna(row.width) and pd.notna(row.height) else (768, 768)
            return int(row.frames), float(row.fps), tuple(map(float, size))
        found = self._probes[video_id]
        return found.frames, found.fps or 1.0, (float(found.width), float(found.height))

    def _first_look(self, row: Any) -> ClipProblem | None:
        """What the table tells; files are read only for what it leaves out."""
        if row.status != "ok" or pd.isna(row.path):
            return ClipProblem("not made", f"the clip's status is {row.status}, and there is no file to show")
        complete = _has_measures(row)
        if pd.notna(row.sha256):
            self._hashes[row.video_id] = row.sha256
            if complete:
                return None
        path = self.folder / row.path
        try:
            if pd.isna(row.sha256):
                self._hashes[row.video_id] = file_hash(path)
            return None if complete else self._probed(row.video_id, path)
        except (OSError, DataError) as error:
            return ClipProblem("vanished", f"the file cannot be read: {error}")

    def _second_look(self, video_id: str) -> ClipProblem | None:
        if video_id in self._known:
            return None
        row = self._rows[video_id]
        path = self.folder / row.path
        try:
            check_same(path, file_hash(path), self._hashes[video_id])
        except OSError as error:
            return ClipProblem("vanished", f"{shown(path)}: {error.strerror or error}")
        except DataError as error:
            return ClipProblem("changed", str(error))
        if pd.notna(row.sha256) and _has_measures(row):
            return None  # whoever measured this very file has decoded it
        try:
            return self._probed(video_id, path)
        except DataError as error:
            return ClipProblem("undecodable", str(error))

    def _probed(self, video_id: str, path: Path) -> ClipProblem | None:
        found = self._probes[video_id] = probe(path)
        if found.status not in WITH_FRAMES:
            return ClipProblem("undecodable", f"{shown(path)}: {found.problem}")
        said = self._rows[video_id].frames
        if pd.notna(said) and said >= 1 and said != found.frames:
            reason = f"{shown(path)}: found {found.frames} frames, expected {said} as the table videos says"
            return ClipProblem("changed", reason)
        return None


def _has_measures(row: Any) -> bool:
    return bool(pd.notna(row.frames) and pd.notna(row.fps) and row.frames >= 1 and row.fps > 0)


def _altered(path: Path, change: Change, quiet: bool, other: Path | None) -> bytes:
    if other is not None:
        return altered.with_sound_of(path, other)
    if change == "reversed":
        return altered.backwards(path, sound=not quiet)
    if change == "blank":
        return altered.blank(path, sound=not quiet)
    return altered.muted(path)
