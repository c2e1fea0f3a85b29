"""A real server: `transformers serve` with a Qwen3-VL of random weights, which never answers sensibly."""

import threading

import numpy as np
import pandas as pd
import pytest

from helpers.benchmarks import culturescore as steps
from helpers.benchmarks import culturescore_native as native
from helpers.benchmarks import culturescore_questions as asking
from helpers.benchmarks import starter
from helpers.benchmarks.model_steps import Writer
from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.clips import HeldFrames
from helpers.chat.log import read_log
from helpers.chat.messages import user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.pictures import Picture
from helpers.chat.request import Request, Sampling

pytestmark = pytest.mark.slow
SHORT = Sampling(max_tokens=8)
RNG = np.random.default_rng(0)
PICTURES = [Picture.encode(RNG.integers(0, 256, (48, 64, 3), dtype=np.uint8)) for _ in range(16)]
CLIP = HeldFrames(tuple(PICTURES), tuple(np.arange(16) * 5 / 16), fps=24, total=120)


@pytest.fixture
def ask(served, tmp_path):
    backend = OpenAICompatible(base_url=served, timeout=60.0)

    def ask(requests, **about):
        return ask_many(requests, backend, tmp_path / "log.jsonl", **about)

    return ask


@pytest.fixture
def make(tiny_qwen):
    def make(*parts, schema=None, sampling=SHORT):
        return Request(model=str(tiny_qwen), messages=(user(*parts),), schema=schema, sampling=sampling)

    return make


def test_text_is_read_and_counted(ask, make, tiny_qwen, tmp_path):
    (result,) = ask([make("How?")])
    record = read_log(tmp_path / "log.jsonl")[result.key]
    # <|im_start|>user\nHow?<|im_end|>\n<|im_start|>assistant\n: three special tokens and 20 bytes.
    assert (record.sent, record.received, record.cut) == (23, 8, True)
    assert result.model.startswith(str(tiny_qwen))


def test_a_reply_that_fits_no_form_is_unscored_after_one_repair_and_kept(ask, make, verdict, tmp_path):
    results = ask([make(f"Question {i}?", schema=verdict) for i in range(3)])
    assert {result.status for result in results} == {"unscored"}
    assert all(result.raw and result.repair for result in results)
    assert len(read_log(tmp_path / "log.jsonl")) == 6


@pytest.mark.parametrize("parts", [(*PICTURES, "What?"), (CLIP, "What?")], ids=["pictures", "clip"])
def test_sixteen_pictures_arrive(ask, make, tmp_path, parts):
    result, other = ask([make(*parts), make("What?")])
    records = read_log(tmp_path / "log.jsonl")
    # 48 x 64 pixels are 64 x 64 after scaling to multiples of 32: 4 tokens, between two special ones.
    times = 0 if len(parts) > 2 else 16 * len("t = 0.00 s")
    assert records[result.key].sent - records[other.key].sent == 16 * 6 + times
    assert result.raw != other.raw


def test_many_at_once_reply_as_one_after_another(ask, make, tmp_path):
    requests = [make(PICTURES[i], f"Question {i}?", sampling=Sampling(max_tokens=24)) for i in range(16)]
    at_once = ask(requests, concurrency=16)
    (tmp_path / "log.jsonl").unlink()
    assert ask(requests, concurrency=1) == at_once
    assert {result.status for result in at_once} == {"unscored"}


def test_a_run_goes_on_where_it_stopped(ask, make, tmp_path):
    requests = [make(PICTURES[0], f"Question {i}?") for i in range(4)]
    first = ask(requests[:2])
    lines = (tmp_path / "log.jsonl").read_text()
    results = ask(requests)
    assert results[:2] == first
    assert (tmp_path / "log.jsonl").read_text().startswith(lines)
    assert len(read_log(tmp_path / "log.jsonl")) == 8


def test_the_local_backend_gives_the_same_replies(ask, make, tiny_qwen, tmp_path):
    from helpers.chat.local import Local

    requests = [make("How?"), make(PICTURES[0], "What?"), make(*PICTURES, "What?")]
    there = ask(requests)
    here = ask_many(requests, Local(str(tiny_qwen), device="cpu", dtype="float32"), tmp_path / "local.jsonl")
    assert [result.raw for result in here] == [result.raw for result in there]
    assert threading.active_count() < 20


STEPS = {
    "decompose": (steps.decompose_requests, steps.decompose_rows),
    "extend": (steps.extend_requests, steps.extend_rows),
    "remove_country": (steps.remove_country_requests, steps.remove_country_rows),
    "uniqueness": (steps.uniqueness_requests, steps.uniqueness_rows),
    "translate": (native.translate_requests, native.translate_rows),
    "back_translate": (native.back_translate_requests, native.back_translate_rows),
}


class TestCultureScore:
    """Every step of Appendix C on rows whose earlier steps went well, as the starter set has them."""

    @pytest.fixture
    def writer(self, tiny_qwen):
        return Writer(model=str(tiny_qwen), sampling=SHORT)

    @pytest.fixture
    def scenarios(self):
        rows = starter.scenarios().head(2)
        rows = rows.assign(
            prompt=rows["base"], language="Portuguese", native_draft="Dançarinos de frevo brasileiros"
        )
        earlier = ("decompose", "extend", "remove_country", "language", "translate")
        return rows.assign(**{f"{step}_status": "ok" for step in earlier})

    @pytest.fixture
    def questions(self):
        rows = starter.questions().head(3).drop(columns=["verified", "evidence"])
        return rows.assign(form_status="ok", country="Brazil")

    @pytest.mark.parametrize("step", STEPS)
    def test_each_scenario_ends_with_a_status(self, ask, scenarios, writer, step):
        requests, rows = STEPS[step]
        asked = scenarios[list(steps.SCENARIOS.columns)] if step == "decompose" else scenarios
        self.check(rows(asked, ask(requests(asked, writer))), step, asked)

    @pytest.mark.parametrize("asked_from", ["base", "extended"])
    def test_questions_are_asked_of_each_scenario(self, ask, scenarios, writer, asked_from):
        requests = asking.question_requests(scenarios, writer, asked_from=asked_from)
        rows = asking.question_rows(scenarios, ask(requests), asked_from=asked_from)
        self.check(rows.scenarios, f"questions_from_{asked_from}", scenarios)
        assert rows.questions.empty

    def test_each_question_is_verified(self, ask, questions, writer):
        rows = asking.verify_rows(questions, ask(asking.verify_requests(questions, writer)))
        self.check(rows, "verify", questions)

    def check(self, rows: pd.DataFrame, step: str, before: pd.DataFrame) -> None:
        identity = before.columns[0]
        assert list(rows[identity]) == list(before[identity])
        assert set(rows[f"{step}_status"]) == {"unscored"}
        assert rows[f"{step}_reason"].notna().all()
        assert rows[f"{step}_raw"].str.len().gt(0).all()


def test_a_server_that_died_is_said_once(tiny_qwen, tmp_path, make):
    from transformers_server import serving

    with serving(tiny_qwen, tmp_path / "said.txt") as address:
        backend = OpenAICompatible(base_url=address)
        assert ask_many([make("How?")], backend, tmp_path / "log.jsonl")[0].raw
    with pytest.raises(CannotAskError, match="no connection"):
        ask_many([make("Why?")], backend, tmp_path / "log.jsonl")
