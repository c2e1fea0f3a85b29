"""Every damaged file gives a named result; nothing is raised but the documented error, and nothing hangs."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
import pytest

from helpers.checking import DataError
from helpers.video.audio import Audio, read_audio
from helpers.video.copies import web_copy
from helpers.video.frames import Frames, sample, sample_all
from helpers.video.probe import STATUSES, WITH_FRAMES, Probe, probe
from helpers.video.sampling import PerSecond, Uniform
from video.damaged import NAMES, OTHERS, SOURCES, corpus
from video.making import decoded

T = TypeVar("T")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return corpus(tmp_path_factory.mktemp("damaged"))


def check(path: Path) -> Probe:
    """What must hold of any file, whole or not; returns the thorough result."""
    quick, thorough = probe(path), probe(path, thorough=True)
    for found in (quick, thorough):
        assert found.status in STATUSES
        assert bool(found.problem) == (found.status not in ("ok", "picture"))
        assert (found.frames > 0) == (found.status in WITH_FRAMES) == (found.width > 0 and found.frames > 0)
        assert found.fps >= 0
        assert found.duration >= 0
    both = had_or_refused(lambda: sample_all(path, [Uniform(3), PerSecond(2)]), path)
    assert (both is not None) == (thorough.status in WITH_FRAMES)
    for frames in both or ():
        assert_whole(frames, thorough)
    return thorough


def had_or_refused(function: Callable[[], T], path: Path) -> T | None:
    """What a function gives, or None where it refuses a file with the documented error that names it."""
    refusal = ""
    try:
        return function()
    except DataError as error:
        refusal = str(error)
    assert path.name in refusal
    return None


def assert_whole(frames: Frames, found: Probe) -> None:
    assert 1 <= len(frames) <= frames.total
    assert frames.images.shape == (len(frames), found.height, found.width, 3)
    assert (np.diff(frames.indices) > 0).all()
    assert (np.diff(frames.times) >= 0).all()


def test_there_are_more_than_sixty():
    assert len(NAMES) == len(set(NAMES)) > 60


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_has_a_named_result(files: dict[str, Path], name: str):
    check(files[name])


@pytest.mark.parametrize("name", NAMES)
def test_sound_and_copies_of_a_damaged_file_are_had_or_refused(
    files: dict[str, Path], name: str, tmp_path: Path
):
    path, copy = files[name], tmp_path / "copy.mp4"
    assert isinstance(had_or_refused(lambda: read_audio(path), path), Audio | None)
    made = had_or_refused(lambda: web_copy(path, copy), path)
    assert copy.exists() == (made is not None)
    if made is not None:
        assert probe(copy, thorough=True).status == "ok"


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_clip_is_named(files: dict[str, Path], name: str):
    assert probe(files[name]).status == OTHERS[name][1]


@pytest.mark.parametrize(
    ("kind", "part"), [("sound.mp4", 0.5), ("h264.mkv", 0.5), ("vp9.webm", 0.5), ("mpeg4.avi", 0.8)]
)
def test_a_cut_off_clip_is_truncated_with_the_frames_that_decode(
    files: dict[str, Path], kind: str, part: float, tmp_path: Path
):
    content = (files["two in one.mp4"].parent / kind).read_bytes()
    path = tmp_path / kind
    path.write_bytes(content[: int(len(content) * part)])
    found = probe(path)
    assert found.status == "truncated"
    assert found.frames == len(decoded(path)) < 12
    assert f"{found.frames} frames decode" in found.problem
    assert "its end is missing" in sample(path, Uniform(2)).notes


def test_a_clip_whose_index_is_cut_off_is_unreadable(files: dict[str, Path]):
    found = probe(files["half of h264.mov"])
    assert found.status == "unreadable"
    assert found.problem.startswith("begins like MP4 or MOV, but cannot be opened")


def test_a_second_clip_after_the_first_changes_nothing(files: dict[str, Path]):
    assert probe(files["two in one.mp4"], thorough=True).frames == 12
    assert np.array_equal(
        decoded(files["two in one.mp4"]), decoded(files["two in one.mp4"].parent / "sound.mp4")
    )


def test_damage_inside_pictures_is_found_by_decoding(files: dict[str, Path]):
    path = files["a hole of zeros of sound.mp4"]
    assert probe(path).status == "ok"
    assert probe(path, thorough=True).status == "damaged"
    assert "some of its pictures do not decode, or only in part" in sample(path, Uniform(12)).notes


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
def test_random_damage_never_raises_anything_else(files: dict[str, Path], kind: str, tmp_path: Path):
    whole = (files[f"half of {kind}"].parent / kind).read_bytes()
    path = tmp_path / kind
    for seed in range(100):
        random = Random(seed)
        content = bytearray(whole)
        for _ in range(random.choice([1, 3, 10, 100])):
            at = random.randrange(len(content) if random.random() < 0.5 else min(len(content), 1500))
            content[at] = random.randrange(256)
        path.write_bytes(content[: random.choice([len(content), random.randrange(len(content))])])
        check(path)
