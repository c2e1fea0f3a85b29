"""Frames of a clip by a rule, decoded once for all rules that are asked for together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from helpers.checking import DataError
from helpers.paths import file_hash, shown
from helpers.video.opening import READING_ERRORS, Decoder, opened_video, reason, regular_file
from helpers.video.pictures import as_shown, display_matrix, has_alpha, is_hdr, is_mirrored, rotation
from helpers.video.sampling import Rule, Uniform
from helpers.video.timeline import MOST_FRAMES, Timeline, by_decoding, from_packets

if TYPE_CHECKING:
    from helpers.video.cache import Cache

MOST_BYTES = 4 * 2**30


@dataclass(frozen=True, kw_only=True, eq=False)
class Frames:
    """Frames taken from a clip.

    Attributes:
        images: (n, height, width, 3), RGB, uint8, as a player shows them. Those from a cache are mapped from
            the disk; writing to them changes this copy alone.
        indices: (n,) their numbers among all frames, in the order shown, from 0.
        times: (n,) when they appear, seconds from the first frame.
        rule: by which they were taken.
        total: how many frames the clip has.
        fps: the clip's frames per second on average; 0 where unknown.
        sha256: of the file.
        notes: what was done or found beyond plain decoding, in words: turned upright, set on black, brought
            down from high dynamic range, fewer frames than asked for, an end that is missing, damage.
    """

    images: NDArray[np.uint8]
    indices: NDArray[np.int64]
    times: NDArray[np.float64]
    rule: Rule
    total: int
    fps: float
    sha256: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.indices)


def sample(path: Path | str, rule: Rule, cache: "Cache | None" = None) -> Frames:
    """The frames of a clip that a rule takes.

    A clip that is cut off or damaged gives the frames that decode, and its notes say so. A picture file is a
    clip of one frame.

    Args:
        path: the clip.
        rule: `sampling.Uniform` or `sampling.PerSecond`.
        cache: where frames are kept for the next who asks for them.

    Raises:
        DataError: the file is absent, holds no pictures that decode, is too long, or the frames would take
            more than 4 GiB.
    """
    return sample_all(path, [rule], cache)[0]


def sample_all(path: Path | str, rules: Sequence[Rule], cache: "Cache | None" = None) -> list[Frames]:
    """The frames of a clip by several rules, decoded at most once.

    Args:
        path: the clip.
        rules: as many as there are consumers of the clip.
        cache: rules found in it are not decoded; the others are kept in it.

    Returns:
        One result a rule, in their order.

    Raises:
        DataError: as `sample`.
    """
    path = regular_file(path)
    sha256 = file_hash(path)
    found = {rule: cache.get(sha256, rule) if cache else None for rule in rules}
    missing = [rule for rule, frames in found.items() if frames is None]
    if missing:
        try:
            made = _decode(path, missing, sha256)
        except READING_ERRORS as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{shown(path)}: cannot be decoded ({reason(error)}); expected a video") from None
        for frames in made:
            found[frames.rule] = cache.put(frames) if cache else frames
    return [found[rule] for rule in rules]


def _decode(path: Path, rules: Sequence[Rule], sha256: str) -> list[Frames]:
    """One pass over the packets and one over the pictures; a file in disorder takes more."""
    line = _timeline(path)
    wanted = _union(rules, line)
    images, notes = _take(path, line, wanted)
    if images is None and not line.decoded:
        line = _timeline(path, thorough=True)
        wanted = _union(rules, line)
        images, notes = _take(path, line, wanted)
    if images is None:
        raise DataError(f"{shown(path)}: its pictures decode differently each time; expected a whole video")
    results = []
    for rule in rules:
        indices = rule.pick(line.times, line.end)
        chosen = images if np.array_equal(indices, wanted) else images[np.searchsorted(wanted, indices)]
        fewer = isinstance(rule, Uniform) and rule.n > len(indices)
        results.append(
            Frames(
                images=chosen,
                indices=indices,
                times=line.times[indices],
                rule=rule,
                total=len(line.times),
                fps=line.rate,
                sha256=sha256,
                notes=(*notes, f"fewer frames than asked for: {len(indices)}") if fewer else notes,
            )
        )
    return results


def _timeline(path: Path, *, thorough: bool = False) -> Timeline:
    with opened_video(path) as (container, stream):
        line = from_packets(container, stream)
    if line.doubts or thorough:
        with opened_video(path) as (container, stream):
            line = by_decoding(container, stream, short=line.short)
    if not len(line.times):
        raise DataError(f"{shown(path)}: no picture in it decodes; expected a video")
    if line.cut:
        raise DataError(f"{shown(path)}: more than {MOST_FRAMES:,} frames; expected a shorter clip")
    return line


def _union(rules: Sequence[Rule], line: Timeline) -> NDArray[np.int64]:
    return np.unique(np.concatenate([rule.pick(line.times, line.end) for rule in rules]))


def _take(
    path: Path, line: Timeline, wanted: NDArray[np.int64]
) -> tuple[NDArray[np.uint8] | None, tuple[str, ...]]:
    """The wanted frames (n, height, width, 3), or None where not all of them come; and what is to note."""
    images, count, notes = None, 0, []
    with opened_video(path) as (container, stream):
        decoder = Decoder(container, stream)
        reformatter = VideoReformatter()
        for count, picture in enumerate(_pictures(decoder, line, wanted), start=1):
            if images is None:
                size = picture.width, picture.height
                if len(wanted) * 3 * size[0] * size[1] > MOST_BYTES:
                    raise DataError(
                        f"{shown(path)}: {len(wanted)} frames of {size[0]}x{size[1]} take more than "
                        f"{MOST_BYTES / 2**30:g} GiB; expected a rule that takes fewer"
                    )
                notes = _conversions(picture)
                first = as_shown(picture, reformatter)
                images = np.empty((len(wanted), *first.shape), np.uint8)
                images[0] = first
            else:
                if (picture.width, picture.height) != size:
                    notes.append("frames of other sizes are brought to the first one's")
                images[count - 1] = as_shown(picture, reformatter, size)
    if line.short:
        notes.append("its end is missing")
    if line.damaged or decoder.errors or decoder.corrupt:
        notes.append("some of its pictures do not decode, or only in part")
    return (images if count == len(wanted) else None), tuple(dict.fromkeys(notes))


def _pictures(decoder: Decoder, line: Timeline, wanted: NDArray[np.int64]) -> Iterator[VideoFrame]:
    """The wanted pictures in their order, until all have come; by their times, or by count after decoding."""
    if line.decoded:
        keys, pictures = wanted.tolist(), enumerate(decoder.frames())
    else:
        keys = line.pts[wanted].tolist()
        pictures = ((picture.pts, picture) for picture in decoder.frames(frozenset(keys)))
    waiting = iter(keys)
    key = next(waiting)
    for at, picture in pictures:
        if at == key:
            yield picture
            key = next(waiting, None)
            if key is None:
                return


def _conversions(picture: VideoFrame) -> list[str]:
    notes = []
    matrix = display_matrix(picture)
    if degrees := rotation(matrix):
        notes.append(f"turned by {degrees}° counter-clockwise")
    if is_mirrored(matrix):
        notes.append("mirrored, as the file demands")
    if has_alpha(picture):
        notes.append("transparent parts stand on black")
    if is_hdr(picture):
        notes.append("brought down from high dynamic range")
    return notes
