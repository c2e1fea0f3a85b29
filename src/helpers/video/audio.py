"""The sound of a clip."""

from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from helpers.checking import DataError
from helpers.paths import shown
from helpers.video.opening import READING_ERRORS, opened, reason, regular_file, sound_stream

LONGEST = 1800
"""Seconds; half an hour of stereo at 48 kHz takes 691 MB."""
SILENCE = -60.0
"""dBFS; the quietest passages of a spoken recording lie about there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Audio:
    """Sound.

    Attributes:
        samples: (channels, samples), float32, nominally in [-1, 1].
        rate: samples per second.
        damaged: packets that did not decode; what they held is missing.
    """

    samples: NDArray[np.float32]
    rate: int
    damaged: int = 0

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.samples.shape[1] / self.rate


def read_audio(
    path: Path | str, *, rate: int | None = None, most_channels: int | None = None
) -> Audio | None:
    """The first sound track of a file.

    Args:
        path: the file.
        rate: samples per second to convert to; the track's own where None.
        most_channels: 1 or 2, to mix more channels down to these; all channels are kept where None.

    Returns:
        The sound, or None where the file has no sound track or nothing of it decodes.

    Raises:
        DataError: the file is absent or no media file, or the sound lasts longer than half an hour.
    """
    path = regular_file(path)
    try:
        with opened(path) as container:
            stream = sound_stream(container)
            if stream is None:
                return None
            mixed = most_channels and stream.channels > most_channels
            layout = ("mono", "stereo")[most_channels - 1] if mixed else None
            return _decoded(path, container, stream, av.AudioResampler("fltp", layout, rate))
    except READING_ERRORS as error:
        if isinstance(error, DataError):
            raise
        message = f"{shown(path)}: cannot be opened ({reason(error)}); expected a media file"
        raise DataError(message) from None


def _decoded(
    path: Path, container: InputContainer, stream: AudioStream, resampler: av.AudioResampler
) -> Audio | None:
    pieces: list[NDArray[np.float32]] = []
    damaged = count = rate = 0
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
            if packet is None:
                break
            frames = [piece for frame in packet.decode() for piece in resampler.resample(frame)]
        except READING_ERRORS:
            damaged += 1
            continue
        for frame in frames:
            pieces.append(frame.to_ndarray())
            count, rate = count + frame.samples, frame.sample_rate
            if count > LONGEST * rate:
                raise DataError(f"{shown(path)}: more than {LONGEST} s of sound; expected a short clip")
    if not pieces:
        return None
    pieces += [frame.to_ndarray() for frame in resampler.resample(None)]
    return Audio(samples=np.concatenate(pieces, axis=1), rate=rate, damaged=damaged)


def is_silent(audio: Audio | None, level: float = SILENCE) -> bool:
    """Whether there is nothing to hear: no sound, or its loudest sample lies below a level.

    Args:
        audio: the sound, or None for a clip without.
        level: decibels below full scale (dBFS), 0 or less.
    """
    if audio is None:
        return True
    return bool(np.abs(audio.samples).max(initial=0) < 10 ** (level / 20))
