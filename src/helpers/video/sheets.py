"""Sheets of frames: a clip at a glance, and several clips beside each other."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw, ImageFont

from helpers.video.frames import Frames

PAGE, GAP = 1320, 6
PAPER, INK = (255, 255, 255), (32, 32, 32)


def contact_sheet(
    frames: Frames, columns: int | None = None, height: int = 180, captions: Sequence[str] | None = None
) -> Image.Image:
    """The frames in rows, with the time of each under it.

    Args:
        frames: at least one.
        columns: frames a row; as many as make the sheet about as wide as a page (1320 pixels) where None.
        height: of each frame, pixels, at least 16.
        captions: texts instead of the times, one a frame; cut where they are wider than the frame.

    Raises:
        ValueError: a height or number of columns out of range, or another number of captions than of frames.
    """
    _check_height(height)
    small = _small(frames, height)
    if columns is None:
        columns = max(1, PAGE // (small[0].width + GAP))
    if columns < 1:
        raise ValueError(f"columns is {columns}; expected at least 1")
    captions = _times(frames) if captions is None else captions
    if len(captions) != len(small):
        raise ValueError(f"{len(captions)} captions for {len(small)} frames; expected one a frame")
    rows = [range(start, min(start + columns, len(small))) for start in range(0, len(small), columns)]
    return _drawn([([small[i] for i in row], [captions[i] for i in row], "") for row in rows], height)


def comparison_sheet(clips: Mapping[str, Frames], height: int = 120) -> Image.Image:
    """Several clips, one row each, as of the same prompt by several models; the name stands above the row.

    Args:
        clips: the name of each clip, such as its model's, and its frames; at least one clip. A name
            is cut where it is wider than the sheet.
        height: of each frame, pixels, at least 16.

    Raises:
        ValueError: no clips, or a height below 16.
    """
    _check_height(height)
    if not clips:
        raise ValueError("no clips; expected at least one to draw a sheet")
    return _drawn([(_small(frames, height), _times(frames), name) for name, frames in clips.items()], height)


def _check_height(height: int) -> None:
    if height < 16:
        raise ValueError(f"height is {height}; expected at least 16 pixels")


def _small(frames: Frames, height: int) -> list[Image.Image]:
    width = max(1, round(frames.images.shape[2] * height / frames.images.shape[1]))
    return [
        Image.fromarray(image).resize((width, height), Image.Resampling.LANCZOS) for image in frames.images
    ]


def _times(frames: Frames) -> list[str]:
    return [f"{time:.2f} s" for time in frames.times]


def _drawn(rows: Sequence[tuple[Sequence[Image.Image], Sequence[str], str]], height: int) -> Image.Image:
    """Rows of pictures, the captions under them, and a heading above each row that has one."""
    font = ImageFont.load_default(size=max(22, height // 6))
    line = sum(font.getmetrics()) + 2
    headings = [line + GAP if heading else 0 for _, _, heading in rows]
    widths = [sum(picture.width + GAP for picture in pictures) for pictures, _, _ in rows]
    widest = max(PAGE, *widths)
    rows = [(pictures, captions, _fitting(heading, widest, font)) for pictures, captions, heading in rows]
    widths += [round(font.getlength(heading)) + GAP for _, _, heading in rows]
    sheet = Image.new(
        "RGB", (max(widths) + GAP, sum(headings) + len(rows) * (height + line + GAP) + GAP), PAPER
    )
    draw = ImageDraw.Draw(sheet)
    top = GAP
    for (pictures, captions, heading), above in zip(rows, headings, strict=True):
        draw.text((GAP, top), heading, INK, font)
        left, top = GAP, top + above
        for picture, caption in zip(pictures, captions, strict=True):
            sheet.paste(picture, (left, top))
            draw.text((left, top + height), _fitting(caption, picture.width, font), INK, font)
            left += picture.width + GAP
        top += height + line + GAP
    return sheet


def _fitting(text: str, width: int, font: ImageFont.FreeTypeFont) -> str:
    """As much of a text's beginning as fits into a width in pixels."""
    text = text[:width]  # hardly any letter is narrower than a pixel, and measuring long texts is slow
    fits = bisect_right(range(1, len(text) + 1), width, key=lambda letters: font.getlength(text[:letters]))
    return text[:fits]
