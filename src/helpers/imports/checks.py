"""Hold one clip against what it should be."""

from collections.abc import Iterator
from dataclasses import dataclass

from helpers.generation.catalogue import Expected
from helpers.video.probe import Probe

# Papers round durations to whole seconds ("5 s" for 121 frames at 24 a second, CultureVidBench, Table 3), and
# an encoder may add or drop a frame at the end.
SECONDS_OFF = 0.5
FRAMES_OFF = 1
FPS_OFF = 0.01


@dataclass(frozen=True)
class Reference:
    """What a clip is held against.

    Attributes:
        expected: what it should be; None where nothing is known.
        by: who says so, for reports.
    """

    expected: Expected
    by: str


def deviations(probe: Probe, stated: Reference, usual: Reference) -> Iterator[tuple[str, str, str]]:
    """Where a readable clip is not what it should be.

    Args:
        probe: what the clip is.
        stated: what is stated of its model's clips; goes first.
        usual: what most of its model's clips are; speaks where nothing is stated.

    Yields:
        The kind of problem (a key of `problems.KINDS`), what was found, and what was expected and by whom.
    """

    def reference(*names: str) -> tuple[Expected, str]:
        says = any(getattr(stated.expected, name) is not None for name in names)
        by = stated if says else usual
        return by.expected, f" ({by.by})"

    for kind, found, expected, by in (
        *_size(probe, *reference("width", "orientation")),
        *_length(probe, *reference("frames", "seconds")),
        *_rate(probe, *reference("fps")),
        *_sound(probe, *reference("audio")),
    ):
        yield kind, found, expected + by
    if probe.variable_rate:
        yield "variable rate", "frames that last unequally long", "equally long ones"


Deviations = Iterator[tuple[str, str, str, str]]


def _size(probe: Probe, expected: Expected, by: str) -> Deviations:
    found = f"{probe.width}x{probe.height}"
    orientation = "portrait" if probe.height > probe.width else "landscape"
    if expected.width and expected.height:
        if (probe.width, probe.height) != (expected.width, expected.height):
            yield "wrong size", found, f"{expected.width}x{expected.height}", by
    elif expected.orientation and expected.orientation != orientation:
        yield "wrong size", f"{found}, {orientation}", expected.orientation, by


def _length(probe: Probe, expected: Expected, by: str) -> Deviations:
    """Frames where a count is stated, else seconds: one problem, since a short clip is short in both."""
    if expected.frames:
        off, most_off = probe.frames - expected.frames, FRAMES_OFF
        found, wanted = f"{probe.frames} frames ({probe.duration:.2f} s)", f"{expected.frames} frames"
    elif expected.seconds:
        off, most_off = probe.duration - expected.seconds, SECONDS_OFF
        found, wanted = f"{probe.duration:.2f} s", f"{expected.seconds:g} s"
    else:
        return
    if abs(off) > most_off:
        yield "too short" if off < 0 else "too long", found, wanted, by


def _rate(probe: Probe, expected: Expected, by: str) -> Deviations:
    if expected.fps and probe.fps and abs(probe.fps / expected.fps - 1) > FPS_OFF:
        yield "wrong fps", f"{probe.fps:.4g} frames/s", f"{expected.fps:.4g} frames/s", by


def _sound(probe: Probe, expected: Expected, by: str) -> Deviations:
    if expected.audio is not None and probe.audio != expected.audio:
        words = {True: "a sound track", False: "no sound track"}
        kind = "no sound" if expected.audio else "unexpected sound"
        yield kind, words[probe.audio], words[expected.audio], by
