"""Patch similarity: the formula, the tokens, the modes, the measurer."""

import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from PIL import Image

from helpers.metrics import backbones, patch_plots, patches
from helpers.metrics.cases import reference_at
from helpers.metrics.measurer import Clip, ModelError
from helpers.metrics.patch_matching import best_matches, patch_similarity, unit
from helpers.metrics.picture_sizes import whole_size
from helpers.simulate.checkpoints.clip import build_clip
from helpers.simulate.checkpoints.dinov2 import PROCESSOR, build_dinov2
from helpers.video.frames import Frames
from helpers.video.sampling import Uniform

SIZES = st.integers(1, 7)


def slow_equation_1(reference: np.ndarray, frame: np.ndarray) -> float:
    """GAP, Eq. 1, read off the page, sum by sum."""

    def cos_sim(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / (
            sum(x * x for x in a) ** 0.5 * sum(y * y for y in b) ** 0.5
        )

    n, m = len(reference), len(frame)
    first = sum(max(cos_sim(reference[i], frame[j]) for j in range(m)) for i in range(n)) / n
    second = sum(max(cos_sim(frame[j], reference[i]) for i in range(n)) for j in range(m)) / m
    return (first + second) / 2


def drawn(seed: int, *shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


def pictures(n: int = 2, height: int = 96, width: int = 128, seed: int = 0) -> np.ndarray:
    coarse = np.random.default_rng(seed).integers(0, 256, (n, height // 8, width // 8, 3), np.uint8)
    return coarse.repeat(8, axis=1).repeat(8, axis=2)


def clip(images: np.ndarray, reference: Path) -> Clip:
    n = len(images)
    frames = Frames(
        images=images, indices=np.arange(n), times=np.arange(n) / 8, rule=Uniform(5), total=n, fps=8.0,
        sha256="",
    )  # fmt: skip
    return Clip(video_id="a", frames=frames, reference=reference_at(reference))


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {
        "plain": str(build_dinov2(folder / "plain")),
        "registers": str(build_dinov2(folder / "registers", registers=4)),
        "clip": f"open_clip:local-dir:{build_clip(folder / 'clip')}",
    }


def loaded(name: str, mode: str = "whole", **settings) -> backbones.Backbone:
    found = backbones.backbone(name, mode, **settings)
    found.load()
    return found


# The formula


@given(st.integers(0, 10**6), SIZES, SIZES, st.integers(1, 4), st.integers(1, 5), st.integers(1, 60))
def test_against_a_slow_reading_of_equation_1(seed, n, m, frames, dims, most_cells):
    reference, shown = drawn(seed, n, dims), drawn(seed + 1, frames, m, dims)
    found = patch_similarity(unit(reference), unit(shown), most_cells=most_cells)
    expected = [slow_equation_1(reference.numpy(), frame.numpy()) for frame in shown]
    assert_allclose(found.numpy(), expected, atol=1e-12)


@given(st.integers(0, 10**6), SIZES, SIZES)
def test_symmetric_under_swapping_photograph_and_frame(seed, n, m):
    one, other = unit(drawn(seed, n, 4)), unit(drawn(seed + 1, m, 4))
    swapped = patch_similarity(other, one[None])
    assert_allclose(patch_similarity(one, other[None]).numpy(), swapped.numpy(), atol=1e-12)


@given(st.integers(0, 10**6), SIZES)
def test_a_picture_with_the_same_patches_in_any_order_scores_1(seed, n):
    tokens = unit(drawn(seed, n, 4))
    order = np.random.default_rng(seed).permutation(n)
    assert_allclose(patch_similarity(tokens, tokens[order][None]).numpy(), 1, atol=1e-12)


def test_best_matches_give_the_score_and_name_the_patches():
    one, other = unit(drawn(0, 6, 8)), unit(drawn(1, 4, 8))
    matches = best_matches(one, other)
    assert matches.score == pytest.approx(patch_similarity(one, other[None]).item(), abs=1e-12)
    assert torch.equal((one * other[matches.of_reference]).sum(1), matches.reference_similarity)
    assert torch.equal((other * one[matches.of_frame]).sum(1), matches.frame_similarity)


@pytest.mark.parametrize(
    ("reference", "frames"), [((3, 4), (2, 3, 5)), ((3, 4), (3, 4)), ((0, 4), (1, 3, 4))]
)
def test_shapes_that_do_not_fit_are_named(reference, frames):
    with pytest.raises(ValueError, match="found"):
        patch_similarity(torch.zeros(reference), torch.zeros(frames))


# Tokens


def test_dinov2_paper_mode_gives_256_patches_of_the_middle(checkpoints):
    # 224 / 14 = 16 patches a side: facebook/dinov2-large's processor, notes of its model card.
    found = loaded(checkpoints["plain"], "paper").tokens(pictures(height=96, width=192))
    assert found.tokens.shape == (2, 256, 32)
    assert found.grid == (16, 16)
    # 96 pixels become 256, of which 224 are left; of the 512 that 192 become, too.
    assert_allclose(found.region, [1 / 16, 9 / 32, 15 / 16, 23 / 32])


def test_dinov2_paper_mode_is_transformers_own_pipeline(checkpoints):
    # Oracle: transformers' BitImageProcessor and Dinov2Model, called as the model card shows.
    from transformers import BitImageProcessor, Dinov2Model

    shown = pictures(n=1)
    inputs = BitImageProcessor(**PROCESSOR)(images=Image.fromarray(shown[0]), return_tensors="pt")
    with torch.inference_mode():
        hidden = Dinov2Model.from_pretrained(checkpoints["plain"]).eval()(**inputs).last_hidden_state
    expected = torch.nn.functional.normalize(hidden[:, 1:], dim=-1)
    found = loaded(checkpoints["plain"], "paper").tokens(shown).tokens
    assert_allclose(found.numpy(), expected.numpy(), atol=1e-5)


def test_registers_are_dropped(checkpoints):
    # Oracle: transformers' Dinov2WithRegistersModel: class token, 4 registers, patches.
    from transformers import Dinov2WithRegistersModel

    shown = pictures(n=1)
    model = Dinov2WithRegistersModel.from_pretrained(checkpoints["registers"]).eval()
    backbone = loaded(checkpoints["registers"])
    with torch.inference_mode():
        hidden = model(backbone._pixels(shown)).last_hidden_state
    found = backbone.tokens(shown)
    rows, columns = found.grid
    assert hidden.shape[1] == 5 + rows * columns
    assert_allclose(found.tokens.numpy(), unit(hidden[:, 5:]).numpy(), atol=1e-6)


@pytest.mark.parametrize("kind", ["plain", "registers"])
@pytest.mark.parametrize("size", [(96, 128), (40, 400), (17, 16)])
def test_whole_mode_takes_any_proportions(checkpoints, kind, size):
    shown = np.random.default_rng(0).integers(0, 256, (2, *size, 3), np.uint8)
    found = loaded(checkpoints[kind], size=112).tokens(shown)
    rows, columns = found.grid
    assert found.tokens.shape == (2, rows * columns, 32)
    assert 0.6 <= rows * columns / 64 <= 1.3
    assert found.region == (0, 0, 1, 1)


@given(st.integers(16, 8000), st.integers(16, 8000), st.sampled_from([224, 518]))
def test_whole_size_keeps_area_and_proportions(height, width, size):
    rows, columns = whole_size(height, width, size, 14)
    assert rows % 14 == columns % 14 == 0
    if max(height, width) <= 10 * min(height, width):
        # Each side is rounded by at most half a patch of the exact one.
        scale = size / np.sqrt(height * width)
        assert abs(rows - height * scale) <= 7
        assert abs(columns - width * scale) <= 7


@pytest.mark.parametrize("mode", ["paper", "whole"])
def test_open_clip_tower_gives_unit_patches(checkpoints, mode):
    found = loaded(checkpoints["clip"], mode).tokens(pictures())
    assert found.tokens.shape == (2, 16, 32)
    assert_allclose(found.tokens.norm(dim=-1).numpy(), 1, atol=1e-5)
    # The shorter side is kept whole, the longer one loses a quarter of 128 pixels.
    assert found.region == ((0, 1 / 8, 1, 7 / 8) if mode == "paper" else (0, 0, 1, 1))


def test_open_clip_tower_is_its_own_forward_pass(checkpoints):
    # Oracle: open_clip's VisionTransformer, whose output_tokens come after its last normalisation.
    import open_clip

    shown = pictures(n=1)
    name = checkpoints["clip"].removeprefix("open_clip:")
    model, _, preprocess = open_clip.create_model_and_transforms(name)
    model.visual.output_tokens = True
    with torch.inference_mode():
        expected = unit(model.eval().visual(preprocess(Image.fromarray(shown[0]))[None])[1])
    found = loaded(checkpoints["clip"], "paper").tokens(shown).tokens
    assert_allclose(found.numpy(), expected.numpy(), atol=1e-5)


@pytest.mark.parametrize("kind", ["plain", "registers", "clip", "hog"])
def test_batch_equals_single(checkpoints, kind):
    backbone, shown = loaded(checkpoints.get(kind, kind)), pictures(n=3)
    together = backbone.tokens(shown).tokens
    alone = torch.cat([backbone.tokens(one[None]).tokens for one in shown])
    assert_allclose(together.numpy(), alone.numpy(), atol=1e-5)


def test_float32_equals_float64(checkpoints):
    shown = pictures(n=3)
    scores = []
    for dtype in ("float32", "float64"):
        tokens = loaded(checkpoints["plain"], dtype=dtype).tokens(shown).tokens
        assert tokens.dtype == getattr(torch, dtype)
        scores.append(patch_similarity(tokens[0], tokens[1:]).numpy())
    assert_allclose(*scores, atol=1e-5)


def test_hog_is_scikit_images_with_known_colours():
    # A picture of one colour has no edges: only its colour is left. White is L* = 100, a* = b* = 0.
    white = np.full((1, 64, 64, 3), 255, np.uint8)
    black = np.zeros((1, 64, 64, 3), np.uint8)
    backbone = loaded("hog", size=64)
    tokens = torch.cat([backbone.tokens(white).tokens, backbone.tokens(black).tokens])
    assert tokens.shape == (2, 16, 4 * 9 + 4)
    assert_allclose(tokens[0, :, :-4].numpy(), 0)
    assert (tokens[0] * tokens[1]).sum(1).numpy() == pytest.approx(-1, abs=1e-4)


def test_hog_in_paper_mode_is_scikit_images_hog_of_the_middle():
    # Oracle: skimage.feature.hog on the middle 224 of 256 pixels, cut out by hand.
    from skimage.feature import hog

    shown = pictures(n=1, height=256, width=512)
    middle = shown[0][16:240, 144:368]
    expected = hog(middle, 9, (8, 8), (2, 2), block_norm="L2-Hys", feature_vector=False, channel_axis=-1)[
        ::2, ::2
    ].reshape(196, 36)
    found = loaded("hog", "paper").tokens(shown)
    assert found.grid == (14, 14)
    assert_allclose(found.region, [1 / 16, 9 / 32, 15 / 16, 23 / 32])
    edges = found.tokens[0, :, :36].numpy()
    ratio = np.linalg.norm(expected, axis=1) / np.linalg.norm(edges, axis=1)
    assert_allclose(edges * ratio[:, None], expected, atol=1e-5)


def test_what_no_backbone_knows_is_refused(tmp_path):
    with pytest.raises(ValueError, match="mode: found 'crop'"):
        backbones.backbone("hog", "crop")
    with pytest.raises(ValueError, match="size: found 8"):
        backbones.backbone("hog", "whole", size=8)
    with pytest.raises(ModelError, match="cannot be loaded"):
        backbones.backbone(str(tmp_path / "nothing")).load()
    with pytest.raises(ModelError, match="a model and its weights"):
        backbones.backbone("open_clip:ViT-L-14").load()


def test_patches_centres_lie_in_the_region_row_by_row():
    # By hand: the middle half of a picture of 100 x 200 in 1 x 2 patches.
    found = patch_plots.centres((1, 2), (0.25, 0.25, 0.75, 0.75), (100, 200))
    assert found.tolist() == [[75, 50], [125, 50]]


def test_pictures_of_matches_hold_what_they_show():
    figure, (left, right) = plt.subplots(1, 2)
    shown = pictures(n=2)
    layer = patch_plots.similarity_map(left, shown[0], [0.1, 0.9], (1, 2), (0, 0, 1, 1), (0, 1))
    assert layer.get_array().tolist() == [[0.1, 0.9]]
    assert layer.get_extent() == [0, 128, 96, 0]
    places = np.array([[10.0, 20.0]])
    patch_plots.matched_patches(right, (shown[0], shown[1][::2, ::2]), (places, places), gap=0)
    # The second picture is half as large, and stands beside the first one at its height.
    assert right.collections[0].get_segments()[0].tolist() == [[10, 20], [128 + 20, 40]]
    plt.close(figure)


# The measurer


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    path = tmp_path / "photograph.png"
    Image.fromarray(pictures(n=1)[0]).save(path)
    return path


@pytest.mark.parametrize("kind", ["plain", "clip", "hog"])
def test_a_clip_of_the_photograph_scores_1(checkpoints, photograph, kind):
    measurer = patches.PatchSimilarity(backbones.backbone(checkpoints.get(kind, kind), "whole"))
    measurer.load()
    still = pictures(n=1).repeat(5, axis=0)
    (same,) = measurer.measure([clip(still, photograph)])
    assert same.values["patch_clip"] == pytest.approx(1, abs=1e-5)
    assert same.details["frames"] == pytest.approx([1] * 5, abs=1e-5)
    assert same.notes == ()


def test_the_value_is_the_mean_of_the_frames(checkpoints, photograph):
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    (outcome,) = measurer.measure([clip(pictures(n=5, seed=3), photograph)])
    assert outcome.values["patch_hog"] == pytest.approx(np.mean(outcome.details["frames"]), abs=1e-6)
    assert len(set(outcome.details["frames"])) == 5


def test_clips_of_several_sizes_come_back_in_order(photograph):
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    clips = [
        clip(pictures(n=2, height=64, seed=1), photograph),
        clip(pictures(n=3, height=200, width=96, seed=2), photograph),
        clip(pictures(n=1, height=64, seed=3), photograph),
    ]
    together = [outcome.values for outcome in measurer.measure(clips)]
    assert together == [measurer.measure([one])[0].values for one in clips]


def test_a_photograph_is_computed_once_for_all_clips_and_kept_for_later_runs(photograph, tmp_path):
    class Counting:
        name, settings, computed = "counting", {"backbone": "counting"}, 0

        def load(self):
            return {}

        def tokens(self, images):
            Counting.computed += len(images)
            return backbones.backbone("hog", "whole").tokens(images)

    for run in range(2):
        measurer = patches.PatchSimilarity(Counting(), patches.PATCH_HOG, kept=tmp_path / "kept")
        for seed in range(3):
            measurer.measure([clip(pictures(n=5, seed=seed), photograph)])
        # 15 frames a run, and the photograph in the first alone.
        assert Counting.computed == 16 + 15 * run


def test_odd_pictures_have_values_and_notes(tmp_path):
    path = tmp_path / "grey.png"
    Image.new("L", (16, 16), 128).save(path)
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    (outcome,) = measurer.measure([clip(np.full((2, 10, 10, 3), 7, np.uint8), path)])
    assert outcome.values["patch_hog"] < 1
    assert outcome.notes == (
        "the photograph has one colour",
        "the photograph is small: 16 x 16 pixels",
        "the clip has one colour",
        "the clip is small: 10 x 10 pixels",
    )


def test_an_8k_photograph_has_a_value(tmp_path):
    path = tmp_path / "8k.png"
    Image.new("RGB", (7680, 4320), "red").save(path, compress_level=1)
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    (outcome,) = measurer.measure([clip(pictures(n=1), path)])
    assert -1 <= outcome.values["patch_hog"] <= 1
    assert outcome.notes == ("the photograph has one colour",)


@pytest.mark.parametrize("mode", ["L", "CMYK", "P", "RGBA"])
def test_photographs_of_other_modes_have_a_value(tmp_path, mode):
    path = tmp_path / ("a.tif" if mode == "CMYK" else "a.png")
    Image.fromarray(pictures(n=1)[0]).convert(mode).save(path)
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    (outcome,) = measurer.measure([clip(pictures(n=1), path)])
    assert 0.5 < outcome.values["patch_hog"] <= 1


def test_a_photograph_that_its_exif_turns_is_turned(tmp_path):
    shown, path = pictures(n=1), tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90° clockwise
    Image.fromarray(np.rot90(shown[0])).save(path, exif=exif, quality=100, subsampling=0)
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    (outcome,) = measurer.measure([clip(shown, path)])
    assert outcome.values["patch_hog"] > 0.99


def test_read_only_frames_and_photographs_raise_no_warning(photograph, checkpoints):
    shown = pictures()
    shown.flags.writeable = False
    measurer = patches.PatchSimilarity(backbones.backbone(checkpoints["plain"]))
    measurer.load()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measurer.measure([clip(shown, photograph)])


def test_a_metric_of_ones_own_has_its_name_everywhere(photograph):
    own = replace(patches.PATCH_HOG, name="patch_hog_518")
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole", size=518), own)
    assert measurer.name == "patch-hog-518"
    assert measurer.settings["size"] == 518
    (outcome,) = measurer.measure([clip(pictures(n=1), photograph)])
    assert list(outcome.values) == ["patch_hog_518"]
