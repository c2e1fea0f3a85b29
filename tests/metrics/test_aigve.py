"""AIGVE-MACS's answers, and a Qwen2.5-VL with random weights that is made to write them."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chat.parsing import UnreadableError
from helpers.metrics import aigve, run
from helpers.metrics.aigve import AigveMacs
from helpers.metrics.aigve_reading import ASPECTS, read_aspects
from helpers.metrics.asked_models import Answer
from helpers.metrics.cases import Case
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
ACTION = ("action_presentence", "action_quality")
ANSWER = {key: {"score": score, "comment": f"It's {key}."} for key, score in SCORES.items()}
TEXT = json.dumps(ANSWER)
ACTION_METRICS = [f"aigve_macs_{key}" for key in ACTION]


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


def said(text):
    return Answer(text=text, cut=False, tokens=[], inputs={})


def changed(key, value):
    return json.dumps(ANSWER | {key: value})


def test_aspects_are_spelt_and_ordered_as_published():
    assert ", ".join(ASPECTS) == KEYS
    assert [metric.name for metric in aigve.METRICS] == [f"aigve_macs_{key}" for key in SCORES]
    assert {metric.frames.name for metric in aigve.METRICS} == {"uniform-5"}
    ranges = {metric.name.removeprefix("aigve_macs_"): metric.range for metric in aigve.METRICS}
    assert ranges == dict.fromkeys(KEYS.split(", "), "0 to 5") | dict.fromkeys(ACTION, "1 to 5")


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


def test_an_answer_becomes_values_of_all_but_absent_actions(loaded, path, monkeypatch):
    chat = loaded.asked._chat
    tokens = [*chat.tokenizer.encode(TEXT), chat.tokenizer.eos_token_id]
    monkeypatch.setattr(chat, "write", lambda *_: [tokens])
    frames = sample(path, Uniform(5))
    (outcome,) = loaded.measure([Clip(video_id="a", frames=frames, prompt="A desert at noon")])
    assert outcome.values == {f"aigve_macs_{key}": SCORES[key] for key in ASPECTS if key not in ACTION}
    assert outcome.notes[:2] == (
        "action_presentence is 0, for no action: no value",
        "action_quality is 0, for no action: no value",
    )
    assert outcome.details == {"answer": TEXT, "reading": "strict"}


@pytest.mark.parametrize(("key", "kept"), [("action_quality", False), ("overall", True), ("dynamic", True)])
def test_a_zero_is_no_grade_of_an_action_and_a_grade_of_anything_else(key, kept):
    answer = {each: {"score": 3} for each in ASPECTS} | {key: {"score": 0}}
    outcome = AigveMacs("folder").read(said(json.dumps(answer)))
    assert len(outcome.values) == 8 + kept
    assert outcome.values.get(f"aigve_macs_{key}", "none") == (0 if kept else "none")
    assert len(outcome.notes) == 1 - kept


def test_peoples_scores_of_aigve_bench_are_zero_for_both_actions_or_within_range():
    if not CLIPS.exists():
        pytest.skip("the scores of AIGVE-Bench are not here")
    rows = json.loads((CLIPS / "annotations.json").read_text(encoding="utf-8"))["data_list"]
    answers = [json.dumps({key: {"score": row[key]} for key in ASPECTS}) for row in rows]
    found = [AigveMacs("folder").read(said(text)).values for text in answers]
    assert [len(values) for values in found].count(9) == 6
    assert [values.keys().isdisjoint(ACTION_METRICS) for values in found].count(True) == 4
    assert min(score for values in found for score in values.values()) == 1
    acted = [values[ACTION_METRICS[0]] for values in found if len(values) == 9]
    # With the four zeros it would be 2.2.
    assert np.mean(acted) == pytest.approx(22 / 6)


def test_a_clip_without_action_is_measured_once_and_has_no_row_of_it(path, tmp_path, monkeypatch):
    asked = []

    def ask(clip, size):
        asked.append(clip.video_id)
        acting = json.dumps(ANSWER | {key: {"score": 4} for key in ACTION})
        return said(acting if clip.video_id == "acts" else TEXT)

    def load(self):
        self.asked = SimpleNamespace(ask=ask, query=SimpleNamespace(notes=()))
        return {}

    monkeypatch.setattr(AigveMacs, "load", load)
    cases = [Case(video_id=name, path=path, prompt="A desert at noon") for name in ("acts", "rests")]
    results = [run.measure([AigveMacs("folder")], cases, tmp_path, quiet=True) for _ in range(2)]
    assert sorted(asked) == ["acts", "rests"]
    assert run.still_open(AigveMacs("folder"), cases, tmp_path) == []
    for found in results:
        assert set(found.table["status"]) == {"ok"}
        assert found.table["video_id"].value_counts().to_dict() == {"acts": 9, "rests": 7}
        assert found.table.loc[found.table["metric"].isin(ACTION_METRICS), "value"].tolist() == [4, 4]
        assert found.lacking() == []
    kept = results[1].about.query("video_id == 'rests'")["details"].iloc[0]
    assert json.loads(kept["answer"])["action_quality"]["score"] == 0


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
