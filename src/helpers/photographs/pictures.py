"""Reading a still picture, whatever its file looks like, as an array of RGB values."""

import struct
import warnings
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from helpers.checking import DataError
from helpers.paths import shown

# A smaller side shows no scene: it is a tracking pixel or a broken file.
LEAST_SIDE = 16

# Pillow knows more, but for some of them it starts other programs, such as Ghostscript.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")

# What Pillow's readers raise for damaged files, by format.
_DAMAGED = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    RuntimeError,  # with it NotImplementedError
    struct.error,
    zlib.error,
    IndexError,
    KeyError,
)


def read_picture(picture: Path | str | bytes, *, name: str | None = None) -> np.ndarray:
    """A picture as it is meant to be seen.

    EXIF orientation is applied. Greyscale, palette, CMYK and 16-bit pictures become RGB (embedded colour
    profiles are not applied), transparent parts are laid on white, and an animation gives its first frame.

    Args:
        picture: a file, or its content; of one of `FORMATS`, whatever its name ends in.
        name: what messages call it; left out, the file's path.

    Returns:
        uint8 array (height, width, 3).

    Raises:
        DataError: no such file, not a regular one, no picture, damaged or cut off, a side below 16 pixels, or
            more pixels than Pillow's limit against decompression bombs (about 89 million); the message names
            the file.
    """
    if name is None:
        name = "picture" if isinstance(picture, bytes) else shown(picture)
    if not isinstance(picture, bytes) and Path(picture).exists() and not Path(picture).is_file():
        raise DataError(f"{name}: not a regular file; expected a picture")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            # Damaged EXIF data leaves the picture itself whole.
            warnings.filterwarnings("ignore", module=r"PIL\.TiffImagePlugin")
            source = BytesIO(picture) if isinstance(picture, bytes) else picture
            with Image.open(source, formats=FORMATS) as opened:
                if min(opened.size) < LEAST_SIDE:
                    raise DataError(
                        f"{name}: found {opened.width} x {opened.height} pixels, "
                        f"expected sides of at least {LEAST_SIDE}"
                    )
                opened.load()
                return np.asarray(_rgb(ImageOps.exif_transpose(opened)))
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"{name}: no such file; expected a picture") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DataError(
            f"{name}: found more than {Image.MAX_IMAGE_PIXELS:,} pixels, expected a photograph"
        ) from None
    except UnidentifiedImageError:
        raise DataError(f"{name}: no picture of a known format ({', '.join(FORMATS)})") from None
    except _DAMAGED as error:
        raise DataError(f"{name}: the picture cannot be decoded ({error}); is it cut off?") from None


def _rgb(picture: Image.Image) -> Image.Image:
    """The picture in 8-bit RGB."""
    if picture.mode.startswith("I;16") or picture.mode == "I":
        # Pillow clips wider integers at 255 instead of scaling them.
        wide = np.clip(np.asarray(picture), 0, 65535)
        picture = Image.fromarray((wide // 257).astype(np.uint8))
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")
    return picture.convert("RGB")
