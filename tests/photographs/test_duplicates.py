import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from helpers.photographs.duplicates import crop_correlation, perceptual_hash, related_pairs
from helpers.photographs.pictures import read_picture
from photographs.written import encoded, scene

WHOLE = scene(1, (320, 240))


def resized(picture, size):
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))


@given(seed=st.integers(0, 10**6), scale=st.floats(0.3, 2), gain=st.floats(0.6, 1))
def test_a_copy_that_was_scaled_compressed_and_darkened_keeps_its_hash(seed, scale, gain):
    picture = scene(seed)
    size = (round(160 * scale), round(120 * scale))
    copy = read_picture(encoded((resized(picture, size) * gain).astype(np.uint8), "jpeg"))
    assert (perceptual_hash(picture) != perceptual_hash(copy)).sum() <= 7


def test_hashes_of_unrelated_pictures_differ_in_about_half_of_their_bits():
    hashes = np.array([perceptual_hash(scene(seed)) for seed in range(30)])
    bits = (hashes[:, None] != hashes[None]).sum(2)[np.triu_indices(30, 1)]
    assert hashes.shape == (30, 63)
    assert bits.min() > 7
    assert bits.mean() == pytest.approx(63 / 2, abs=3)


# The hash's coefficients are those of a cosine: a wave of one period across lights up few of them.
def test_a_hash_follows_the_cosine_transform():
    wave = np.cos(np.pi * (np.arange(32) + 0.5) * 3 / 32)
    picture = np.repeat(np.rint(128 + 100 * np.tile(wave, (32, 1)))[..., None], 3, axis=2).astype(np.uint8)
    # Coefficient (0, 3), with the mean left out, is the third of 63 in rows of eight.
    assert perceptual_hash(picture)[2]


@pytest.mark.parametrize(
    ("left", "top", "width", "height"), [(0, 0, 200, 150), (100, 60, 180, 150), (40, 90, 160, 110)]
)
def test_a_part_is_found_in_its_whole_and_not_in_another(left, top, width, height):
    part = resized(WHOLE[top : top + height, left : left + width], (120, 90))
    assert crop_correlation(WHOLE, part) > 0.9
    assert crop_correlation(scene(2, (320, 240)), part) < 0.9


def test_a_picture_without_contrast_correlates_with_nothing():
    assert crop_correlation(WHOLE, np.full((100, 100, 3), 7, np.uint8)) == 0


def test_copies_crops_and_views_of_one_place_are_told_apart():
    pictures = [WHOLE, resized(WHOLE, (100, 75)), WHOLE[60:230, 20:210], scene(5), scene(6), scene(5)]
    pairs = related_pairs(pictures, ["a", "a", "a", "a", None, "b"])
    found = pairs.set_index(["first", "second"])
    assert found["relation"].to_dict() == {
        (0, 1): "near duplicate",
        (0, 2): "crop",
        (0, 3): "same place",
        (1, 2): "crop",
        (1, 3): "same place",
        (2, 3): "same place",
        # A copy under another place's name is found by its hash.
        (3, 5): "near duplicate",
    }
    assert not found.loc[(3, 5), "same_place"]
    assert found.loc[(0, 1), "bits"] <= 7


def test_unrelated_pictures_without_a_place_are_no_pairs():
    assert related_pairs([scene(1), scene(2)], [None, None]).empty
    assert related_pairs([], []).empty
