import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from helpers.video import frames as module
from helpers.video.cache import Cache
from helpers.video.frames import Frames, sample, sample_all
from helpers.video.sampling import PerSecond, Uniform
from video.making import encode, pictures

RULES = [Uniform(5), Uniform(8), PerSecond(1), PerSecond(2)]
SMALL = 64 * 96 * 3
"""Bytes of one frame."""


@pytest.fixture
def decodes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with every decode."""
    calls: list[int] = []
    take = module._take
    monkeypatch.setattr(module, "_take", lambda *given: calls.append(1) or take(*given))
    return calls


@pytest.fixture
def clip(shelf: Callable[[str], Path]) -> Path:
    return shelf("h264.mp4")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "frames")


def assert_same(one: Frames, other: Frames) -> None:
    assert (one.rule, one.total, one.fps, one.sha256, one.notes) == (
        other.rule,
        other.total,
        other.fps,
        other.sha256,
        other.notes,
    )
    for name in ("images", "indices", "times"):
        assert_array_equal(getattr(one, name), getattr(other, name))


def test_five_consumers_cost_one_decode(clip: Path, cache: Cache, decodes: list[int]):
    plain = sample(clip, Uniform(5))
    found = [sample(clip, Uniform(5), cache) for _ in range(5)]
    assert len(decodes) == 2
    for frames in found:
        assert_same(frames, plain)
        assert isinstance(frames.images, np.memmap)


def test_different_rules_asked_for_at_once_cost_one_decode(clip: Path, cache: Cache, decodes: list[int]):
    sample_all(clip, RULES, cache)
    assert len(decodes) == 1
    for rule in RULES:
        kept = sample(clip, rule, cache)
        assert len(decodes) == 1
        assert_same(kept, module.sample_all(clip, [rule])[0])
        decodes.pop()


def test_a_copy_shares_the_entry_and_a_changed_clip_does_not(
    clip: Path, cache: Cache, decodes: list[int], tmp_path
):
    sample(clip, Uniform(5), cache)
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(clip.read_bytes())
    sample(copy, Uniform(5), cache)
    assert len(decodes) == 1
    encode(copy, pictures(12)[::-1])
    assert_array_equal(sample(copy, Uniform(5), cache).images, sample(copy, Uniform(5)).images)
    assert len(decodes) == 3


def test_consumers_may_write_and_the_cache_stays_as_it_is(clip: Path, cache: Cache):
    first = sample(clip, Uniform(5), cache)
    before = first.images.copy()
    first.images[:] = 0
    assert_array_equal(sample(clip, Uniform(5), cache).images, before)


def damage_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def damage_junk(path: Path) -> None:
    path.write_bytes(b"junk")


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


def damage_gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("suffix", [".npy", ".json"])
@pytest.mark.parametrize("damage", [damage_cut, damage_junk, damage_empty, damage_gone])
def test_a_damaged_entry_is_made_again(clip: Path, cache: Cache, decodes: list[int], damage, suffix: str):
    plain = sample(clip, Uniform(5), cache)
    images = plain.images.copy()
    (entry,) = cache.folder.glob(f"*{suffix}")
    damage(entry)
    again = sample(clip, Uniform(5), cache)
    assert_array_equal(again.images, images)
    assert len(decodes) == 2
    sample(clip, Uniform(5), cache)
    assert len(decodes) == 2


def test_entries_of_another_version_or_shape_are_made_again(clip: Path, cache: Cache, decodes, monkeypatch):
    sample(clip, Uniform(5), cache)
    (about,), (pictures_of,) = cache.folder.glob("*.json"), cache.folder.glob("*.npy")
    np.save(pictures_of, np.zeros((5, 2, 2, 3), np.uint8))
    assert sample(clip, Uniform(5), cache).images.shape == (5, 64, 96, 3)
    monkeypatch.setattr("helpers.video.cache.VERSION", 2)
    sample(clip, Uniform(5), cache)
    assert len(decodes) == 3
    assert about.exists()


def test_the_least_recently_used_go_when_the_cache_is_full(tmp_path: Path, decodes: list[int]):
    cache = Cache(tmp_path / "frames", most_bytes=3 * (5 * SMALL + 1000))
    clips = [encode(tmp_path / f"{name}.mp4", pictures(12 + name)) for name in range(4)]
    for age, clip in enumerate(clips[:3]):
        sample(clip, Uniform(5), cache)
        for path in cache.folder.iterdir():
            if path.stat().st_mtime > 1e9:
                os.utime(path, (1e6 + age, 1e6 + age))
    sample(clips[0], Uniform(5), cache)  # used again, so now the youngest
    sample(clips[3], Uniform(5), cache)
    assert cache.size() <= cache.most_bytes
    assert len(decodes) == 4
    for clip, kept in zip(clips, [True, False, True, True], strict=True):
        before = len(decodes)
        assert (cache.get(sample(clip, Uniform(5)).sha256, Uniform(5)) is not None) == kept
        assert len(decodes) == before + 1


def test_the_bound_holds_and_what_is_larger_is_not_kept(tmp_path: Path):
    cache = Cache(tmp_path / "frames", most_bytes=8 * SMALL)
    for number in range(6):
        clip = encode(tmp_path / f"{number}.mp4", pictures(12 + number))
        for rule in (Uniform(5), Uniform(3), Uniform(12)):
            frames = sample(clip, rule, cache)
            assert len(frames) == rule.n
            assert cache.size() <= cache.most_bytes
    assert cache.size() > 0


def test_files_of_others_are_left_alone(clip: Path, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "my-notes.txt").write_text("mine")
    cache = Cache(tmp_path, most_bytes=6 * SMALL)
    for rule in (Uniform(5), Uniform(4), Uniform(3)):
        sample(clip, rule, cache)
    assert (tmp_path / "notes.txt").exists()
    assert (tmp_path / "my-notes.txt").exists()


def test_a_full_disk_costs_only_the_cache(clip: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch):
    def full(file, images):
        file.write(b"begun")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert_same(sample(clip, Uniform(5), cache), sample(clip, Uniform(5)))
    assert list(cache.folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_costs_only_the_cache(clip: Path, tmp_path: Path):
    (tmp_path / "taken").write_text("a file")
    assert len(sample(clip, Uniform(5), Cache(tmp_path / "taken" / "frames"))) == 5


def test_a_bound_must_be_positive(tmp_path: Path):
    with pytest.raises(ValueError, match="most_bytes is 0; expected a positive number of bytes"):
        Cache(tmp_path, most_bytes=0)


@pytest.mark.slow
def test_processes_share_a_small_cache_at_once(tmp_path: Path):
    for number in range(4):
        encode(tmp_path / f"{number}.mp4", pictures(12 + number))
    code = f"""
import sys, random
from pathlib import Path
import numpy as np
from helpers.video.cache import Cache
from helpers.video.frames import sample
from helpers.video.sampling import Uniform
folder, draw = Path({str(tmp_path)!r}), random.Random(int(sys.argv[1]))
cache = Cache(folder / "frames", most_bytes=20 * {SMALL})
plain = {{
    (clip, n): sample(folder / f"{{clip}}.mp4", Uniform(n)).images for clip in range(4) for n in (3, 5, 8)
}}
for _ in range(150):
    clip, n = draw.randrange(4), draw.choice([3, 5, 8])
    found = sample(folder / f"{{clip}}.mp4", Uniform(n), cache)
    assert np.array_equal(found.images, plain[clip, n]), (clip, n)
    if draw.random() < 0.1:
        for path in (folder / "frames").glob("*.npy"):
            if draw.random() < 0.3:
                path.unlink(missing_ok=True)
"""
    running = [subprocess.Popen([sys.executable, "-c", code, str(seed)]) for seed in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert not list((tmp_path / "frames").glob("*.part"))


def test_a_cache_that_holds_nothing_yet_has_no_size(tmp_path: Path):
    assert Cache(tmp_path / "absent").size() == 0
