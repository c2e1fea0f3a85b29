"""VideoScore2's answers, and a Qwen2.5-VL with random weights that is made to write them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chat.parsing import UnreadableError
from helpers.metrics import videoscore2
from helpers.metrics.measurer import Clip
from helpers.metrics.videoscore2 import VideoScore2, expectations
from helpers.metrics.videoscore2_reading import DIMENSIONS, read_scores, token_at
from helpers.paths import ROOT
from helpers.video.frames import sample
from helpers.video.sampling import PerSecond
from helpers.video.write import write_clip

CLIPS = ROOT.parent / "shared" / "data" / "videos"
# The order of the form that the authors' script asks for (TIGER-AI-Lab/VideoScore2, vs2_inference.py).
ASKED = "visual quality: 3; \ntext-to-video alignment: 4, \nphysical/common-sense consistency: 2"
# What the released model was seen to write (hao-ai-lab/FastVideo, fastvideo/eval, VideoScore2's comment).
SEEN = (
    "<think>The visual quality is fine: 5 of 5.</think>\n(1) visual quality – clarity: 3\n"
    "(2) text-to-video alignment – fidelity to the prompt: 4\n"
    "(3) physical/common-sense consistency – naturalness: 2"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from helpers.simulate.checkpoints.aigve import build_aigve

    return build_aigve(tmp_path_factory.mktemp("checkpoints") / "qwen2.5-vl")


@pytest.fixture(scope="module")
def loaded(folder):
    measurer = VideoScore2(str(folder), device="cpu", dtype="float32")
    measurer.load()
    return measurer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pictures = np.random.default_rng(0).integers(0, 256, (16, 56, 84, 3), dtype=np.uint8)
    written = tmp_path_factory.mktemp("clips") / "noise.mp4"
    write_clip(written, pictures, 8)
    return written


@pytest.fixture
def clip(path):
    return Clip(video_id="noise", frames=sample(path, PerSecond(2)), prompt="A desert at noon")


@pytest.fixture
def writes(loaded, monkeypatch):
    """Make the model write an answer."""

    def script(text):
        chat = loaded.asked._chat
        tokens = [*chat.tokenizer.encode(text), chat.tokenizer.eos_token_id]
        monkeypatch.setattr(chat, "write", lambda *_: [tokens])

    return script


@pytest.mark.parametrize("answer", [ASKED, SEEN, SEEN.replace(": 3", ": **3**").replace(": 4", ": 4.")])
def test_scores_are_read_in_both_forms(answer):
    scores = read_scores(answer)
    assert [score.value for score in scores] == [3, 4, 2]
    assert [answer[score.place] for score in scores] == ["3", "4", "2"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "found 0 scores of visual quality"),
        (ASKED.replace("3", "6"), "visual quality: found '6'"),
        (ASKED.replace("3", "0"), "visual quality: found '0'"),
        (ASKED.replace("3", "3.5"), "visual quality: found '3.5'"),
        (ASKED.replace("3", "13"), "visual quality: found '13'"),
        (ASKED.replace("3", "3/5"), "visual quality: found '3/5'"),
        (ASKED.replace("3", "N"), "visual quality: found 'N'"),
        (ASKED.replace("alignment", "fit"), "found 0 scores of text-to-video alignment"),
        (f"{ASKED}\nvisual quality: 3", "found 2 scores of visual quality"),
        (f"<think>{ASKED}", "ends within its reasoning"),
        (f"<think>{ASKED}</think>", "found 0 scores of visual quality"),
    ],
)
def test_nothing_is_guessed(answer, reason):
    with pytest.raises(UnreadableError, match=reason):
        read_scores(answer)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*DIMENSIONS, ":", " ", "3", "5", "9", ".", "\n", "<think>", "</think>", "é"]))
)
def test_any_answer_gives_three_scores_or_a_reason(parts):
    try:
        scores = read_scores("".join(parts))
    except UnreadableError:
        return
    assert len(scores) == 3
    assert all(1 <= score.value <= 5 for score in scores)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab3é東🎉 ", min_size=1))
def test_a_digit_is_found_among_tokens_of_bytes(text):
    tokens = list(text.encode())
    words = lambda some: bytes(some).decode(errors="replace")  # noqa: E731
    for place, character in enumerate(text):
        if character == "3":
            assert token_at(place, tokens, words) == len(text[:place].encode())


def test_the_expectation_is_the_mean_of_five_digits():
    # By hand: 0.10 × 2 + 0.58 × 3 + 0.30 × 4 + 0.02 × 5; the authors' soft score would be 3 × 0.58 = 1.74.
    chances = np.array([[1e-12, 0.10, 0.58, 0.30, 0.02], [0.2] * 5])
    assert expectations(np.log(chances) + 7) == pytest.approx([3.24, 3.0])


def test_logits_are_those_that_the_answer_was_taken_from(loaded, clip, monkeypatch):
    # Oracle: what transformers' own generate() returns as output_logits.
    chat = loaded.asked._chat
    monkeypatch.setattr(loaded.asked, "_most", 12)
    answer = loaded.asked.ask(clip)
    written = chat.model.generate(
        **answer.inputs,
        do_sample=False,
        max_new_tokens=12,
        output_logits=True,
        return_dict_in_generate=True,
        pad_token_id=0,
    )
    expected = np.concatenate([step.numpy() for step in written.logits])
    assert answer.tokens == written.sequences[0, -12:].tolist()
    np.testing.assert_allclose(loaded.asked.logits(answer, list(range(12))), expected, atol=1e-4)


def test_an_answer_becomes_whole_numbers_and_expectations(loaded, clip, writes):
    writes(SEEN)
    (outcome,) = loaded.measure([clip])
    values = list(outcome.values.values())
    assert values[:3] == [3, 4, 2]
    answer = loaded.asked.ask(clip)
    at = [SEEN.encode().index(f": {digit}".encode(), 60) + 2 for digit in (3, 4, 2)]
    logits = loaded.asked.logits(answer, at)[:, [answer.tokens[i] for i in at]]
    assert logits.shape == (3, 3)
    digits = [loaded.asked.token(digit) for digit in "12345"]
    chances = np.exp(loaded.asked.logits(answer, at)[:, digits].astype(float))
    expected = [sum(k * p for k, p in enumerate(row, 1)) / math.fsum(row) for row in chances]
    assert values[3:] == pytest.approx(expected, abs=1e-4)
    assert outcome.details["answer"] == SEEN


def test_metrics_are_named_in_the_published_order():
    assert [metric.name for metric in videoscore2.METRICS[:3]] == [
        "videoscore2_visual_quality",
        "videoscore2_text_to_video_alignment",
        "videoscore2_physical_common_sense_consistency",
    ]
    assert {metric.range for metric in videoscore2.METRICS} == {"1 to 5"}
