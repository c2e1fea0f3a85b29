"""AIGVE-MACS's answers, and a Qwen2.5-VL with random weights that is made to write them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chat.parsing import UnreadableError
from helpers.metrics import aigve
from helpers.metrics.aigve import AigveMacs
from helpers.metrics.aigve_reading import ASPECTS, read_aspects
from helpers.metrics.measurer import Clip
from helpers.paths import ROOT
from helpers.video.frames import sample
from helpers.video.sampling import Uniform
from helpers.video.write import write_clip

CLIPS = ROOT.parent / "shared" / "data" / "videos"
# The keys of AIGVE-Bench's annotations (ShaneXiangH/AIGVE_Tool), in their order and spelling.
KEYS = (
    "technical_quality, dynamic, consistency, physics, element_presentence, element_quality, "
    "action_presentence, action_quality, overall"
)
SCORES = dict(zip(KEYS.split(", "), [4, 1, 5, 5, 5, 5, 0, 0, 2], strict=True))
ANSWER = {key: {"score": score, "comment": f"It's {key}."} for key, score in SCORES.items()}
TEXT = json.dumps(ANSWER)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from helpers.simulate.checkpoints.aigve import build_aigve

    return build_aigve(tmp_path_factory.mktemp("checkpoints") / "qwen2.5-vl")


@pytest.fixture(scope="module")
def loaded(folder):
    measurer = AigveMacs(str(folder), device="cpu", dtype="float32")
    measurer.load()
    return measurer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pictures = np.random.default_rng(0).integers(0, 256, (16, 84, 56, 3), dtype=np.uint8)
    written = tmp_path_factory.mktemp("clips") / "portrait.mp4"
    write_clip(written, pictures, 8)
    return written


def scores(text, **about):
    value = read_aspects(text, **about).value
    return {aspect: getattr(value, aspect).score for aspect in ASPECTS}


def changed(key, value):
    return json.dumps(ANSWER | {key: value})


def test_aspects_are_spelt_and_ordered_as_published():
    assert ", ".join(ASPECTS) == KEYS
    assert [metric.name for metric in aigve.METRICS] == [f"aigve_macs_{key}" for key in SCORES]
    assert {(metric.range, metric.frames.name) for metric in aigve.METRICS} == {("0 to 5", "uniform-5")}


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (TEXT, "strict"),
        (f"```json\n{json.dumps(ANSWER, indent=2)}\n```", "tolerant"),
        (f"Here it is: {TEXT}\nAll good.", "tolerant"),
        (repr(ANSWER), "tolerant"),
        (f"```python\n{ANSWER}\n```", "tolerant"),
        (json.dumps({key: {"score": score, "reason": "so"} for key, score in SCORES.items()}), "strict"),
        (json.dumps({key: {"score": score} for key, score in reversed(SCORES.items())}), "strict"),
    ],
    ids=["json", "fence", "prose", "literal", "fenced literal", "other comment key", "other order"],
)
def test_answers_are_read_strictly_then_tolerantly(text, reading):
    assert scores(text) == SCORES
    assert read_aspects(text).reading == reading


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4, 1, 5, 5, 5, 5, 0, 0, 2",
        TEXT[:-1],
        f"{TEXT}\n{TEXT}",
        f"{ANSWER}\n{ANSWER}",
        changed("overall", {"score": 6}),
        changed("overall", {"score": -1}),
        changed("overall", {"score": 2.5}),
        changed("overall", {"score": "2"}),
        changed("overall", {"score": True}),
        changed("overall", {"score": None}),
        changed("overall", 2),
        changed("realism", {"score": 2}),
        TEXT.replace("element_presentence", "element_presence"),
        TEXT.replace('"dynamic"', '"overall"'),
        repr(ANSWER).replace("'dynamic'", "'overall'"),
        repr(ANSWER).replace("'score': 4", "'score': 4, 'score': 1"),
        repr(ANSWER).replace("'score': 4", "'score': 2 + 2"),
        repr(ANSWER).replace("4", "len('four')"),
        "{" * 5_000 + "}" * 5_000,
        "{" + "-" * 15_000 + "1}",
    ],
)
def test_nothing_is_guessed(text):
    with pytest.raises(UnreadableError):
        read_aspects(text)


def test_an_answer_is_never_run(tmp_path):
    trap = tmp_path / "trap"
    with pytest.raises(UnreadableError):
        read_aspects(f"{{'overall': __import__('pathlib').Path({str(trap)!r}).touch()}}")
    assert not trap.exists()


def test_a_literal_that_was_cut_off_is_none():
    assert scores(TEXT, cut=True) == SCORES
    with pytest.raises(UnreadableError, match="cut off"):
        read_aspects(repr(ANSWER), cut=True)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet="{}[]'\":, -0123456789.\\n\\\\score"),
        st.tuples(st.integers(0, len(TEXT)), st.integers(0, 9), st.text(max_size=3)).map(
            lambda cut: TEXT[: cut[0]] + cut[2] + TEXT[cut[0] + cut[1] :]
        ),
    )
)
def test_any_answer_gives_nine_scores_or_a_reason(text):
    try:
        found = scores(text)
    except UnreadableError:
        return
    assert all(0 <= score <= 5 for score in found.values())


def test_an_answer_becomes_nine_values(loaded, path, monkeypatch):
    chat = loaded.asked._chat
    tokens = [*chat.tokenizer.encode(TEXT), chat.tokenizer.eos_token_id]
    monkeypatch.setattr(chat, "write", lambda *_: [tokens])
    frames = sample(path, Uniform(5))
    (outcome,) = loaded.measure([Clip(video_id="a", frames=frames, prompt="A desert at noon")])
    assert outcome.values == {f"aigve_macs_{key}": score for key, score in SCORES.items()}
    assert outcome.notes[:2] == (
        "action_presentence is 0: no action was asked for",
        "action_quality is 0: no action was asked for",
    )
    assert outcome.details == {"answer": TEXT, "reading": "strict"}


def test_five_frames_are_shown_at_the_published_size(loaded, path, monkeypatch):
    from helpers.chat.local_model import LocalModel

    seen = []
    inputs = LocalModel.inputs
    monkeypatch.setattr(
        LocalModel, "inputs", lambda self, request: seen.append(request) or inputs(self, request)
    )
    monkeypatch.setattr(loaded.asked, "_most", 3)
    loaded.measure([Clip(video_id="a", frames=sample(path, Uniform(5)), prompt="A desert at noon")])
    shown, question = seen[0].messages[0].parts
    assert [(picture.height, picture.width) for picture in shown.pictures] == [(480, 854)] * 5
    assert question.text.rstrip().endswith("A desert at noon")
    assert seen[0].sampling.temperature == 0


def test_a_checkpoint_depends_on_its_seed_alone_and_says_nothing(folder, tmp_path, capfd):
    from helpers.simulate.checkpoints.aigve import build_aigve

    again, other = build_aigve(tmp_path / "again"), build_aigve(tmp_path / "other", seed=1)
    weights = [(path / "model.safetensors").read_bytes() for path in (folder, again, other)]
    assert weights[0] == weights[1] != weights[2]
    assert len(weights[0]) < 1_000_000
    assert capfd.readouterr() == ("", "")
