"""Opening a media file so that nothing in it can reach the network, other files, or all of the memory.

FFmpeg also opens playlists, device names and patterns that stand for many files. A clip from elsewhere could
be any of these under the name of a video, so only formats that hold their own content are let through.
"""

from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from helpers.checking import DataError
from helpers.paths import shown

MOST_PIXELS = 8192 * 8192
LONGEST_WAIT = 60.0
"""Seconds after which FFmpeg gives up waiting for the disk."""
READING_ERRORS = (av.FFmpegError, OSError, ValueError, OverflowError, MemoryError)
"""What PyAV raises where the content of a file makes no sense."""

PICTURES = "image2,png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe,gif_pipe,jpegxl_pipe"
_VIDEOS = (
    "mov,mp4,matroska,webm,avi,gif,apng,mpegts,mpeg,mpegvideo,m4v,flv,ogg,asf,mxf,nut,ivf,obu,av1,h264,hevc,"
    "mjpeg,yuv4mpegpipe"
)
_SOUNDS = "wav,mp3,flac,aac,aiff,ac3,au,caf,w64"

_OPTIONS = {
    "format_whitelist": f"{PICTURES},{_VIDEOS},{_SOUNDS}",
    "protocol_whitelist": "file",
    "pattern_type": "none",
    "max_pixels": str(MOST_PIXELS),
}


def regular_file(path: Path | str) -> Path:
    """The absolute path of a file that is there and can be read.

    Raises:
        DataError: it is absent, may not be read, or is a folder, a device or a pipe.
    """
    path = Path(path).absolute()
    try:
        if not path.is_file():
            found = "not a regular file" if path.exists() else "no such file"
            raise DataError(f"{shown(path)}: {found}; expected a media file")
        path.open("rb").close()
    except OSError as error:
        raise DataError(f"{shown(path)}: {error.strerror}; expected a media file") from None
    return path


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """The container in a file, closed afterwards.

    Raises:
        av.FFmpegError: the content is none of the formats above, or is too damaged to open.
    """
    with av.open(path, options=_OPTIONS, timeout=LONGEST_WAIT, metadata_errors="replace") as container:
        yield container


def reason(error: Exception) -> str:
    """What went wrong, without FFmpeg's numbers and the file's name."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def video_stream(container: InputContainer) -> VideoStream | None:
    """The first stream of moving pictures that has a decoder, set to use threads; cover art is none."""
    for stream in container.streams.video:
        cover = stream.disposition & type(stream.disposition).attached_pic
        if stream.codec_context is not None and not cover:
            stream.thread_type = "AUTO"
            stream.codec_context.options = {"max_pixels": str(MOST_PIXELS)}
            return stream
    return None


def sound_stream(container: InputContainer) -> AudioStream | None:
    """The first sound track that has a decoder."""
    return next((stream for stream in container.streams.audio if stream.codec_context is not None), None)


def has_vp9_alpha(stream: VideoStream) -> bool:
    """Whether a WebM stream carries transparency beside its pictures, which only libvpx decodes."""
    return stream.metadata.get("alpha_mode") == "1" and stream.codec_context.name in ("vp8", "vp9")


@contextmanager
def opened_video(path: Path | str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container in a file and its pictures.

    Raises:
        DataError: the file is absent, no media file, or has no pictures.
    """
    path = regular_file(path)
    with ExitStack() as stack:
        try:
            container = stack.enter_context(opened(path))
        except READING_ERRORS as error:
            message = f"{shown(path)}: cannot be opened ({reason(error)}); expected a video"
            raise DataError(message) from None
        stream = video_stream(container)
        if stream is None:
            raise DataError(f"{shown(path)}: no pictures in it; expected a video")
        yield container, stream


class Decoder:
    """Decodes one stream from its start to its end, past whatever is damaged in between.

    Attributes:
        errors: packets, so far, that could not be read or decoded.
        corrupt: pictures, so far, that the decoder had to mend.
    """

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        self.errors = 0
        self.corrupt = 0
        self._container = container
        self._stream = stream
        self._context = stream.codec_context
        if has_vp9_alpha(stream):
            self._context = av.CodecContext.create(f"libvpx-{stream.codec_context.name}", "r")

    def frames(self, wanted: Container[int] | None = None) -> Iterator[VideoFrame]:
        """The pictures in the order in which they are shown.

        Args:
            wanted: presentation times of the packets whose pictures are needed. Of the others, those on
                which no picture depends are passed over, which saves about a third of the time for H.264.
        """
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                if not packet.size and packet.pts is not None:
                    continue  # for the decoder, an empty packet would be the end
                if wanted is not None:
                    self._context.skip_frame = "DEFAULT" if packet.pts in wanted else "NONREF"
                pictures = self._context.decode(packet if packet.size else None)
            except READING_ERRORS:
                self.errors += 1
                continue
            for picture in pictures:
                self.corrupt += picture.is_corrupt
                yield picture
