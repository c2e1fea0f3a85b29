import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helpers.video.frames import Frames, sample
from helpers.video.sampling import Uniform
from helpers.video.sheets import GAP, PAGE, comparison_sheet, contact_sheet


def coloured(colours: list[tuple[int, int, int]], height: int, width: int) -> Frames:
    images = np.array([np.full((height, width, 3), colour) for colour in colours], np.uint8)
    count = np.arange(len(colours))
    return Frames(
        images=images, indices=count, times=count / 8, rule=Uniform(5), total=len(colours), fps=8, sha256=""
    )


RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def test_frames_stand_in_rows_with_something_written_under_each():
    sheet = np.asarray(contact_sheet(coloured([RED, GREEN, BLUE], 64, 96), columns=2, height=64))
    assert sheet[GAP + 10, GAP + 10].tolist() == [*RED]
    assert sheet[GAP + 10, GAP + 96 + GAP + 10].tolist() == [*GREEN]
    ends = np.flatnonzero((sheet[:, GAP + 10] == BLUE).all(axis=1))
    assert len(ends) == 64
    for top in (GAP + 64, ends[-1] + 1):
        caption = sheet[top : top + 14, GAP : GAP + 90].min(axis=2)
        assert caption.min() < 80  # ink
        assert np.median(caption) == 255  # on paper
    assert (sheet[ends, GAP + 96 + GAP + 10] == 255).all()  # no fourth frame


@pytest.mark.parametrize(("height", "width"), [(96, 64), (64, 96), (10, 300), (300, 10)])
def test_portrait_and_landscape_keep_their_shape(height: int, width: int):
    sheet = np.asarray(contact_sheet(coloured([RED], height, width), columns=1, height=60))
    red = (sheet == RED).all(axis=2)
    assert red.any(axis=1).sum() == 60
    assert red.any(axis=0).sum() == round(width * 60 / height)


def test_captions_are_cut_to_the_frame():
    frames = coloured([RED, GREEN], 64, 48)
    long = np.asarray(contact_sheet(frames, height=64, captions=["a very long caption" * 9, ""]))
    assert long.shape == np.asarray(contact_sheet(frames, height=64)).shape
    assert (long[GAP + 64 :, GAP + 48 : GAP + 48 + GAP] == 255).all()


def test_a_comparison_has_a_named_row_a_clip(shelf: Callable[[str], Path]):
    clips = {"LTX-2": sample(shelf("h264.mp4"), Uniform(5)), "Wan 2.2": sample(shelf("vp9.webm"), Uniform(3))}
    both = comparison_sheet(clips, height=64)
    one = comparison_sheet({"LTX-2": clips["LTX-2"]}, height=64)
    assert both.width == one.width == 5 * (96 + GAP) + GAP
    assert both.height == 2 * one.height - GAP
    assert np.asarray(both)[GAP : GAP + 12, :60].min() < 80


def test_sixteen_frames_of_a_clip_make_a_page(real_clip: Path):
    sheet = contact_sheet(sample(real_clip, Uniform(16)))
    assert 1000 < sheet.width < 1400
    assert sheet.height < 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"height": 3}, "height is 3; expected at least 16 pixels"),
        ({"columns": 0}, "columns is 0; expected at least 1"),
        ({"captions": ["one"]}, "1 captions for 2 frames; expected one a frame"),
    ],
)
def test_sheets_refuse(options: dict, message: str):
    with pytest.raises(ValueError, match=message):
        contact_sheet(coloured([RED, BLUE], 64, 96), **options)


def test_comparisons_refuse():
    with pytest.raises(ValueError, match="no clips; expected at least one"):
        comparison_sheet({})
    with pytest.raises(ValueError, match="height is 3"):
        comparison_sheet({"a": coloured([RED], 64, 96)}, height=3)


def test_long_texts_are_cut_quickly_and_do_not_widen_the_sheet():
    frames = coloured([RED, GREEN], 64, 48)
    began = time.monotonic()
    contact_sheet(frames, captions=["x" * 1_000_000, "i" * 5_000])
    assert comparison_sheet({"m" * 20_000: frames}).width <= PAGE + 2 * GAP
    assert time.monotonic() - began < 5
