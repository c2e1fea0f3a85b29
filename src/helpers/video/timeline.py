"""When each frame of a clip appears: read from the packets, or, where these cannot be trusted, by decoding.

Reading packets takes some milliseconds for a clip of 5 s, decoding it some hundreds. In a whole file every
packet holds one frame, so packets are believed where each has a time of its own, none is flagged as
incomplete, and nothing is missing by the file's own account of itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from helpers.video.opening import READING_ERRORS, Decoder, reason

MOST_FRAMES = 100_000


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The frames of a clip in the order in which they are shown.

    Attributes:
        pts: (frames,) when each appears, in ticks of the stream's clock; None where the file keeps no time.
        times: (frames,) the same in seconds from the first.
        end: when the last disappears, seconds from the first.
        rate: frames per second on average; 0 where that is unknown.
        variable: frames stand for unequal times.
        doubts: why the packets are not believed; empty where they are. Decoding leaves no doubts.
        short: the file ends before its own account of itself says.
        damaged: packets and pictures that could not be decoded, or only in part; known after decoding.
        cut: the file goes on beyond `MOST_FRAMES`.
        decoded: found by decoding, not from the packets.
    """

    pts: NDArray[np.int64] | None
    times: NDArray[np.float64]
    end: float
    rate: float
    variable: bool
    doubts: str = ""
    short: bool = False
    damaged: int = 0
    cut: bool = False
    decoded: bool = False


def from_packets(container: InputContainer, stream: VideoStream) -> Timeline:
    """What the packets of a stream say, read to their end."""
    shown: list[tuple[int | None, int]] = []
    seen = incomplete = 0
    failure = ""
    try:
        for packet in container.demux(stream):
            if packet.size:
                seen += 1
                incomplete += packet.is_corrupt
                if not packet.is_discard:
                    shown.append((packet.pts, packet.duration or 0))
            if len(shown) > MOST_FRAMES:
                break
    except READING_ERRORS as error:
        failure = f"reading stopped with '{reason(error)}'"
    cut = len(shown) > MOST_FRAMES
    shown = shown[:MOST_FRAMES]
    read = [(pts, duration) for pts, duration in shown if pts is not None]
    timed = sorted(read)
    missing = "" if cut else failure or _missing(container, stream, seen, timed)
    # AVI numbers packets as they are decoded, which is not as they are shown where the codec reorders them.
    misplaced = stream.codec_context.has_b_frames and read == timed
    unclear = misplaced or len({pts for pts, _ in timed}) < len(shown) or not shown
    doubts = missing or (f"{incomplete} packets are incomplete" if incomplete else "")
    doubts = doubts or ("packets have no times of their own" if unclear else "")
    line = _clocked([pts for pts, _ in timed], timed[-1][1] if timed else 0, stream, holes=bool(doubts))
    return Timeline(**line, doubts=doubts, short=bool(missing or incomplete), cut=cut)


def by_decoding(container: InputContainer, stream: VideoStream, *, short: bool) -> Timeline:
    """The frames that can be decoded.

    Args:
        container: the file, at its start.
        stream: its pictures.
        short: whether the packets told that the file is cut off.
    """
    decoder = Decoder(container, stream)
    pts: list[int | None] = []
    duration = 0
    for frame in decoder.frames():
        if len(pts) == MOST_FRAMES:
            return Timeline(**_clocked(pts, duration, stream), cut=True, decoded=True)
        pts.append(frame.pts)
        duration = frame.duration or 0
    damaged = decoder.errors + decoder.corrupt
    line = _clocked(pts, duration, stream, holes=bool(short or damaged))
    return Timeline(**line, short=short, damaged=damaged, decoded=True)


def _missing(
    container: InputContainer, stream: VideoStream, seen: int, timed: Sequence[tuple[int, int]]
) -> str:
    """What is missing at the file's end, by its own account; empty where nothing is or nobody can tell.

    MP4, MOV and AVI count their frames; Matroska and WebM state a duration. MPEG streams and bare codec
    streams state neither: cut off between two packets, they are whole for all one can see.
    """
    if stream.frames:
        return f"{seen} of {stream.frames} frames are there" if seen < stream.frames else ""
    if "matroska" not in container.format.name or not timed:
        return ""
    stated = 0.0
    if found := re.match(r"(\d+):(\d+):([0-9.]+)", stream.metadata.get("DURATION", "")):
        stated = int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])
    elif len(container.streams) == 1 and container.duration:
        stated = container.duration / 1e6
    step = (timed[-1][0] - timed[0][0]) / max(len(timed) - 1, 1)
    reached = float((timed[-1][0] + max(timed[-1][1], 2 * step)) * stream.time_base)
    return f"it ends after {reached:.2f} of {stated:.2f} s" if reached < stated else ""


def _clocked(
    pts: Sequence[int | None], duration: int, stream: VideoStream, *, holes: bool = False
) -> dict[str, Any]:
    """Times, end, rate and evenness by the clock; by the count and the stream's rate where it keeps no time.

    Args:
        pts: when each frame appears, ticks.
        duration: of the last frame, ticks; 0 where unknown.
        stream: its clock, and its own account of its rate.
        holes: frames are lost, so that the average rate and the evenness of what is left mean nothing.
    """
    stated = stream.average_rate or stream.guessed_rate or Fraction(0)
    ticks = np.array([], np.int64) if None in pts else np.array(pts, np.int64)
    steps = np.diff(ticks)
    if not len(ticks) or (steps <= 0).any() or not stream.time_base:
        rate = float(stream.guessed_rate or stated or 25)
        times = np.arange(len(pts)) / rate
        return {"pts": None, "times": times, "end": len(pts) / rate, "rate": rate, "variable": False}
    usual = float(np.median(steps)) if len(steps) else 0.0
    last = duration or usual or float(1 / (stated or 25) / stream.time_base)
    span = int(ticks[-1] - ticks[0])
    measured = len(steps) / (span * stream.time_base) if span else 1 / (Fraction(last) * stream.time_base)
    # Clocks of whole milliseconds (Matroska) or hundredths (GIF) blur a rate that the stream states exactly.
    blurred = stated and span and abs(len(steps) / (stated * stream.time_base) - span) <= 1
    tick = float(stream.time_base)
    return {
        "pts": ticks,
        "times": (ticks - ticks[0]) * tick,
        "end": (span + last) * tick,
        "rate": float(stated if stated and (holes or blurred) else measured),
        "variable": not holes and bool((np.abs(steps - usual) > max(1.5, usual / 100)).any()),
    }
