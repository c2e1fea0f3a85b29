"""What is learnt about text-video similarity without trained weights: counts, averages, ranks."""

import numpy as np
import open_clip
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from helpers.metrics import text_video_examples as examples
from helpers.metrics.text_video import ClipText


def test_tokens_are_counted_as_open_clips_tokenizer_fills_them():
    # Oracle: open_clip's tokenizer, which pads with zeros.
    texts = ["a tower", "A noodle shop signed “兰州牛肉面”.", "", "it's 10,000 umbrellas!"]
    filled = open_clip.get_tokenizer("ViT-L-14")(texts, context_length=200)
    assert [examples.token_count(text) for text in texts] == (filled != 0).sum(dim=1).tolist()


def test_what_is_read_is_what_open_clip_keeps():
    tokenizer = open_clip.get_tokenizer("ViT-L-14")
    text = "A woman in a red sari lights a small lamp beside the river " * 8
    kept = tokenizer([text])[0].tolist()
    assert len(kept) == examples.CLIP_TOKENS
    assert examples.part_read(text, 77) == tokenizer.decode(kept[1:-1]).strip()
    assert examples.part_read("A small tower", 77) == "a small tower"


@pytest.mark.parametrize(("part", "shares"), [("one two", [1, 1, 1]), ("three four", [0, 0.5, 1])])
def test_the_share_read_by_hand(part, shares):
    # Each of these words is one token, and two marks are read too.
    assert examples.share_read("one two three four", part, [4, 5, 6]).tolist() == shares


@pytest.mark.parametrize("part", ["five", " "])
def test_a_part_must_stand_in_the_text(part):
    with pytest.raises(ValueError, match="expected a part"):
        examples.share_read("one two", part, [10])


@given(seed=st.integers(0, 2**31), n=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_the_two_averages_differ_by_the_mean_vectors_length(seed, n):
    # Oracle: numpy's cosine of the mean, and the mean of numpy's cosines.
    rng = np.random.default_rng(seed)
    frames, words = rng.standard_normal((n, 5)), rng.standard_normal(5)
    frames /= np.linalg.norm(frames, axis=1, keepdims=True)
    words /= np.linalg.norm(words)
    found = examples.averages(frames, words)
    mean = frames.mean(axis=0)
    assert found["mean of cosines"] == pytest.approx(np.mean([frame @ words for frame in frames]))
    assert found["cosine of the mean vector"] == pytest.approx(mean @ words / np.linalg.norm(mean))
    assert abs(found["cosine of the mean vector"]) >= abs(found["mean of cosines"]) - 1e-12


def test_frames_that_cancel_have_no_direction():
    found = examples.averages(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.0]))
    assert found["length of the mean vector"] == 0
    assert np.isnan(found["cosine of the mean vector"])


@given(seed=st.integers(0, 2**31), n=st.integers(3, 9))
@settings(max_examples=30, deadline=None)
def test_a_clips_share_is_scikit_learns_area_under_the_curve(seed, n):
    # Oracle: sklearn.metrics.roc_auc_score with the own prompt as the one positive. Rounding makes ties.
    scores = np.random.default_rng(seed).standard_normal((n, n)).round(1)
    own = [roc_auc_score(np.arange(n) == clip, scores[clip]) for clip in range(n)]
    assert_allclose(examples.own_shares(scores).diagonal(), own)
    assert examples.own_prompt(scores, resamples=100).estimate == pytest.approx(np.mean(own))


def test_offsets_of_clips_change_nothing_and_a_perfect_score_is_the_best_of_all():
    scores = examples.planted_scores(8, level=0.2, clips=0, prompts=0, signal=1, noise=0.1, seed=0)
    plain = examples.own_prompt(scores)
    assert plain.estimate == 1
    # Only the actual assignment does as well: 1 of 8! = 40,320, so that 4,999 random ones rarely hold it.
    assert plain.p <= 3 / 5000
    shifted = examples.own_prompt(scores + np.arange(8)[:, None])
    assert (shifted.estimate, shifted.p) == (plain.estimate, plain.p)


def test_constant_scores_are_chance():
    found = examples.own_prompt(np.full((6, 6), 0.25))
    assert (found.estimate, found.p) == (0.5, 1.0)


@pytest.mark.parametrize("shape", [(2, 2), (3, 4)])
def test_scores_must_be_a_square(shape):
    with pytest.raises(ValueError, match="expected a square"):
        examples.own_prompt(np.zeros(shape))


def test_planted_parts_come_out():
    scores = examples.planted_scores(300, level=0.3, clips=0.2, prompts=0.1, signal=5, noise=0.05, seed=1)
    rest = scores - 5 * np.eye(300)
    assert rest.mean() == pytest.approx(0.3, abs=0.03)
    assert rest.mean(axis=1).std() == pytest.approx(0.2, rel=0.15)
    assert rest.mean(axis=0).std() == pytest.approx(0.1, rel=0.15)


def test_pairs_are_named_by_what_differs():
    prompts = pd.DataFrame({"matched_set": ["a", "a", "b"], "country": ["China", "Italy", "China"]})
    vectors = np.eye(3)[[0, 0, 1]]
    found = examples.prompt_pairs(prompts, vectors)
    assert found.to_numpy().tolist() == [["country", 1.0], ["scene", 0.0], ["both", 0.0]]


def test_letters_per_token_by_hand():
    # "tower" is one token of CLIP's, and so is "a".
    assert examples.letters_per_token(["a tower", "tower"]) == 11 / 3


def test_an_untrained_model_loads_by_the_real_code(tmp_path):
    measurer = ClipText(examples.untrained_clip(tmp_path, architecture="ViT-S-32-alt"))
    about = measurer.load()
    assert about["pixels"] == [224, 224]
