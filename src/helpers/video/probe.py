"""What a media file holds. Bad files are a result with a name, never an exception."""

from dataclasses import dataclass, replace
from pathlib import Path

from av.container import InputContainer
from av.video.stream import VideoStream

from helpers.video.opening import (
    PICTURES,
    READING_ERRORS,
    Decoder,
    opened,
    reason,
    regular_file,
    sound_stream,
    video_stream,
)
from helpers.video.pictures import (
    bit_depth,
    display_matrix,
    has_alpha,
    is_hdr,
    is_mirrored,
    lies_on_its_side,
    rotation,
)
from helpers.video.timeline import MOST_FRAMES, Timeline, by_decoding, from_packets

STATUSES = {
    "ok": "a clip, whole as far as one can tell",
    "truncated": "a clip whose end is missing; `frames` counts what decodes",
    "damaged": "a clip with pictures that do not decode, or only in part; `frames` counts what decodes",
    "unreadable": "begins like a media file, but no picture or sound can be had from it",
    "audio_only": "sound without pictures",
    "picture": "a single picture file",
    "empty": "a file of no bytes",
    "not_media": "no media file of a known kind",
    "too_long": f"more than {MOST_FRAMES:,} frames",
}
WITH_FRAMES = ("ok", "truncated", "damaged", "picture")

_SUFFIXES = {
    ".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".webm": "webm", ".mkv": "matroska", ".avi": "avi",
    ".gif": "gif", ".ts": "mpegts", ".flv": "flv", ".ogv": "ogg", ".mpg": "mpeg", ".wav": "wav",
    ".mp3": "mp3", ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp",
}  # fmt: skip
_BEGINNINGS = {
    b"ftyp": "MP4 or MOV", b"moov": "MP4 or MOV", b"\x1aE\xdf\xa3": "Matroska or WebM", b"RIFF": "AVI or WAV",
    b"OggS": "Ogg", b"GIF8": "GIF", b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"FLV": "FLV", b"ID3": "MP3",
    b"fLaC": "FLAC",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What a file holds.

    Attributes:
        path: the file.
        status: one of `STATUSES`.
        problem: what is wrong, in words; empty for ok and picture.
        notes: what is unusual, if anything: another suffix than the content's, frames of varying length, …
        container: FFmpeg's name of the format, by content; empty where there is none.
        codec: of the pictures, or of the sound where there are none.
        width: as shown, after rotation, pixels; 0 without pictures.
        height: as shown.
        rotation: degrees counter-clockwise that the player turns the stored pictures: 0, 90, 180 or 270.
        frames: counted, not taken from the header.
        fps: frames per second on average; 0 where there is no such thing.
        duration: from the first frame's appearance to the last one's end, or of the sound alone, seconds.
        variable_rate: frames stand for unequal times; not told of clips that are cut off or damaged.
        alpha: the pictures can be transparent.
        hdr: brightness follows the PQ or HLG curve.
        bit_depth: bits of each colour component.
        audio: it has sound (which may be silence: see `audio.is_silent`).
        sample_rate: of the first sound track, samples per second; 0 without one.
        channels: of the first sound track; 0 without one.
    """

    path: Path
    status: str
    problem: str = ""
    notes: tuple[str, ...] = ()
    container: str = ""
    codec: str = ""
    width: int = 0
    height: int = 0
    rotation: int = 0
    frames: int = 0
    fps: float = 0.0
    duration: float = 0.0
    variable_rate: bool = False
    alpha: bool = False
    hdr: bool = False
    bit_depth: int = 0
    audio: bool = False
    sample_rate: int = 0
    channels: int = 0


def probe(path: Path | str, *, thorough: bool = False) -> Probe:
    """Look into a file.

    Frames are counted from the packets, and the first is decoded. Where packets give reason to doubt
    (incomplete, without times, fewer than the header says), all are decoded, and those that decode are
    counted.

    Args:
        path: the file; its content decides what it is, not its suffix.
        thorough: decode every frame in any case, which alone finds damage inside pictures; it takes some
            tenths of a second for a clip of 5 s at 1360x768.

    Raises:
        DataError: the file is absent, may not be read, or is no regular file.
    """
    path = regular_file(path)
    if path.stat().st_size == 0:
        return Probe(path=path, status="empty", problem="the file has no bytes")
    found = None
    try:
        with opened(path) as container:
            found = _outside(path, container)
            stream = video_stream(container)
            if stream is None:
                return _without_pictures(container, found)
            line = from_packets(container, stream)
        with opened(path) as container:
            found = _first_picture(video_stream(container), container, found)
        if found.width and (line.doubts or thorough):
            with opened(path) as container:
                decoded = by_decoding(container, video_stream(container), short=line.short)
            if line.doubts or decoded.damaged or len(decoded.times) != len(line.times):
                line = decoded
        return _counted(found, line)
    except READING_ERRORS as error:
        if found is None:
            return _unopened(path, error)
        return replace(found, status="unreadable", problem=f"reading it failed ({reason(error)})")


def _outside(path: Path, container: InputContainer) -> Probe:
    """What the container tells of itself and of its sound."""
    notes = ()
    kind = _SUFFIXES.get(path.suffix.lower())
    name = container.format.name
    if kind and kind not in name.replace("_pipe", "").split(",") and not _is_picture(name):
        notes = (f"named {path.suffix}, but it is {name}",)
    found = Probe(path=path, status="ok", container=name, notes=notes)
    sound = sound_stream(container)
    if sound is None:
        return found
    return replace(found, audio=True, sample_rate=sound.sample_rate or 0, channels=sound.channels or 0)


def _without_pictures(container: InputContainer, found: Probe) -> Probe:
    sound = sound_stream(container)
    if sound is None:
        problem = "neither pictures nor sound that could be decoded"
        return replace(found, status="unreadable", problem=problem)
    seconds = (container.duration or 0) / 1e6
    return replace(
        found, status="audio_only", problem="sound without pictures", codec=sound.codec_context.name,
        duration=seconds,
    )  # fmt: skip


def _first_picture(stream: VideoStream, container: InputContainer, found: Probe) -> Probe:
    """Size, codec and kind of colour by the first picture that decodes; no size where none does."""
    found = replace(found, codec=stream.codec_context.name)
    stream.thread_type = "SLICE"  # threads for several frames would all decode before the first comes out
    frame = next(Decoder(container, stream).frames(), None)
    if frame is None:
        return found
    matrix = display_matrix(frame)
    width, height = frame.width, frame.height
    if lies_on_its_side(matrix):
        width, height = height, width
    notes = found.notes
    if is_mirrored(matrix):
        notes += ("players mirror it",)
    if stream.sample_aspect_ratio not in (None, 0, 1):
        notes += (f"its pixels are not square ({stream.sample_aspect_ratio}); frames are left as stored",)
    return replace(
        found, width=width, height=height, rotation=rotation(matrix), bit_depth=bit_depth(frame),
        alpha=has_alpha(frame), hdr=is_hdr(frame), notes=notes,
    )  # fmt: skip


def _counted(found: Probe, line: Timeline) -> Probe:
    """The result with its frames, times and status."""
    frames = len(line.times)
    if not found.width or not frames:
        return replace(found, status="unreadable", problem=line.doubts or "no picture in it decodes")
    if _is_picture(found.container):
        return replace(found, status="picture", frames=1)
    notes = found.notes
    if line.variable:
        notes += ("frames stand for unequal times",)
    if line.pts is None:
        notes += (f"it keeps no time; {line.rate:g} frames a second are taken",)
    status, problem = "ok", ""
    if line.cut:
        status, problem = "too_long", f"more than {MOST_FRAMES:,} frames"
    elif line.short:
        status, problem = "truncated", f"its end is missing; {frames} frames decode"
    elif line.damaged:
        status, problem = "damaged", f"{line.damaged} pictures do not decode, or only in part"
    return replace(
        found, status=status, problem=problem, notes=notes, frames=frames, fps=line.rate, duration=line.end,
        variable_rate=line.variable,
    )  # fmt: skip


def _unopened(path: Path, error: Exception) -> Probe:
    with path.open("rb") as file:
        beginning = file.read(16)
    for mark, kind in _BEGINNINGS.items():
        if mark in (beginning[: len(mark)], beginning[4 : 4 + len(mark)]):
            problem = f"begins like {kind}, but cannot be opened ({reason(error)}); is it complete?"
            return Probe(path=path, status="unreadable", problem=problem)
    return Probe(path=path, status="not_media", problem="no media file of a known kind")


def _is_picture(container: str) -> bool:
    return container in PICTURES.split(",")
