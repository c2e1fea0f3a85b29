"""Small copies of clips for web pages and books."""

from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from helpers.checking import DataError
from helpers.paths import shown
from helpers.video.audio import read_audio
from helpers.video.encoding import add_audio, add_video, encode_picture, encode_sound, new_mp4
from helpers.video.opening import READING_ERRORS, Decoder, opened_video, reason
from helpers.video.pictures import as_shown, display_matrix, lies_on_its_side

CRF = 28
SOUND_RATE = 48_000
SOUND_BITS = 48_000
"""Bits per second for each channel."""


def web_copy(path: Path | str, out: Path | str, height: int = 240) -> Path:
    """A small MP4 copy that every browser plays: H.264, 4:2:0, index first, sound as AAC.

    It shows what the clip shows: upright, each frame as long as in the clip, transparent parts on black. A
    clip lower than `height` is not enlarged. Width and height are rounded to even numbers.

    Args:
        path: the clip.
        out: the copy; one that exists is replaced once the new one is whole.
        height: of the copy, pixels, at least 2.

    Returns:
        The copy.

    Raises:
        DataError: the clip is absent, holds no pictures that decode, or times or sizes that no MP4 file can
            hold.
        ValueError: the height is below 2, or the copy would take the clip's place.
        OSError: the copy cannot be written.
    """
    if height < 2:
        raise ValueError(f"height is {height}; expected at least 2 pixels")
    out = _apart(path, out)
    sound = read_audio(path, rate=SOUND_RATE, most_channels=2)
    try:
        with opened_video(path) as (container, stream), new_mp4(out) as copy:
            if sound is not None:
                channels = len(sound.samples)
                track = add_audio(copy, SOUND_RATE, channels, SOUND_BITS * channels)
            if not _copy_pictures(container, stream, copy, height):
                raise DataError(f"{shown(path)}: no picture in it decodes; expected a video")
            if sound is not None:
                copy.mux(encode_sound(track, sound.samples))
    except (DataError, OSError):
        raise
    except (av.FFmpegError, ValueError, ArithmeticError, MemoryError) as error:
        raise DataError(f"{shown(path)}: cannot be copied ({reason(error)}); expected a video") from None
    return out


def _apart(path: Path | str, out: Path | str) -> Path:
    """Where to write; refused where that is the clip itself, under whatever name."""
    path, out = Path(path), Path(out)
    if path.exists() and out.exists() and out.samefile(path):
        raise ValueError(f"{shown(out)} is the clip itself; expected another file to write")
    return out


def _copy_pictures(container: InputContainer, stream: VideoStream, copy: OutputContainer, height: int) -> int:
    """Encode every picture that decodes, at its time; returns how many."""
    rate = stream.average_rate or stream.guessed_rate or Fraction(25)
    clock = stream.time_base or 1 / rate
    reformatter, track, last, count = VideoReformatter(), None, None, 0
    for picture in Decoder(container, stream).frames():
        if track is None:
            size = _small(picture, height)
            upright = size[::-1] if lies_on_its_side(display_matrix(picture)) else size
            track = add_video(copy, *upright, rate, crf=CRF)
            track.codec_context.time_base = clock
        try:
            image = as_shown(picture, reformatter, size)
        except READING_ERRORS:
            continue
        following = 0 if last is None else last + max(1, round(1 / rate / clock))
        last = (
            picture.pts
            if picture.pts is not None and picture.pts > (-1 if last is None else last)
            else following
        )
        copy.mux(encode_picture(track, image, last, clock))
        count += 1
    if track is not None:
        copy.mux(track.encode(None))
    return count


def _small(picture: VideoFrame, height: int) -> tuple[int, int]:
    """Even width and height before turning upright, so that the upright picture is at most so high."""
    width, stored = picture.width, picture.height
    factor = min(1, height / (width if lies_on_its_side(display_matrix(picture)) else stored))
    return tuple(max(2, 2 * round(side * factor / 2)) for side in (width, stored))
