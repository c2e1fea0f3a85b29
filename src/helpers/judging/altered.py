"""Clips changed on purpose: without sound, with another clip's, backwards, or with nothing to be seen.

Judges that must not hear get a muted copy; the others are for controls. A change keeps all else: pictures are
copied where only the sound changes, and the sound stays as it is where the pictures change.
"""

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from numpy.typing import NDArray

from helpers.checking import DataError
from helpers.paths import shown
from helpers.video.audio import read_audio
from helpers.video.frames import sample
from helpers.video.opening import READING_ERRORS, opened, reason, regular_file
from helpers.video.sampling import Uniform
from helpers.video.timeline import MOST_FRAMES
from helpers.video.write import write_clip

GREY = 127
SOUND_RATE = 48_000


def muted(path: Path) -> bytes:
    """A clip's file without its sound; the pictures are copied as they are.

    Raises:
        DataError: the clip cannot be read.
    """
    return _remuxed(path, None)


def with_sound_of(path: Path, other: Path) -> bytes:
    """A clip's file with the sound of another, as far as the clip lasts; both are copied as they are.

    Raises:
        DataError: one of them cannot be read, or the other has no sound.
    """
    return _remuxed(path, other)


def backwards(path: Path, *, sound: bool) -> bytes:
    """A clip whose pictures run backwards, newly encoded, as an MP4 file.

    Args:
        path: the clip.
        sound: whether it keeps its sound, which runs forwards.

    Raises:
        DataError: the clip cannot be read.
    """
    return _rewritten(path, lambda images: images[::-1], sound)


def blank(path: Path, *, sound: bool) -> bytes:
    """A clip of the same length and size whose pictures are all grey, as an MP4 file.

    Args:
        path: the clip.
        sound: whether it keeps its sound.

    Raises:
        DataError: the clip cannot be read.
    """
    return _rewritten(path, lambda images: np.full_like(images, GREY), sound)


def _rewritten(path: Path, change: Callable[[NDArray[np.uint8]], NDArray[np.uint8]], sound: bool) -> bytes:
    frames = sample(path, Uniform(MOST_FRAMES))
    heard = read_audio(path, rate=SOUND_RATE, most_channels=2) if sound else None
    about = {} if heard is None else {"audio": np.clip(heard.samples, -1, 1), "sample_rate": SOUND_RATE}
    with tempfile.TemporaryDirectory() as folder:
        written = write_clip(Path(folder) / "clip.mp4", change(frames.images), frames.fps or 1.0, **about)
        return written.path.read_bytes()


def _remuxed(path: Path, sound: Path | None) -> bytes:
    path, file = regular_file(path), io.BytesIO()
    try:
        with opened(path) as source, opened(sound or path) as other:
            if sound is not None and not other.streams.audio:
                raise DataError(f"{shown(sound)}: it has no sound to give to another clip")
            kinds = source.format.name.split(",")
            with av.open(file, "w", format="mp4" if "mp4" in kinds else kinds[0]) as copy:
                tracks = {source.streams.video[0]: source}
                if sound is not None:
                    tracks[other.streams.audio[0]] = other
                own = {stream: copy.add_stream_from_template(stream) for stream in tracks}
                lasts = float(source.duration or 0) / av.time_base
                for stream, container in tracks.items():
                    for packet in _packets(container, stream, lasts if container is other else None):
                        packet.stream = own[stream]
                        copy.mux(packet)
    except (*READING_ERRORS, IndexError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{shown(path)}: its sound cannot be changed ({reason(error)}); expected a clip"
        ) from None
    return file.getvalue()


def _packets(container: InputContainer, stream: Stream, end: float | None) -> Iterator[Packet]:
    for packet in container.demux(stream):
        late = end is not None and packet.pts is not None and packet.pts * packet.time_base >= end
        if packet.dts is not None and not late:
            yield packet
