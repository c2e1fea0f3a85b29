"""Qwen3-VL of random weights, behind transformers' server and on this machine: no sensible answer."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from helpers import tables
from helpers.chat.log import read_log
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Sampling
from helpers.judging.judge import Judge
from helpers.judging.study import judge_study, log_of
from transformers_server import serving

pytestmark = pytest.mark.slow
SHORT = Sampling(max_tokens=8)


@pytest.fixture(scope="module")
def tiny_qwen(tmp_path_factory) -> Path:
    # Importing it loads torch and transformers.
    from helpers.simulate.checkpoints.qwen3_vl import build_qwen3_vl

    return build_qwen3_vl(tmp_path_factory.mktemp("checkpoints") / "qwen3-vl")


@pytest.fixture(scope="module")
def served(tiny_qwen, tmp_path_factory) -> Iterator[str]:
    with serving(tiny_qwen, tmp_path_factory.mktemp("served") / "log.txt") as address:
        yield address


def check(study: Path, judge: Judge) -> pd.DataFrame:
    report = judge_study(study, judge)
    assert report.count(status="unscored") == report.count() == 10
    records = read_log(log_of(study, judge))
    assert len(records) == 20  # each with its repair
    # 48 x 64 pixels become 64 x 64: four tokens for each of 16 frames, and more for the text.
    assert min(record.sent for record in records.values()) > 16 * 4
    answers = tables.read(study, "answers")
    assert answers["answer"].isna().all()
    assert answers["raw"].notna().all()
    return answers


def test_image_lists_through_transformers_serve(study, tiny_qwen, served):
    backend = OpenAICompatible(base_url=served, timeout=120.0)
    check(study, Judge(rater_id="Served", model=str(tiny_qwen), backend=backend, sampling=SHORT))


def test_clips_with_their_times_on_this_machine(study, tiny_qwen):
    from helpers.chat.local import Local

    backend = Local(str(tiny_qwen), device="cpu", dtype="float32")
    answers = check(study, Judge(rater_id="Local", model=backend.name, backend=backend, sampling=SHORT))
    assert answers["settings"].str.contains(f"{tiny_qwen}@").all()  # the weights' hash
